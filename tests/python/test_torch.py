"""What touches torch, with a stand-in for its objects where torch itself is not installed."""

import contextlib
import importlib.util
import sys
import types
import unittest

import roofline
from roofline import _torch
from test_calls import path


class Module:
    """As much of torch.nn.Module as the package asks for."""

    training = False

    def __init__(self, **parts):
        self.parts = parts
        self.hooks = {"before": [], "after": []}

    def named_modules(self, name=""):
        yield name, self
        for part, module in self.parts.items():
            yield from module.named_modules(f"{name}.{part}" if name else part)

    def parameters(self):
        return iter(())

    buffers = parameters

    def to(self, _):
        return self

    def _register(self, kind, hook):
        self.hooks[kind].append(hook)
        return types.SimpleNamespace(remove=lambda: self.hooks[kind].remove(hook))

    def register_forward_pre_hook(self, hook):
        return self._register("before", hook)

    def register_forward_hook(self, hook, always_call=False):
        return self._register("after", hook)

    def __call__(self, *inputs):
        for hook in self.hooks["before"]:
            hook(self, inputs)
        for part in self.parts.values():
            part(*inputs)
        for hook in self.hooks["after"]:
            hook(self, inputs, None)


class Tensor:
    shape = (1,)

    def to(self, _):
        return self


def stand_in(events, export):
    """A module torch whose ranges are noted in `events`."""

    class record_function:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            events.append("+" + self.name)

        def __exit__(self, *_):
            events.append("-" + self.name)

    torch = types.ModuleType("torch")
    torch.__file__ = "/nowhere/torch/__init__.py"
    torch.nn = types.SimpleNamespace(Module=Module, Parameter=None)
    torch.Tensor = Tensor
    torch.bfloat16 = "bfloat16"
    torch.profiler = types.SimpleNamespace(record_function=record_function)
    torch.is_autocast_enabled = lambda: False
    torch.cuda = types.SimpleNamespace(is_available=lambda: False)
    torch.utils = types.SimpleNamespace(
        _pytree=types.SimpleNamespace(tree_map=lambda call, tree: tree)
    )
    torch.export = types.SimpleNamespace(
        export=export, save=lambda program, file: file.write(program)
    )
    return torch


@unittest.skipIf(importlib.util.find_spec("torch"), "torch is installed: with_torch.py tests it")
class StandIn(unittest.TestCase):
    def setUp(self):
        self.events = []
        self.calls = []
        self.program = None
        sys.modules["torch"] = stand_in(self.events, self.export)

    def tearDown(self):
        del sys.modules["torch"]

    def export(self, module, arguments, keywords, strict):
        self.calls.append((arguments, keywords, strict))
        if self.program is None:
            raise RuntimeError("data-dependent control\n(more)")
        return self.program

    def test_a_module_is_exported_with_its_state(self):
        with open(path("tests/pytorch/programs/resnetv2_50.dynamic.pt2"), "rb") as file:
            self.program = file.read()
        x = Tensor()
        a = roofline.analyze(Module(), x, gpu="h100", batch=8)
        self.assertEqual(str(a).splitlines()[0].split(" on ")[0], "Module")
        self.assertIn(", fwd,", str(a).splitlines()[0])
        trained = Module()
        trained.training = True
        self.assertIn(", training,", str(roofline.analyze(trained, {"x": x}, gpu="h100", batch=8)))
        sys.modules["torch"].is_autocast_enabled = lambda: True
        sys.modules["torch"].get_autocast_gpu_dtype = lambda: "half"
        sys.modules["torch"].autocast = lambda *_, **__: contextlib.nullcontext()
        self.assertIn(", amp,", str(roofline.analyze(Module(), (x, x), gpu="h100", batch=8)))
        self.assertEqual(self.calls, [((x,), {}, False), ((), {"x": x}, False), ((x, x), {}, False)])

    def test_a_refused_module(self):
        with self.assertRaises(roofline.RooflineError) as raised:
            roofline.analyze(Module(), Tensor(), gpu="h100")
        self.assertEqual(
            str(raised.exception),
            "torch.export refuses Module: data-dependent control; strict=False was tried. Use "
            "roofline.measure(model, x), which records it as it runs on a GPU, or a path to what "
            "torch.onnx.export writes",
        )

    def test_a_module_needs_inputs(self):
        for options in ({}, {"inputs": Tensor(), "input_size": (1,)}):
            with self.assertRaisesRegex(roofline.RooflineError, "needs either inputs .* or input_size="):
                roofline.analyze(Module(), gpu="h100", **options)
        with self.assertRaisesRegex(roofline.RooflineError, "^inputs are for a torch.nn.Module, got"):
            roofline.analyze("resnet50", Tensor(), gpu="h100")

    def test_ranges_are_named_after_modules_and_taken_away(self):
        model = Module(layer1=Module(conv1=Module()), fc=Module())
        with roofline.named(model) as same:
            self.assertIs(same, model)
            model(1)
        self.assertEqual(
            self.events,
            [
                "+module: layer1",
                "+module: layer1.conv1",
                "-module: layer1.conv1",
                "-module: layer1",
                "+module: fc",
                "-module: fc",
            ],
        )
        model(1)
        self.assertEqual(len(self.events), 6)

    def test_ranges_end_where_a_forward_fails(self):
        def fail(*_):
            raise ValueError("no")

        model = Module(a=Module(b=fail))
        model.parts["a"].named_modules = lambda name: iter([(name, model.parts["a"])])
        with self.assertRaises(ValueError), roofline.named(model):
            model(1)
        self.assertEqual(self.events, ["+module: a", "-module: a"])

    def test_measure_needs_a_gpu(self):
        with self.assertRaisesRegex(roofline.RooflineError, "^measure: expected a GPU that torch can use"):
            roofline.measure(Module(), Tensor())


class WithoutTorch(unittest.TestCase):
    @unittest.skipIf(importlib.util.find_spec("torch"), "torch is installed")
    def test_says_that_torch_is_needed(self):
        for call in (roofline.measure, lambda model, _: roofline.named(model).__enter__()):
            with self.assertRaisesRegex(roofline.RooflineError, "^torch is needed for this"):
                call(None, None)

    def test_a_table_of_modules(self):
        a = roofline.analyze(path("tests/traces/resnet50.fwd.fp16.b32.3steps.json.gz"))
        m = _torch.Measurement(a._source, a._words, a._answer)
        m.step_ms = 4.0
        lines = m.table(3).splitlines()
        self.assertEqual(lines[0].split(), ["module", "measured", "expected", "factor"])
        self.assertEqual(len(lines[1:4]), 3)
        self.assertIn("a step takes 4 ms", lines)
        self.assertIn("do first: fuse elementwise work (torch.compile): leaves 2.697 ms, saves", lines)


if __name__ == "__main__":
    unittest.main()
