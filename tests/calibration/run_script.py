"""Runs what `roofline-calibrate --script` prints, with a PyTorch that only pretends to have a GPU:

    python3 run_script.py PROGRAM FOLDER

Every layer takes 5 s of a clock that stands still otherwise, and 100 us on the GPU for a call or for
a graph of ten. Convolutions in fp16 run out of memory, attention is not supported, and one graph in
ten cannot be captured. The CSV that comes of it is read by the program.
"""

import csv
import itertools
import json
import os
import subprocess
import sys
import time
import types
from unittest import mock


class OutOfMemoryError(RuntimeError):
    pass


class Tensor:
    def __init__(self, shape, dtype="float32"):
        self.shape, self.dtype = list(shape), dtype

    def to(self, dtype):
        return Tensor(self.shape, dtype)

    def __getattr__(self, name):
        return lambda *_, **__: self

    def __matmul__(self, other):
        return self

    __add__ = __mul__ = __matmul__

    def __getitem__(self, index):
        return self


class Clock:
    now = 0.0

    def monotonic(self):
        Clock.now += 5 / 3  # that often it is looked at for each layer
        return Clock.now


def multiply(x, *_):
    if x.dtype == "float16":
        raise OutOfMemoryError("CUDA out of memory.\nTried to allocate 2.00 GiB")
    return x


captures = itertools.count()


def every_tenth_fails():
    if next(captures) % 10 == 9:
        raise RuntimeError("operation not permitted when stream is capturing")


def no_attention(*_, **__):
    raise RuntimeError("no kernel image is available")


def pretended_torch():
    torch = mock.MagicMock()
    torch.__version__ = "2.0"
    torch.version.hip = None
    torch.version.cuda = "12.0"
    torch.backends.cudnn.version.return_value = 90000
    for dtype in ("float16", "bfloat16", "float32"):
        setattr(torch, dtype, dtype)
    torch.randn.side_effect = lambda *shape, **_: Tensor(
        shape[0] if isinstance(shape[0], list) else shape)
    torch.ones.side_effect = lambda *shape, **_: Tensor(shape)
    torch.randint.side_effect = lambda least, most, shape, **_: Tensor(shape)
    cuda = torch.cuda
    cuda.OutOfMemoryError = OutOfMemoryError
    cuda.get_device_capability.return_value = (7, 0)  # neither TF32 nor bf16
    cuda.get_device_name.return_value = "Tesla V100-SXM2-16GB"
    cuda.mem_get_info.return_value = (1 << 34, 1 << 34)
    cuda.memory_reserved.return_value = 0
    cuda.CUDAGraph.return_value.capture_begin.side_effect = every_tenth_fails
    cuda.Event.return_value.elapsed_time.return_value = 0.1
    functional = torch.nn.functional
    functional.conv2d.side_effect = multiply
    functional.scaled_dot_product_attention.side_effect = no_attention
    for name in ("torch", "torch.nn"):
        sys.modules[name] = torch if name == "torch" else torch.nn
    sys.modules["torch.nn.functional"] = functional


CHOSEN = """\
{"name": "a", "type": "conv", "input": [1, 8, 6, 6], "out_channels": 8, "kernel_size": 3, "bias": true, "pass": "dgrad"}
{"name": "b", "type": "linear", "input": [4, 8], "out_features": 8, "bias": true, "dtype": "fp16"}
{"name": "c", "type": "relu", "input": [4, 8]}
{"name": "d", "type": "relu", "input": [4, 8], "dtype": "bf16"}
"""


# Names that Python, or whoever cuts a text into lines, would take for something else.
NAMES = ['a"b', '"""', "a\nb", "a\r\nb", "a\u2028b", "a\x85b", "a\x0bb", "a\\b", "a\\nb", "a\\",
         "\\u0041", "{a}%s", "@LAYERS@", "'a'", "=1+1", "\U0001f600"]


def measured_by(script, output):
    """The rows that the script writes, and what it says."""
    measure = types.ModuleType("measure")
    exec(compile(script, "measure.py", "exec"), measure.__dict__)  # noqa: S102
    said = []
    measure.say = said.append
    measure.time = types.SimpleNamespace(monotonic=Clock().monotonic, sleep=time.sleep)
    sys.argv = ["measure.py", "-o", output]
    measure.main()
    with open(output, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file)), said


def main():
    program, calibrate, folder = map(os.path.abspath, sys.argv[1:])
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    script = subprocess.run([calibrate, "--script"], check=True, capture_output=True)
    again = subprocess.run([calibrate, "--script"], check=True, capture_output=True)
    assert script.stdout == again.stdout, "expected the same bytes again"
    with open("measure.py", "wb") as file:
        file.write(script.stdout)
    pretended_torch()
    rows, said = measured_by(script.stdout, "measured.csv")
    last = said[-2]
    print("\n".join(said[:3] + said[-2:]))
    types_measured = {row["dtype"] for row in rows}
    assert types_measured == {"fp32", "fp16"}, types_measured
    kinds = {row["type"] for row in rows}
    assert len(kinds) >= 15 and "attention" not in kinds, kinds
    assert not any(row["type"] == "conv" and row["dtype"] == "fp16" for row in rows)
    assert any(row["pass"] == "wgrad" for row in rows)
    assert {row["measured_us"] for row in rows} == {"10.000", "100.000"}
    assert {row["measured_gpu"] for row in rows} == {"Tesla V100-SXM2-16GB"}
    assert last.startswith(f"{len(rows)} measured, "), last
    assert "left out: out of memory" in last and "left out: not supported" in last, last
    assert Clock.now < 620, Clock.now  # ten minutes, and what was begun before their end
    assert len(rows) > 60, len(rows)

    read = subprocess.run([program, "measured.csv", "--gpu", "v100", "--top", "1"], capture_output=True, text=True)
    assert "accuracy" in read.stdout, read.stdout
    *others, ignored = read.stderr.splitlines()
    assert ignored == "measured.csv: ignored columns: measured_with", read.stderr
    # No V100 is as fast as the pretended times.
    assert read.returncode == 1 and others, read.stderr
    assert all("faster than this GPU can be" in line or "give fewer" in line for line in others), read.stderr

    # Layers of a file: those alone, as they are.
    with open("chosen.ndjson", "w") as file:
        file.write(CHOSEN)
    chosen = subprocess.run([calibrate, "--script", "chosen.ndjson"], check=True, capture_output=True)
    rows, said = measured_by(chosen.stdout, "chosen.csv")
    timed = [(row["name"], row["dtype"], row["pass"], row["bias"]) for row in rows]
    assert timed == [("a", "fp32", "dgrad", "true"), ("b", "fp16", "fwd", "true"), ("c", "fp32", "fwd", "")], timed
    assert "left out, as this GPU lacks their types: d" in said, said

    # Names come through as they are, to the script and back.
    layers = [{"name": name, "type": "relu", "input": [4, 8 + i]} for i, name in enumerate(NAMES)]
    with open("named.json", "w") as file:
        json.dump(layers, file)
    named = subprocess.run([calibrate, "--script", "named.json"], check=True, capture_output=True)
    rows, said = measured_by(named.stdout, "named.csv")
    assert [row["name"] for row in rows] == NAMES, rows
    read = subprocess.run([program, "named.csv", "--gpu", "v100", "--json"], check=True,
                          capture_output=True, text=True)
    names = [row["name"] for row in json.loads(read.stdout)["results"][0]["layers"]]
    assert names == NAMES, names


main()
