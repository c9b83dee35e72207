"""The calls, as a user of the installed wheel makes them."""

import contextlib
import doctest
import inspect
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import roofline
from roofline import _program

SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONV = {"name": "a", "c": 3, "h": 224, "w": 224, "k": 64, "r": 7, "s": 7}


def path(*parts):
    return os.path.join(SOURCES, *parts)


class Case(unittest.TestCase):
    """Nothing is printed, and no file is left behind, whatever a call does."""

    def tearDown(self):
        self.assertEqual(os.listdir(tempfile.gettempdir()), [])

    def says(self, message, call, *arguments, **options):
        with self.assertRaises(roofline.RooflineError) as raised:
            call(*arguments, **options)
        self.assertEqual(str(raised.exception), message)


class Package(Case):
    def test_runs_the_program_inside_of_the_package(self):
        program = _program.program_path()
        self.assertTrue(program.startswith(os.path.dirname(roofline.__file__)))
        for words in ([sys.executable, "-m", "roofline"], [os.path.join(os.path.dirname(sys.executable), "roofline")]):
            said = subprocess.run([*words, "--version"], capture_output=True, text=True, check=True)
            self.assertIn(roofline.__version__, said.stdout)

    def test_imports_nothing_but_the_standard_library(self):
        code = (
            "import sys; before = set(sys.modules); import roofline; "
            "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
        )
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        foreign = set(said.stdout.split()) - set(sys.stdlib_module_names) - {"roofline"}
        self.assertEqual(foreign, set())

    def test_says_what_the_program_needs_where_it_cannot_run(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            with open(program, "w") as file:
                file.write("no program")
            os.chmod(program, 0o755)
            os.environ["ROOFLINE_PROGRAM"] = program
            try:
                with self.assertRaisesRegex(roofline.RooflineError, "needs Linux on x86-64 with glibc 2.36"):
                    roofline.analyze("resnet50", gpu="h100")
                os.environ["ROOFLINE_PROGRAM"] = program + "2"
                with self.assertRaisesRegex(roofline.RooflineError, "expected the program, found nothing"):
                    roofline.gpu("h100")
            finally:
                del os.environ["ROOFLINE_PROGRAM"]

    def test_examples_of_the_docstrings(self):
        for name in roofline.__all__:
            found = doctest.DocTestFinder(recurse=False).find(
                getattr(roofline, name), name, globs={"roofline": roofline}
            )
            for test in found:
                self.assertEqual(doctest.DocTestRunner().run(test).failed, 0, name)

    def test_the_first_page_shows_what_is_printed(self):
        with open(path("README.md"), encoding="utf-8") as file:
            found = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", file.read(), re.DOTALL)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(found.group(1), {})  # of our own page
        self.assertEqual(printed.getvalue(), found.group(2))

    def test_every_call_has_a_docstring(self):
        for name in roofline.__all__:
            self.assertTrue(inspect.getdoc(getattr(roofline, name)), name)


class Analyze(Case):
    def test_a_network(self):
        a = roofline.analyze("resnet50", gpu="h200", batch=32, dtype="fp16")
        self.assertEqual(str(a).splitlines()[0], "resnet50 on H200 SXM 141GB, fp16, batch 32, fwd, nhwc, kernels alone")
        self.assertEqual((a.gpu, a.network, a.limiter), ("H200 SXM 141GB", "resnet50", "dram"))
        self.assertLess(a.roofline_ms, a.expected_ms)
        low, high = a.range_ms
        self.assertLess(low, a.expected_ms)
        self.assertLess(a.expected_ms, high)
        self.assertEqual(len(a.layers), 174)
        total = a.to_dict()["results"][0]["total"]
        self.assertEqual(a.expected_ms, total["expected_time_s"] * 1e3)
        self.assertAlmostEqual(sum(each.expected_ms for each in a), a.expected_ms)
        self.assertEqual((a.flops, a.bytes), (total["flops"], total["bytes"]["total"]))

    def test_a_layer(self):
        layer = roofline.analyze("resnet50", gpu="h200", batch=32, dtype="fp16")["layer1.0.conv1"]
        self.assertEqual(
            (layer.type, layer.bound, layer.limiter, layer.flops), ("conv", "memory", "l2", 822083584)
        )
        self.assertEqual(layer.bytes, layer.bytes.input + layer.bytes.weight + layer.bytes.output)
        self.assertEqual(layer.kernel["algorithm"], "gemm")
        self.assertIsNone(layer.measured_ms)
        with self.assertRaisesRegex(KeyError, 'did you mean .layer1.0.conv'):
            roofline.analyze("resnet50", gpu="h200")["layer1.0.convl"]
        with self.assertRaisesRegex(AttributeError, "Layer has no flop; it has .*flops"):
            layer.flop

    def test_what_it_takes(self):
        same = [
            CONV,
            [CONV],
            {"layers": [CONV]},
        ]
        times = {roofline.analyze(each, gpu="v100").expected_ms for each in same}
        self.assertEqual(len(times), 1)
        for name in ("tests/pytorch/programs/resnetv2_50.dynamic.pt2", "tests/onnx/resnet18.dynamo.onnx"):
            a = roofline.analyze(path(name), gpu="h100", batch=8)
            self.assertGreater(len(a.layers), 40)

    def test_a_recording_names_its_gpu(self):
        a = roofline.analyze(path("tests/traces/resnet50.fwd.fp16.b32.3steps.json.gz"))
        self.assertEqual(a.gpu, "H200 SXM 141GB")
        self.assertGreater(a.measured_ms, 0)
        self.assertIn("do first: fuse elementwise work (torch.compile)", str(a))

    def test_a_profiler(self):
        class Profile:
            def export_chrome_trace(self, target):
                import gzip

                with gzip.open(path("tests/traces/resnet18.fwd.fp16.b32.pt.trace.json.gz")) as file:
                    with open(target, "wb") as out:
                        out.write(file.read())

        self.assertGreater(roofline.analyze(Profile()).measured_ms, 0)

        class NotStarted:
            def export_chrome_trace(self, target):
                raise AssertionError("not started")

        self.says("the profiler has no recording to export: not started", roofline.analyze, NotStarted())

    def test_options_are_those_of_the_command_line(self):
        a = roofline.analyze("resnet18", gpu="h100", batch=4, pass_="training", framework="pytorch")
        self.assertIn("training, nchw, by pytorch", str(a))
        b = roofline.analyze("resnet18", gpu="h100", set={"bandwidth": "4TB/s", "l2": "x2"}, dim={"H": 64, "W": 64})
        self.assertIn("bandwidth", str(b))
        self.assertIn(
            "float16".replace("float", "fp"), str(roofline.analyze("resnet18", gpu="h100", dtype="float16"))
        )

    def test_errors_are_the_programs(self):
        cases = [
            (
                ("rasnet50",),
                {"gpu": "h100"},
                'rasnet50: expected a file, a directory or a built-in network, found none of that name; did you mean "resnet50"? (roofline networks lists them)',
            ),
            (("resnet50",), {"gpu": "xx"}, 'unknown GPU "xx" (roofline gpus lists all)'),
            (([{"c": 3}],), {"gpu": "t4"}, "layers.json: /0/c: expected input_size, or h and w, beside the channels"),
            (
                ("resnet50",),
                {"gpu": "h100,t4"},
                "analyze: expected one network on one GPU, got 2 results; rank() takes several GPUs, types and batches, stream() many layers",
            ),
            (
                (3,),
                {},
                "expected a torch.nn.Module, the name of a network, a path, a layer as a dict, a list of them, a DataFrame or a torch.profiler.profile, got int",
            ),
            (([{"c": object()}],), {"gpu": "t4"}, "layers as JSON: expected numbers, texts, lists and objects, got object"),
        ]
        for arguments, options, message in cases:
            with self.subTest(message):
                self.says(message, roofline.analyze, *arguments, **options)
        with self.assertRaisesRegex(roofline.RooflineError, "^json=: expected one of batch, dtype, pass_,"):
            roofline.analyze("resnet50", gpu="h100", json=1)
        self.says(
            'no option is called --bach; did you mean "--batch"? (see --help)',
            roofline.analyze,
            "resnet50",
            gpu="h100",
            bach=1,
        )

    def test_no_gpu_is_guessed(self):
        if os.path.exists("/proc/driver/nvidia"):
            self.skipTest("this machine has a GPU")
        message = 'no GPU at hand: name one, as in gpu="h100" (roofline.gpus() has all by their names)'
        self.says(message, roofline.analyze, "resnet50")
        self.says(message, roofline.analyze, path("tests/onnx/resnet18.dynamo.onnx"))
        self.says(message, roofline.analyze, CONV)
        self.says(message, roofline.gpu)

    def test_outputs(self):
        a = roofline.analyze("resnet18", gpu="h100", batch=8, dtype="fp16")
        self.assertIn("1. How much work is it?", a.explain("layer1.0.conv1"))
        self.assertIn("resnet18", a.explain())
        for chart in ("roofline", "time"):
            self.assertTrue(a.svg(chart).startswith("<svg"))
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("html", "svg", "json", "csv", "md", "txt"):
                target = os.path.join(folder, "a." + ending)
                a.save(target)
                self.assertGreater(os.path.getsize(target), 1000)
            with self.assertRaisesRegex(roofline.RooflineError, "a.docx"):
                a.save(os.path.join(folder, "a.docx"))

    def test_html(self):
        a = roofline.analyze("resnet50", gpu="h200", batch=32, dtype="fp16")
        text = a._repr_html_()
        self.assertNotIn("<script", text)
        self.assertLess(text.index("<img"), text.index("<table"))
        self.assertIn("<summary>all 174 rows</summary>", text)
        first = text[text.index("<tbody>") : text.index("</tbody>")]
        self.assertEqual(first.count("<tr"), 21)
        self.assertLess(first.index("maxpool"), first.index("bn1"))
        self.assertNotIn("<img", a.layers._repr_html_())

    def test_one_process_a_call(self):
        with tempfile.TemporaryDirectory() as folder:
            starts = os.path.join(folder, "starts")
            program = os.path.join(folder, "program")
            with open(program, "w") as file:
                file.write(f'#!/bin/sh\necho >>{starts}\nexec {_program.program_path()} "$@"\n')
            os.chmod(program, 0o755)
            os.environ["ROOFLINE_PROGRAM"] = program
            try:
                a = roofline.analyze("resnet18", gpu="h100")
                a._repr_html_(), str(a), a.svg(), a.to_dict()
                roofline.compare(a, a._answer and roofline.analyze("resnet18", gpu="t4"))
            finally:
                del os.environ["ROOFLINE_PROGRAM"]
            with open(starts) as file:
                self.assertEqual(len(file.readlines()), 3)

    def test_an_interrupt_ends_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            with open(program, "w") as file:
                file.write(f"#!/bin/sh\necho $$ >{folder}/pid\nexec sleep 60\n")
            os.chmod(program, 0o755)
            code = "import roofline; roofline.analyze('resnet50', gpu='h100')"
            with subprocess.Popen(
                [sys.executable, "-c", code],
                env={**os.environ, "ROOFLINE_PROGRAM": program},
                stderr=subprocess.PIPE,
                start_new_session=True,
            ) as python:
                # At once: while Python still starts the program.
                while not os.path.exists(f"{folder}/pid") or not os.path.getsize(f"{folder}/pid"):
                    pass
                python.send_signal(signal.SIGINT)
                self.assertIn(b"KeyboardInterrupt", python.communicate()[1])
            with open(f"{folder}/pid") as file, self.assertRaises(ProcessLookupError):
                os.kill(int(file.read()), 0)


class CompareAndRank(Case):
    def test_two_gpus_batches_and_models(self):
        h100 = roofline.analyze("resnet50", gpu="h100", dtype="fp16", batch=32)
        h200 = roofline.analyze("resnet50", gpu="h200", dtype="fp16", batch=32)
        c = roofline.compare(h100, h200)
        self.assertAlmostEqual(c.before_ms, h100.expected_ms)
        self.assertAlmostEqual(c.after_ms, h200.expected_ms)
        self.assertIn("after: resnet50 on H200 SXM 141GB", str(c))
        self.assertIn("<table>", c._repr_html_())
        large = roofline.analyze("resnet50", gpu="h100", dtype="fp16", batch=64)
        self.assertAlmostEqual(roofline.compare(h100, large).after_ms, large.expected_ms)
        other = roofline.analyze("resnet18", gpu="h200", dtype="fp16", batch=32)
        self.assertAlmostEqual(roofline.compare(h100, other).after_ms, other.expected_ms)
        lists = [roofline.analyze([{**CONV, "k": k}], gpu="h100") for k in (64, 128)]
        self.assertAlmostEqual(roofline.compare(*lists).after_ms, lists[1].expected_ms)
        self.says(
            "compare: expected two answers that differ in the model, the GPU or both, or else in one of dtype, batch and framework, got others: batch, gpu",
            roofline.compare,
            roofline.analyze("resnet50", gpu="h200", dtype="fp16", batch=64),
            h100,
        )

    def test_rank(self):
        r = roofline.rank(
            "resnet50", gpus=["t4", "h100"], dtype="fp16", batch="best", price={"t4": "0.35USD", "h100": "2.5USD"}
        )
        self.assertEqual([row.gpu for row in sorted(r, key=lambda row: row.rank)], ["H100 SXM5 80GB", "Tesla T4"])
        self.assertEqual(r["Tesla T4"].fits, True)
        self.assertIn("a million", str(r) + r._repr_html_())
        self.assertGreater(len(roofline.rank("resnet18", max_time="10ms")), 50)


class Gpus(Case):
    def test_peaks(self):
        a100 = roofline.gpu("NVIDIA A100-SXM4-80GB")
        self.assertEqual(
            {name: a100.peak_tflops[name] for name in ("fp32", "tf32", "fp16", "bf16", "int8")},
            {"fp32": 19.5, "tf32": 156.0, "fp16": 312.0, "bf16": 312.0, "int8": 624.0},
        )
        self.assertEqual(a100.bandwidth_gb_per_s, 2039.0)
        self.assertTrue(a100.source[0]["title"])
        self.assertEqual(roofline.gpu("v100").peak_tflops["fp16"], 125.0)

    def test_mfu(self):
        self.assertAlmostEqual(roofline.mfu(312e12, 2.0, "torch.bfloat16", gpu="a100"), 0.5)
        self.says(
            "Tesla V100 SXM2 16GB has no peak for bf16; it has fp64, fp32, fp16, int8",
            roofline.mfu,
            1.0,
            1.0,
            gpu="v100",
        )
        self.says("mfu: expected flops >= 0 and seconds > 0, got 1 and 0", roofline.mfu, 1, 0, gpu="v100")

    def test_each_name_is_of_one_gpu(self):
        owners = {}
        for name, gpu in roofline.gpus().items():
            for alias in {name.lower(), *(each.lower() for each in gpu.aliases)}:
                self.assertEqual(owners.setdefault(alias, name), name, alias)

    def test_names_of_torch(self):
        known = [alias for gpu in roofline.gpus().values() for alias in [gpu.name, *gpu.aliases]]
        for name in (
            "NVIDIA H100 80GB HBM3",
            "NVIDIA H200",
            "NVIDIA A100-SXM4-40GB",
            "NVIDIA A100 80GB PCIe",
            "Tesla T4",
            "Tesla V100-SXM2-16GB",
            "NVIDIA GeForce RTX 4090",
            "NVIDIA L4",
            "AMD Instinct MI300X",
        ):
            self.assertIn(name, known)
            self.assertIn(roofline.gpu(name).name, known)


class Stream(Case):
    def test_rows_and_errors_in_their_places(self):
        records = [CONV, {"c": 3}, object(), json.dumps(CONV), {**CONV, "name": "last"}]
        rows = list(roofline.stream(records, gpu="v100", fields=["name", "bound"]))
        self.assertEqual(rows[0], {"name": "a", "bound": "compute"})
        self.assertEqual(rows[3:], [rows[0], {"name": "last", "bound": "compute"}])
        self.assertEqual((rows[1]["where"], set(rows[1]) >= {"source", "where", "error"}), ("2: /c", True))
        self.assertEqual(rows[2]["error"], "expected an object, got a long string")

    def test_many_records_and_an_early_end(self):
        records = ({**CONV, "k": 1 + i % 512} for i in range(20000))
        rows = roofline.stream(records, gpu="h100", fields=["name"])
        self.assertEqual(next(rows), {"name": "a"})
        rows.close()
        self.assertEqual(sum(1 for _ in roofline.stream([CONV] * 5000, gpu="h100", fields=["name"])), 5000)
        self.assertEqual(list(roofline.stream([], gpu="h100")), [])

    def test_errors_of_the_request_and_of_the_iterator(self):
        self.says('unknown GPU "xx" (roofline gpus lists all)', lambda: list(roofline.stream([CONV], gpu="xx")))

        def broken():
            yield CONV
            raise OSError("no more")

        with self.assertRaisesRegex(OSError, "no more"):
            list(roofline.stream(broken(), gpu="v100"))


if __name__ == "__main__":
    unittest.main()
