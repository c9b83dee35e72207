"""The table of GPUs, the GPU at hand, and the share of its peak that a step uses."""

from __future__ import annotations

import glob
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Mapping, Optional

from roofline._program import Child, RooflineError

# Engines that multiply a type: its own, and those of its width for the block-scaled ones.
_TYPES = "fp64 fp32 tf32 fp16 bf16 fp8 int8 int4 fp4 fp6".split()
_SAME_ENGINES = {"mxfp8": "fp8", "mxfp6": "fp6", "mxfp4": "fp4", "nvfp4": "fp4"}
_OTHER_NAMES = {
    "float64": "fp64",
    "double": "fp64",
    "float32": "fp32",
    "float": "fp32",
    "float16": "fp16",
    "half": "fp16",
    "bfloat16": "bf16",
    "amp": "fp16",
    "amp-bf16": "bf16",
    "float8_e4m3fn": "fp8",
    "float8_e5m2": "fp8",
}


def _engine_names(dtype: str) -> List[str]:
    return [dtype, dtype + "_tensor", dtype + "_vector"] + (["dp4a"] if dtype == "int8" else [])


def type_name(dtype: object) -> str:
    """"fp16" for "float16", torch.float16, "amp" or "fp16" itself."""
    text = str(dtype).lower().rsplit("torch.", 1)[-1]
    return _SAME_ENGINES.get(text, _OTHER_NAMES.get(text, text))


class Gpu:
    """A GPU of the program's table.

    `peak_tflops[dtype]` is the dense peak in TFLOP/s that a product in this type can use, with
    sums in fp32 for fp16 and bf16; `bandwidth_gb_per_s` the memory's; `source` says where each
    number comes from; `data` is the program's whole entry, by the keys of `roofline gpus --json`.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = dict(data)
        self.name: str = data["name"]
        self.aliases: List[str] = list(data["aliases"])
        self.bandwidth_gb_per_s: float = data["bandwidth_byte_per_s"] / 1e9
        self.memory_gb: float = data["memory_byte"] / 1e9
        self.source: List[Dict[str, Any]] = list(data["sources"])
        engines = data["peak_flop_per_s"]
        self.peak_tflops: Dict[str, float] = {}
        for dtype in _TYPES:
            rates = [engines[name] for name in _engine_names(dtype) if name in engines]
            if rates:
                self.peak_tflops[dtype] = round(max(rates) / 1e12, 6)

    def __repr__(self) -> str:
        peaks = ", ".join(f"{dtype} {peak:g}" for dtype, peak in self.peak_tflops.items())
        return f"{self.name}: {self.bandwidth_gb_per_s:g} GB/s; TFLOP/s: {peaks}"


def _torch_name() -> Optional[str]:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return None
    return str(torch.cuda.get_device_name())


def _driver_name() -> Optional[str]:
    """As NVIDIA's driver names the first GPU; quick, as no process starts."""
    for path in sorted(glob.glob("/proc/driver/nvidia/gpus/*/information")):
        with open(path, encoding="utf-8", errors="replace") as file:
            found = re.search(r"^Model:\s*(.+?)\s*$", file.read(), re.MULTILINE)
        if found and "unknown" not in found.group(1).lower():
            return found.group(1)
    return None


def _tool_name() -> Optional[str]:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    words = [tool, "--query-gpu=name", "--format=csv,noheader"]
    try:
        found = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = found.stdout.strip().splitlines()
    return lines[0].strip() if found.returncode == 0 and lines else None


def gpu_at_hand() -> str:
    """The name of this machine's GPU. Raises RooflineError if there is none: none is guessed."""
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
    name = _torch_name()
    if name is None and hidden is None:
        name = _driver_name() or _tool_name()
    if name is None and "torch" not in sys.modules and importlib.util.find_spec("torch"):
        importlib.import_module("torch")
        name = _torch_name()
    if name is None:
        raise RooflineError(
            'no GPU at hand: name one, as in gpu="h100" (roofline.gpus() has all by their names)'
        )
    return name


def gpus(selection: Optional[str] = None) -> Dict[str, Gpu]:
    """All GPUs by their names, or those that `selection` chooses, as "nvidia>=48GB" does."""
    words = ["gpus", *([selection] if selection else []), "--json"]
    with tempfile.TemporaryFile() as text, Child(words, stdout=text.fileno()) as child:
        if child.process.wait() != 0:
            raise RooflineError(child.error_text())
        text.seek(0)
        return {name: Gpu(data) for name, data in json.load(text)["gpus"].items()}


def gpu(name: Optional[str] = None) -> Gpu:
    """The GPU of this name or alias, as torch.cuda.get_device_name() or the table spells it.

    Without a name it is the GPU at hand.

        >>> roofline.gpu("NVIDIA A100-SXM4-80GB").peak_tflops["fp16"]
        312.0
    """
    found = list(gpus(name or gpu_at_hand()).values())
    if len(found) != 1:
        raise RooflineError(
            f'gpu: expected one GPU, got "{name}", which selects {len(found)}; gpus() takes it'
        )
    return found[0]


def mfu(
    flops: float, seconds: float, dtype: object = "bf16", gpu: Optional[object] = None
) -> float:
    """The share of the dense peak that `flops` in `seconds` are (model FLOP utilization).

    `flops` counts a multiply-add as two. `gpu` is a name or a `Gpu`; without it, the one at hand.

        >>> round(roofline.mfu(6e12, 0.02, "bf16", gpu="a100"), 3)
        0.962
    """
    if not seconds > 0 or not flops >= 0:
        raise RooflineError(f"mfu: expected flops >= 0 and seconds > 0, got {flops} and {seconds}")
    found = gpu if isinstance(gpu, Gpu) else globals()["gpu"](gpu)
    name = type_name(dtype)
    if name not in found.peak_tflops:
        raise RooflineError(
            f"{found.name} has no peak for {name}; it has {', '.join(found.peak_tflops)}"
        )
    return float(flops / seconds / (found.peak_tflops[name] * 1e12))
