"""How fast each layer of a neural network runs on a GPU, and what is in the way.

    import roofline
    a = roofline.analyze("resnet50", gpu="h200", dtype="fp16", batch=32)
    print(a)

No GPU, no network connection, and nothing but the standard library is needed; torch, pandas and
notebooks are used where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofline._calls import analyze, compare, rank
from roofline._gpus import Gpu, gpu, gpus, mfu
from roofline._program import RooflineError
from roofline._results import Analysis, Choice, Comparison, Layer, Ranking
from roofline._streaming import stream
from roofline._torch import Measurement, measure, named

if TYPE_CHECKING:
    __version__: str

__all__ = [
    "analyze",
    "compare",
    "rank",
    "stream",
    "measure",
    "named",
    "gpu",
    "gpus",
    "mfu",
    "Analysis",
    "Layer",
    "Comparison",
    "Ranking",
    "Choice",
    "Measurement",
    "Gpu",
    "RooflineError",
]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version

        return version("roofline")
    raise AttributeError(f"module 'roofline' has no attribute '{name}'")
