"""analyze, compare and rank."""

from __future__ import annotations

from roofline._gpus import Gpu, gpu_at_hand
from roofline._inputs import Source, source_of
from roofline._program import RooflineError, option_words
from roofline._results import Analysis, Comparison, Ranking, Words, ask, flat

_ALL = ("json", "md", "svg")


def _gpu_word(gpu: object) -> object:
    if isinstance(gpu, Gpu):
        return gpu.name
    if isinstance(gpu, (list, tuple)):
        return [_gpu_word(each) for each in gpu]
    return gpu


def _words(source: Source, gpu: object, **options: object) -> Words:
    stated = {name: value for name, value in options.items() if value is not None}
    return option_words({**source.defaults, **stated, "gpu": _gpu_word(gpu)})


def analyze_source(source: Source, words: Words) -> Analysis:
    """Takes the GPU at hand if none is given and the input does not name its own."""
    if "gpu" not in words and not source.names_gpu:
        words = {**words, **option_words({"gpu": gpu_at_hand()})}
    try:
        answer = ask([source], flat(words), _ALL)
    except RooflineError as error:
        if "gpu" in words or "no GPU" not in str(error):
            raise
        words = {**words, **option_words({"gpu": gpu_at_hand()})}
        answer = ask([source], flat(words), _ALL)
    return Analysis(source, words, answer)


def analyze(
    model: object,
    inputs: object = None,
    *,
    gpu: object = None,
    dtype: object = None,
    batch: object = None,
    input_size: object = None,
    strict: bool = False,
    **options: object,
) -> Analysis:
    """How long a model takes on a GPU, layer by layer, and what bounds it.

    `model` is a torch.nn.Module with its `inputs` (a tensor, a tuple, a dict of keywords) or its
    `input_size` (a shape, or a list of them); or the name of a network ("resnet50"); or a path to a
    .pt2, an ONNX file, a recording or a layer file; or a layer as a dict, a list of them, a
    DataFrame of them; or a torch.profiler.profile. A module is exported from a copy without
    weights: nothing is computed. Its own state counts: eval or train, types, autocast, channels
    last. `strict` is torch.export's.

    `gpu` is a name, an alias, a file or a `Gpu`; without it, the GPU at hand, or the one that a
    recording names. `dtype`, `batch` and other options are those of the command line: pass_,
    framework, tuning, assume, set, dim, measured, kernel, kernel_model, jobs, first_line,
    raise_limits; a dict stands for KEY=VALUE, a list for commas. What is not given is as the
    program's default; the answer's first line says it.

        >>> a = roofline.analyze("resnet50", gpu="h200", dtype="fp16", batch=32)
        >>> round(a.expected_ms, 2), a["layer1.0.conv1"].bound
        (2.47, 'memory')
    """
    source = source_of(model, inputs, input_size, strict)
    return analyze_source(source, _words(source, gpu, dtype=dtype, batch=batch, **options))


_JOINED = ("gpu", "dtype", "batch", "framework")


def _value_of(word: str) -> str:
    return word.split("=", 1)[1]


def compare(before: Analysis, after: Analysis) -> Comparison:
    """What changes from one answer to the other: in all, and of which layers.

    They may differ in the model, in the GPU or in both; or in one of dtype, batch and framework.

        >>> h100 = roofline.analyze("resnet50", gpu="h100", dtype="fp16", batch=32)
        >>> h200 = roofline.analyze("resnet50", gpu="h200", dtype="fp16", batch=32)
        >>> round(roofline.compare(h100, h200).ratio, 2)
        0.9
    """
    first, second = before._words, after._words
    differ = [name for name in sorted({*first, *second}) if first.get(name) != second.get(name)]
    is_same = before._source.equals(after._source)
    allowed = ["gpu"] if not is_same else list(_JOINED)
    wrong = [
        name
        for name in differ
        if name not in allowed or not first.get(name) or not second.get(name)
    ]
    if wrong or (is_same and len(differ) > 1):
        raise RooflineError(
            "compare: expected two answers that differ in the model, the GPU or both, or else in "
            f"one of dtype, batch and framework, got others: {', '.join(wrong or differ)}"
        )
    words = dict(first)
    for name in differ:
        words[name] = [f"{first[name][0]},{_value_of(second[name][0])}"]
    sources = [before._source] if is_same else [before._source, after._source]
    if not is_same and before._source.word == after._source.word:
        sources[1] = _called_other(after._source)
    return Comparison(ask(sources, [*flat(words), "--compare"], ("json", "md")))


def _called_other(source: Source) -> Source:
    """Two files of one name are told apart."""
    if source.content is None:
        return source
    return Source("other_" + source.word, source.content, source.names_gpu, source.defaults)


def rank(
    model: object,
    inputs: object = None,
    *,
    gpus: object = "all",
    dtype: object = None,
    batch: object = None,
    input_size: object = None,
    strict: bool = False,
    **options: object,
) -> Ranking:
    """GPUs by what they take for a model, the best first.

    Takes what `analyze` takes; `gpus` are names, a list of them, or a selection such as "all",
    "nvidia" or "amd>=48GB<=750W". `batch` may be "best" or "max". `max_time="10ms"` ranks by what
    takes at most this long, `price={"h100": "2.5USD"}` adds the cost of a million images.

        >>> best = roofline.rank("resnet50", gpus="t4,h100", dtype="fp16", batch="best")
        >>> [row.gpu for row in best]
        ['H100 SXM5 80GB', 'Tesla T4']
    """
    source = source_of(model, inputs, input_size, strict)
    words = flat(_words(source, gpus, dtype=dtype, batch=batch, **options))
    return Ranking(ask([source], [*words, "--by=gpu"], ("json", "md")))


