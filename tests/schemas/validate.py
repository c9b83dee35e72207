"""The JSON schemas against the program: validate.py PROGRAM SOURCE_FOLDER

Every file that comes with the program and every kind of output is valid; what is wrong is refused
by the schema and by the program alike, at the same place; no key is in one and not in the other.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from jsonschema import Draft202012Validator, RefResolver

PROGRAM, CALIBRATE, SOURCE = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
SCHEMAS = {path.stem: json.loads(path.read_text())
           for path in sorted((SOURCE / "configs/schemas").glob("*.json"))}
FOLDER = (SOURCE / "configs/schemas").resolve()
FAILURES = []


def check(holds, message):
    if not holds:
        FAILURES.append(message)


def errors_of(name, value):
    schema = SCHEMAS[name]
    # A reference names the file beside it, as a plain validator reads it.
    resolver = RefResolver((FOLDER / f"{name}.json").as_uri(), schema)
    return list(Draft202012Validator(schema, resolver=resolver).iter_errors(value))


def pointer_of(error):
    """Where the innermost cause stands; a key that nobody knows stands at itself."""
    while error.context:
        error = max(error.context, key=lambda each: len(each.absolute_path))
    return "".join(f"/{part}" for part in error.absolute_path)


def check_valid(name, value, what):
    for error in errors_of(name, value)[:3]:
        check(False, f"{what} is no valid {name}: {pointer_of(error)}: {error.message[:300]}")


def run(*arguments, text=None, exit_codes=(0,), program=PROGRAM):
    done = subprocess.run([program, *arguments], input=text, capture_output=True, text=True,
                          cwd=SOURCE, timeout=300)
    check(done.returncode in exit_codes,
          f"{program} {' '.join(arguments)}: exit {done.returncode}: {done.stderr[:300]}")
    return done


def lines_of(text):
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def check_schemas():
    check(len(SCHEMAS) == 4, f"expected four schemas, got {sorted(SCHEMAS)}")
    for name, schema in SCHEMAS.items():
        Draft202012Validator.check_schema(schema)
        check("$id" not in schema, f"{name}.json has an address of its own, where no file is")


def check_files():
    folders = {"input": ["configs/networks/*.json", "tests/golden/inputs/*.json"],
               "gpu": ["configs/gpus/*.json", "tests/golden/gpus/frozen[0-9]*.json"],
               "kernel_model": ["configs/kernels/*.json", "tests/golden/gpus/*_kernels.json"],
               "output": ["tests/golden/*.json"]}
    for name, patterns in folders.items():
        files = [path for pattern in patterns for path in SOURCE.glob(pattern)]
        check(files, f"no files of {name}")
        for path in files:
            if path.stem != "broken":  # tests/golden has what the program says of it
                check_valid(name, json.loads(path.read_text()), path)
    for name, folder in (("input", "tests/measured"), ("output", "tests/golden")):
        for path in (SOURCE / folder).glob("*.ndjson"):
            for number, record in enumerate(lines_of(path.read_text()), 1):
                check_valid(name, record, f"{path}:{number}")


OUTPUTS = [
    "resnet50 --gpu v100 --pass training --assume host-copies=pinned --explain layer1.0.conv1",
    "resnet50 --gpu v100,t4,h200 --dtype fp16,fp32 --batch 1,32 --price v100=2",
    "alexnet --gpu h200 --batch 1,2,4 --assume host-copies=pinned --set ceilings=sustained",
    "convnext_tiny mobilenet_v2 --gpu mi300x,max1550 --dtype bf16 --assume fuse=epilogue",
    "densenet121 --gpu h200 --assume fuse=pointwise,launch=eager,cache=cold --kernel tile=128x64x8",
    "tests/traces/resnet50.fwd.fp16.b32.3steps.json.gz --explain *",
    "tests/measured/h200.csv --gpu h200 --top 3",
    "tests/measured/h200_ops.ndjson tests/measured/h200_ops.ndjson --gpu h200 --compare --top 3",
    "tests/golden/inputs --gpu gtx1080ti --set peak=10TFLOP/s",
]


def check_outputs():
    for line in OUTPUTS:
        document = json.loads(run(*line.split(), "--json", exit_codes=(0, 1)).stdout)
        check(document["results"], f"roofline {line}: no results")
        check_valid("output", document, f"roofline {line}")
    records = '{"type":"relu","input":[3,4,4]}\n{"c":0}\n[\n{"c":3,"h":8,"w":8,"k":4,"r":3,"s":3}\n'
    text = run("-", "--gpu", "v100", "--format", "ndjson", text=records, exit_codes=(1,)).stdout
    check(["error" in record for record in lines_of(text)] == [False, True, True, False],
          "expected the second and the third record to be wrong")
    for record in lines_of(text):
        check_valid("output", record, "a line of NDJSON")
    ranked = run("resnet50", "--gpu", "v100,t4", "--batch", "1,8", "--by", "gpu", "--format",
                 "ndjson").stdout
    for record in lines_of(ranked):
        check("rank" in record, "expected rows of a ranking")
        check_valid("output", record, "a line of a ranking")
    for network in ("resnet50", "convnext_tiny", "googlenet"):
        layers = run(network, "--to-layers", "-").stdout
        check_valid("input", json.loads(layers), f"--to-layers of {network}")
    for gpu in ("v100", "h200", "mi25"):
        check_valid("kernel_model", json.loads(run("model", gpu, program=CALIBRATE).stdout),
                    f"roofline-calibrate model {gpu}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "gpu.json"
        run("tests/measured/h200_ops.ndjson", "--gpu", "h200", "--constants",
            "streaming.max_nhwc.tap_round_trip", "-o", str(path), program=CALIBRATE)
        check_valid("gpu", json.loads(path.read_text()), "what roofline-calibrate writes")


def same(theirs, ours, what):
    theirs, ours = set(theirs), set(ours)
    check(theirs, f"no {what} found in the program")
    check(theirs == ours, f"{what}: only in the program {sorted(theirs - ours)}, "
          f"only in the schema {sorted(ours - theirs)}")


def constants_in(node, path=""):
    """Paths of the leaves of a kernel model's constants, in a file or in the schema."""
    definitions = SCHEMAS["kernel_model"]["$defs"]
    if "$ref" in node:
        node = definitions[node["$ref"].rsplit("/", 1)[1]]
    members = node.get("properties", node)
    if "value" in members:
        return {path}
    return {leaf for key, each in members.items() for leaf in constants_in(each, f"{path}/{key}")}


def check_keys():
    """Outputs have every key of theirs, so that check_outputs() misses none; the others' tables."""
    gpu = SCHEMAS["gpu"]
    keys = set(gpu["properties"])
    for part in (gpu["properties"]["power_modes"]["items"], gpu["properties"]["sustained"],
                 gpu["properties"]["kernel"], gpu["$defs"]["source"]):
        keys |= set(part["properties"])
    table = (SOURCE / "src/model/gpu_fields.hpp").read_text()
    same(re.findall(r'\{(?:\w+\(|FieldForm\{(?:\.file_key = )?)\s*"(\w+)"', table), keys,
         "keys of a GPU")
    shown = json.loads(run("model", "v100", program=CALIBRATE).stdout)
    known = constants_in(SCHEMAS["kernel_model"]["properties"]["constants"])
    stated = constants_in(shown["constants"])
    check(stated and stated <= known, f"constants only in the program: {sorted(stated - known)}")
    message = run("-", "--gpu", "v100", text='{"type": "nothing"}', exit_codes=(1,)).stderr
    kinds = re.search(r"a layer type \((.*)\)", message)[1].split(", ")
    types = SCHEMAS["input"]["$defs"]["type"]["enum"]
    same(kinds, set(kinds) & set(types), "kinds of layers")
    for record in lines_of(run("-", "--gpu", "v100", "--format", "ndjson", exit_codes=(0, 1),
                               text="".join(json.dumps({"type": each}) + "\n" for each in types))
                           .stdout):
        check("expected a layer type" not in record.get("error", ""), record)


# Files that are wrong: of which schema, and where.
CONV = {"c": 3, "h": 8, "w": 8, "k": 4, "r": 3, "s": 3}
V100 = {"name": "x", "peak_tflops": {"fp32": 15.7}, "bandwidth_gb_per_s": 900}
WRONG = [
    ("input", {**CONV, "c": 0}, "/c"),
    ("input", {**CONV, "h": "8"}, "/h"),
    ("input", {**CONV, "stride": [1, 0]}, "/stride/1"),
    ("input", {**CONV, "pad_h": -1}, "/pad_h"),
    ("input", {**CONV, "dtype": "floating"}, "/dtype"),
    ("input", {"dtype": "int32", "layers": [CONV]}, "/dtype"),
    ("input", {**CONV, "colours": 3}, "/colours"),
    ("input", {**CONV, "type": "convolute"}, "/type"),
    ("input", {**CONV, "pass": "bwd"}, "/pass"),
    ("input", {**CONV, "kernel": {"tile": [128, 64]}}, "/kernel/tile"),
    ("input", {"layers": []}, "/layers"),
    ("input", {"layers": [CONV, {**CONV, "w": 1.5}]}, "/layers/1/w"),
    ("input", {"name": "x", "layers": [CONV], "engine": "v100"}, "/engine"),
    ("input", [CONV, {**CONV, "groups": 0}], "/1/groups"),
    ("gpu", {**V100, "bandwidth_gb_per_s": 0}, "/bandwidth_gb_per_s"),
    ("gpu", {**V100, "peak_tflops": {}}, "/peak_tflops"),
    ("gpu", {**V100, "peak_tflops": {"fp31": 1}}, "/peak_tflops/fp31"),
    ("gpu", {**V100, "sm_count": 2.5}, "/sm_count"),
    ("gpu", {**V100, "kernel": {"math_share": 1.5}}, "/kernel/math_share"),
    ("gpu", {**V100, "sources": [{"date": "2020"}]}, "/sources/0/title"),
    ("gpu", {"name": "x", "peak_tflops": {"fp32": 1}}, "/bandwidth_gb_per_s"),
    ("gpu", {**V100, "memory": 16}, "/memory"),
    ("kernel_model", {"name": "x", "title": "x", "inherits": "cudnn7-volta",
                      "constants": {"memory": {"dram_shares": {}}}},
     "/constants/memory/dram_shares"),
    ("kernel_model", {"name": "x", "title": "x", "inherits": "cudnn7-volta",
                      "constants": {"memory": {"dram_share": {"value": 2, "unit": "share",
                                                              "range": [0.1, 1], "origin": "x"}}}},
     "/constants/memory/dram_share/value"),
    ("kernel_model", {"name": "x", "title": "x", "inherits": "cudnn7-volta",
                      "features": {"tensor": ["splitk"]}}, "/features/tensor/0"),
    ("kernel_model", {"name": "x", "title": "x", "inherits": "cudnn7-volta",
                      "tiles": {"vector_gemm": [[128, 64, 8]]}}, "/tiles/vector_gemm/0"),
]
COMMANDS = {"input": ["FILE", "--gpu", "v100"], "gpu": ["alexnet", "--gpu", "FILE"],
            "kernel_model": ["alexnet", "--gpu", "v100", "--kernel-model", "FILE"]}


def check_wrong():
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "wrong.json")
        for name, value, where in WRONG:
            pathlib.Path(path).write_text(json.dumps(value))
            done = run(*[path if word == "FILE" else word for word in COMMANDS[name]],
                       exit_codes=(1,))
            check(f"{path}: {where}: " in done.stderr, f"{where}: program: {done.stderr}")
            # A key too many or too few is told of the object that has or lacks it.
            places = {where, where.rsplit("/", 1)[0]}
            found = {pointer_of(error) for error in errors_of(name, value)}
            check(found & places, f"{where}: the schema refuses it at {sorted(found)}")


for each in (check_schemas, check_files, check_outputs, check_keys, check_wrong):
    each()
for failure in FAILURES[:20]:
    print(failure)
sys.exit(1 if FAILURES else 0)
