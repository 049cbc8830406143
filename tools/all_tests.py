"""Run the tests, all but the looks: python tools/all_tests.py [pytest's arguments]

The tests that drive a browser mostly wait, so they run beside all others, in more processes than
there may be cores. Their words come last, in one piece. It fails where either half fails, or where
one of them takes longer than LIMIT, and ends with how long both took.
"""

import subprocess
import sys
import tempfile
import time

LIMIT = 1800  # seconds, for each half
BROWSER = ["-m", "browser and not looks", "-n", "3", "tests/browser"]
OTHERS = ["-m", "not browser", "-n", "auto", "attention_lib", "tests"]  # tests/notebooks runs each notebook
NO_TESTS = 5  # pytest's exit code where arguments leave a half without tests


def start(arguments: list[str], **options: object) -> subprocess.Popen[bytes]:
    """Start pytest."""
    return subprocess.Popen([sys.executable, "-m", "pytest", *arguments, *sys.argv[1:]], **options)  # type: ignore


def end(what: str, run: subprocess.Popen[bytes], since: float) -> bool:
    """Wait for one half; say how it ended, and whether well."""
    try:
        code = run.wait(max(1, LIMIT - (time.monotonic() - since)))
    except subprocess.TimeoutExpired:
        run.terminate()
        print(f"{what}: not done after {LIMIT} s, so they were ended", flush=True)
        return False
    print(f"{what}: {time.monotonic() - since:.0f} s", flush=True)
    return code in (0, NO_TESTS)


def main() -> None:
    """Run both halves at once."""
    since = time.monotonic()
    with tempfile.TemporaryFile() as told:
        browser = start(BROWSER, stdout=told, stderr=subprocess.STDOUT)
        others = start(OTHERS)
        try:
            fine = [end("the tests without a browser", others, since), end("the tests in a browser", browser, since)]
        finally:
            for run in (browser, others):
                if run.poll() is None:
                    run.terminate()
        told.seek(0)
        sys.stdout.flush()
        sys.stdout.buffer.write(told.read())
    sys.exit(not all(fine))


if __name__ == "__main__":
    main()
