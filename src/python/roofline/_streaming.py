"""Many layers through one program."""

from __future__ import annotations

import itertools
import json
import subprocess
import threading
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence

from roofline._calls import _gpu_word
from roofline._gpus import gpu_at_hand
from roofline._inputs import plain
from roofline._program import Child, RooflineError, option_words


def _line(record: object) -> str:
    """A record as a line; one that JSON cannot state is sent as a text that says so, whose error
    then stands in its place."""
    if isinstance(record, str):
        return " ".join(record.splitlines())
    try:
        return json.dumps(dict(record) if isinstance(record, Mapping) else record, default=plain)
    except (TypeError, ValueError) as error:
        return json.dumps(f"not JSON: {error}")


class _Writer(threading.Thread):
    """Feeds the program. An error of the records themselves is kept for the reader."""

    def __init__(self, records: Iterable[object], child: Child) -> None:
        super().__init__(name="roofline-stream", daemon=True)
        self._records = records
        self._child = child
        self.error: Optional[BaseException] = None

    def run(self) -> None:
        pipe = self._child.process.stdin
        assert pipe is not None
        try:
            for record in self._records:
                pipe.write(_line(record).encode() + b"\n")
        except (BrokenPipeError, ValueError) as error:
            # The program has ended, or the reader has closed the pipe.
            if not isinstance(error, BrokenPipeError) and not pipe.closed:
                self.error = error
        except BaseException as error:  # of the caller's iterator; raised where it is read
            self.error = error
        finally:
            try:
                pipe.close()
            except BrokenPipeError:
                pass


def stream(
    records: Iterable[object],
    *,
    gpu: object = None,
    fields: Optional[Sequence[str]] = None,
    **options: object,
) -> Iterator[Dict[str, Any]]:
    """Evaluates layers one after the other: an iterator in, an iterator out, one program.

    Each record is a layer as a dict, or its JSON as a text, and stands alone. Each yields a dict
    with the keys of JSON, or with `fields` of them; in the place of a bad record stands
    {"source", "where", "error"}, and nothing is raised for it. Memory is constant. Options are
    those of `analyze`.

        >>> conv = {"c": 3, "h": 224, "w": 224, "k": 64, "r": 7, "s": 7}
        >>> [row["bound"] for row in roofline.stream([conv], gpu="v100", fields=["bound"])]
        ['compute']
    """
    words: List[str] = ["-", "--format=ndjson"]
    given = option_words({**options, "gpu": _gpu_word(gpu) if gpu is not None else gpu_at_hand()})
    words += [word for each in given.values() for word in each]
    if fields is not None:
        words.append("--fields=" + ",".join(fields))
    return _rows(records, words)


def _rows(records: Iterable[object], words: Sequence[str]) -> Iterator[Dict[str, Any]]:
    rest = iter(records)
    first = list(itertools.islice(rest, 1))
    if not first:
        return
    records = itertools.chain(first, rest)
    with Child(words, stdin=subprocess.PIPE) as child:
        writer = _Writer(records, child)
        writer.start()
        out = child.process.stdout
        assert out is not None
        count = 0
        for line in out:
            count += 1
            yield json.loads(line)
        code = child.process.wait()
        writer.join()
        if writer.error is not None:
            raise writer.error
        if code == 2 or (code != 0 and count == 0):
            raise RooflineError(child.error_text())
