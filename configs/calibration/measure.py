#!/usr/bin/env python3
"""Times layers on this machine's GPU, for `roofline-calibrate`.

    python3 measure.py                    for the stated time, into measured.csv
    python3 measure.py --minutes 30 -o -  longer, to standard output

It needs PyTorch 2 for CUDA or ROCm, and nothing else. Times are warm (the same buffers again), in a
captured graph, with autotuned libraries, fp32 in NCHW and all other types in channels last.
Whatever the time, it is spread over all kinds of layers.
"""

import argparse
import csv
import json
import math
import re
import statistics
import sys
import time
from collections import Counter

import torch
import torch.nn.functional as F

MINUTES = @MINUTES@

# Those of a kind are in no order, so that the first of them stand for all; types and passes are
# chosen below where a layer states no pass. Names are JSON's: nothing in them is Python's.
LAYERS = r"""
@LAYERS@
"""

TYPES = {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16,
         "bf16": torch.bfloat16}
ACTIVATIONS = {"relu", "relu6", "silu", "hardswish", "sigmoid", "hardsigmoid", "tanh", "gelu"}
WITH_GRADIENT = {"activation", "softmax", "layer_norm", "rms_norm", "group_norm", "batch_norm",
                 "max_pool", "avg_pool", "global_avg_pool", "attention"}
WITH_WEIGHTS = {"conv", "grouped conv", "linear"}
FEATURES_LAST = {"linear", "matmul", "attention", "softmax", "layer_norm", "rms_norm"}
# How many layers of a kind a round takes of each type and pass.
LAYERS_A_ROUND = {"conv": 4, "grouped conv": 2, "linear": 2, "activation": 2}


def say(text):
    print(text, file=sys.stderr, flush=True)


# What the GPU is, and which types it has.

def software():
    parts = [f"PyTorch {torch.__version__}"]
    if torch.version.hip:
        return ", ".join(parts + [f"ROCm {torch.version.hip}"])
    parts += [f"CUDA {torch.version.cuda}", f"cuDNN {torch.backends.cudnn.version()}"]
    try:
        with open("/proc/driver/nvidia/version") as file:
            parts += re.findall(r"Kernel Module.*?\s(\d+\.[\d.]+)\s", file.read())[:1]
            parts[-1] = "driver " + parts[-1]
    except OSError:
        pass
    return ", ".join(parts)


def has_type(dtype):
    is_amd = bool(torch.version.hip)
    capability = torch.cuda.get_device_capability()
    if dtype == "tf32":
        return not is_amd and capability >= (8, 0)
    if dtype == "bf16":
        return is_amd or capability >= (8, 0)
    if dtype in ("fp8", "int8"):
        return not is_amd and capability >= ((8, 9) if dtype == "fp8" else (7, 5))
    return True


# What is measured of a layer, and in which order.

def kind_of(row):
    if row["type"] == "conv" and row.get("groups", 1) > 1:
        return "grouped conv"
    return "activation" if row["type"] in ACTIVATIONS else row["type"]


def runs_of(row):
    """The types and passes of a layer, as keys of the row."""
    kind = kind_of(row)
    types = row["dtypes"].values() if "dtypes" in row else [row.get("dtype", "fp32")]
    if "pass" in row:  # asked for as it is
        return [{}] if all(map(has_type, types)) else []
    if "dtypes" in row:  # a cast
        return [{"pass": "fwd"}] if all(map(has_type, types)) else []
    passes = [{"pass": "fwd"}]
    if kind in WITH_WEIGHTS:
        passes += [{"pass": "dgrad"}, {"pass": "wgrad"}]
    elif kind in WITH_GRADIENT:
        passes += [{"pass": "dgrad"}]
    if kind == "batch_norm":
        passes += [{"pass": "fwd", "training": True}]
    types = ["fp16", "fp32"]
    if kind in WITH_WEIGHTS or kind == "matmul":
        types += ["tf32"] if kind == "grouped conv" else ["tf32", "bf16"]
    runs = [dict(each, dtype=dtype) for each in passes for dtype in types if has_type(dtype)]
    if kind == "linear":
        for dtype, result in (("fp8", "fp16"), ("int8", "int32")):
            if has_type(dtype):
                types = {"input": dtype, "weight": dtype, "output": result}
                runs.append({"pass": "fwd", "dtypes": types})
    return runs


def schedule(rows):
    """Round after round of some layers of each kind, type and pass."""
    cells = {}
    for row in rows:
        for run in runs_of(row):
            timed = {**row, **run}
            dtype = timed.get("dtype") or timed["dtypes"]["input"]
            cell = (kind_of(row), dtype, timed["pass"], "training" in timed)
            cells.setdefault(cell, []).append(timed)
    order = []
    for number in range(len(rows)):
        for (kind, dtype, _, _), runs in cells.items():
            share = 1 if dtype == "bf16" else LAYERS_A_ROUND.get(kind, 1)
            order += runs[number * share:(number + 1) * share]
    return order


# How PyTorch runs a layer: the call, its inputs and its parameters.

def new(shape, row, dtype=None):
    dtype = dtype or TYPES[row["dtype"]]
    tensor = torch.randn(shape, device="cuda").to(dtype)
    is_image = len(shape) == 4 and row["type"] not in FEATURES_LAST
    if is_image and row.get("layout", "nchw" if row.get("dtype") == "fp32" else "nhwc") == "nhwc":
        tensor = tensor.contiguous(memory_format=torch.channels_last)
    return tensor


def bias(row, features):
    return new([features], row) if row.get("bias") else None


def convolution(row):
    x, groups = new(row["input"], row), row.get("groups", 1)
    b = bias(row, row["out_channels"])
    if row["type"] == "conv":
        w = new([row["out_channels"], row["input"][1] // groups, *row["kernel_size"]], row)
        rest = (b, row["stride"], row["padding"], row.get("dilation", 1), groups)
        return lambda: F.conv2d(x, w, *rest), [x], [w]
    w = new([row["input"][1], row["out_channels"] // groups, *row["kernel_size"]], row)
    rest = (b, row["stride"], row["padding"], row.get("output_padding", 0), groups,
            row.get("dilation", 1))
    return lambda: F.conv_transpose2d(x, w, *rest), [x], [w]


def linear(row):
    if "dtype" in row:
        x, w = new(row["input"], row), new([row["out_features"], row["input"][-1]], row)
        b = bias(row, row["out_features"])
        return lambda: F.linear(x, w, b), [x], [w]
    shapes = ([math.prod(row["input"][:-1]), row["input"][-1]],
              [row["out_features"], row["input"][-1]])
    if row["dtypes"]["input"] == "int8":
        x, w = (torch.randint(-9, 9, shape, device="cuda", dtype=torch.int8) for shape in shapes)
        return lambda: torch._int_mm(x, w.t()), [x], [w]
    x, w = (new(shape, row, torch.float8_e4m3fn) for shape in shapes)
    one = torch.ones((), device="cuda")
    return lambda: torch._scaled_mm(x, w.t(), one, one, out_dtype=torch.float16), [x], [w]


def normalisation(row):
    x, kind = new(row["input"], row), row["type"]
    if kind in ("layer_norm", "rms_norm"):
        w, b = (new([row["input"][-1]], row) for _ in range(2))
        if kind == "rms_norm":
            return lambda: F.rms_norm(x, w.shape, w), [x, w], []
        return lambda: F.layer_norm(x, w.shape, w, b), [x, w, b], []
    if kind == "group_norm":
        w, b = (new([row["input"][1]], row) for _ in range(2))
        return lambda: F.group_norm(x, row["groups"], w, b), [x, w, b], []
    mean, variance, w, b = (torch.ones(row["input"][1], device="cuda") for _ in range(4))
    trains = "training" in row or row["pass"] == "dgrad"
    return lambda: F.batch_norm(x, mean, variance, w, b, trains), [x, w, b], []


def several(row):
    xs = [new(shape, row) for shape in row["inputs"]]
    calls = {"add": lambda: xs[0] + xs[1], "mul": lambda: xs[0] * xs[1],
             "concat": lambda: torch.cat(xs, 1), "matmul": lambda: torch.bmm(*xs),
             "attention": lambda: F.scaled_dot_product_attention(
                 *xs, is_causal=row.get("causal", False))}
    return calls[row["type"]], xs, []


def copy(row):
    types = row.get("dtypes", {})
    shape, dtype = row["input"], TYPES[types.get("input") or row["dtype"]]
    access = row.get("access", "contiguous")
    if access == "strided":
        x = new([shape[0], 2 * shape[1]], row, dtype)[:, :shape[1]]
    else:
        x = new(shape, row, dtype)
    if types:
        return lambda: x.to(TYPES[types["output"]]), [x], []
    if access == "contiguous":
        return lambda: x.clone(), [x], []
    return lambda: (x.t() if access == "transposed" else x).contiguous(), [x], []


def unary(row):
    x, kind = new(row["input"], row), row["type"]
    window = [row.get(key) for key in ("kernel_size", "stride", "padding")]
    rounds_up = row.get("ceil_mode", False)
    calls = {"max_pool": lambda: F.max_pool2d(x, *window, ceil_mode=rounds_up),
             "avg_pool": lambda: F.avg_pool2d(x, *window, ceil_mode=rounds_up),
             "global_avg_pool": lambda: F.adaptive_avg_pool2d(x, 1),
             "softmax": lambda: F.softmax(x, -1),
             "upsample": lambda: F.interpolate(x, size=row["output"][2:]),
             "reduce": lambda: x.sum([i for i, size in enumerate(row["output"]) if size == 1])}
    return calls.get(kind) or (lambda: getattr(F, kind)(x)), [x], []


MAKERS = {"conv": convolution, "conv_transpose": convolution, "linear": linear, "copy": copy,
          "batch_norm": normalisation, "layer_norm": normalisation, "rms_norm": normalisation,
          "group_norm": normalisation, "add": several, "mul": several, "concat": several,
          "matmul": several, "attention": several}


def call_of(row):
    forward, inputs, parameters = MAKERS.get(row["type"], unary)(row)
    if row["pass"] == "fwd":
        return forward
    wanted = inputs if row["pass"] == "dgrad" else parameters
    for tensor in inputs + parameters:
        tensor.requires_grad_()
    result = forward()
    gradient = torch.randn_like(result)
    return lambda: torch.autograd.grad(result, wanted, gradient, retain_graph=True)


# How long it takes.

def timed_ms(call, times):
    """One after the other, so that the GPU does not wait for the host between events."""
    events = [torch.cuda.Event(enable_timing=True) for _ in range(times + 1)]
    events[0].record()
    for event in events[1:]:
        call()
        event.record()
    torch.cuda.synchronize()
    return [begin.elapsed_time(end) for begin, end in zip(events, events[1:])]


def captured(call, times):
    _, total_byte = torch.cuda.mem_get_info()
    if torch.cuda.memory_reserved() > total_byte / 2:  # each graph has memory of its own
        torch.cuda.empty_cache()
    graph = torch.cuda.CUDAGraph()
    graph.capture_begin()
    try:
        for _ in range(times):
            call()
    finally:
        graph.capture_end()
    return graph


def measured_us(row):
    torch.backends.cuda.matmul.allow_tf32 = row.get("dtype") == "tf32"
    torch.backends.cudnn.allow_tf32 = row.get("dtype") == "tf32"
    call = call_of(row)
    for _ in range(2):  # libraries choose their kernels
        call()
    one_ms = max(1e-3, min(timed_ms(call, 3)))
    times = int(min(50, max(2, 1 / one_ms)))
    try:
        graph = captured(call, times)
    except RuntimeError:  # not in a graph: one by one, where the host is faster than the GPU
        if one_ms < 0.1:
            raise
        return statistics.median(timed_ms(call, 9)[1:]) * 1e3
    replays = 4 if one_ms > 20 else 9
    return statistics.median(timed_ms(graph.replay, replays)[1:]) / times * 1e3


def warm_up(seconds):
    """Clocks rise, and a board comes to its limits."""
    x = torch.randn(4096, 4096, device="cuda").half()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(20):
            x @ x
        torch.cuda.synchronize()


class Table:
    """The CSV, a row as soon as it is known."""

    def __init__(self, file, rows, gpu):
        columns = dict.fromkeys(key for row in rows for key in row)
        last = ["dtype", "dtypes", "pass", "training"]
        self.columns = [*(key for key in columns if key not in last), *last]
        self.common = {"measured_gpu": gpu, "measured_with": software()}
        self.file, self.writer = file, csv.writer(file, lineterminator="\n")
        self.writer.writerow([*self.columns, "measured_us", *self.common])
        self.count = 0

    def add(self, row, time_us):
        def text(value):
            return value if isinstance(value, str) else json.dumps(value)
        cells = [text(row[key]) if key in row else "" for key in self.columns]
        self.writer.writerow([*cells, f"{time_us:.3f}", *self.common.values()])
        self.file.flush()
        self.count += 1


def measure(rows, table, minutes, failures):
    """Counts what could not be measured by why."""
    begin = said = time.monotonic()
    end = begin + 60 * minutes
    warm_up(min(3, 6 * minutes))
    for row in rows:
        now = time.monotonic()
        if now >= end:
            break
        if now - said >= 20:
            said = now
            say(f"{(now - begin) / 60:.1f} of {minutes:g} minutes, {table.count} measured")
        try:
            table.add(row, measured_us(row))
        except Exception as error:  # whatever PyTorch does not do on this GPU
            is_memory = isinstance(error, torch.cuda.OutOfMemoryError)
            reason = "out of memory" if is_memory else "not supported"
            failures[reason] += 1
            what = str(error).strip().split("\n")[0][:100]
            dtype = row.get("dtype") or row["dtypes"]["input"]
            say(f"left out {row['name']} {dtype} {row['pass']}: {reason}: {what}")
            torch.cuda.empty_cache()
            try:
                torch.cuda.synchronize()
            except Exception:  # such an error stays until the process ends
                say("the GPU does not answer any more; what was measured so far stands")
                break


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=MINUTES, help="default: %(default)g")
    parser.add_argument("--device", type=int, default=0, help="number of the GPU, default 0")
    parser.add_argument("-o", "--output", default="measured.csv", help="default: %(default)s")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("measure.py: PyTorch finds no GPU of CUDA or ROCm")
    torch.cuda.set_device(options.device)
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(0)
    gpu = torch.cuda.get_device_name()
    layers = [json.loads(line) for line in LAYERS.strip().split("\n")]
    rows = schedule(layers)
    if lacking := ", ".join(layer["name"] for layer in layers if not runs_of(layer)):
        say(f"left out, as this GPU lacks their types: {lacking}")
    say(f"{gpu}; {software()}\n{options.minutes:g} minutes of up to {len(rows)} kernels of "
        f"{len(layers)} layers, into {options.output}; Ctrl-C ends it sooner, and keeps them")
    file = sys.stdout if options.output == "-" else open(options.output, "w", newline="",
                                                         encoding="utf-8")
    table = Table(file, rows, gpu)
    failures = Counter()
    try:
        with torch.cuda.stream(torch.cuda.Stream()):
            measure(rows, table, options.minutes, failures)
    except KeyboardInterrupt:
        say("ended sooner")
    left_out = ", ".join(f"{number} left out: {reason}" for reason, number in failures.items())
    say(f"{table.count} measured" + (", " + left_out if left_out else ""))
    say(f"roofline-calibrate {options.output} -o mine.json")


if __name__ == "__main__":
    main()
