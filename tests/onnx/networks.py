"""Small networks of popular families, as their exporters write them, and one model an operator set."""

import numpy
from writing import Model

CONSTANT = ("p", [1], 0)


def segmentation():
    """DeepLab: dilated convolutions, pooled context, resizes to sizes worked out on the way."""
    m = Model("deeplab", batch=2)
    x = m.x("x", ["N", 8, 33, 33])
    for rate in (1, 6, 12):
        m.conv(x, f"aspp{rate}", [4, 8, 3, 3], dilations=[rate] * 2, pads=[rate] * 4)
    m.n("GlobalAveragePool", [x], "pool")
    m.row("global_avg_pool", [x], "pool")
    m.conv("pool", "pooled", [4, 8, 1, 1])
    m.n("Shape", [x], "s")
    m.n("Slice", ["s", m.c("two", [2]), m.c("four", [4]), m.c("axis0", [0])], "hw")
    m.n("Shape", ["pooled"], "p")
    m.n("Slice", ["p", m.c("zero", [0]), "two", "axis0"], "nc")
    m.n("Concat", ["nc", "hw"], "size", axis=0)
    m.n("Resize", ["pooled", "", "", "size"], "spread", mode="linear", sizes=[2, 4, 33, 33])
    m.row("upsample", ["pooled"], "spread")
    branches = ["aspp1", "aspp6", "aspp12", "spread"]
    m.n("Concat", branches, "cat", axis=1, sizes=[2, 16, 33, 33])
    m.row("concat", branches, "cat")
    m.hand["classes"] = [2, 5, 33, 33]
    m.conv("cat", "classes", [5, 16, 1, 1], bias=True)
    m.out("classes")
    m.save()


def detection():
    """A head whose last sizes depend on data: they are taken at their largest."""
    m = Model("detection", batch=1)
    x = m.x("x", ["N", 8, 10, 10])
    m.conv(x, "scores", [2, 8, 1, 1])
    m.conv(x, "boxes", [4, 8, 1, 1])
    flat = m.c("flat", [0, 0, -1])
    m.n("Reshape", ["scores", flat], "s")
    m.n("Reshape", ["boxes", flat], "b")
    m.n("Transpose", ["b"], "t", perm=[0, 2, 1])
    m.row("copy", ["b"], "t")
    limits = [m.c("most", [50]), m.c("iou", [.5], numpy.float32), m.c("least", [.1], numpy.float32)]
    m.n("NonMaxSuppression", ["t", "s", *limits], "kept", sizes=[100, 3])
    m.row("other", ["t", "s", (*CONSTANT, "int64"), CONSTANT, CONSTANT], "kept")
    m.n("Gather", ["kept", m.c("which", 2)], "index", axis=1, sizes=[100])
    m.row("copy", [[1, 100]], [1, 100], name="index")
    m.n("Squeeze", ["t", m.c("axis0", [0])], "rows")
    m.n("Gather", ["rows", "index"], "chosen", axis=0, sizes=[100, 4])
    m.row("gather", [1, 100, 4], [100, 4], name="chosen")  # by an index that depends on data
    m.n("TopK", ["s", m.c("k", [7])], ["best", "place"])
    m.row("other", ["s", (*CONSTANT, "int64")], [1, 2 * 7 * (4 + 8) // 4], name="best")  # values and places
    m.out("chosen", "best", "place")
    m.notes = ["sizes that depend on data (NonZero, TopK, NonMaxSuppression, Slice) are taken at their largest",
               "counted by their bytes alone, as there is no rule for them: NonMaxSuppression (1 node), TopK (1 node)"]
    m.save()


def attention(name, scale_both):
    """Decomposed: scores over sqrt(size), or each operand times size^-1/4 as PyTorch 2 writes it."""
    m = Model(name, batch=2)
    n, s, h, width = 2, 9, 3, 12
    size = width // h
    x = m.x("x", ["N", s, width])
    for each in "qkv":
        m.linear(x, each, [n, s], width, width)
        m.n("Reshape", [each, m.c(each + "_to", [0, s, h, size])], each + "_split")
        perm = [0, 2, 3, 1] if each == "k" else [0, 2, 1, 3]
        m.n("Transpose", [each + "_split"], each + "_heads", perm=perm)
        m.row("copy", [each + "_split"], each + "_heads")
    q, k = "q_heads", "k_heads"
    factor = m.c("factor", .5, numpy.float32)
    if scale_both:
        for each in (q, k):
            m.n("Mul", [each, factor], each + "_scaled")
            m.row("mul", [each, CONSTANT], each + "_scaled")
        q, k = q + "_scaled", k + "_scaled"
    m.matmul(q, k, "scores", n * h, s, s, size)
    scores = "scores"
    if not scale_both:
        m.n("Div", [scores, factor], "scaled")
        m.row("div", [scores, CONSTANT], "scaled")
        scores = "scaled"
    m.n("Softmax", [scores], "softmax", axis=-1)
    m.row("softmax", [[n * h * s, s]], [n * h * s, s], name="softmax")
    m.matmul("softmax", "v_heads", "values", n * h, s, size, s)
    m.n("Transpose", ["values"], "together", perm=[0, 2, 1, 3])
    m.row("copy", ["values"], "together")
    m.n("Reshape", ["together", m.c("back", [0, s, width])], "joined")
    m.linear("joined", "out", [n, s], width, width)
    m.n("Add", ["out", x], "residual")
    m.row("add", ["out", x], "residual")
    m.out("residual")
    m.save()


def efficientnet():
    """Expansion, depthwise convolution, squeeze and excitation, silu, residual."""
    m = Model("efficientnet", batch=2)
    x = m.x("x", ["N", 4, 14, 14])

    def silu(inside, out):
        m.n("Sigmoid", [inside], out + "_s")
        m.n("Mul", [inside, out + "_s"], out)
        m.row("silu", [inside], out)

    m.conv(x, "expand", [16, 4, 1, 1], bias=True)
    silu("expand", "act1")
    m.conv("act1", "depthwise", [16, 1, 3, 3], bias=True, group=16, pads=[1] * 4)
    silu("depthwise", "act2")
    m.n("ReduceMean", ["act2"], "squeeze", axes=[2, 3], keepdims=1)
    m.row("global_avg_pool", ["act2"], "squeeze")
    m.conv("squeeze", "reduce", [2, 16, 1, 1], bias=True)
    silu("reduce", "act3")
    m.conv("act3", "excite", [16, 2, 1, 1], bias=True)
    m.same("Sigmoid", "sigmoid", "excite", "gate")
    m.n("Mul", ["gate", "act2"], "gated")
    m.row("mul", ["gate", "act2"], "gated")
    m.conv("gated", "project", [4, 16, 1, 1], bias=True)
    m.n("Add", ["project", x], "residual")
    m.row("add", ["project", x], "residual")
    m.out("residual")
    m.save()


def unet():
    m = Model("unet", batch=2)
    x = m.x("x", ["N", 3, 16, 16])
    m.conv(x, "down", [8, 3, 3, 3], bias=True, pads=[1] * 4)
    m.n("MaxPool", ["down"], "pool", kernel_shape=[2, 2], strides=[2, 2])
    m.row("max_pool", ["down"], "pool")
    m.conv("pool", "deep", [16, 8, 3, 3], pads=[1] * 4)
    m.n("ConvTranspose", ["deep", m.w("up.weight", [16, 8, 2, 2]), m.w("up.bias", [8])], "up", strides=[2, 2])
    m.row("conv_transpose", ["deep"], "up", 2 * 8 * 8 * 16 * 8 * 4, 16 * 8 * 4 + 8)
    m.n("Concat", ["down", "up"], "cat", axis=1)
    m.row("concat", ["down", "up"], "cat")
    m.conv("cat", "final", [2, 16, 3, 3], bias=True, pads=[1] * 4)
    m.out("final")
    m.save()


def swin():
    """A window shift as slices joined again, and the windows as axes of their own."""
    m = Model("swin", batch=2)
    x = m.x("x", ["N", 8, 8, 12])
    m.n("LayerNormalization", [x, m.w("norm.weight", [12]), m.w("norm.bias", [12])], "norm")
    m.row("layer_norm", [x], "norm", 0, 24)
    far, three, zero, one = m.c("far", [2 ** 62]), m.c("three", [3]), m.c("zero", [0]), m.c("one", [1])
    m.n("Slice", ["norm", three, far, one], "tail")
    m.row("copy", ["tail"], "tail")
    m.n("Slice", ["norm", zero, three, one], "head")
    m.row("copy", ["head"], "head")
    m.n("Concat", ["tail", "head"], "roll", axis=1)
    m.row("concat", ["tail", "head"], "roll")
    m.n("Reshape", ["roll", m.c("windows", [-1, 2, 4, 2, 4, 12])], "w1")
    m.n("Transpose", ["w1"], "w2", perm=[0, 1, 3, 2, 4, 5])
    m.row("copy", [[2, 2, 4, 2, 48]], [2, 2, 2, 4, 48], name="w2")
    m.n("Reshape", ["w2", m.c("rows", [-1, 16, 12])], "w3")
    m.linear("w3", "qkv", [8, 16], 12, 36)
    m.out("qkv")
    m.save()


def convnext():
    m = Model("convnext", batch=2)
    x = m.x("x", ["N", 8, 7, 7])
    m.conv(x, "depthwise", [8, 1, 7, 7], bias=True, group=8, pads=[3] * 4)
    m.n("Transpose", ["depthwise"], "last", perm=[0, 2, 3, 1])
    m.row("copy", ["depthwise"], "last")
    m.n("LayerNormalization", ["last", m.w("norm.weight", [8]), m.w("norm.bias", [8])], "norm")
    m.row("layer_norm", ["last"], "norm", 0, 16)
    m.linear("norm", "wide", [2, 7, 7], 8, 32)
    root, one, half = [m.c(n, v, numpy.float32) for n, v in (("root", 2 ** .5), ("one", 1), ("half", .5))]
    m.n("Div", ["wide", root], "g1")
    m.n("Erf", ["g1"], "g2")
    m.n("Add", ["g2", one], "g3")
    m.n("Mul", ["wide", "g3"], "g4")
    m.n("Mul", ["g4", half], "gelu")
    m.row("gelu", ["wide"], "gelu")
    m.linear("gelu", "narrow", [2, 7, 7], 32, 8)
    m.n("Transpose", ["narrow"], "first", perm=[0, 3, 1, 2])
    m.row("copy", ["narrow"], "first")
    m.n("Mul", ["first", m.w("layer_scale", [8, 1, 1])], "scaled")
    m.row("mul", ["first", ("p", [8, 1, 1])], "scaled", 0, 8)
    m.n("Add", ["scaled", x], "residual")
    m.row("add", ["scaled", x], "residual")
    m.out("residual")
    m.save()


def recurrent():
    """One layer of all steps; 4 gates of an LSTM, 3 of a GRU."""
    m = Model("recurrent", batch=3)
    x = m.x("x", [5, "N", 6])
    for op, gates, ways in [("LSTM", 4, 1), ("GRU", 3, 2)]:
        rows, hidden, name = 5 * 3, 7, op.lower()
        m.n(op, [x, m.w(name + "_w", [ways, gates * hidden, 6]), m.w(name + "_r", [ways, gates * hidden, hidden])],
            name, hidden_size=hidden, direction="bidirectional" if ways == 2 else "forward")
        n = ways * gates * hidden
        weights = (6 + hidden) * n
        m.row(name, [[3, 5, 6]], [3, 5, ways * hidden], rows * weights, weights)
        m.out(name)
    m.save()


def operator_sets():
    """What changed between sets 7 and 23; sizes by hand where the library is older."""
    m = Model("opset7", opset=7, ir_version=3)
    x = m.x("x", [2, 4, 6, 6])
    m.conv(x, "conv", [8, 4, 3, 3])
    for tensor in list(m.tensors):  # before version 4, initialisers stood among the inputs too
        m.x(tensor.name, list(tensor.dims))
    m.n("Upsample", ["conv"], "up", mode="nearest", scales=[1., 1., 2., 2.], sizes=[2, 8, 8, 8])
    m.row("upsample", ["conv"], "up")
    m.n("Pad", ["conv"], "pad", pads=[0, 0, 1, 1, 0, 0, 1, 1])
    m.row("copy", ["conv"], "pad")
    m.n("Squeeze", ["pad"], "view", axes=[])
    m.out("up", "pad")
    m.save()

    m = Model("opset9", opset=9, batch=2)
    x = m.x("x", ["N", 4, 6, 6])
    m.n("Upsample", [x, m.c("by", [1, 1, 2, 3], numpy.float32)], "up", sizes=[2, 4, 12, 18])
    m.row("upsample", [x], "up")
    m.same("Clip", "relu6", x, "six", min=0., max=6.)
    m.n("Slice", [x], "slice", starts=[1], ends=[3], axes=[1])
    m.row("copy", ["slice"], "slice")
    m.n("TopK", [x, m.c("k", [2])], ["best", "place"], sizes=[2, 4, 6, 2])
    m.row("other", [x, (*CONSTANT, "int64")], [1, 2 * 4 * 6 * 2 * (4 + 8) // 4], name="best")
    m.notes = ["counted by their bytes alone, as there is no rule for them: TopK (1 node)"]
    m.out("up", "six", "slice", "best", "place")
    m.save()

    for opset in (18, 21, 23):
        m = Model(f"opset{opset}", opset=opset, batch=2, ir_version=10)
        x = m.x("x", ["N", 8, 6, 6])
        axes = m.c("axes", [2, 3])
        m.n("ReduceMean", [x, axes], "mean", keepdims=0, sizes=[2, 8])
        m.row("global_avg_pool", [x], [2, 8, 1, 1], name="mean")
        m.n("Split", [x], ["a", "b", "c"], axis=1, num_outputs=3)
        m.row("copy", [x], x, name="a")
        parameters = 8 if opset >= 21 else 4  # a channel's since set 21, a group's before
        m.n("GroupNormalization", [x, m.w("gn.w", [parameters]), m.w("gn.b", [parameters])], "gn",
            num_groups=4, sizes=[2, 8, 6, 6])
        m.row("group_norm", [x], "gn", 0, 16)
        m.n("Resize", [x, "", "", m.c("hw", [9, 12])], "resize", axes=[2, 3], sizes=[2, 8, 9, 12])
        m.row("upsample", [x], "resize")
        if opset > 18:
            m.same("Gelu", "gelu", x, "gelu", approximate="tanh")
            m.hand["gelu"] = [2, 8, 6, 6]
        if opset == 23:
            q, k = m.x("q", ["N", 3, 9, 4]), m.x("k", ["N", 3, 11, 4])
            m.n("Attention", [q, k, k], "attention", sizes=[2, 3, 9, 4])
            m.row("attention", [q, k, k], "attention", 6 * 9 * 11 * (4 + 4))
            m.n("RMSNormalization", [q, m.w("rms.w", [4])], "rms")
            m.row("rms_norm", [q], q, 0, 4, name="rms")
            m.out("attention", "rms")
        m.out("mean", "a", "b", "c", "gn", "resize", *(["gelu"] if opset > 18 else []))
        m.save()


def make_all():
    segmentation()
    detection()
    attention("attention_script", scale_both=False)
    attention("attention_dynamo", scale_both=True)
    efficientnet()
    unet()
    swin()
    convnext()
    recurrent()
    operator_sets()
