"""Starts the program: one process a call, in a temporary folder that does not outlive it."""

from __future__ import annotations

import fcntl
import keyword
import os
import platform
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
from contextlib import contextmanager
from typing import IO, Dict, Iterator, List, Mapping, Optional, Sequence

NEEDS = "the program needs Linux on x86-64 with glibc 2.36 or newer"

# Options of the command line that make no sense of a call, or that calls set themselves.
_OWN = (
    "help version complete top sort by explain compare fail_if format json fields output chart "
    "to_layers"
).split()
_REPEATED = ("dim",)


class RooflineError(Exception):
    """What an input, a request or this machine lacks, in the program's words."""


def program_path() -> str:
    """The program: that of the environment's ROOFLINE_PROGRAM, else the one in this package."""
    path = os.environ.get("ROOFLINE_PROGRAM") or os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "bin", "roofline"
    )
    if not os.path.exists(path):
        raise RooflineError(
            f"{path}: expected the program, found nothing: install the package from its wheel, or "
            "set ROOFLINE_PROGRAM to a program that is built"
        )
    return path


def explain_no_start(error: object) -> RooflineError:
    """Why the program does not run on this machine."""
    libc = " ".join(platform.libc_ver()).strip() or "another C library than glibc"
    here = f"{platform.system()} on {platform.machine()} with {libc}"
    return RooflineError(f"{NEEDS}; this is {here}: {error}")


def _value_text(value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{key}={_value_text(each)}" for key, each in value.items())
    if isinstance(value, (list, tuple, set)):
        return ",".join(_value_text(each) for each in value)
    text = str(os.fspath(value) if isinstance(value, os.PathLike) else value)
    return text[len("torch.") :] if text.startswith("torch.") else text  # torch.float16


def _option_names() -> List[str]:
    """The program's options, as a call names them."""
    found = re.findall("^--([a-z-]+)", run(["--complete=roofline"]).text, re.MULTILINE)
    names = [name.replace("-", "_") for name in found]
    return [f"{name}_" if keyword.iskeyword(name) else name for name in names if name not in _OWN]


def option_words(options: Mapping[str, object]) -> Dict[str, List[str]]:
    """The command line's words for each option that has a value: {"gpu": ["--gpu=h100"]}.

    Which options there are, the program knows.
    """
    words: Dict[str, List[str]] = {}
    for name, value in options.items():
        if name in _OWN:
            raise RooflineError(
                f"{name}=: expected one of {', '.join(_option_names())} (as the command line's options "
                "are called)"
            )
        if value is None:
            continue
        option = "--" + name.rstrip("_").replace("_", "-")
        if name in _REPEATED and isinstance(value, Mapping):
            words[name] = [f"{option}={key}={_value_text(each)}" for key, each in value.items()]
        else:
            words[name] = [f"{option}={_value_text(value)}"]
    return words


@contextmanager
def _interrupts_held() -> Iterator[List[int]]:
    """Holds Ctrl-C back, in a list. Python sends it to the main thread alone."""
    held: List[int] = []
    handler = signal.getsignal(signal.SIGINT)
    if handler is None or threading.current_thread() is not threading.main_thread():
        yield held
        return
    signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    try:
        yield held
    finally:
        signal.signal(signal.SIGINT, handler)


class Child:
    """A program that runs in a block. Whatever ends the block ends it too: Ctrl-C, an error, or its
    own end."""

    process: subprocess.Popen[bytes]

    def __init__(
        self,
        words: Sequence[str],
        stdin: Optional[int] = subprocess.DEVNULL,
        stdout: Optional[int] = subprocess.PIPE,
    ) -> None:
        self._words = words
        self._stdin = stdin
        self._stdout = stdout
        self.errors: IO[bytes] = tempfile.TemporaryFile()

    def __enter__(self) -> Child:
        # An interrupt while it starts would leave a program that nobody ends.
        with _interrupts_held() as held:
            try:
                self.process = subprocess.Popen(
                    [program_path(), *self._words],
                    stdin=self._stdin,
                    stdout=self._stdout,
                    stderr=self.errors,
                    env={**os.environ, "NO_COLOR": "1"},
                )
            except OSError as error:
                self.errors.close()
                raise explain_no_start(error) from None
            except BaseException:
                self.errors.close()
                raise
        if held:
            try:
                signal.raise_signal(signal.SIGINT)
            except BaseException:
                self.__exit__()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass  # what was not written yet has no reader any more
        self.errors.close()

    def error_text(self) -> str:
        """What it wrote on standard error so far, without its own name."""
        self.errors.seek(0)
        text = self.errors.read().decode("utf-8", "replace").strip()
        return re.sub(r"^roofline: (?!wrote )", "", text, flags=re.MULTILINE)


class Run:
    """What a program that has ended wrote."""

    def __init__(self, text: str, errors: str, code: int) -> None:
        self.text = text
        self.errors = errors
        self.code = code


def _width() -> int:
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size((80, 24)).columns if is_terminal else 80


def _read_terminal(end: int) -> bytes:
    pieces: List[bytes] = []
    while True:
        try:
            piece = os.read(end, 1 << 16)
        except OSError:  # Linux says EIO once nobody can write any more
            piece = b""
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)


def run(words: Sequence[str]) -> Run:
    """Runs the program to its end. Its standard output is a terminal, for which tables are folded."""
    reader, writer = os.openpty()
    terminal = os.fdopen(writer, "wb", 0)
    try:
        attributes = termios.tcgetattr(writer)
        attributes[1] &= ~termios.OPOST  # lines end as they are written
        termios.tcsetattr(writer, termios.TCSANOW, attributes)
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 0, _width(), 0, 0))
        with Child(words, stdout=writer) as child:
            terminal.close()  # the program has its own, whose end ends the text
            text = _read_terminal(reader).decode("utf-8", "replace")
            code = child.process.wait()
            errors = child.error_text()
    finally:
        terminal.close()
        os.close(reader)
    if code in (126, 127) or "GLIBC" in errors or "GLIBCXX" in errors:
        raise explain_no_start(errors)
    if code < 0:
        raise RooflineError(f"the program was ended by signal {-code}: {errors}")
    return Run(text, errors, code)


def exec_program(words: Sequence[str]) -> None:
    """Becomes the program."""
    path = program_path()
    try:
        os.execv(path, [path, *words])
    except OSError as error:
        raise explain_no_start(error) from None
