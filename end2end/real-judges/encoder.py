"""A judge behind the command provider: how close the answer is to the passage, by the sentence encoder all-MiniLM-L6-v2, cut into levels.

    python encoder.py MODEL CUT,CUT,…     reads one call on standard input and answers on standard output

MODEL is the folder of the model. The cuts part the cosines into levels, lowest first; the lowest level is 1.
"""

import bisect
import json
import os
import pathlib
import re
import sys

# Several calls are under way at the same time: each takes one core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy
from tokenizers import Tokenizer

LONGEST = 256  # tokens, as the model was trained
HEADS = 12


def tensors(file):
    """The tensors of a safetensors file, mapped and not read."""
    raw = numpy.memmap(file, dtype=numpy.uint8, mode="r")
    length = int(raw[:8].view(numpy.uint64)[0])
    header = json.loads(bytes(raw[8 : 8 + length]))
    for name, about in header.items():
        if name != "__metadata__" and about["dtype"] == "F32":
            begin, end = (8 + length + offset for offset in about["data_offsets"])
            yield name, numpy.frombuffer(raw[begin:end].tobytes(), numpy.float32).reshape(about["shape"])


def normed(x, weights, name):
    x = (x - x.mean(-1, keepdims=True)) / numpy.sqrt(x.var(-1, keepdims=True) + 1e-12)
    return x * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def linear(x, weights, name):
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def gelu(x):
    # Abramowitz & Stegun 7.1.26 for the error function: off by 1.5e-7 at most.
    z = numpy.abs(x) / numpy.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return 0.5 * x * (1 + numpy.sign(x) * (1 - tail * numpy.exp(-z * z)))


class Encoder:
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.weights = dict(tensors(folder / "model.safetensors"))
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)

    def encode(self, text):
        """The mean of the last layer's token vectors, of length 1."""
        weights, ids = self.weights, self.tokenizer.encode(text).ids
        x = weights["embeddings.word_embeddings.weight"][ids]
        x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
        x = normed(x + weights["embeddings.token_type_embeddings.weight"][0], weights, "embeddings.LayerNorm")
        for layer in range(6):
            name = f"encoder.layer.{layer}"
            query, key, value = (
                linear(x, weights, f"{name}.attention.self.{part}").reshape(len(ids), HEADS, -1).swapaxes(0, 1)
                for part in ("query", "key", "value")
            )
            scores = query @ key.swapaxes(1, 2) / numpy.sqrt(query.shape[-1])
            scores = numpy.exp(scores - scores.max(-1, keepdims=True))
            heads = scores / scores.sum(-1, keepdims=True) @ value
            attended = linear(heads.swapaxes(0, 1).reshape(len(ids), -1), weights, f"{name}.attention.output.dense")
            x = normed(x + attended, weights, f"{name}.attention.output.LayerNorm")
            inner = gelu(linear(x, weights, f"{name}.intermediate.dense"))
            x = normed(x + linear(inner, weights, f"{name}.output.dense"), weights, f"{name}.output.LayerNorm")
        mean = x.mean(0)
        return mean / numpy.linalg.norm(mean)

    def cosine(self, one, other):
        return float(self.encode(one) @ self.encode(other))


def between(prompt, boundary, label):
    """The text of the prompt that stands between the boundaries of that label."""
    found = re.search(
        rf"\[{label} · begin {boundary}\]\n(.*?)\n\[{label} · end {boundary}\]", prompt, re.DOTALL
    )
    if not found:
        sys.exit(f"the prompt has no {label}")
    return found[1]


def main():
    folder, cuts = sys.argv[1], [float(cut) for cut in sys.argv[2].split(",")]
    call = json.load(sys.stdin)
    prompt, boundary = call["prompt"], call["boundary"]
    cosine = Encoder(folder).cosine(between(prompt, boundary, "answer"), between(prompt, boundary, "passage 1"))
    answer = {"reason": f"cosine of answer and passage {cosine:.3f}", "score": 1 + bisect.bisect_right(cuts, cosine)}
    json.dump({"text": json.dumps(answer), "model": call["model"]}, sys.stdout)


if __name__ == "__main__":
    main()
