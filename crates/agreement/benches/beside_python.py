"""Times the crate beside numpy, scikit-learn and krippendorff, one thread each.

    python3 crates/agreement/benches/beside_python.py

makes a virtual environment under target/ and builds `benches/measures.rs`. Each round runs a measure of ours three times,
then what one would run instead three times, and takes the least time of each: the first run finds its input far away,
pushed out by the other side. The ratio is the median over the rounds of their time by our time in the same round, so
that a machine that does other work at the same time disturbs both sides alike.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import venv

VENV = os.path.join("target", "beside-python")
ROUNDS = 11
REPEATS = 3
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"


def inside_venv():
    python = os.path.join(VENV, "bin", "python")
    if not os.path.exists(python):
        venv.create(VENV, with_pip=True)
    packages = ["numpy", "scikit-learn", "krippendorff"]
    if subprocess.run([python, "-c", "import numpy, sklearn, krippendorff"], capture_output=True).returncode:
        subprocess.run([python, "-m", "pip", "-q", "install", *packages], check=True)
    os.execv(python, [python, __file__, "--measure"])


class Ours:
    """The built benchmark, which runs a measure once each time that it is asked by name."""

    def __init__(self):
        build = ["cargo", "bench", "-q", "-p", "agreement", "--bench", "measures", "--no-run", "--message-format=json"]
        lines = subprocess.run(build, check=True, capture_output=True, text=True).stdout.splitlines()
        built = [message["executable"] for message in map(json.loads, lines) if message.get("executable")]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([built[-1], "--ask"], stdin=pipe, stdout=pipe, text=True, bufsize=1)

    def milliseconds(self, name):
        return least(lambda: self.once(name))

    def once(self, name):
        self.process.stdin.write(name + "\n")
        return int(self.process.stdout.readline()) / 1e6


def theirs():
    """What one would run instead: (our measure, package, function)."""
    import krippendorff
    import numpy as np
    from sklearn.metrics import cohen_kappa_score

    random = np.random.default_rng(1)
    levels = np.arange(5)
    distance = (np.subtract.outer(levels, levels) ** 2).astype(float)

    def raters(n, judges=1):
        reference = random.integers(0, 5, n)
        steps = random.choice([-1, 0, 0, 0, 0, 0, 0, 0, 0, 1], (judges, n))
        near = np.clip(reference + steps, 0, 4)
        any_level = random.integers(0, 5, (judges, n))
        return reference, np.where(random.random((judges, n)) < 0.1, any_level, near)

    def kappas(tables):
        observed = (tables * distance).sum((1, 2))
        expected = np.einsum("bi,ij,bj->b", tables.sum(2), distance, tables.sum(1))
        return 1 - observed / expected

    reference, (judge,) = raters(10**6)
    bytes_of = [column.astype(np.uint8) for column in (reference, judge)]

    def bincount(a, b):
        return kappas((np.bincount(a * 5 + b, minlength=25) / len(a)).reshape(1, 5, 5))

    yield "qwk", "numpy bincount", lambda: bincount(reference, judge)
    yield "qwk", "numpy bincount, bytes", lambda: bincount(*bytes_of)
    yield "qwk", "scikit-learn", lambda: cohen_kappa_score(reference, judge, weights="quadratic")

    def multinomial(n, a, b):
        shares = np.bincount(a * 5 + b, minlength=25) / n
        # Cells that do not occur are never drawn, and would only cost.
        tables = np.zeros((10_000, 25))
        tables[:, shares > 0] = random.multinomial(n, shares[shares > 0], size=10_000) / n
        return np.quantile(kappas(tables.reshape(-1, 5, 5)), [0.025, 0.975])

    for n in (50, 500, 5000):
        a, (b,) = raters(n)
        yield f"bca {n}", "numpy multinomial", lambda n=n, a=a, b=b: multinomial(n, a, b)

    human, judges = raters(500, 12)
    first, second = np.triu_indices(12, 1)
    rows = np.concatenate([human[None], human[None] ** 2, judges, judges**2, judges * human])

    def matmul(whole, number):
        drawn = random.integers(0, 500, (10_000, 500), dtype=whole)
        drawn += np.arange(10_000, dtype=whole)[:, None] * 500
        counts = np.bincount(drawn.ravel(), minlength=10_000 * 500).reshape(10_000, 500).astype(number)
        sums = (rows.astype(number) @ counts.T).astype(float) / 500
        a, aa, b, bb, ab = np.split(sums, [1, 2, 14, 26])
        kappa = 1 - (aa + bb - 2 * ab) / (aa + bb - 2 * a * b)
        np.quantile(kappa, [0.025, 0.975], axis=1)
        return np.quantile(kappa[first] - kappa[second], [0.025, 0.975], axis=1)

    cells = np.zeros((500, 12 * 25))
    for judge, levels_given in enumerate(judges):
        cells[np.arange(500), judge * 25 + human * 5 + levels_given] = 1

    def matmul_of_tables():
        counts = random.multinomial(500, np.full(500, 1 / 500), size=10_000).astype(float)
        tables = (counts @ cells).reshape(-1, 5, 5) / 500
        kappa = kappas(tables).reshape(-1, 12)
        np.quantile(kappa, [0.025, 0.975], axis=0)
        return np.quantile(kappa[:, first] - kappa[:, second], [0.025, 0.975], axis=0)

    yield "judges", "numpy matmul, tables", matmul_of_tables
    yield "judges", "numpy matmul, moments", lambda: matmul(np.int64, float)
    yield "judges", "numpy matmul, moments, 32 bits", lambda: matmul(np.int32, np.float32)

    _, many = raters(10_000, 20)
    table = np.where(random.random(many.shape) < 0.1, np.nan, many.astype(float))
    yield "alpha", "krippendorff", lambda: krippendorff.alpha(table, level_of_measurement="ordinal")


WHAT = {
    "qwk": "QWK of 1,000,000 pairs",
    "bca 50": "BCa of QWK, n = 50, B = 10,000",
    "bca 500": "BCa of QWK, n = 500, B = 10,000",
    "bca 5000": "BCa of QWK, n = 5000, B = 10,000",
    "judges": "12 judges, 66 differences, n = 500",
    "alpha": "α ordinal, 20 raters, 10,000 items",
}
GOALS = {
    ("qwk", "numpy bincount"): 5,
    ("qwk", "scikit-learn"): 50,
    ("bca 500", "numpy multinomial"): 4,
    ("judges", "numpy matmul, tables"): 10,
    ("judges", "numpy matmul, moments"): 10,
    ("alpha", "krippendorff"): 5,
}
LIMITS = {
    "qwk": ("read qwk", "reading the two columns once"),
    "bca 500": ("draw bca 500", "its random numbers"),
    "judges": ("draw judges", "its random numbers"),
    "alpha": ("read alpha", "reading the ratings once"),
}


def least(time_of_a_run):
    return min(time_of_a_run() for _ in range(REPEATS))


def in_milliseconds(run):
    def once():
        start = time.perf_counter()
        run()
        return (time.perf_counter() - start) * 1e3

    return least(once)


def main():
    if "--measure" not in sys.argv:
        inside_venv()
    ours = Ours()
    print("| what | beside | theirs | ours | ratio | goal |\n|---|---|---|---|---|---|")
    for name, package, run in theirs():
        ours.milliseconds(name), run()
        rounds = [(ours.milliseconds(name), in_milliseconds(run)) for _ in range(ROUNDS)]
        own, other = (statistics.median(times) for times in zip(*rounds))
        ratio = statistics.median(their_time / our_time for our_time, their_time in rounds)
        goal = GOALS.get((name, package))
        said = "" if goal is None else f"{goal}× {'reached' if ratio >= goal else 'not reached'}"
        print(f"| {WHAT[name]} | {package} | {other:.2f} ms | {own:.2f} ms | {ratio:.1f}× | {said} |", flush=True)
    print("\n| what | ours | limit | of it | ours by limit |\n|---|---|---|---|---|")
    for name, (limit, what) in LIMITS.items():
        rounds = [(ours.milliseconds(name), ours.milliseconds(limit)) for _ in range(ROUNDS)]
        own, at_least = (statistics.median(times) for times in zip(*rounds))
        print(f"| {WHAT[name]} | {own:.2f} ms | {at_least:.2f} ms | {what} | {own / at_least:.1f}× |")


if __name__ == "__main__":
    main()
