"""The notebook's stored outputs are what its cells give."""

import unittest

import notebook


class Notebook(unittest.TestCase):
    def test_cells_give_what_is_stored(self):
        stored, made = notebook.run()
        self.assertTrue(stored == made, "python3 tests/python/notebook.py --write stores new outputs")


if __name__ == "__main__":
    unittest.main()
