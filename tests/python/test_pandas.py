"""Tables of pandas, in and out."""

import importlib.util
import unittest

import roofline

CONV = {"name": "a", "c": 3, "h": 224, "w": 224, "k": 64, "r": 7, "s": 7}


@unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
class Pandas(unittest.TestCase):
    def test_a_table_of_layers_is_read_as_a_list_of_them(self):
        import pandas

        table = roofline.analyze(pandas.DataFrame([CONV]), gpu="v100")
        self.assertEqual(table.expected_ms, roofline.analyze([CONV], gpu="v100").expected_ms)

    def test_results_are_tables(self):
        a = roofline.analyze("resnet18", gpu="h100", batch=8, dtype="fp16")
        self.assertEqual(len(a.to_pandas()), len(a.layers))
        r = roofline.rank("resnet50", gpus=["t4", "h100"], dtype="fp16", batch="best")
        self.assertEqual(len(r.to_pandas()), 2)


if __name__ == "__main__":
    unittest.main()
