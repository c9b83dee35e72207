"""Answers: of one network on one GPU, of two against each other, of several ranked."""

from __future__ import annotations

import copy
import difflib
import importlib
import io
import json
import os
import tempfile
from typing import (
    Any,
    Dict,
    Generic,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    overload,
)

from roofline import _html
from roofline._inputs import Source
from roofline._program import RooflineError, Run, run

Words = Dict[str, List[str]]


def flat(words: Words) -> List[str]:
    """The words of all options, in the order of their names."""
    return [word for name in sorted(words) for word in words[name]]


class Answer:
    """What one run of the program wrote."""

    def __init__(self, done: Run, files: Mapping[str, str]) -> None:
        self.text = done.text
        self.notes = done.errors.splitlines()
        self.code = done.code
        self.files = dict(files)  # by their endings
        self.data: Dict[str, Any] = json.loads(files["json"]) if "json" in files else {}


def ask(sources: Sequence[Source], words: Sequence[str], endings: Sequence[str] = ()) -> Answer:
    """Runs the program once. Raises RooflineError with its text if an input has no answer."""
    with tempfile.TemporaryDirectory(prefix="roofline-") as folder:
        given = []
        for i, source in enumerate(sources):
            place = os.path.join(folder, str(i))
            os.mkdir(place)
            given.append(source.placed(place))
        outputs = {ending: os.path.join(folder, "answer." + ending) for ending in endings}
        options = [word for path in outputs.values() for word in ("-o", path)]
        table = ["--format=table"] if endings else []
        done = run([*given, *options, *table, *words])
        for i in range(len(sources)):
            done.errors = done.errors.replace(os.path.join(folder, str(i)) + os.sep, "")
        done.errors = "\n".join(
            line for line in done.errors.splitlines() if not line.startswith("roofline: wrote ")
        )
        files = {}
        for ending, path in outputs.items():
            if os.path.exists(path):
                with open(path, encoding="utf-8", newline="") as file:
                    files[ending] = file.read()
    answer = Answer(done, files)
    failed = bool(answer.data.get("errors")) or len(files) < len(outputs)
    if failed or (done.code != 0 and not endings):
        raise RooflineError(done.errors or f"the program ended with exit code {done.code}")
    return answer


def _ms(seconds: Optional[float]) -> Optional[float]:
    return None if seconds is None else seconds * 1e3


def _range_ms(seconds: Optional[float], factor: Optional[float]) -> Optional[Tuple[float, float]]:
    if seconds is None or factor is None:
        return None
    return (seconds * 1e3 / factor, seconds * 1e3 * factor)


class Bytes(int):
    """All bytes of a layer or a network, as a number with parts: input, weight, output, total."""

    input: int
    weight: int
    output: int
    total: int

    def __new__(cls, parts: Mapping[str, int]) -> Bytes:
        """From JSON's object of the parts."""
        own = super().__new__(cls, parts["total"])
        for name in ("input", "weight", "output", "total"):
            setattr(own, name, parts[name])
        return own


class Record:
    """An object of the program's JSON: its keys are attributes, and `data` is all of it."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data: Dict[str, Any] = dict(data)

    def __getattr__(self, key: str) -> Any:
        if key != "data" and key in self.data:
            return self.data[key]
        raise AttributeError(f"{type(self).__name__} has no {key}; it has {', '.join(self._keys())}")

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def _keys(self) -> List[str]:
        own = [name for name in dir(type(self)) if not name.startswith("_")]
        return sorted({*own, *self.data} - {"data"})

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self.data]


class Layer(Record):
    """A layer: the keys of the program's JSON, and times in milliseconds.

    `bound` is "compute" or "memory"; `limiter` what takes most of the expected time; `flops` and
    `bytes` its work; `kernel` the mapping that the expected time is of.
    """

    name: str
    type: str
    bound: str
    limiter: Optional[str]
    flops: int
    macs: int
    kernel: Optional[Dict[str, Any]]

    @property
    def bytes(self) -> Bytes:
        """All bytes; .input, .weight and .output are the parts."""
        return Bytes(self.data["bytes"])

    @property
    def expected_ms(self) -> Optional[float]:
        """Of a library's kernel; None for a layer that runs inside another's kernel."""
        return _ms(self.data["expected_time_s"])

    @property
    def roofline_ms(self) -> Optional[float]:
        """The bound's time."""
        return _ms(self.data["roofline_time_s"])

    @property
    def measured_ms(self) -> Optional[float]:
        """A recording's or a given time; None without one."""
        measured = self.data["measured"]
        return None if measured is None else _ms(measured["time_s"])

    @property
    def range_ms(self) -> Optional[Tuple[float, float]]:
        """68 of 100 measured times are within."""
        uncertainty = self.data["expected_uncertainty"] or {}
        return _range_ms(self.data["expected_time_s"], uncertainty.get("factor"))

    def __repr__(self) -> str:
        measured = "" if self.measured_ms is None else f", measured {self.measured_ms:.4g} ms"
        expected = "" if self.expected_ms is None else f"expected {self.expected_ms:.4g} ms, "
        return f"{self.name}: {expected}roofline {self.roofline_ms:.4g} ms ({self.bound}){measured}"


class Choice(Record):
    """A row of a ranking: gpu, batch, dtype, rank, tied, images_per_s, fits, in_time, and more."""

    gpu: str
    rank: int
    tied: bool
    batch: Optional[int]

    @property
    def expected_ms(self) -> Optional[float]:
        """Of one batch."""
        return _ms(self.data["time_s"])

    @property
    def range_ms(self) -> Optional[Tuple[float, float]]:
        """68 of 100 measured times are within."""
        uncertainty = self.data["expected_uncertainty"] or {}
        return _range_ms(self.data["time_s"], uncertainty.get("factor"))

    def __repr__(self) -> str:
        expected = "" if self.expected_ms is None else f", expected {self.expected_ms:.4g} ms"
        return f"{self.rank}. {self.gpu}, batch {self.batch}{expected}"


Row = TypeVar("Row", bound=Record)


class Rows(Sequence[Row], Generic[Row]):
    """Rows that notebooks show as a table."""

    def __init__(self, rows: Sequence[Row], markdown: str, text: str) -> None:
        self._rows = list(rows)
        self._markdown = markdown
        self._text = text

    @overload
    def __getitem__(self, key: Union[int, str]) -> Row: ...

    @overload
    def __getitem__(self, key: slice) -> List[Row]: ...

    def __getitem__(self, key: Union[int, str, slice]) -> Union[Row, List[Row]]:
        if not isinstance(key, str):
            return self._rows[key]
        names = [str(row.data.get("name", row.data.get("gpu"))) for row in self._rows]
        if key in names:
            return self._rows[names.index(key)]
        near = difflib.get_close_matches(key, names, 1)
        raise KeyError(f'no "{key}"' + (f'; did you mean "{near[0]}"?' if near else ""))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        tables = _html.parsed(self._markdown)[1][:1]
        return _html.page([], None, [_html.sorted_by_time(table) for table in tables])


class Analysis:
    """A network on a GPU. In a notebook it shows as picture and table, printed as the table.

    `layers` are its layers, also by name: `a["layer1.0.conv1"]`. `notes` are what the program says
    of its input: assumptions, and what it left out.
    """

    def __init__(self, source: Source, words: Words, answer: Answer) -> None:
        results = answer.data["results"]
        if len(results) > 1:
            raise RooflineError(
                f"analyze: expected one network on one GPU, got {len(results)} results; rank() "
                "takes several GPUs, types and batches, stream() many layers"
            )
        self._source = source
        self._words = words
        self._answer = answer
        self._result: Optional[Dict[str, Any]] = results[0] if results else None
        self.notes: List[str] = answer.notes
        self.layers: Rows[Layer] = Rows(
            [Layer(layer) for layer in self._result["layers"]] if self._result else [],
            answer.files["md"],
            answer.text.rstrip("\n"),
        )

    def _known(self) -> Dict[str, Any]:
        if self._result is None:
            raise RooflineError(
                "no layers, kernels alone: print it for their times; for layers record with "
                "ProfilerActivity.CPU and record_shapes=True"
            )
        return self._result

    @property
    def gpu(self) -> str:
        """The GPU's name."""
        return str(self._known()["gpu"])

    @property
    def network(self) -> str:
        """The network's name."""
        return str(self._known()["network"])

    @property
    def expected_ms(self) -> float:
        """The expected time of all layers."""
        return float(self._known()["total"]["expected_time_s"] * 1e3)

    @property
    def roofline_ms(self) -> float:
        """The sum of the layers' bounds."""
        return float(self._known()["total"]["roofline_time_s"] * 1e3)

    @property
    def range_ms(self) -> Tuple[float, float]:
        """68 of 100 measured times of such networks are within."""
        total = self._known()["total"]
        found = _range_ms(total["expected_time_s"], total["expected_uncertainty"]["factor"])
        assert found is not None
        return found

    @property
    def measured_ms(self) -> Optional[float]:
        """The measured layers' time; None without one."""
        return _ms(self._known()["total"]["measured_time_s"])

    @property
    def flops(self) -> int:
        """The arithmetic of all layers; a multiply-add is two."""
        return int(self._known()["total"]["flops"])

    @property
    def bytes(self) -> Bytes:
        """The bytes of all layers; .input, .weight and .output are the parts."""
        return Bytes(self._known()["total"]["bytes"])

    @property
    def limiter(self) -> Optional[str]:
        """What takes most of the expected time of the whole: the largest sum of parts."""
        parts: Dict[str, float] = {}
        for layer in self._known()["layers"]:
            for key, value in (layer["kernel"] or {}).items():
                is_part = key.endswith("_s") and not key.endswith(_NO_PARTS)
                if is_part and isinstance(value, (int, float)):
                    parts[key[:-2]] = parts.get(key[:-2], 0.0) + value
        return max(parts, key=lambda name: parts[name]).replace("_", " ") if parts else None

    def __getitem__(self, name: str) -> Layer:
        return self.layers[name]

    def __len__(self) -> int:
        return len(self.layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(self.layers)

    def _again(self, words: Sequence[str], endings: Sequence[str] = ()) -> Answer:
        return ask([self._source], [*flat(self._words), *words], endings)

    def explain(self, layer: Optional[str] = None) -> str:
        """How a layer's numbers come about; without one, what limits the network."""
        return self._again(["--explain", *([layer] if layer is not None else [])]).text

    def svg(self, chart: str = "roofline") -> str:
        """A picture: roofline, time, sweep or compare."""
        if chart == "roofline":
            return self._answer.files["svg"]
        return self._again([f"--chart={chart}"], ["svg"]).files["svg"]

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the answer; the ending says how, as of -o: .html .svg .png .trace.json .csv .md .json."""
        answer = ask([self._source], [*flat(self._words), f"--output={os.fspath(path)}"])
        if answer.code not in (0, 1):
            raise RooflineError("\n".join(answer.notes))

    def to_dict(self) -> Dict[str, Any]:
        """The program's JSON, with all its keys."""
        return copy.deepcopy(self._answer.data)

    def to_pandas(self) -> Any:
        """A DataFrame with a row a layer; its columns are those of the program's CSV."""
        pandas = importlib.import_module("pandas")
        text = self._again([], ["csv"]).files["csv"]
        return pandas.read_csv(io.StringIO(text), float_precision="round_trip")

    def __repr__(self) -> str:
        return self._answer.text.rstrip("\n")

    def _repr_html_(self) -> str:
        lead, tables = _html.parsed(self._answer.files["md"])
        first = [_html.sorted_by_time(tables[0]), *tables[1:2]] if tables else []
        return _html.page(lead[:2], self._answer.files.get("svg"), first)


# A rate, and the time under the other tuning, are no parts of a kernel's time.
_NO_PARTS = ("_per_s", "_time_s")


class Comparison:
    """What changes from one answer to another: printed as the program's table."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.data: Dict[str, Any] = answer.data["changes"]
        self.notes: List[str] = answer.notes
        self.before_ms: float = self.data["before_s"] * 1e3
        self.after_ms: float = self.data["after_s"] * 1e3
        self.ratio: float = self.data["after_s"] / self.data["before_s"]

    @property
    def layers(self) -> List[Record]:
        """The layers whose time changed, by the keys of JSON."""
        return [Record(layer) for layer in self.data["layers"]]

    def to_dict(self) -> Dict[str, Any]:
        """The program's JSON, with all its keys."""
        return copy.deepcopy(self._answer.data)

    def __repr__(self) -> str:
        return self._answer.text.rstrip("\n")

    def _repr_html_(self) -> str:
        lead, tables = _html.parsed(self._answer.files["md"])
        return _html.page(lead, None, tables)


class Ranking(Rows[Choice]):
    """GPUs, types or batches, the best first; also by the name of a GPU."""

    def __init__(self, answer: Answer) -> None:
        points = answer.data["points"]
        rows = [Choice(row) for point in points for row in point["rows"]]
        super().__init__(rows, answer.files["md"], answer.text.rstrip("\n"))
        self.notes: List[str] = answer.notes
        self._data = answer.data

    def to_dict(self) -> Dict[str, Any]:
        """The program's JSON, with all its keys."""
        return copy.deepcopy(self._data)

    def to_pandas(self) -> Any:
        """A DataFrame with a row a choice."""
        pandas = importlib.import_module("pandas")
        return pandas.json_normalize([row.data for row in self], sep="_")

    def _repr_html_(self) -> str:
        lead, tables = _html.parsed(self._markdown)
        return _html.page(lead[:1], None, tables[:1])
