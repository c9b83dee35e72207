"""What may be analyzed, as a word or a file that the program reads."""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
from typing import Any, Mapping, Optional

from roofline._program import RooflineError


class Source:
    """An input of the program: a word of its command line, or a file written for each run."""

    def __init__(
        self,
        word: str,
        content: Optional[bytes] = None,
        names_gpu: bool = False,
        defaults: Optional[Mapping[str, object]] = None,
    ) -> None:
        self.word = word
        self.content = content
        self.names_gpu = names_gpu  # a recording does; a path may lead to one
        self.defaults = dict(defaults or {})  # options, as the model's state has them

    def placed(self, folder: str) -> str:
        """The word for the command line; a file stands in the folder."""
        if self.content is None:
            return "./" + self.word if self.word.startswith("-") else self.word
        path = os.path.join(folder, self.word)
        with open(path, "wb") as file:
            file.write(self.content)
        return path

    def equals(self, other: Source) -> bool:
        """Whether the program reads the same."""
        return (self.word, self.content) == (other.word, other.content)


def plain(value: Any) -> Any:
    """Numbers and arrays of NumPy, pandas and torch as JSON has them."""
    for method in ("item", "tolist"):
        if hasattr(value, method):
            try:
                return getattr(value, method)()
            except (TypeError, ValueError):  # item() of several elements
                continue
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"expected numbers, texts, lists and objects, got {type(value).__name__}")


def json_text(value: object) -> str:
    """As one line of JSON."""
    try:
        return json.dumps(value, default=plain)
    except (TypeError, ValueError) as error:
        raise RooflineError(f"layers as JSON: {error}") from None


def _recorded(profiler: Any) -> bytes:
    """The recording of a torch.profiler.profile that has ended."""
    with tempfile.TemporaryDirectory(prefix="roofline-") as folder:
        path = os.path.join(folder, "recording.json")
        try:
            profiler.export_chrome_trace(path)
        except Exception as error:  # each release of torch has its own for "not started"
            raise RooflineError(f"the profiler has no recording to export: {error}") from error
        with open(path, "rb") as file:
            return gzip.compress(file.read(), 1)


def is_module(model: object) -> bool:
    """Whether it is a torch.nn.Module; torch is not imported to know."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(model, torch.nn.Module)


def source_of(
    model: object, inputs: object = None, input_size: object = None, strict: bool = False
) -> Source:
    """Whatever `analyze` takes."""
    if is_module(model):
        from roofline import _torch

        return _torch.exported(model, inputs, input_size, strict)
    if inputs is not None or input_size is not None:
        raise RooflineError(
            f"inputs are for a torch.nn.Module, got a model of type {type(model).__name__}"
        )
    if isinstance(model, (str, os.PathLike)):
        word = os.fspath(model)
        if not isinstance(word, str):
            raise RooflineError("expected a path as text, got bytes")
        return Source(word, names_gpu=os.path.exists(word))
    if isinstance(model, Mapping):
        return Source("layers.json", json_text(model).encode())
    if hasattr(model, "to_csv") and hasattr(model, "columns"):
        return Source("layers.csv", model.to_csv(index=False).encode())
    if hasattr(model, "export_chrome_trace"):
        return Source("recording.json.gz", _recorded(model), names_gpu=True)
    if isinstance(model, (list, tuple)) and all(isinstance(each, Mapping) for each in model):
        return Source("layers.json", json_text(list(model)).encode())
    raise RooflineError(
        "expected a torch.nn.Module, the name of a network, a path, a layer as a dict, a list of "
        f"them, a DataFrame or a torch.profiler.profile, got {type(model).__name__}"
    )
