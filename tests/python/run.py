"""Packs a built program into the wheel, installs it into a fresh environment without an index, and
runs the tests of this folder there: python3 run.py BUILD [TEST...]. Exits with 77 (skipped) where
Python has no venv."""

import importlib.util
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.dirname(os.path.dirname(HERE))


def install(build, folder):
    """Returns the environment's python."""
    prefix = os.path.join(folder, "prefix")
    for component in ("program", "libraries"):
        subprocess.run(
            ["cmake", "--install", build, "--prefix", prefix, "--component", component, "--strip"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    backend = os.path.join(SOURCES, "src", "python", "backend.py")
    subprocess.run([sys.executable, "-I", backend, prefix, folder], check=True)
    # What the system's Python has beside it, as pandas and dask, is seen; nothing is downloaded.
    environment = os.path.join(folder, "venv")
    subprocess.run(
        [sys.executable, "-m", "venv", "--system-site-packages", environment], check=True
    )
    python = os.path.join(environment, "bin", "python")
    wheel = next(name for name in os.listdir(folder) if name.endswith(".whl"))
    subprocess.run(
        [python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--force-reinstall"]
        + [os.path.join(folder, wheel)],
        check=True,
    )
    return python


def main():
    if importlib.util.find_spec("ensurepip") is None:
        print("skipped: Python has no venv (Debian's package python3-venv)")
        return 77
    with tempfile.TemporaryDirectory(prefix="roofline-wheel-") as folder:
        python = install(os.path.abspath(sys.argv[1]), folder)
        words = sys.argv[2:] or ["discover", "-s", HERE, "-p", "test_*.py"]
        environment = {**os.environ, "TMPDIR": os.path.join(folder, "tmp")}
        environment.pop("PYTHONPATH", None)
        environment.pop("ROOFLINE_PROGRAM", None)
        os.mkdir(environment["TMPDIR"])
        return subprocess.run(
            [python, "-m", "unittest", *words], cwd=HERE, env=environment, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
