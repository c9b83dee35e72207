"""Layers are called after the modules whose ranges a recording has, and a step has its real time."""

import json
import unittest

import roofline
from test_calls import path

RECORDING = path("tests/python/resnet50_modules.json.gz")  # of roofline.named, on an H100


def operator(name, number, thread, start_us, sizes, kind="cpu_op"):
    arguments = {"External id": number, "Input Dims": sizes, "Input type": ["float"] * len(sizes)}
    arguments["Concrete Inputs"] = [""] * len(sizes)
    return {"ph": "X", "cat": kind, "name": name, "pid": 1, "tid": thread, "ts": start_us, "dur": 20, "args": arguments}


def kernel(number, start_us):
    return {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": start_us, "dur": 5, "args": {"device": 0, "External id": number}}


def link(phase, thread, start_us):
    return {"ph": phase, "cat": "fwdbwd", "name": "fwdbwd", "id": 3, "pid": 1, "tid": thread, "ts": start_us}


class Modules(unittest.TestCase):
    def test_layers_of_a_recording_have_the_names_of_modules(self):
        a = roofline.analyze(RECORDING)
        names = [layer.name for layer in a]
        self.assertEqual(names[:5], ["conv1", "bn1", "relu", "maxpool", "layer1.0.conv1"])
        # What a block computes beside its parts has its name and the operator's.
        self.assertIn("layer1.0.add", names)
        self.assertEqual(names[-2:], ["avgpool", "fc"])
        self.assertEqual(len(set(names)), 175 - 1)

    def test_a_backward_pass_has_the_name_of_its_forward_module(self):
        sizes = [[8, 16], [8, 16]]
        trace = {
            "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}],
            "traceEvents": [
                operator("module: act", 1, 1, 0, [], "user_annotation"),
                operator("aten::relu", 2, 1, 5, sizes[:1]),
                operator("autograd::engine::evaluate_function: ReluBackward0", 4, 2, 100, []),
                operator("aten::threshold_backward", 5, 2, 105, sizes),
                link("s", 1, 5),
                link("f", 2, 100),
                kernel(2, 200),
                kernel(5, 300),
            ],
        }
        trace["traceEvents"][3]["dur"] = 10

        class Profile:
            def export_chrome_trace(self, target):
                with open(target, "w") as file:
                    json.dump(trace, file)

        self.assertEqual(
            [layer.name for layer in roofline.analyze(Profile(), gpu="h200")], ["act", "act dgrad"]
        )

    def test_a_step_has_the_time_that_is_given(self):
        recorded = roofline.analyze(RECORDING).to_dict()["results"][0]
        a = roofline.analyze(RECORDING, measured="step=7.6ms")
        real = a.to_dict()["results"][0]
        self.assertAlmostEqual(recorded["recording"]["span_s"], 21.67e-3, 5)
        self.assertEqual(real["recording"]["span_s"], recorded["recording"]["span_s"])
        self.assertAlmostEqual(real["verdict"]["step_s"], 7.6e-3, 12)
        self.assertEqual(real["verdict"]["recorded_step_s"], recorded["recording"]["span_s"])
        self.assertEqual(real["recording"]["busy_s"], recorded["recording"]["busy_s"])
        text = " ".join(str(a).split())
        self.assertIn("a step of 7.600 ms as given, without the recorder (21.67 ms with it), GPU idle 85.7%", text)

    def test_a_layer_called_step_wins(self):
        layer = {"name": "step", "c": 64, "h": 28, "w": 28, "k": 64, "r": 3, "s": 3}
        a = roofline.analyze([layer, {**layer, "name": "other"}], gpu="v100", measured="step=1ms")
        self.assertEqual(a["step"].measured_ms, 1.0)
        self.assertIsNone(a["other"].measured_ms)


if __name__ == "__main__":
    unittest.main()
