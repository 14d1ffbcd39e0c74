"""Times the crate beside numpy, scikit-learn and krippendorff, on this machine, one after the other, one thread each.

    python3 crates/agreement/benches/beside_python.py

makes a virtual environment under target/, runs `cargo bench`, and prints a row and a ratio for each measure. The fastest of several
repeats counts on both sides. A machine that does other work at the same time spoils both.
"""

import os
import re
import subprocess
import sys
import venv

VENV = os.path.join("target", "beside-python")
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"


def inside_venv():
    python = os.path.join(VENV, "bin", "python")
    if not os.path.exists(python):
        venv.create(VENV, with_pip=True)
        subprocess.run([python, "-m", "pip", "-q", "install", "numpy", "scikit-learn", "krippendorff"], check=True)
    os.execv(python, [python, __file__, "--measure"])


def ours():
    """Fastest time in milliseconds of each bench, by name and argument."""
    command = ["cargo", "bench", "-q", "-p", "agreement", "--bench", "measures"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    unit = {"ns": 1e-6, "µs": 1e-3, "ms": 1.0, "s": 1e3}
    times, group = {}, ""
    for line in text.splitlines():
        found = re.match(r"[│├╰─ ]+(\S+)\s+(?:([\d.]+) (ns|µs|ms|s))?", line)
        if not found:
            continue
        name, value, scale = found.groups()
        if value is None:
            group = name
        else:
            times[f"{group} {name}" if name.isdigit() else name] = float(value) * unit[scale]
    return times


def theirs():
    """Fastest time in milliseconds of what one would run instead."""
    import time

    import krippendorff
    import numpy as np
    from sklearn.metrics import cohen_kappa_score

    def fastest(run, repeats=5):
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        return min(times) * 1e3

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

    times = {}
    reference, (judge,) = raters(10**6)
    counted = lambda: kappas((np.bincount(reference * 5 + judge, minlength=25) / 10**6).reshape(1, 5, 5))
    times["qwk_of_a_million_pairs", "numpy bincount"] = fastest(counted)
    scored = lambda: cohen_kappa_score(reference, judge, weights="quadratic")
    times["qwk_of_a_million_pairs", "scikit-learn"] = fastest(scored)

    for n in (50, 500, 5000):
        reference, (judge,) = raters(n)
        shares = np.bincount(reference * 5 + judge, minlength=25) / n

        def multinomial():
            tables = random.multinomial(n, shares, size=10_000) / n
            return np.quantile(kappas(tables.reshape(-1, 5, 5)), [0.025, 0.975])

        times[f"bca_of_qwk {n}", "numpy multinomial"] = fastest(multinomial)

    reference, judges = raters(500, 12)

    def matmul():
        drawn = random.integers(0, 500, (10_000, 500)) + np.arange(10_000)[:, None] * 500
        counts = np.bincount(drawn.ravel(), minlength=10_000 * 500).reshape(10_000, 500).astype(float)
        lanes = np.concatenate([reference[None], reference[None] ** 2, judges, judges**2, judges * reference]).T
        a, aa, b, bb, ab = np.split(counts @ lanes.astype(float) / 500, [1, 2, 14, 26], axis=1)
        kappa = 1 - (aa + bb - 2 * ab) / (aa + bb - 2 * a * b)
        np.quantile(kappa, [0.025, 0.975], axis=0)
        first, second = np.triu_indices(12, 1)
        return np.quantile(kappa[:, first] - kappa[:, second], [0.025, 0.975], axis=0)

    times["twelve_judges_with_differences", "numpy matmul"] = fastest(matmul, 3)

    reference, judges = raters(10_000, 20)
    table = np.where(random.random(judges.shape) < 0.1, np.nan, judges.astype(float))
    alpha = lambda: krippendorff.alpha(table, level_of_measurement="ordinal")
    times["alpha_ordinal_of_twenty_raters", "krippendorff"] = fastest(alpha)
    return times


def main():
    if "--measure" not in sys.argv:
        inside_venv()
    crate = ours()
    packages = theirs()
    print(f"{'measure':<34}{'beside':<20}{'theirs':>10}{'ours':>10}{'ratio':>8}")
    for (name, package), time in packages.items():
        print(f"{name:<34}{package:<20}{time:>7.2f} ms{crate[name]:>7.2f} ms{time / crate[name]:>7.1f}×")
    for name in sorted(set(crate) - {name for name, _ in packages}):
        print(f"{name:<34}{'alone':<20}{'':>10}{crate[name]:>7.2f} ms")


if __name__ == "__main__":
    main()
