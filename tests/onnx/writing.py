"""Models and what is expected of them: layers by hand, sizes from ONNX's own shape inference."""

import json
import math
import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference

FOLDER = pathlib.Path(__file__).parent
NEWEST_INFERRED = 17  # operator set of Debian 12's python3-onnx (1.12)
expected = {}


def prod(sizes):
    return math.prod(sizes)


class Model:
    """One file. Tensors without data stand for weights stored elsewhere: only sizes matter."""

    def __init__(self, name, opset=17, batch=None, dims=None, ir_version=8, versions=None):
        self.name, self.opset, self.ir_version = name, opset, ir_version
        self.open = dict(dims or {})
        self.batch = batch
        if batch:
            self.open["N"] = batch
        self.inputs, self.tensors, self.nodes, self.outputs, self.stated = [], [], [], [], []
        self.functions, self.rows, self.hand, self.notes = [], [], {}, []
        self.versions = versions or {}

    def x(self, name, sizes, dtype=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, sizes))
        return name

    def w(self, name, sizes, dtype=TensorProto.FLOAT):
        tensor = TensorProto(name=name, data_type=dtype, dims=sizes)
        tensor.data_location = TensorProto.EXTERNAL
        entry = tensor.external_data.add()
        entry.key, entry.value = "location", "absent.bin"
        self.tensors.append(tensor)
        return name

    def c(self, name, values, dtype=numpy.int64):
        self.tensors.append(numpy_helper.from_array(numpy.array(values, dtype), name))
        return name

    def n(self, op, inputs, out, domain="", sizes=None, **attributes):
        """A node that writes `out` (or a list) and is called as its first result. `sizes`: by hand,
        where ONNX's inference here is older than the operator."""
        outs = [out] if isinstance(out, str) else out
        node = helper.make_node(op, inputs, outs, name=outs[0], domain=domain, **attributes)
        self.nodes.append(node)
        if sizes is not None:
            self.hand[outs[0]] = sizes
        return out

    def out(self, *names):
        self.outputs += names

    def row(self, kind, inputs, output, macs=0, params=0, name=None):
        """A layer. Inputs and output are tensors' names or sizes; a parameter is
        ("p", sizes), another constant ("p", sizes, 0).
        `macs` may be a function of the sizes of all tensors."""
        self.rows.append((name or output, kind, inputs, output, macs, params))

    # Layers whose counts are the textbook's.
    def conv(self, x, out, weight, bias=False, kind="conv", name=None, dtype=TensorProto.FLOAT, **attributes):
        w = self.w(out + ".weight", weight, dtype)
        b = [self.w(out + ".bias", [weight[0]])] if bias else []
        self.n("Conv", [x, w] + b, out, **attributes)
        self.conv_row(x, out, weight, bias, kind, name)
        return out

    def conv_row(self, x, out, weight, bias=False, kind="conv", name=None):
        self.row(kind, [x], out, lambda s: prod(s[out]) * prod(weight[1:]),
                 prod(weight) + (weight[0] if bias else 0), name)

    def linear(self, x, out, rows, k, n, bias=True):
        """A product with learned weights, as exporters write it of more than two axes."""
        self.n("MatMul", [x, self.w(out + ".weight", [k, n])], out + "_" if bias else out)
        if bias:
            self.n("Add", [self.w(out + ".bias", [n]), out + "_"], out)
        self.row("linear", [rows + [k]], rows + [n], prod(rows) * k * n, k * n + (n if bias else 0), out)
        return out

    def same(self, op, kind, x, out, extra=(), **attributes):
        """One operand and a result of its size."""
        self.n(op, [x, *extra], out, **attributes)
        self.row(kind, [x], out)
        return out

    def matmul(self, a, b, out, products, m, n, k):
        self.n("MatMul", [a, b], out)
        self.row("matmul", [[products, m, k], [products, k, n]], [products, m, n], products * m * n * k,
                 name=out)
        return out

    def proto(self, closed=False):
        def value(info):
            copy = onnx.ValueInfoProto()
            copy.CopyFrom(info)
            for dim in copy.type.tensor_type.shape.dim:
                if closed and dim.dim_param:
                    dim.dim_value = self.open[dim.dim_param]
            return copy

        outputs = [onnx.ValueInfoProto(name=name) for name in self.outputs]
        graph = helper.make_graph(self.nodes, self.name, [value(i) for i in self.inputs], outputs,
                                  self.tensors, value_info=self.stated)
        sets = [helper.make_opsetid("", self.opset)]
        sets += [helper.make_opsetid(*each) for each in self.versions.items()]
        model = helper.make_model(graph, opset_imports=sets, functions=self.functions)
        model.ir_version = self.ir_version
        model.ClearField("producer_name")
        return model

    def sizes(self):
        sizes = dict(self.hand)
        if self.opset <= NEWEST_INFERRED:
            graph = shape_inference.infer_shapes(self.proto(closed=True), data_prop=True).graph
            for value in [*graph.input, *graph.value_info, *graph.output]:
                dims = value.type.tensor_type.shape.dim
                if value.type.tensor_type.HasField("shape") and all(d.HasField("dim_value") for d in dims):
                    sizes[value.name] = [d.dim_value for d in dims]
        for value in self.inputs:
            dims = value.type.tensor_type.shape.dim
            sizes[value.name] = [self.open.get(d.dim_param, d.dim_value) for d in dims]
        return sizes

    def save(self):
        sizes = self.sizes()

        def text(each):
            if isinstance(each, tuple):  # ("p", sizes), and how many of them are learned if not all
                dims, learned = each[1], each[2:]
                count = f',"parameters":{learned[0]}' if learned else ""
                own_type = f',"dtype":"{learned[1]}"' if len(learned) > 1 else ""
                return '{"parameter":[' + ",".join(map(str, dims)) + "]" + count + own_type + "}"
            if isinstance(each, dict):  # {"shape": sizes, "dtype": a type of its own}
                return '{"shape":' + text(each["shape"]) + ',"dtype":"' + each["dtype"] + '"}'
            dims = sizes[each] if isinstance(each, str) else each
            return "[" + ",".join(str(d) for d in ([1] * (2 - len(dims)) + list(dims))) + "]"

        rows = []  # by name: nodes of a graph have no order but that of their operands
        for name, kind, inputs, output, macs, params in sorted(self.rows, key=lambda row: row[0]):
            shapes = [text(each) for each in inputs]
            is_list = len(shapes) > 1 or kind == "other"
            rows.append([name, kind, "[" + ",".join(shapes) + "]" if is_list else shapes[0],
                         text(output), macs(sizes) if callable(macs) else macs, params])
        (FOLDER / f"{self.name}.onnx").write_bytes(self.proto().SerializeToString(deterministic=True))
        entry = {"layers": rows}
        if self.batch:
            entry["batch"] = self.batch
        dims = {name: size for name, size in self.open.items() if name != "N"}
        if dims:
            entry["dim"] = dims
        if self.notes:
            entry["notes"] = self.notes
        expected[self.name] = entry


def save_expected():
    lines = []
    for name, entry in expected.items():
        rows = ",\n  ".join(json.dumps(row) for row in entry.pop("layers"))
        head = json.dumps(entry)[1:-1]
        lines.append(f'"{name}": {{{head + ", " if head else ""}"layers": [\n  {rows}]}}')
    (FOLDER / "expected.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
