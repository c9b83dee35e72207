"""All that touches torch, which is imported when it is needed and never before."""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import os
import time
import traceback
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from roofline._calls import _words, analyze_source
from roofline._inputs import Source, source_of
from roofline._program import RooflineError
from roofline._results import Analysis


def _import_torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise RooflineError(f"torch is needed for this: {error}") from None


def _first_parameter(module: Any) -> Any:
    return next((each for each in module.parameters() if each.is_floating_point()), None)


def _is_channels_last(torch: Any, module: Any) -> bool:
    """Whether the weights of its convolutions are; those of 1x1 kernels are both at once."""
    weights = [each for each in module.parameters() if each.dim() == 4]
    return any(
        each.is_contiguous(memory_format=torch.channels_last) and not each.is_contiguous()
        for each in weights
    )


def _made_inputs(torch: Any, module: Any, input_size: Any, device: Any) -> Tuple[Any, ...]:
    """Tensors of these sizes, in the type and the layout of the module's weights."""
    sizes = [input_size] if all(isinstance(each, int) for each in input_size) else list(input_size)
    weight = _first_parameter(module)
    dtype = torch.float32 if weight is None else weight.dtype
    made = []
    for size in sizes:
        tensor = torch.zeros(tuple(size), dtype=dtype, device=device)
        if tensor.dim() == 4 and _is_channels_last(torch, module):
            tensor = tensor.to(memory_format=torch.channels_last)
        made.append(tensor)
    return tuple(made)


def _arguments(
    torch: Any, module: Any, inputs: Any, input_size: Any, device: Any
) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
    """Positional and keyword arguments of a call."""
    if (inputs is None) == (input_size is None):
        raise RooflineError(
            "a torch.nn.Module needs either inputs (a tensor, a tuple, a dict) or "
            "input_size=(32, 3, 224, 224)"
        )
    if inputs is None:
        return _made_inputs(torch, module, input_size, device), {}
    if isinstance(inputs, Mapping):
        return (), dict(inputs)
    return (tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)), {}


def _on_meta(torch: Any, value: Any) -> Any:
    """The same tree with its tensors on meta: sizes, strides and types without numbers."""

    def moved(leaf: Any) -> Any:
        return leaf.to("meta") if isinstance(leaf, torch.Tensor) else leaf

    return torch.utils._pytree.tree_map(moved, value)


def _meta_copy(torch: Any, module: Any) -> Any:
    """A copy of the module whose weights have no numbers: the real ones are not copied."""
    memo: Dict[int, Any] = {}
    for weight in module.parameters():
        empty = torch.empty_like(weight, device="meta")
        memo[id(weight)] = torch.nn.Parameter(empty, requires_grad=weight.requires_grad)
    for buffer in module.buffers():
        memo[id(buffer)] = torch.empty_like(buffer, device="meta")
    try:
        return copy.deepcopy(module, memo).to("meta")
    except Exception as error:
        raise RooflineError(
            f"{type(module).__name__} cannot be copied for torch.export: {error}; "
            "roofline.measure(model, x) needs no copy"
        ) from error


def _place(torch: Any, module: Any, trace: Optional[TracebackType]) -> str:
    """The innermost module of a failed forward and its line: "blocks.0 (net.py:12: if x > 0:)"."""
    names = {id(each): name or type(module).__name__ for name, each in module.named_modules()}
    package = os.path.dirname(torch.__file__)
    place = type(module).__name__
    while trace is not None:
        frame = trace.tb_frame
        name = names.get(id(frame.f_locals.get("self")))
        path = frame.f_code.co_filename
        if name is not None and not path.startswith(package):
            line = traceback.extract_tb(trace, 1)[0]
            place = f"{name} ({os.path.basename(path)}:{line.lineno}: {line.line})"
        elif name is not None:
            place = name
        trace = trace.tb_next
    return place


def _refused(torch: Any, module: Any, error: Exception, strict: bool) -> RooflineError:
    said = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return RooflineError(
        f"torch.export refuses {_place(torch, module, error.__traceback__)}: {said.strip()}; "
        f"strict={strict} was tried. Use roofline.measure(model, x), which records it as it runs "
        "on a GPU, or a path to what torch.onnx.export writes"
    )


def _autocast_type(torch: Any) -> Optional[str]:
    """"amp" or "amp-bf16" inside of an autocast to one of them."""
    if not torch.is_autocast_enabled():
        return None
    return "amp-bf16" if torch.get_autocast_gpu_dtype() == torch.bfloat16 else "amp"


def exported(module: Any, inputs: Any, input_size: Any, strict: bool) -> Source:
    """The module as a .pt2 without weights, with its own state as options."""
    torch = _import_torch()
    defaults: Dict[str, object] = {}
    if module.training:
        defaults["pass_"] = "training"
    autocast = _autocast_type(torch)
    if autocast is not None:
        defaults["dtype"] = autocast
    arguments, keywords = _arguments(torch, module, inputs, input_size, "meta")
    bare = _meta_copy(torch, module)
    file = io.BytesIO()
    with torch.autocast("cuda", enabled=False) if autocast else contextlib.nullcontext():
        try:
            program = torch.export.export(
                bare, _on_meta(torch, arguments), _on_meta(torch, keywords), strict=strict
            )
            torch.export.save(program, file)
        except Exception as error:  # torch.export has no kind of its own for what it refuses
            raise _refused(torch, bare, error, strict) from error
    return Source(type(module).__name__ + ".pt2", file.getvalue(), defaults=defaults)


class _Ranges:
    """Hooks that open a range "module: NAME" before each forward and close it behind."""

    def __init__(self, torch: Any) -> None:
        self._record = torch.profiler.record_function
        self._open: List[Any] = []
        self._handles: List[Any] = []

    def add(self, name: str, module: Any) -> None:
        """Of one module."""

        def begin(*_: Any) -> None:
            entered = self._record("module: " + name)
            entered.__enter__()
            self._open.append(entered)

        def end(*_: Any) -> None:
            if self._open:
                self._open.pop().__exit__(None, None, None)

        self._handles.append(module.register_forward_pre_hook(begin))
        try:
            self._handles.append(module.register_forward_hook(end, always_call=True))
        except TypeError:  # torch before 2.1
            self._handles.append(module.register_forward_hook(end))

    def remove(self) -> None:
        """Closes what an exception left open."""
        while self._open:
            self._open.pop().__exit__(None, None, None)
        for handle in self._handles:
            handle.remove()


@contextlib.contextmanager
def named(model: Any) -> Iterator[Any]:
    """Names a recording's layers after the model's modules, as layer1.0.conv1.

    While the block runs, each forward of a module of `model` stands in a range of its name, which
    the program finds in the recording.

        with roofline.named(model), torch.profiler.profile(record_shapes=True) as profiler:
            model(x)
        roofline.analyze(profiler)
    """
    ranges = _Ranges(_import_torch())
    try:
        for name, module in model.named_modules():
            if name:
                ranges.add(name, module)
        yield model
    finally:
        ranges.remove()


def _loss_of(torch: Any, output: Any) -> Any:
    """The sum of all results that have a gradient: any loss has the same backward pass."""
    leaves = torch.utils._pytree.tree_flatten(output)[0]
    sums = [
        each.float().sum()
        for each in leaves
        if isinstance(each, torch.Tensor) and each.requires_grad
    ]
    if not sums:
        raise RooflineError(
            "measure: the model is in training, but no result has a gradient: give step=, a "
            "function that runs one step, or call model.eval()"
        )
    return sum(sums[1:], sums[0])


def _step_of(torch: Any, model: Any, inputs: Any, input_size: Any) -> Callable[[], object]:
    weight = _first_parameter(model)
    device = "cuda" if weight is None else weight.device
    arguments, keywords = _arguments(torch, model, inputs, input_size, device)

    def infer() -> object:
        with torch.no_grad():
            return model(*arguments, **keywords)

    def train() -> object:
        model.zero_grad(set_to_none=True)
        return _loss_of(torch, model(*arguments, **keywords)).backward()

    return train if model.training else infer


def _timed_ms(torch: Any, step: Callable[[], object], steps: int) -> float:
    """The median of three times of so many steps in a row, a step."""
    times = []
    for _ in range(3):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e3 / steps)
    return sorted(times)[1]


def _recorded(torch: Any, model: Any, step: Callable[[], object]) -> Source:
    """Three steps, module by module, after one that is not kept."""
    schedule = torch.profiler.schedule(wait=0, warmup=1, active=3, repeat=1)
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    kept: List[Source] = []
    with named(model), torch.profiler.profile(
        activities=activities,
        record_shapes=True,
        schedule=schedule,
        on_trace_ready=lambda profiler: kept.append(source_of(profiler)),
    ) as profiler:
        for _ in range(4):
            step()
            torch.cuda.synchronize()
            profiler.step()
    if not kept:
        raise RooflineError("measure: the profiler recorded no step")
    return Source(type(model).__name__ + ".json.gz", kept[0].content, names_gpu=True)


class Measurement(Analysis):
    """A measured step: an `Analysis` of its recording, with `step_ms`, the step's real time."""

    step_ms: float

    def modules(self) -> List[Tuple[str, float, float]]:
        """Name, measured and expected milliseconds a step of each module, the longest first."""
        times: Dict[str, List[float]] = {}
        for layer in self.layers:
            if layer.measured_ms is None or layer.expected_ms is None:
                continue
            sums = times.setdefault(layer.name.split(" ")[0].split("#")[0], [0.0, 0.0])
            sums[0] += layer.measured_ms
            sums[1] += layer.expected_ms
        ordered = sorted(times.items(), key=lambda each: -each[1][0])
        return [(name, measured, expected) for name, (measured, expected) in ordered]

    def table(self, rows: int = 20) -> str:
        """The modules that take longest: measured, expected, and the factor between; then what
        the program would do first."""
        modules = self.modules()
        shown = modules[:rows]
        width = max([len(name) for name, _, _ in shown] + [len("module")])
        lines = [f"{'module':<{width}}  {'measured':>9}  {'expected':>9}  factor"]
        for name, measured, expected in shown:
            factor = f"x{measured / expected:.2f}" if expected > 0 else ""
            lines.append(f"{name:<{width}}  {measured:>6.3f} ms  {expected:>6.3f} ms  {factor:>6}")
        if len(modules) > len(shown):
            lines.append(f"{len(shown)} of {len(modules)} modules")
        lines.append(f"a step takes {self.step_ms:.4g} ms")
        return "\n".join(lines + self._advice())

    def _advice(self) -> List[str]:
        head = str(self).split("\n\n", 1)[0].splitlines()
        first = next((i for i, line in enumerate(head) if line.startswith("do first")), None)
        if first is None:
            return []
        last = next((i for i, line in enumerate(head) if "(datasheet)" in line), len(head))
        return head[first:last]


def measure(
    model: Any,
    inputs: Any = None,
    *,
    input_size: Any = None,
    step: Optional[Callable[[], object]] = None,
    steps: int = 10,
    **options: object,
) -> Measurement:
    """Times a step on the GPU at hand, then records it module by module.

    The step is timed without hooks and recorder, which make it longer; idle time, savings and
    verdict are those of that time. A model in training runs forward and backward, another one
    forward alone; `step` is a function that runs a step of your own instead. The result is an
    `Analysis` with `step_ms` and `table()`.

        m = roofline.measure(model, x)
        print(m.table())
    """
    torch = _import_torch()
    if not torch.cuda.is_available():
        raise RooflineError(
            "measure: expected a GPU that torch can use, found none; "
            'roofline.analyze(model, x, gpu="h100") predicts without one'
        )
    own = step if step is not None else _step_of(torch, model, inputs, input_size)
    for _ in range(3):  # libraries choose their kernels, caches fill
        own()
    step_ms = _timed_ms(torch, own, steps)
    source = _recorded(torch, model, own)
    words = _words(source, None, measured=f"step={step_ms:.9g}ms", **options)
    analysis = analyze_source(source, words)
    result = Measurement(source, words, analysis._answer)
    result.step_ms = step_ms
    return result
