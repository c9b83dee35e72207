#!/usr/bin/python3
"""Writes the models of this folder and expected.json. Needs Debian's python3-onnx."""

import networks
import numpy
from onnx import TensorProto, helper
from writing import Model, save_expected

HALF, BF16, INT8, UINT8 = TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.INT8, TensorProto.UINT8
INT4 = 22  # newer than Debian 12's python3-onnx


def windows():
    m = Model("windows", batch=2)
    x = m.x("x", ["N", 8, 15, 13])
    k3 = [16, 8, 3, 3]
    m.conv(x, "plain", k3, bias=True)
    m.conv(x, "asymmetric", k3, pads=[0, 1, 2, 0], strides=[2, 1])
    m.conv(x, "same_upper", k3, auto_pad="SAME_UPPER", strides=[2, 2])
    m.conv(x, "same_lower", [16, 8, 2, 4], auto_pad="SAME_LOWER", strides=[2, 2])
    m.conv(x, "valid", k3, auto_pad="VALID", strides=[3, 2])
    m.conv(x, "dilated", k3, dilations=[2, 3], pads=[2, 3, 2, 3])
    m.conv(x, "grouped", [16, 2, 3, 3], group=4, kernel_shape=[3, 3])
    m.conv(x, "depthwise", [8, 1, 5, 5], group=8, pads=[2, 2, 2, 2])
    taps = 8 * 4 * 3 * 3
    for out, attributes in [("transposed", dict(strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])),
                            ("to_shape", dict(strides=[2, 2], output_shape=[30, 26])),
                            ("transposed_same", dict(strides=[2, 2], auto_pad="SAME_UPPER"))]:
        m.n("ConvTranspose", [x, m.w(out + ".weight", [8, 4, 3, 3])], out, **attributes)
        m.row("conv_transpose", [x], out, 2 * 15 * 13 * taps, taps)  # each input meets each weight
    for out, op, attributes in [("ceil", "MaxPool", dict(strides=[2, 2], ceil_mode=1)),
                                ("floor", "MaxPool", dict(strides=[2, 2])),
                                ("pool_same", "AveragePool", dict(strides=[2, 2], auto_pad="SAME_UPPER")),
                                ("pool_pads", "AveragePool", dict(pads=[1, 0, 0, 1], strides=[3, 3]))]:
        m.n(op, [x], out, kernel_shape=[2, 3], **attributes)
        m.row("max_pool" if op == "MaxPool" else "avg_pool", [x], out)
    m.n("GlobalAveragePool", [x], "global")
    m.row("global_avg_pool", [x], "global")
    m.out(*[row[0] for row in m.rows])
    m.save()


def ranks():
    m = Model("ranks", batch=2)
    line, block = m.x("line", ["N", 8, 33]), m.x("block", ["N", 4, 5, 9, 7])
    m.conv(line, "conv_line", [16, 8, 3], bias=True, strides=[2], pads=[1, 1])
    m.conv(line, "line_same", [16, 4, 4], auto_pad="SAME_UPPER", group=2, dilations=[2])
    m.conv(block, "conv_block", [8, 4, 3, 3, 3], strides=[1, 2, 2], pads=[1, 1, 1, 1, 1, 1])
    m.conv(block, "block_pads", [8, 4, 1, 3, 3], pads=[0, 0, 1, 0, 2, 1])
    for x, out, kernel in [(line, "pool_line", [3]), (block, "pool_block", [2, 3, 3])]:
        m.n("MaxPool", [x], out, kernel_shape=kernel, strides=[2] * len(kernel), ceil_mode=1)
        m.row("max_pool", [x], out)
    m.n("ConvTranspose", [block, m.w("up.weight", [4, 2, 2, 2, 2])], "up", strides=[2, 2, 2])
    m.row("conv_transpose", [block], "up", 2 * 4 * 5 * 9 * 7 * 2 * 8, 4 * 2 * 8)
    m.out(*[row[0] for row in m.rows])
    m.save()


def products():
    m = Model("products", batch=6)
    x, a, b = m.x("x", ["N", 20]), m.x("a", ["N", 3, 4, 5]), m.x("b", ["N", 3, 5, 7])
    m.n("Gemm", [x, m.w("gemm.weight", [9, 20]), m.w("gemm.bias", [9])], "gemm", transB=1)
    m.row("linear", [x], "gemm", 6 * 20 * 9, 9 * 20 + 9)
    m.n("Gemm", [x, m.w("plain.weight", [20, 9])], "plain")
    m.row("linear", [x], "plain", 6 * 20 * 9, 9 * 20)
    m.linear(a, "bias", [6, 3, 4], 5, 11)
    m.matmul(a, b, "batched", 18, 4, 7, 5)
    m.n("MatMul", [a, m.x("c", [3, 5, 7])], "own")  # another matrix for each of the 3
    m.row("matmul", [[18, 4, 5], [3, 5, 7]], [18, 4, 7], 18 * 4 * 5 * 7, name="own")
    m.n("MatMul", [m.w("left", [8, 4]), a], "from_left")  # learned rows from the left
    m.row("linear", [[6, 3, 5, 4]], [6, 3, 5, 8], 18 * 8 * 4 * 5, 32, name="from_left")
    m.n("Einsum", [a, b], "einsum", equation="bhik,bhkj->bhij", sizes=[6, 3, 4, 7])
    m.row("matmul", [[18, 4, 5], [18, 5, 7]], [18, 4, 7], 18 * 4 * 7 * 5, name="einsum")
    m.out(*[row[0] for row in m.rows])
    m.save()


def activations():
    m = Model("activations", batch=2)
    x = m.x("x", ["N", 4, 6, 5])
    for op, kind in [("Relu", "relu"), ("LeakyRelu", "leaky_relu"), ("Elu", "elu"), ("Sigmoid", "sigmoid"),
                     ("HardSigmoid", "hardsigmoid"), ("HardSwish", "hardswish"), ("Tanh", "tanh"),
                     ("Softmax", "softmax"), ("Exp", "elementwise"), ("Softplus", "elementwise"),
                     ("Selu", "elu"), ("Erf", "elementwise")]:
        m.n(op, [x], op.lower())
        sizes = [48, 5] if kind == "softmax" else x  # rows of the last axis
        m.row(kind, [sizes], sizes, name=op.lower())
    m.n("PRelu", [x, m.x("slopes", [4, 1, 1])], "prelu")
    m.row("prelu", [x], "prelu")
    zero, six, three = [m.c(f"c{v}", v, numpy.float32) for v in (0, 6, 3)]
    m.same("Clip", "relu6", x, "clip6", [zero, six])
    m.same("Clip", "elementwise", x, "clip3", [zero, three])
    m.same("Clip", "relu", x, "clip", [zero])

    def pattern(kind, name, *steps):
        for op, inputs, out in steps:
            m.n(op, inputs, out)
        m.row(kind, [x], steps[-1][2], name=steps[-1][2])

    half, one, root = [m.c(n, v, numpy.float32) for n, v in (("h", .5), ("one", 1), ("root", 2 ** .5))]
    pattern("gelu", "gelu", ("Div", [x, root], "g1"), ("Erf", ["g1"], "g2"), ("Add", ["g2", one], "g3"),
            ("Mul", [x, "g3"], "g4"), ("Mul", ["g4", half], "gelu_erf"))
    cube, c1, c2 = [m.c(n, v, numpy.float32) for n, v in (("cube", 3), ("c1", .044715), ("c2", .797885))]
    pattern("gelu", "gelu_tanh", ("Pow", [x, cube], "t1"), ("Mul", ["t1", c1], "t2"), ("Add", [x, "t2"], "t3"),
            ("Mul", ["t3", c2], "t4"), ("Tanh", ["t4"], "t5"), ("Add", ["t5", one], "t6"),
            ("Mul", [x, half], "t7"), ("Mul", ["t7", "t6"], "gelu_tanh"))
    pattern("silu", "silu", ("Sigmoid", [x], "s1"), ("Mul", [x, "s1"], "silu"))
    pattern("hardswish", "hs", ("Add", [x, three], "h1"), ("Clip", ["h1", zero, six], "h2"),
            ("Mul", [x, "h2"], "h3"), ("Div", ["h3", six], "hardswish_clip"))
    pattern("hardswish", "hs2", ("HardSigmoid", [x], "i1"), ("Mul", [x, "i1"], "hardswish_gate"))
    pattern("elementwise", "mish", ("Softplus", [x], "m1"), ("Tanh", ["m1"], "m2"), ("Mul", [x, "m2"], "mish"))
    m.out(*[row[0] for row in m.rows])
    m.save()


def norms():
    m = Model("norms", batch=2)
    x, rows = m.x("x", ["N", 8, 6, 5]), m.x("rows", ["N", 7, 12])
    m.n("BatchNormalization", [x] + [m.w("bn." + w, [8]) for w in "wbmv"], "bn")
    m.row("batch_norm", [x], "bn", 0, 16)
    m.n("InstanceNormalization", [x, m.w("in.w", [8]), m.w("in.b", [8])], "in")
    m.row("instance_norm", [x], "in", 0, 16)
    m.n("LRN", [x], "lrn", size=5)
    m.row("local_response_norm", [x], "lrn")
    m.n("LayerNormalization", [rows, m.w("ln.w", [12]), m.w("ln.b", [12])], "ln")
    m.row("layer_norm", [rows], "ln", 0, 24)
    # Layer norm and root mean square norm as exporters before set 17 write them.
    two, epsilon = m.c("two", 2, numpy.float32), m.c("epsilon", 1e-5, numpy.float32)
    m.n("ReduceMean", [rows], "l1", axes=[-1])
    m.n("Sub", [rows, "l1"], "l2")
    m.n("Pow", ["l2", two], "l3")
    m.n("ReduceMean", ["l3"], "l4", axes=[-1])
    m.n("Add", ["l4", epsilon], "l5")
    m.n("Sqrt", ["l5"], "l6")
    m.n("Div", ["l2", "l6"], "l7")
    m.n("Mul", ["l7", m.w("old.w", [12])], "l8")
    m.n("Add", ["l8", m.w("old.b", [12])], "layer_norm_formula")
    m.row("layer_norm", [rows], "layer_norm_formula", 0, 24)
    m.n("Mul", [rows, rows], "r1")
    m.n("ReduceMean", ["r1"], "r2", axes=[-1])
    m.n("Add", ["r2", epsilon], "r3")
    m.n("Sqrt", ["r3"], "r4")
    m.n("Reciprocal", ["r4"], "r5")
    m.n("Mul", [rows, "r5"], "r6")
    m.n("Mul", [m.w("rms.w", [12]), "r6"], "rms_formula")
    m.row("rms_norm", [rows], "rms_formula", 0, 12)
    # Group norm of 4 groups, as PyTorch's first exporter writes it.
    m.n("Reshape", [x, m.c("groups", [0, 4, -1])], "n1")
    ones = [m.c("ones", [1] * 4, numpy.float32), m.c("zeros", [0] * 4, numpy.float32)]
    m.n("InstanceNormalization", ["n1"] + ones, "n2")
    m.n("Shape", [x], "n3")
    m.n("Reshape", ["n2", "n3"], "n4")
    m.n("Mul", ["n4", m.w("gn.w", [8, 1, 1])], "n5")
    m.n("Add", ["n5", m.w("gn.b", [8, 1, 1])], "group_norm_formula")
    m.row("group_norm", [x], "group_norm_formula", 0, 16)
    m.out(*[row[0] for row in m.rows])
    m.save()


def moves():
    m = Model("moves", batch=2)
    x, y = m.x("x", ["N", 8, 6, 5]), m.x("y", ["N", 4, 6, 5])
    m.n("Concat", [x, y], "concat", axis=1)
    m.row("concat", [x, y], "concat")
    m.n("Add", [x, x], "double")
    m.row("add", [x, x], "double")
    m.n("Sub", [x, m.w("mean", [1, 8, 1, 1])], "less")
    m.row("sub", [x, ("p", [8, 1, 1])], "less", 0, 8)
    m.n("Mul", [x, m.x("gate", ["N", 8, 1, 1])], "gated")
    m.row("mul", [x, "gate"], "gated")
    m.n("Div", [x, m.c("scale", 8, numpy.float32)], "scaled")
    m.row("div", [x, ("p", [1], 0)], "scaled")
    m.n("Split", [x, m.c("parts", [2, 6])], ["part", "rest"], axis=1)
    m.row("copy", [x], [2, 8, 6, 5], name="part")
    m.n("Slice", [x, m.c("s0", [1]), m.c("s1", [5]), m.c("s2", [2])], "slice")
    m.row("copy", ["slice"], "slice")  # what is chosen is read
    m.n("Slice", [x, m.c("f0", [-1]), m.c("f1", [-100]), m.c("f2", [3]), m.c("f3", [-1])], "flip")
    m.row("copy", [x], "flip")
    m.n("Gather", [x, m.c("which", [1, 3, 5])], "gather", axis=1)
    m.row("copy", ["gather"], "gather")
    m.n("Gather", [m.w("table", [50, 16]), m.x("ids", ["N", 7], TensorProto.INT64)], "embedding")
    m.row("gather", [[1, 50, 16]], [2 * 7, 16], 0, 50 * 16, name="embedding")
    m.n("Pad", [x, m.c("pads", [0, 0, 1, 2, 0, 0, 3, 0])], "pad")
    m.row("copy", [x], "pad")
    m.n("Tile", [x, m.c("times", [1, 1, 2, 3])], "tile")
    m.row("copy", [x], "tile")
    m.n("Expand", ["gate", m.c("to", [1, 1, 6, 5])], "expand")
    m.row("copy", ["gate"], "expand")
    m.n("Transpose", [x], "moved", perm=[0, 2, 3, 1])
    m.row("copy", [x], "moved")
    m.n("DepthToSpace", [x], "shuffle", blocksize=2)
    m.row("copy", [x], "shuffle")
    m.n("SpaceToDepth", [m.x("even", ["N", 4, 6, 4])], "unshuffle", blocksize=2)
    m.row("copy", ["even"], "unshuffle")
    m.n("Cast", [x], "cast", to=HALF)
    m.row("copy", [x], "cast")
    m.n("Resize", [x, "", "", m.c("larger", [2, 8, 12, 15])], "resize")
    m.row("upsample", [x], "resize")
    m.n("Resize", [x, "", m.c("by", [1, 1, 1.5, 2], numpy.float32)], "rescale", sizes=[2, 8, 9, 10])
    m.row("upsample", [x], "rescale")
    m.n("ReduceMean", [x], "means", axes=[2, 3])
    m.row("global_avg_pool", [x], "means", name="means")
    m.n("ReduceSum", [x, m.c("axis1", [1])], "sums")
    m.row("reduce", [x], "sums")
    # Views, and sizes worked out on the way: they cost nothing.
    m.n("Shape", [x], "v1")
    m.n("Gather", ["v1", m.c("first", 0)], "v2")
    m.n("Unsqueeze", ["v2", m.c("axis0", [0])], "v3")
    m.n("Concat", ["v3", m.c("all", [-1])], "v4", axis=0)
    m.n("Reshape", [x, "v4"], "v5")
    m.n("Transpose", ["gate"], "v6", perm=[0, 2, 3, 1])
    m.n("Flatten", ["v6"], "v7")
    m.n("Squeeze", ["gate", m.c("axes23", [2, 3])], "v8")
    m.n("Identity", ["v8"], "v9")
    m.n("Dropout", ["v9"], "v10")
    m.out(*[row[0] for row in m.rows], "rest", "v5", "v7", "v10")
    m.save()


def quantised():
    m = Model("quantised", batch=2, versions={"com.microsoft": 1})
    x, q = m.x("x", ["N", 8, 6, 6]), m.x("q", ["N", 8, 6, 6], UINT8)
    scale, zero = m.c("scale", .1, numpy.float32), m.c("zero", 0, numpy.uint8)
    zero8 = m.c("zero8", 0, numpy.int8)
    weight = [16, 8, 3, 3]
    m.n("QuantizeLinear", [x, scale, zero], "quantize")
    m.row("copy", [x], "quantize")
    m.n("DequantizeLinear", ["quantize", scale, zero], "d1")
    m.n("DequantizeLinear", [m.w("qdq.weight", weight, INT8), scale, zero8], "d2")
    m.n("Conv", ["d1", "d2"], "qdq", kernel_shape=[3, 3])
    m.conv_row("d1", "qdq", weight)
    m.n("QuantizeLinear", ["qdq", scale, zero], "q2")  # by the convolution itself
    m.n("DequantizeLinear", ["q2", scale, zero], "d3")
    m.n("Relu", ["d3"], "relu")
    m.row("relu", ["d3"], "relu")
    m.n("QLinearConv", [q, scale, zero, m.w("qconv.weight", weight, INT8), scale, zero8, scale, zero], "qconv")
    m.conv_row(q, "qconv", weight)
    m.n("ConvInteger", [q, m.w("iconv.weight", weight, INT8)], "iconv")
    m.conv_row(q, "iconv", weight)
    a = m.x("a", ["N", 5, 8], UINT8)
    m.n("QLinearMatMul", [a, scale, zero, m.w("qmat.weight", [8, 9], INT8), scale, zero8, scale, zero], "qmat")
    m.row("linear", [a], "qmat", 2 * 5 * 8 * 9, 72)
    m.n("MatMulInteger", [a, m.w("imat.weight", [8, 9], INT8)], "imat")
    m.row("linear", [a], "imat", 2 * 5 * 8 * 9, 72)
    # Operators of ONNX Runtime's own domain: each tensor has a scale and a zero point.
    tensor = [scale, zero]
    r = m.x("r", ["N", 8, 6, 6], UINT8)
    for op, kind, inputs in [("QLinearAdd", "add", [q, *tensor, r, *tensor, *tensor]),
                             ("QLinearMul", "mul", [q, *tensor, r, *tensor, *tensor])]:
        m.n(op, inputs, kind, domain="com.microsoft", sizes=[2, 8, 6, 6])
        m.row(kind, [q, r], kind)
    m.n("QLinearConcat", [*tensor, q, *tensor, r, *tensor], "concat", domain="com.microsoft", axis=1,
        sizes=[2, 16, 6, 6])
    m.row("concat", [q, r], "concat")
    m.n("QLinearGlobalAveragePool", [q, *tensor, *tensor], "mean", domain="com.microsoft", sizes=[2, 8, 1, 1])
    m.row("global_avg_pool", [q], "mean")
    m.out("relu", "qconv", "iconv", "qmat", "imat", "add", "mul", "concat", "mean")
    m.save()


def functions():
    """A function that calls another; an attribute passed on; a branch known in advance."""
    m = Model("functions", batch=2, versions={"own": 1})
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    act = helper.make_node("LeakyRelu", ["a"], ["b"], name="leaky")
    act.attribute.add(name="alpha", ref_attr_name="slope", type=1)
    m.functions = [
        helper.make_function("own", "Act", ["a"], ["b"], [act], sets, ["slope"]),
        helper.make_function("own", "Block", ["x", "w"], ["y"],
                             [helper.make_node("Conv", ["x", "w"], ["t"], name="conv"),
                              helper.make_node("Act", ["t"], ["y"], name="act", domain="own", slope=.2)], sets)]
    x = m.x("x", ["N", 4, 8, 8])
    for block, inside in [("first", x), ("second", "first")]:
        m.n("Block", [inside, m.w(block + "_weight", [4, 4, 3, 3])], block, domain="own",
            sizes=[2, 4, 6, 6] if block == "first" else [2, 4, 4, 4])
        m.conv_row(inside, block, [4, 4, 3, 3], name=block + "/conv")
        m.row("leaky_relu", [block], block, name=block + "/act")
    value = helper.make_empty_tensor_value_info
    branches = [helper.make_graph([helper.make_node(op, ["second"], [out], name=out)], out, [], [value(out)])
                for op, out in [("Relu", "yes"), ("Exp", "no")]]
    m.n("If", [m.c("true", True, bool)], "chosen", then_branch=branches[0], else_branch=branches[1])
    m.row("relu", [[2, 4, 4, 4]], [2, 4, 4, 4], name="yes")
    m.out("chosen")
    m.save()


def unknown():
    m = Model("unknown", batch=3, versions={"own": 1})
    x = m.x("x", ["N", 4, 5])
    for i in range(2):
        m.n("Mystery", [x], f"mystery{i}", domain="own", sizes=[3, 7])
        m.stated.append(helper.make_tensor_value_info(f"mystery{i}", TensorProto.FLOAT, ["N", 7]))
        m.row("other", [x], f"mystery{i}")
    m.n("GridSample", [m.x("image", ["N", 2, 4, 4]), m.x("grid", ["N", 3, 3, 2])], "sample")
    m.row("other", ["image", "grid"], "sample")
    m.notes = ["counted by their bytes alone, as there is no rule for them: GridSample (1 node), own::Mystery (2 nodes)"]
    m.out("mystery0", "mystery1", "sample")
    m.save()


def dimensions():
    m = Model("dimensions", batch=2, dims={"height": 20, "width": 12})
    x = m.x("x", ["N", 3, "height", "width"])
    m.conv(x, "conv", [8, 3, 3, 3], strides=[2, 2])
    m.n("Shape", [x], "s", start=2)
    m.n("Shape", ["conv"], "t", end=2)
    m.n("Concat", ["t", "s"], "u", axis=0)
    m.n("Resize", ["conv", "", "", "u"], "up", sizes=[2, 8, 20, 12])
    m.row("upsample", ["conv"], "up")
    m.out("up")
    m.save()


def types():
    m = Model("types", batch=2)
    for name, dtype in [("half", HALF), ("bf16", BF16)]:
        x = m.x(name, ["N", 4, 6, 6], dtype)
        m.conv(x, "conv_" + name, [4, 4, 1, 1], dtype=dtype)
        m.out("conv_" + name)
    m.save()


def folding():
    """Sizes that a graph works out itself: each operator's result, NumPy's, is a size of a tensor."""
    m = Model("folding", batch=2)
    x = m.x("x", ["N", 12])

    def reshaped(op, first):
        """`x` as a matrix of that many rows, whose number the tensor op.rows holds."""
        m.n("Cast", [op + ".rows"], op + ".whole", to=TensorProto.INT64)
        m.n("Reshape", [op + ".whole", m.c(op + ".list", [1])], op + ".one")
        m.n("Concat", [op + ".one", m.c(op + ".rest", [-1])], op + ".shape", axis=0)
        first = int(first)
        m.n("Reshape", [x, op + ".shape"], op + ".matrix", sizes=[first, 24 // first])
        m.n("Relu", [op + ".matrix"], op, sizes=[first, 24 // first])
        m.row("relu", [op + ".matrix"], op)
        m.out(op)

    whole, real = numpy.int64, numpy.float32
    for op, dtype, operands, function in [
            ("Neg", whole, [[-6]], numpy.negative), ("Abs", whole, [[-8]], numpy.abs),
            ("Floor", real, [[3.75]], numpy.floor), ("Ceil", real, [[2.25]], numpy.ceil),
            ("Round", real, [[3.5]], numpy.rint), ("Sqrt", real, [[16]], numpy.sqrt),
            ("Exp", real, [[0]], numpy.exp), ("Log", real, [[21]], numpy.log),
            ("Reciprocal", real, [[0.25]], numpy.reciprocal),
            ("Add", whole, [[5], [1]], numpy.add), ("Sub", whole, [[11], [3]], numpy.subtract),
            ("Mul", whole, [[2], [3]], numpy.multiply), ("Mod", whole, [[-1], [4]], numpy.mod),
            ("Pow", whole, [[2], [3]], numpy.power), ("Min", whole, [[8], [6]], numpy.minimum),
            ("Max", whole, [[2], [4]], numpy.maximum)]:
        values = [numpy.array(each, dtype) for each in operands]
        m.n(op, [m.c(f"{op}.{i}", each, dtype) for i, each in enumerate(operands)], op + ".rows")
        reshaped(op, function(*values)[0])
    for op, dtype, operands, function in [
            ("Equal", whole, [4, 4], numpy.equal), ("Less", whole, [4, 4], numpy.less),
            ("LessOrEqual", whole, [4, 4], numpy.less_equal),
            ("Greater", whole, [5, 4], numpy.greater),
            ("GreaterOrEqual", whole, [3, 4], numpy.greater_equal),
            ("And", bool, [True, False], numpy.logical_and),
            ("Or", bool, [True, False], numpy.logical_or),
            ("Xor", bool, [True, True], numpy.logical_xor), ("Not", bool, [False], numpy.logical_not),
            ("IsNaN", real, [1], numpy.isnan)]:
        values = [m.c(f"{op}.{i}", each, dtype) for i, each in enumerate(operands)]
        m.n(op, values, op + ".holds")
        m.n("Where", [op + ".holds", m.c(op + ".yes", 4), m.c(op + ".no", 6)], op + ".rows")
        reshaped(op, 4 if function(*operands) else 6)
    table = numpy.array([[1, 2, 1], [3, 1, 2]])
    for op, function in [("ReduceSum", numpy.sum), ("ReduceProd", numpy.prod),
                         ("ReduceMin", numpy.min), ("ReduceMax", numpy.max),
                         ("ReduceMean", numpy.mean)]:
        values = m.c(op + ".table", table, real)
        if op == "ReduceSum":  # whose axes are an operand from operator set 13 on
            m.n(op, [values, m.c(op + ".axes", [1])], op + ".all")
        else:
            m.n(op, [values], op + ".all", axes=[1])
        m.n("Gather", [op + ".all", m.c(op + ".index", -1)], op + ".rows", axis=0)
        reshaped(op, function(table, axis=1)[-1])
    table = numpy.array([[1, 2, 3], [4, 6, 8]])
    for op, operands, attributes, result, at in [
            ("Div", [[13], [2]], {}, numpy.array([13]) // 2, 0),
            ("Transpose", [table], dict(perm=[1, 0]), table.T, 1),
            ("Range", [2, 9, 2], {}, numpy.arange(2, 9, 2), 3),
            ("Expand", [[[3], [6]], [2, 2]], {}, numpy.broadcast_to([[3], [6]], (2, 2)), 2),
            ("Slice", [table, [2], [-9], [1], [-1]], {}, table[:, ::-1], 3)]:
        m.n(op, [m.c(f"{op}.{i}", each) for i, each in enumerate(operands)], op + ".all", **attributes)
        m.n("Reshape", [op + ".all", m.c(op + ".flat", [-1])], op + ".line")
        m.n("Gather", [op + ".line", m.c(op + ".index", at)], op + ".rows")
        reshaped(op, result.ravel()[at])
    m.save()


def rare():
    """Operators whose layer is known by its bytes alone, with the sizes of ONNX's own inference, which
    the file states where no rule gives them."""
    m = Model("rare", batch=2)
    x, rois = m.x("x", ["N", 4, 8, 6]), m.x("rois", [5, 4])
    which = m.x("which", ["N", 4, 3, 6], TensorProto.INT64)
    kinds = {}

    def other(op, inputs, out, stated=None, **attributes):
        m.n(op, inputs, out, **attributes)
        indices = ("images", "places", "labels")
        m.row("other", [{"shape": each, "dtype": "int64"} if each in indices else each for each in inputs], out)
        m.out(out)
        if stated:
            dtype = TensorProto.INT32 if op == "Multinomial" else TensorProto.FLOAT
            m.stated.append(helper.make_tensor_value_info(out, dtype, stated))
        kinds[op] = kinds.get(op, 0) + 1

    other("RoiAlign", [x, rois, m.x("images", [5], TensorProto.INT64)], "aligned", output_height=3, output_width=2)
    other("MaxRoiPool", [x, m.x("boxes", [7, 5])], "pooled", [7, 4, 2, 2], pooled_shape=[2, 2])
    other("MaxUnpool", [x, m.x("places", ["N", 4, 8, 6], TensorProto.INT64)], "unpooled",
          ["N", 4, 16, 12], kernel_shape=[2, 3], strides=[2, 2], pads=[0, 1, 0, 0])
    other("Det", [m.x("square", ["N", 3, 5, 5])], "determinants", ["N", 3])
    other("EyeLike", [m.x("matrix", [6, 5])], "eye", dtype=TensorProto.FLOAT16)
    other("RandomNormalLike", [x], "noise")
    other("Bernoulli", [x], "coins")
    other("Multinomial", [m.x("logits", ["N", 9])], "draws", ["N", 11], sample_size=11)
    other("NegativeLogLikelihoodLoss", [m.x("scores", ["N", 7, 5]), m.x("labels", ["N", 5], TensorProto.INT64)],
          "losses", ["N", 5], reduction="none")
    m.n("GatherElements", [x, which], "picked", axis=2)
    m.row("other", ["picked", {"shape": which, "dtype": "int64"}], "picked")
    m.out("picked")
    m.notes = ["counted by their bytes alone, as there is no rule for them: "
               + ", ".join(f"{op} ({count} node)" for op, count in sorted(kinds.items()))]
    m.save()


def streaming():
    """A causal convolution that keeps its last inputs for the next call, as streaming models do."""
    m = Model("streaming", batch=2)
    x, cache = m.x("x", ["N", 16, 40]), m.x("cache", ["N", 16, 4])
    m.n("Concat", [cache, x], "window", axis=2)
    m.row("concat", [[32, 4, 1], [32, 40, 1]], [32, 44, 1], name="window")
    m.conv("window", "conv", [24, 16, 5])
    m.n("Slice", ["window", m.c("from", [-4]), m.c("to", [2 ** 31]), m.c("axis", [2])], "next_cache")
    m.row("copy", ["next_cache"], "next_cache")
    m.n("Transpose", ["conv"], "rows", perm=[0, 2, 1])
    m.row("copy", ["conv"], "rows")
    m.out("rows", "next_cache")
    m.save()


def branches():
    """Branches that read, or give out, values of the graph around them that views made."""
    m = Model("branches", batch=2)
    x = m.x("x", ["N", 4, 6, 6])
    value = helper.make_empty_tensor_value_info

    def branch(out, *nodes):
        return helper.make_graph(list(nodes), "branch_" + out, [], [value(out)])

    m.n("Reshape", [x, m.c("shape", [0, -1])], "flat")
    m.n("If", [m.c("always", True, bool)], "chosen", then_branch=branch("flat"), else_branch=branch("flat"))
    m.n("Sigmoid", ["chosen"], "sigmoid", sizes=[2, 144])
    m.row("sigmoid", [[2, 144]], "sigmoid")
    # Names inside a branch are its own: "own" is another tensor outside.
    relu = helper.make_node("Relu", ["flat"], ["own"], name="inside")
    m.n("If", [m.c("never", False, bool)], "other", then_branch=branch("flat"),
        else_branch=branch("twice", relu, helper.make_node("Exp", ["own"], ["twice"], name="exp")))
    m.row("relu", [[2, 144]], [2, 144], name="inside")
    m.row("elementwise", [[2, 144]], [2, 144], name="exp")
    m.n("Tanh", ["other"], "own", sizes=[2, 144])
    m.row("tanh", [[2, 144]], "own")
    # Open: PyTorch squeezes an axis so where it may have one element; the branch of more nodes.
    m.n("Unsqueeze", [x, m.c("front", [0])], "viewed")
    m.n("If", [m.x("open", [], TensorProto.BOOL)], "either",
        then_branch=branch("squeezed", helper.make_node("Squeeze", ["viewed", "front"], ["squeezed"], name="squeeze"),
                           helper.make_node("Tanh", ["squeezed"], ["tanh"], name="unused")),
        else_branch=branch("viewed"), sizes=[2, 4, 6, 6])
    m.conv("either", "conv", [8, 4, 3, 3])
    m.hand["conv"] = [2, 8, 4, 4]
    m.notes = ["an If whose condition depends on data takes the branch of more nodes",
               "left out 1 node that no output depends on, the first node \"unused\" (Tanh)"]
    m.out("sigmoid", "own", "conv")
    m.save()


def four_bits():
    """Weights of four bits in ONNX's own words, with a scale for each 32 of them."""
    m = Model("four_bits", opset=21, batch=2, ir_version=10)
    x = m.x("x", ["N", 64], HALF)
    m.n("DequantizeLinear", [m.w("fc.weight", [64, 48], INT4), m.w("fc.scales", [2, 48], HALF)], "wide",
        axis=0, block_size=32, sizes=[64, 48])
    m.n("MatMul", [x, "wide"], "fc", sizes=[2, 48])
    m.row("linear", [x], "fc", 2 * 64 * 48, 64 * 48)
    m.out("fc")
    m.save()


if __name__ == "__main__":
    for family in [windows, ranks, products, activations, norms, moves, quantised, functions, unknown,
                   dimensions, types, folding, rare, streaming, branches, four_bits]:
        family()
    networks.make_all()
    save_expected()
