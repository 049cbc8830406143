"""Let this machine play others, and run what calculates: python tools/processors.py [--only NAME] [pytest's arguments]

OpenBLAS has kernels for each family of processors, NumPy loops for each set of wide instructions.
They add in another order, so last digits differ. Here the tests of the numbers and every notebook,
with its stored outputs, run with the kernels and loops of older processors.
"""

import argparse
import os
import platform
import subprocess
import sys

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

LIMIT = 1800  # seconds, for each processor
FAMILIES = {  # of each architecture: the kernels of OpenBLAS, and whether NumPy's loops are narrow too
    "x86_64": {"Prescott": "all", "Haswell": "widest"},
    "AMD64": {"Prescott": "all", "Haswell": "widest"},
    "aarch64": {"ARMV8": "all"},
    "arm64": {"ARMV8": "all"},
}
PROBE = "import numpy; numpy.ones((9, 9)) @ numpy.ones((9, 9))"
NOT_NUMBERS = [
    *["tests/browser", "tests/tools", "tests/test_front_door.py", "tests/live", "tests/notebooks", "tests/checks"],
    *["tests/plots", "tests/lessons/test_contract.py", "tests/test_words.py", "tests/test_conventions.py"],
    "tests/test_other_libraries.py",  # PyTorch has kernels of its own
]


def settings() -> dict[str, dict[str, str]]:
    """Return the environment of each processor that this one can play."""
    wide = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]  # narrow to wide
    found = {}
    for family, loops in FAMILIES.get(platform.machine(), {}).items():
        left_out = wide if loops == "all" else wide[1:]
        given = {"OPENBLAS_CORETYPE": family, "OPENBLAS_NUM_THREADS": "1"}
        if left_out:
            given["NPY_DISABLE_CPU_FEATURES"] = " ".join(left_out)
        if subprocess.run([sys.executable, "-c", PROBE], env=os.environ | given, timeout=60).returncode == 0:
            found[family] = given
    return found


def main() -> None:
    """Run the tests under each setting."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="one processor, or: first")
    given, more = parser.parse_known_args()
    found = settings()
    if given.only == "first":
        given.only = next(iter(found), None)
    chosen = {name: values for name, values in found.items() if given.only in (None, name)}
    if not chosen:
        sys.exit(f"This machine cannot play {given.only or 'another'}; it can play: {', '.join(found) or 'none'}")
    failed = []
    for name, values in chosen.items():
        print(" ".join(f"{key}={value!r}" for key, value in values.items()), flush=True)
        left_out = [f"--ignore={path}" for path in NOT_NUMBERS]
        command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-k", "not pytorch", *left_out]
        try:
            code = subprocess.run([*command, *more], env=os.environ | values, timeout=LIMIT).returncode
        except subprocess.TimeoutExpired:
            sys.exit(f"{name}: not done after {LIMIT} s")
        failed += [name] if code else []
    if failed:
        sys.exit(f"Not the same on every processor: {', '.join(failed)}")


if __name__ == "__main__":
    main()
