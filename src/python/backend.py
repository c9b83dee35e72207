"""Makes the wheel of the package `roofline`: the Python files, the program and its libraries.

pip calls the functions of PEP 517. `python3 backend.py FOLDER OUT` packs a program that
`cmake --install` put in FOLDER, as the build's target `wheel` does. pip takes such a folder, too:
ROOFLINE_PREFIX=FOLDER pip install ./src/python.
"""

from __future__ import annotations

import base64
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from typing import Dict, List, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.dirname(os.path.dirname(HERE))
CHANGELOG = os.path.join(SOURCES, "src", "packaging", "changelog")
Settings = Optional[Dict[str, str]]


def _version() -> str:
    try:
        with open(CHANGELOG, encoding="utf-8") as file:
            found = re.match(r"roofline \(([0-9.]+)\)", file.readline())
    except FileNotFoundError:
        sys.exit(
            f"{CHANGELOG}: expected the sources of the program beside src/python, found none: "
            "install from the whole tree, with pip 21.3 or newer, which builds in it"
        )
    if found is None:
        sys.exit(f"{CHANGELOG}: expected an entry of roofline in its first line")
    return found.group(1)


def _metadata() -> str:
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        description = file.read()
    return f"""Metadata-Version: 2.1
Name: roofline
Version: {_version()}
Summary: What bounds each layer of a neural network on a GPU, and how long it takes
License: MIT
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{description}"""


def _information() -> Dict[str, bytes]:
    """The files of the folder roofline-VERSION.dist-info, but for RECORD."""
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    tag = f"py3-none-{platform}"
    wheel = f"Wheel-Version: 1.0\nGenerator: roofline\nRoot-Is-Purelib: false\nTag: {tag}\n"
    with open(os.path.join(SOURCES, "LICENSE"), "rb") as file:
        license_text = file.read()
    return {
        "METADATA": _metadata().encode(),
        "WHEEL": wheel.encode(),
        "LICENSE": license_text,
        "entry_points.txt": b"[console_scripts]\nroofline = roofline.__main__:main\n",
        "top_level.txt": b"roofline\n",
    }


def _information_folder() -> str:
    return f"roofline-{_version()}.dist-info"


def _run(*words: str) -> None:
    print("+", " ".join(words), flush=True)
    try:
        code = subprocess.call(words)
    except FileNotFoundError:
        sys.exit(f"{words[0]}: not found; README.md says what the program is built with")
    if code != 0:
        sys.exit(f"{words[0]} failed with exit code {code}")


def _install(prefix: str) -> None:
    """Builds the program and installs it with the libraries that a machine may lack."""
    with tempfile.TemporaryDirectory(prefix="roofline-build-") as build:
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        options = ["CMAKE_BUILD_TYPE=Release", "BUILD_TESTING=OFF", "CMAKE_UNITY_BUILD=ON"]
        _run("cmake", *generator, "-S", SOURCES, "-B", build, *(f"-D{each}" for each in options))
        _run("cmake", "--build", build, "--target", "roofline", f"-j{os.cpu_count() or 1}")
        for component in ("program", "libraries"):
            _run("cmake", "--install", build, "--prefix", prefix, "--component", component, "--strip")


def _record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write_wheel(prefix: str, out: str) -> str:
    """Packs the Python files and what stands installed in `prefix`; returns the wheel's name."""
    files: Dict[str, str] = {}  # by their names in the wheel
    for path in sorted(glob.glob(os.path.join(HERE, "roofline", "*"))):
        if path.endswith((".py", "py.typed")):
            files["roofline/" + os.path.basename(path)] = path
    files["roofline/bin/roofline"] = os.path.join(prefix, "bin", "roofline")
    for path in sorted(glob.glob(os.path.join(prefix, "lib", "roofline", "*.so*"))):
        files["roofline/lib/roofline/" + os.path.basename(path)] = path
    information = _information()
    folder = _information_folder()
    tag = information["WHEEL"].decode().rsplit("Tag: ", 1)[1].strip()
    name = f"roofline-{_version()}-{tag}.whl"
    record: List[str] = []
    with zipfile.ZipFile(os.path.join(out, name), "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(inside: str, content: bytes, mode: int = 0o644) -> None:
            entry = zipfile.ZipInfo(inside)  # of 1980, so that equal files make an equal wheel
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
            record.append(_record_line(inside, content))

        for inside, path in files.items():
            with open(path, "rb") as file:
                add(inside, file.read(), 0o755 if "/bin/" in inside or ".so" in inside else 0o644)
        for inside, content in information.items():
            add(f"{folder}/{inside}", content)
        record.append(f"{folder}/RECORD,,\n")
        add(f"{folder}/RECORD", "".join(record).encode())
    return name


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: Optional[str] = None
) -> str:
    """PEP 517: builds the program by CMake, or takes the installed one of ROOFLINE_PREFIX."""
    given = os.environ.get("ROOFLINE_PREFIX")
    if given:
        return write_wheel(given, wheel_directory)
    with tempfile.TemporaryDirectory(prefix="roofline-program-") as prefix:
        _install(prefix)
        return write_wheel(prefix, wheel_directory)


def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: Settings = None
) -> str:
    """PEP 517: what pip asks before it builds."""
    folder = _information_folder()
    os.makedirs(os.path.join(metadata_directory, folder), exist_ok=True)
    for name, content in _information().items():
        with open(os.path.join(metadata_directory, folder, name), "wb") as file:
            file.write(content)
    return folder


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """PEP 517 asks for it; the program's sources stand outside of this folder."""
    sys.exit("roofline has no source archive for Python: install from the whole tree, or a wheel")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: backend.py FOLDER OUT")
    print(write_wheel(sys.argv[1], sys.argv[2]))
