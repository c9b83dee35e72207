"""A stream on two worker processes of Dask, as src/docs/python.md shows it."""

import importlib.util
import os
import tempfile
import unittest

import roofline

FIELDS = ["name", "bound", "expected_time_s"]


def record(i):
    layer = {"name": f"l{i}", "c": 64, "h": 28, "w": 28, "k": 1 + i % 512, "r": 3, "s": 3}
    return {**layer, "k": -1} if i == 777 else layer


def evaluated(part):
    return list(roofline.stream(part, gpu="h100", fields=FIELDS))


def evaluated_once_killed(part, flag):
    """The first worker that comes here dies in the middle of its partition."""
    rows = roofline.stream(part, gpu="h100", fields=FIELDS)
    first = [next(rows)]
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return first + list(rows)
    os._exit(1)


@unittest.skipUnless(importlib.util.find_spec("distributed"), "Dask is not installed")
class Dask(unittest.TestCase):
    def test_partitions_give_the_rows_of_one_run(self):
        import dask.bag
        from distributed import Client, LocalCluster

        records = [record(i) for i in range(20000)]
        whole = list(roofline.stream(records, gpu="h100", fields=FIELDS))
        flag = os.path.join(tempfile.gettempdir(), "killed")
        with LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster, Client(cluster):
            parts = dask.bag.from_sequence(records, npartitions=16)
            rows = parts.map_partitions(evaluated).compute()
            try:
                after = parts.map_partitions(evaluated_once_killed, flag).compute()
            finally:
                os.remove(flag)
        self.assertEqual([i for i, row in enumerate(rows) if "error" in row], [777])
        for some in (rows, after):
            self.assertEqual(len(some), 20000)
            self.assertEqual([row for row in some if "error" not in row], [row for row in whole if "error" not in row])


if __name__ == "__main__":
    unittest.main()
