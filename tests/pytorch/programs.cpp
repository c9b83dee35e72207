// Programs of torch.export as layers.

#include <algorithm>
#include <map>

#include "catch.hpp"
#include "load/loading.hpp"
#include "model/as_run.hpp"
#include "model/layer_kind.hpp"
#include "model/recurrence.hpp"
#include "pytorch/exported_program.hpp"
#include "pytorch/program_text.hpp"
#include "roofline/roofline_point.hpp"
#include "temporary_folder.hpp"

using namespace roofline;

namespace {

std::shared_ptr<const NetworkSpec> spec_of(std::unique_ptr<ByteStream> stream,
                                           const LayerDefaults& defaults) {
  auto item = *whole<read_exported_programs>(std::move(stream))->next();
  return item.value().spec(defaults).value();
}

Network network_of(const ProgramText& program, const LayerDefaults& defaults = {}) {
  const std::string bytes = zipped({{"net/models/model.json", program.text()}});
  return infer(*spec_of(text_stream("net.pt2", bytes), defaults), defaults).value();
}

std::string failure_of(const ProgramText& program, const LayerDefaults& defaults = {}) {
  return message_of([&] { network_of(program, defaults); });
}

const Layer& layer_of(const Network& network, const std::string& name) {
  const auto found = std::find_if(network.layers.begin(), network.layers.end(),
                                  [&](const Layer& layer) { return layer.name == name; });
  INFO(name);
  REQUIRE(found != network.layers.end());
  return *found;
}

std::vector<std::string> names_of_layers(const Network& network) {
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) names.push_back(layer.name);
  return names;
}

/// 2 images of 8 channels and 4x4 positions: convolution with bias, norm, activation, a mean of
/// each plane, and a linear layer.
ProgramText small_network(const std::string& batch = "2") {
  ProgramText program;
  program.input("x", {batch, "8", "4", "4"})
      .parameter("w", {"16", "8", "3", "3"})
      .parameter("b", {"16"})
      .parameter("g", {"16"})
      .parameter("fw", {"10", "16"})
      .parameter("fb", {"10"})
      .node("conv2d", {"x", "w", "b", "as_ints: [1, 1]", "as_ints: [1, 1]"}, "conv2d",
            {batch, "16", "4", "4"}, "stem.conv")
      .node("batch_norm", {"conv2d", "g", "g", "g", "g", "as_bool: false"}, "bn",
            {batch, "16", "4", "4"}, "stem.bn")
      .node("relu_", {"bn"}, "relu", {batch, "16", "4", "4"}, "stem.act")
      .node("adaptive_avg_pool2d", {"relu", "as_ints: [1, 1]"}, "pool", {batch, "16", "1", "1"},
            "pool")
      .node("flatten", {"pool", "as_int: 1"}, "flat", {batch, "16"}, "")
      .node("linear", {"flat", "fw", "fb"}, "linear", {batch, "10"}, "head");
  return program;
}

}  // namespace

TEST_CASE("A program is its modules", "[pytorch/programs]") {
  const Network network = network_of(small_network());
  CHECK(names_of_layers(network) ==
        std::vector<std::string>{"stem.conv", "stem.bn", "stem.act", "pool", "head"});
  const Counts conv = count(layer_of(network, "stem.conv"));
  CHECK(conv.macs == 2 * 16 * 16 * 8 * 9);
  CHECK(conv.params == 16 * 8 * 9 + 16);
  CHECK(conv.bytes.total == 4 * (2 * 8 * 16 + 16 * 8 * 9 + 16 + 2 * 16 * 16));
  CHECK(layer_of(network, "stem.conv").layout == Layout::nchw);
  CHECK(layer_of(network, "pool").kind == LayerKind::global_avg_pool);
  CHECK(count(layer_of(network, "head")).macs == 2 * 16 * 10);
  CHECK(layer_of(network, "head").inputs.front().producer == 3);  // through the view
  CHECK(network.batch == 2);
  CHECK(network.runs_as == RunsAs::pytorch_program);
}

TEST_CASE("Each program of an archive is a network", "[pytorch/programs]") {
  const std::string bytes = zipped({{"net/models/encoder.json", small_network("2").text()},
                                    {"net/data/weights", "x"},
                                    {"net/models/decoder.json", small_network("3").text()}},
                                   {.deflated = true});
  const auto reader = whole<read_exported_programs>(text_stream("net.pt2", bytes));
  for (const auto& [name, batch] : {std::pair{"net.encoder", 2U}, {"net.decoder", 3U}}) {
    auto item = reader->next();
    REQUIRE(item);
    const Network network = infer(*item->value().spec({}).value(), {}).value();
    CHECK(network.name == name);
    CHECK(network.layers.front().output.batch == batch);
  }
  CHECK_FALSE(reader->next());
}

TEST_CASE("A program that cannot be read costs only itself", "[pytorch/programs]") {
  const std::string bytes = zipped({{"a/models/model.json", "{\"schema_version\": {\"major\": 5}}"},
                                    {"b/models/model.json", small_network("3").text()}});
  const auto reader = whole<read_exported_programs>(text_stream("net.pt2", bytes));
  const auto wrong = *reader->next();
  CHECK(message_of([&] { wrong.value().spec({}).value(); }) ==
        "net.pt2: a/models/model.json: /schema_version: expected schema 8, that of PyTorch 2.6 and "
        "later, got 5");
  const auto right = *reader->next();
  CHECK(right.value().spec({}).value()->name == "net.b");
  CHECK_FALSE(reader->next());
}

TEST_CASE("A type and a layout that are asked for", "[pytorch/programs]") {
  LayerDefaults defaults;
  defaults.dtype = DataType::fp16;
  defaults.dtype_given = true;
  defaults.layout = Layout::nhwc;
  const Network network = network_of(small_network(), defaults);
  for (const Layer& layer : network.layers) CHECK(layer.dtypes.input == DataType::fp16);
  CHECK(layer_of(network, "stem.conv").layout == Layout::nhwc);
}

TEST_CASE("A batch that the program leaves open", "[pytorch/programs]") {
  ProgramText program = small_network("Symbol('s0', positive=True, integer=True)");
  program.range("s0", 1, 64);
  CHECK(network_of(program).batch == 2);  // of the example
  const Network network = network_of(program, at_batch(32));
  CHECK(network.layers.front().output.batch == 32);
  CHECK(network.assumptions ==
        std::vector<std::string>{"its inputs are x [s0, 8, 4, 4] with s0 = 32 of 1 to 64"});
  CHECK(failure_of(program, at_batch(65)) ==
        "net.pt2: expected s0 from 1 to 64, its range in the program, got 65");
  LayerDefaults defaults;
  defaults.dimensions = {{"s0", 5}};
  CHECK(network_of(program, defaults).layers.front().output.batch == 5);
  defaults.dimensions = {{"s1", 7}};
  CHECK(failure_of(program, defaults) ==
        "net.pt2: --dim: expected an open size of the input, s0, got \"s1\"");
}

TEST_CASE("Sizes as expressions", "[pytorch/programs]") {
  const std::string s = "Symbol('s0', positive=True, integer=True)";
  ProgramText program;
  program.input("x", {s, "12"});
  const std::vector<std::pair<std::string, std::uint64_t>> sizes{
      {"Mul(Integer(4), " + s + ")", 28},
      {"Add(" + s + ", Integer(-3))", 4},
      {"FloorDiv(" + s + ", Integer(2))", 3},
      {"Mod(" + s + ", Integer(4))", 3},
      {"Max(Integer(3), " + s + ")", 7},
      {"Min(Integer(3), " + s + ")", 3},
      {"Pow(" + s + ", Integer(2))", 49},
      {"torch.utils._sympy.functions.CeilToInt(IntTrueDiv(" + s + ", Integer(2)))", 4},
      {"Mul(Rational(2, 1), FloorDiv(Add(" + s + ", Integer(1)), Integer(3)))", 4},
  };
  for (std::size_t i = 0; i < sizes.size(); ++i)
    program.node("zeros", {}, "z" + std::to_string(i), {sizes[i].first, "1"});
  const Network network = network_of(program, at_batch(7));
  REQUIRE(network.layers.size() == sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    INFO(sizes[i].first);
    CHECK(elements(network.layers[i].output) == sizes[i].second);
  }
  ProgramText unknown;
  unknown.input("x", {"Magic(" + s + ")"});
  CHECK(failure_of(unknown) ==
        "net.pt2: /graph_module/graph/tensor_values/x/sizes/0/as_expr/expr_str: expected an "
        "expression of sizes as sympy writes it, got \"Magic\" in it");
}

namespace {

/// Heads of attention as models write them, with the example's batch among the literal sizes.
ProgramText attention_network(bool mixes_samples = false) {
  ProgramText program;
  program.input("x", {"2", "5", "12"})
      .parameter("w", {"36", "12"})
      .node("linear", {"x", "w"}, "qkv", {"2", "5", "36"}, "qkv")
      .node("view", {"qkv", "as_ints: [2, 5, 3, 3, 4]"}, "v", {"2", "5", "3", "3", "4"})
      .node("permute", {"v", "as_ints: [2, 0, 3, 1, 4]"}, "p", {"3", "2", "3", "5", "4"})
      .node("select", {"p", "as_int: 0", "as_int: 0"}, "q", {"2", "3", "5", "4"})
      .node("select", {"p", "as_int: 0", "as_int: 1"}, "k", {"2", "3", "5", "4"})
      .node("transpose", {"k", "as_int: 2", "as_int: 3"}, "kt", {"2", "3", "4", "5"})
      .node("matmul", {"q", "kt"}, "s", {"2", "3", "5", "5"}, "scores")
      .node("softmax", {"s", "as_int: -1"}, "a", {"2", "3", "5", "5"}, "softmax")
      .node("reshape", {"a", "as_ints: [6, 25]"}, "r", {"6", "25"})
      .node("add", {"r", "r"}, "sum", {"6", "25"}, "sum");
  if (mixes_samples)
    program.node("transpose", {"sum", "as_int: 0", "as_int: 1"}, "t", {"25", "6"})
        .node("reshape", {"t", "as_ints: [75, 2]"}, "m", {"75", "2"});
  return program;
}

}  // namespace

TEST_CASE("Another batch than a program's own is followed through its views",
          "[pytorch/programs]") {
  const Network network = network_of(attention_network(), at_batch(8));
  CHECK(layer_of(network, "qkv").output.batch == 8 * 5);
  const Layer& scores = layer_of(network, "scores");
  CHECK(count(scores).macs == 8 * 3 * 5 * 5 * 4);
  CHECK(elements(layer_of(network, "softmax").output) == 8 * 3 * 25);
  CHECK(layer_of(network, "sum").output.batch == 8 * 3);
  // Neither queries nor keys lie as batches of matrices: both are copied.
  CHECK(names_of_layers(network) == std::vector<std::string>{"qkv", "scores.copy", "scores.copy_1",
                                                             "scores", "softmax", "sum"});
  CHECK(network_of(attention_network(true)).layers.size() == 7);
  CHECK(failure_of(attention_network(true), at_batch(8)) ==
        "net.pt2: node \"m\" (aten.reshape): expected an operator that another "
        "batch than the program's 2 can be followed through, got sizes that mix samples; export "
        "it with torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim(\"batch\", "
        "min=1, max=4096)},))");
}

TEST_CASE("A sum over products by its letters is a product of matrices", "[pytorch/programs]") {
  ProgramText program;
  program.input("q", {"2", "3", "5", "4"})
      .input("k", {"2", "3", "7", "4"})
      .node(
          "einsum",
          {"as_string: \"bhid,bhjd->bhij\"", "as_tensors: [{\"name\": \"q\"}, {\"name\": \"k\"}]"},
          "s", {"2", "3", "5", "7"});
  for (const std::uint64_t batch : {2U, 6U})
    CHECK(count(network_of(program, at_batch(batch)).layers.front()).macs == batch * 3 * 5 * 7 * 4);
}

TEST_CASE("Operators of others are counted by their bytes", "[pytorch/programs]") {
  ProgramText program;
  program.input("x", {"4", "8"}, half_type)
      .node("torch.ops.mine.squash.default", {"x"}, "y", {"2", "8"}, "", half_type)
      .node("fancy", {"y"}, "z", {"2", "8"}, "", half_type);
  const Network network = network_of(program);
  REQUIRE(network.layers.size() == 2);
  CHECK(count(network.layers[0]).bytes.total == 2 * (32 + 16));
  CHECK(network.assumptions == std::vector<std::string>{"counted by their bytes alone, as there is "
                                                        "no rule for them: fancy, squash"});
}

TEST_CASE("An operator whose rule does not fit is named with the reason", "[pytorch/programs]") {
  ProgramText program;
  program.input("x", {"3", "4"})
      .parameter("w", {"2", "2"})
      .node("conv2d", {"x", "w"}, "c", {"3", "4"})
      .node("avg_pool2d", {"x", "as_ints: [2, 2]"}, "p", {"1", "2"});
  const Network network = network_of(program);
  CHECK(network.lacks_products);
  CHECK(network.assumptions ==
        std::vector<std::string>{
            "no range is stated, as the products of these could not be sized: aten::conv2d",
            "counted by their bytes alone, as their rules do not fit: aten::avg_pool2d: expected "
            "input, kernel, stride, padding, ceil that fit, got fp32 3x4; aten::conv2d: expected "
            "input, weight, bias, stride, padding, dilation, groups that fit, got fp32 3x4, fp32 "
            "2x2"});
  CHECK_FALSE(network_of(small_network()).lacks_products);
}

TEST_CASE("Rows that are picked are read once", "[pytorch/programs]") {
  const auto bytes_of = [](const std::string& op, const std::vector<std::string>& arguments,
                           const ProgramText::Sizes& result) {
    ProgramText program;
    program.input("x", {"50000", "768"})
        .input("i", {"128"}, long_type)
        .input("v", {"128", "768"})
        .input("w", {"50000", "128"})
        .node(op, arguments, "y", result);
    std::vector<std::uint64_t> bytes;
    for (const Layer& layer : network_of(program).layers) bytes.push_back(count(layer).bytes.total);
    return bytes;
  };
  using Bytes = std::vector<std::uint64_t>;
  const std::string first = R"(as_optional_tensors: [{"as_tensor": {"name": "i"}}])";
  const std::string second =
      R"(as_optional_tensors: [{"as_none": true}, {"as_tensor": {"name": "i"}}])";
  // 128 rows of 768 floats are read and written, by indices of 8 bytes.
  const std::uint64_t rows = 2 * 4 * 128 * 768 + 8 * 128;
  CHECK(bytes_of("torch.ops.aten.index.Tensor", {"x", first}, {"128", "768"}) == Bytes{rows});
  CHECK(bytes_of("torch.ops.aten.index.Tensor", {"x", second}, {"50000", "128"}) ==
        Bytes{2 * 4 * 50000 * 128 + 8 * 128});
  CHECK(bytes_of("torch.ops.aten.index_put_.default", {"x", first, "v"}, {"50000", "768"}) ==
        Bytes{rows});
  CHECK(bytes_of("torch.ops.aten.index_put.default", {"x", second, "w"}, {"50000", "768"}) ==
        Bytes{2 * 4 * 50000 * 768, 2 * 4 * 50000 * 128 + 8 * 128});
}

TEST_CASE("A table of parameters counts once, however many of its rows are picked",
          "[pytorch/programs]") {
  // Swin's bias by relative positions: (2 * 7 - 1)^2 rows for 49 x 49 pairs of positions.
  ProgramText program;
  program.parameter("table", {"169", "3"})
      .input("i", {"2401"}, long_type)
      .node("torch.ops.aten.index.Tensor",
            {"table", R"(as_optional_tensors: [{"as_tensor": {"name": "i"}}])"}, "bias",
            {"2401", "3"});
  const Network network = network_of(program);
  REQUIRE(network.layers.size() == 1);
  CHECK(count(network.layers.front()).params == 169 * 3);
  CHECK(count(network.layers.front()).bytes.total == 2 * 4 * 2401 * 3 + 8 * 2401);
}

TEST_CASE("Tensors are joined by their first axis where none is stated", "[pytorch/programs]") {
  ProgramText program;
  program.input("a", {"4"})
      .input("b", {"6"})
      .node("cat", {R"(as_tensors: [{"name": "a"}, {"name": "b"}])"}, "c", {"10"});
  const Network network = network_of(program);
  REQUIRE(network.layers.size() == 1);
  CHECK(network.layers.front().kind == LayerKind::concat);
  CHECK(count(network.layers.front()).bytes.total == 2 * 4 * 10);
  CHECK(network.assumptions.empty());
}

TEST_CASE("Views cost nothing", "[pytorch/programs]") {
  struct View {
    std::string op;
    std::vector<std::string> arguments;
    ProgramText::Sizes sizes;
  };
  for (const auto& [op, arguments, sizes] : {
           View{"movedim", {"as_ints: [1]", "as_ints: [3]"}, {"2", "4", "5", "3"}},
           View{"movedim", {"as_ints: [0, 1]", "as_ints: [-1, 0]"}, {"3", "4", "5", "2"}},
           View{"swapdims", {"as_int: 1", "as_int: 2"}, {"2", "4", "3", "5"}},
           View{"swapaxes", {"as_int: 0", "as_int: 3"}, {"5", "3", "4", "2"}},
           View{"adjoint", {}, {"2", "3", "5", "4"}},
           View{"mT", {}, {"2", "3", "5", "4"}},
           View{"diagonal", {"as_int: 0", "as_int: 2", "as_int: 3"}, {"2", "3", "4"}},
           View{"diagonal", {"as_int: 1", "as_int: 3", "as_int: 0"}, {"3", "4", "1"}},
           View{"unfold", {"as_int: 2", "as_int: 2", "as_int: 1"}, {"2", "3", "3", "5", "2"}},
           View{"as_strided", {"as_ints: [5, 3]", "as_ints: [1, 20]"}, {"5", "3"}},
       }) {
    INFO(op);
    ProgramText program;
    std::vector<std::string> all{"x"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    program.input("x", {"2", "3", "4", "5"})
        .node(op, all, "v", sizes)
        .node("relu", {"v"}, "y", sizes);
    const Network network = network_of(program);
    CHECK(names_of_layers(network) == std::vector<std::string>{"relu"});
    CHECK(network.assumptions.empty());
  }
}

TEST_CASE("A format of memory that is asked for costs a copy and stays", "[pytorch/programs]") {
  // 1: contiguous, 2: channels last, 4: as it is.
  const auto layers_of = [](const std::vector<std::string>& ops, const std::string& format) {
    ProgramText program;
    program.input("x", {"2", "8", "4", "4"}).parameter("w", {"16", "8", "3", "3"});
    std::string last = "x";
    for (const std::string& op : ops) {
      const std::string made = last + "c";
      const bool is_last = &op == &ops.back();
      program.node(op, {last, "as_memory_format: " + (is_last ? format : "2")}, made,
                   {"2", "8", "4", "4"});
      last = made;
    }
    program.node("conv2d", {last, "w"}, "y", {"2", "16", "2", "2"});
    std::string text;
    for (const Layer& layer : network_of(program).layers) {
      text += (text.empty() ? "" : " ") + std::string(info(layer.kind).name);
      if (layer.kind == LayerKind::conv) text += " " + std::string(name_of(*layer.layout));
    }
    return text;
  };
  // In channels last the weight is copied, too.
  CHECK(layers_of({"contiguous"}, "2") == "copy copy conv nhwc");
  CHECK(layers_of({"contiguous"}, "1") == "conv nchw");
  CHECK(layers_of({"to"}, "2") == "copy copy conv nhwc");
  CHECK(layers_of({"to"}, "4") == "conv nchw");
  CHECK(layers_of({"clone"}, "4") == "copy conv nchw");
  CHECK(layers_of({"contiguous", "clone"}, "4") == "copy copy copy conv nhwc");
  CHECK(layers_of({"contiguous", "contiguous"}, "1") == "copy copy conv nchw");
}

TEST_CASE("Windows and images as PyTorch's own functions take them", "[pytorch/programs]") {
  ProgramText program;
  program.input("x", {"8", "4", "4"})
      .input("z", {"1", "8", "4", "4"})
      .parameter("w", {"16", "8", "3", "3"})
      .parameter("e", {"16", "8", "2", "2"})
      .node("conv2d", {"x", "w"}, "c", {"16", "2", "2"})
      .node("torch.ops.aten.conv2d.padding",
            {"z", "e", "as_none: true", "as_ints: [1, 1]", "as_string: \"same\""}, "s",
            {"1", "16", "4", "4"});
  const Network network = network_of(program);
  // An even window: zeros of 5x5 and the image in them, as PyTorch pads at the end alone.
  REQUIRE(network.layers.size() == 4);
  CHECK(count(network.layers[0]).macs == 16 * 4 * 8 * 9);
  CHECK(count(network.layers[1]).bytes.output == 4 * 8 * 25);
  CHECK(count(network.layers[2]).bytes.total == 2 * 4 * 8 * 16);
  CHECK(network.layers[3].output.spatial == Axes{1, 4, 4});
  CHECK(count(network.layers[3]).macs == 16 * 16 * 8 * 4);
}

TEST_CASE("A recurrent network is one layer of all its steps", "[pytorch/programs]") {
  ProgramText program;
  program.input("x", {"2", "5", "6"})
      .input("h", {"1", "2", "4"})
      .input("c", {"1", "2", "4"})
      .parameter("w", {"16", "6"})
      .parameter("u", {"16", "4"})
      .parameter("b", {"16"})
      .parameter("d", {"16"})
      .node("torch.ops.aten.lstm.input",
            {"x", R"(as_tensors: [{"name": "h"}, {"name": "c"}])",
             R"(as_tensors: [{"name": "w"}, {"name": "u"}, {"name": "b"}, {"name": "d"}])",
             "as_bool: true", "as_int: 1", "as_float: 0.0", "as_bool: false", "as_bool: false",
             "as_bool: true"},
            "y", {"2", "5", "4"}, "rnn");
  for (const std::uint64_t batch : {2U, 8U}) {
    const Network network = network_of(program, at_batch(batch));
    CHECK(names_of_layers(network) == std::vector<std::string>{"rnn"});
    const Layer& layer = network.layers.front();
    CHECK(layer.kind == LayerKind::lstm);
    CHECK(recurrence_of(layer).samples == batch);
    CHECK(recurrence_of(layer).steps == 5);
    CHECK(count(layer).macs == batch * 5 * (6 + 4) * 16);
    CHECK(count(layer).params == 16 * 6 + 16 + 16 * 4 + 16);
  }
}

TEST_CASE("Programs that are none", "[pytorch/programs]") {
  const auto of_text = [](const std::string& text) {
    return message_of([&] {
      spec_of(text_stream("net.pt2", zipped({{"net/models/model.json", text}})), {});
    });
  };
  CHECK(of_text("{\"schema_version\": {\"major\": 5}}") ==
        "net.pt2: /schema_version: expected schema 8, that of PyTorch 2.6 and later, got 5");
  CHECK(of_text(small_network().text(9)) ==
        "net.pt2: /schema_version: expected schema 8, that of PyTorch 2.6 and later, got 9");
  CHECK(of_text("[]") == "net.pt2: expected an object, got []");
  CHECK(message_of([&] {
          spec_of(text_stream("net.pt2", zipped({{"x", "{}"}})), {});
        }) ==
        "net.pt2: expected a program, as torch.export.save(torch.export.export(model, (x,)), "
        "\"model.pt2\") writes one (models/model.json), got a zip archive without one");
  ProgramText missing;
  missing.input("x", {"2", "4"}).node("relu", {"y"}, "z", {"2", "4"});
  CHECK(failure_of(missing) ==
        "net.pt2: /graph_module/graph/nodes/0/inputs/0/arg/as_tensor/name: expected a tensor that "
        "an input or an earlier node gives, got \"y\"");
  ProgramText cycle;
  cycle.input("x", {"2", "4"})
      .node("relu", {"b"}, "a", {"2", "4"})
      .node("relu", {"a"}, "b", {"2", "4"});
  CHECK(failure_of(cycle) ==
        "net.pt2: /graph_module/graph/nodes/0/inputs/0/arg/as_tensor/name: expected a tensor that "
        "an input or an earlier node gives, got \"b\"");
  ProgramText sizes;
  sizes.input("x", {"2", "4"}).node("view", {"x", "as_ints: [3, 4]"}, "v", {"3", "4"});
  CHECK(failure_of(sizes) ==
        "net.pt2: node \"v\" (aten.view): expected a result of as many elements, "
        "got 3x4 from 2x4");
  ProgramText axes;
  axes.input("x", {"2", "4"}).node("permute", {"x", "as_ints: [1, 0]"}, "p", {"2", "4"});
  CHECK(failure_of(axes) ==
        "net.pt2: node \"p\" (aten.permute): expected a result of 4x2, as its operand is seen, got "
        "2x4");
}

namespace {

/// All that a kernel depends on: what differs between a program and a recording is who wrote an
/// operand, and which of them are the model's own.
std::string kernel_of(const Layer& layer) {
  const auto text = [](const Shape& shape) {
    std::string sizes = std::to_string(shape.batch) + "," + std::to_string(shape.channels);
    for (const std::uint64_t size : shape.spatial) sizes += "," + std::to_string(size);
    return " [" + sizes + "]";
  };
  std::string key(info(layer.kind).name);
  key += " " + std::string(name_of(layer.dtypes.input)) + std::string(name_of(layer.dtypes.output));
  for (const Operand& operand : layer.inputs) key += text(operand.shape);
  key += text(layer.output) + " g" + std::to_string(layer.groups);
  key += " n" + std::to_string(layer.norm_elements);
  for (const auto& axes : {layer.window->kernel, layer.window->stride, layer.window->dilation})
    for (const std::uint64_t size : axes) key += " " + std::to_string(size);
  const bool is_bias = layer.is_inserted;  // whose layout is the convolution's
  if (layer.layout && !is_bias) key += " " + std::string(name_of(*layer.layout));
  if (layer.access) key += " " + std::string(name_of(*layer.access));
  return key + (layer.masked ? " masked" : "") + (layer.causal ? " causal" : "");
}

/// What only one of them runs, or more often: "-1 conv ...".
std::vector<std::string> differences(const Network& a, const Network& b) {
  std::map<std::string, int> counts;
  for (const Layer& layer : a.layers)
    if (!layer.training_only) ++counts[kernel_of(layer)];
  for (const Layer& layer : b.layers)
    if (!layer.training_only) --counts[kernel_of(layer)];
  std::vector<std::string> texts;
  for (const auto& [kernel, count] : counts)
    if (count != 0) texts.push_back(std::to_string(count) + " " + kernel);
  return texts;
}

Network network_in(const std::string& file, const LayerDefaults& defaults = {}) {
  const std::string path = std::string(ROOFLINE_SOURCE_FOLDER) + "/tests/pytorch/programs/" + file;
  auto item = *open_input(path).value()->next();
  return infer(*item.value().spec(defaults).value(), defaults).value();
}

LayerDefaults half_precision(std::uint64_t batch, Layout layout) {
  LayerDefaults defaults = at_batch(batch);
  defaults.dtype = DataType::fp16;
  defaults.dtype_given = true;
  defaults.layout = layout;
  return defaults;
}

}  // namespace

TEST_CASE("A program runs what a recording of it ran", "[pytorch/programs]") {
  struct Case {
    std::string name;
    std::uint64_t batch;
    Layout layout;
  };
  for (const auto& [name, batch, layout] :
       {Case{"resnetv2_50", 32, Layout::nhwc}, Case{"mobilevit_s", 32, Layout::nhwc},
        Case{"deit3_small_patch16_224", 32, Layout::nhwc}, Case{"nf_resnet50", 32, Layout::nhwc},
        Case{"r3d_18", 8, Layout::nchw}}) {
    INFO(name);
    const Network program = as_run(network_in(name + ".pt2", half_precision(batch, layout)),
                                   options_of(Framework::pytorch));
    const Network recording = network_in(name + ".fwd.fp16.b" + std::to_string(batch) + ".json.gz");
    CHECK(differences(program, recording) == std::vector<std::string>{});
  }
}

TEST_CASE("An ONNX model of PyTorch's exporter runs what the program runs", "[pytorch/programs]") {
  LayerDefaults defaults = half_precision(32, Layout::nhwc);
  defaults.as_pytorch_runs = true;
  for (const std::string name : {"resnetv2_50", "r3d_18", "mobilevit_s"}) {
    INFO(name);
    const Network model = network_in(name + ".onnx.gz", defaults);
    CHECK(model.runs_as == RunsAs::pytorch_program);
    CHECK(differences(model, network_in(name + ".pt2", defaults)) == std::vector<std::string>{});
  }
}

TEST_CASE("torch-compile writes as many kernels as in recordings of it", "[pytorch/programs]") {
  struct Case {
    std::string name;
    std::size_t pointwise;  // triton_poi_... of the recording
    std::size_t reducing;   // triton_per_... and triton_red_..., those that find parts not counted
  };
  // One more copies deit3's class token, and adds the bias of resnetv2's last convolution.
  for (const auto& [name, pointwise, reducing] :
       {Case{"resnetv2_50", 49 - 1, 1}, Case{"deit3_small_patch16_224", 13 - 1, 25},
        Case{"r3d_18", 16, 1}}) {
    INFO(name);
    const Network network = as_run(network_in(name + ".pt2", half_precision(8, Layout::nhwc)),
                                   options_of(Framework::torch_compile));
    std::size_t pointwise_here = 0;
    std::size_t reducing_here = 0;
    for (const Layer& layer : network.layers) {
      if (layer.generated->places == 0) continue;
      const bool reduces = layer.generated->rows > 0 || layer.generated->kernels > 1;
      ++(reduces ? reducing_here : pointwise_here);
    }
    CHECK(pointwise_here == pointwise);
    CHECK(reducing_here == reducing);
  }
}

TEST_CASE("torch-compile reads and writes each tensor of a kernel once", "[pytorch/programs]") {
  const Network network =
      as_run(network_in("deit3_small_patch16_224.pt2", half_precision(32, Layout::nhwc)),
             options_of(Framework::torch_compile));
  // x + scale * branch, then its norm: two tensors of 32 x 197 x 384 halves in, sum and norm out.
  const std::uint64_t tensor_byte = 32 * 197 * 384 * 2;
  const Layer& scale = layer_of(network, "blocks.1.ls1");
  CHECK(layer_of(network, "blocks.1.norm2").fused_into.has_value());
  CHECK(scale.generated->read_byte == 2 * tensor_byte + 384 * 2);
  CHECK(scale.generated->written_byte == 2 * tensor_byte);
}

TEST_CASE("A program with an open batch is the one with that batch", "[pytorch/programs]") {
  const LayerDefaults defaults = half_precision(32, Layout::nhwc);
  CHECK(differences(network_in("resnetv2_50.dynamic.pt2", defaults),
                    network_in("resnetv2_50.pt2", defaults)) == std::vector<std::string>{});
}

TEST_CASE("Graphs inside a graph count as often as they run", "[pytorch/programs]") {
  struct Case {
    std::string file;
    std::uint64_t macs;
    std::size_t layers;
  };
  for (const auto& [file, macs, layers] : {
           Case{"cond.pt2", 8 * 64 * 256, 4},              // the longer branch, after a sum and >
           Case{"einsum.pt2", 8 * 20 * 64 * (4 * 16), 1},  // ...d,dhe->...he
       }) {
    INFO(file);
    const Network network = network_in(file);
    CHECK(network.layers.size() == layers);
    std::uint64_t counted = 0;
    for (const Layer& layer : network.layers) counted += count(layer).macs;
    CHECK(counted == macs);
  }
  CHECK(network_in("cond.pt2").assumptions ==
        std::vector<std::string>{
            "node \"cond\" (cond): of its graphs, of 1, 3 operators, the longest is counted once"});
  // A graph of slices runs as often as there are slices, which no rule counts.
  CHECK(network_in("map.pt2").assumptions ==
        std::vector<std::string>{
            "no range is stated, as the products of these could not be sized: map_impl",
            "counted by their bytes alone, as there is no rule for them: map_impl"});
}

TEST_CASE("A caller keeps what it gives and what it gets", "[pytorch/programs]") {
  const Network decoder = network_in("decode_8b.pt2", at_batch(8));
  const Memory memory = memory_of(decoder);
  // Keys and values of 32 blocks, 8 heads and 128 features in fp16, for 4096 tokens each, and a
  // token.
  CHECK(memory.input_byte == 32ULL * 2 * 8 * 8 * 4096 * 128 * 2 + 8 * 8);
  // A token longer each, the scores of all words, and the last norm's rows.
  CHECK(memory.peak_activation_byte ==
        32ULL * 2 * 8 * 8 * 4097 * 128 * 2 + 8 * 128256 * 2 + 8 * 4096 * 2);
  CHECK(decoder.assumptions ==
        std::vector<std::string>{
            "its inputs are tokens [s10, 1], cache_0_0 [s10, 8, 4096, 128], cache_0_1 [s10, 8, "
            "4096, 128] and 62 more with s10 = 8 of 1 to 1024"});
}
