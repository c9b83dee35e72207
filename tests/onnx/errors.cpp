// Models that are damaged, or that state more than any machine could hold: an error that says what,
// in bounded memory and time.

#include "catch.hpp"
#include "cli/process.hpp"
#include "onnx/onnx_bytes.hpp"
#include "onnx/onnx_reading.hpp"

using namespace roofline;
using namespace onnx_bytes;

namespace {

/// The message without the file's folder; empty where the model is read.
std::string model_message(const std::string& bytes, const LayerDefaults& defaults = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.write("m.onnx", bytes);
  const std::string message = message_of([&] { infer_onnx(path, defaults); });
  return message.starts_with(folder.path()) ? message.substr(folder.path().size() + 1) : message;
}

struct BadModel {
  std::string model;
  std::string message;  ///< without "m.onnx: " in front
};

void check_models(const std::vector<BadModel>& cases) {
  for (const BadModel& each : cases) CHECK(model_message(each.model) == "m.onnx: " + each.message);
}

constexpr std::int64_t huge = 1LL << 62;
constexpr std::int64_t largest = INT64_MAX;

/// Each function calls the next one twice.
std::string doubling_functions(int count, const std::string& last, const std::string& name) {
  std::string functions = function("f" + std::to_string(count), {last});
  for (int i = 0; i < count; ++i) {
    const std::string next = "f" + std::to_string(i + 1);
    functions += function("f" + std::to_string(i),
                          {call(next, "a", "m") + text(3, name), call(next, "m", "b")});
  }
  return functions;
}

std::string model_of_functions(const std::string& functions) {
  return model(text(1, call("f0", "x", "y")) + input("x", {1, 8}) + output("y"), functions);
}

std::string nested_branches(int depth) {
  std::string graph = text(1, node("Relu", {"x"}, {"y"})) + output("y");
  for (int i = 0; i < depth; ++i) {
    const std::string branches =
        graph_attribute("then_branch", graph) + graph_attribute("else_branch", "");
    graph = text(1, node("If", {"k"}, {"y"}, branches)) + output("y");
  }
  return model(graph + input("x", {1, 8}) + constant("k", {1}));
}

}  // namespace

TEST_CASE("Files that are no models", "[onnx/errors]") {
  check_models({
      {"", "expected an ONNX model with a graph, got none"},
      {"{\"layers\": []}", "expected an ONNX model, got bytes that are none (at byte 1)"},
      {integer(1, 8), "expected an ONNX model with a graph, got none"},
      {model("", "", 5), "expected an ONNX model with a graph, got none"},
      {model(text(1, node("Relu", {"x"}, {"y"})), "", 5),
       "expected ONNX operator set 7 or later, got 5; onnx.version_converter converts older "
       "models"},
      {model(text(1, node("Relu", {"x"}, {"y"}))),
       "node \"y\" (Relu): expected an input that the model, a tensor of it or an earlier node "
       "gives, got "
       "\"x\""},
      {model(text(1, node("Relu", {"b"}, {"a"})) + text(1, node("Relu", {"a"}, {"b"}))),
       "node \"a\" (Relu): expected an input that the model, a tensor of it or an earlier node "
       "gives, got \"b\""},
      {model(text(1, node("Mystery", {"x"}, {"y"})) + input("x", {2, 3}) + output("y")),
       "expected nodes that compute something, got none; the sizes of node \"y\" (Mystery) are not "
       "known"},
  });
}

TEST_CASE("A model of views has nothing to evaluate, which is no error", "[onnx/errors]") {
  const TemporaryFolder folder;
  folder.write("views.onnx",
               model(text(1, node("Flatten", {"x"}, {"y"})) + text(1, node("Shape", {"x"}, {"z"})) +
                     input("x", {2, 3, 4}) + output("y") + output("z")));
  const Outcome outcome = run(folder, "roofline views.onnx --gpu v100");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.empty());
  CHECK(outcome.err ==
        "views.onnx: nothing to evaluate: its nodes are views and constants, which cost nothing\n");
}

TEST_CASE("A node that nothing uses is named, and no view", "[onnx/errors]") {
  const TemporaryFolder folder;
  folder.write("dead.onnx",
               model(text(1, node("Relu", {"x"}, {"u"})) + text(1, node("Flatten", {"x"}, {"y"})) +
                     input("x", {2, 3, 4}) + output("y")));
  const Outcome outcome = run(folder, "roofline dead.onnx --gpu v100");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err ==
        "dead.onnx: left out 1 node that no output depends on, the first node \"u\" (Relu)\n"
        "dead.onnx: nothing to evaluate beside what is left out\n");
}

/// From "x" to "y" by an operator of somebody's own, whose result "t" a constant vector is added
/// to.
std::string own_operator_and_sum(const std::string& op, const std::vector<std::int64_t>& x,
                                 const std::vector<std::int64_t>& k,
                                 const std::vector<std::int64_t>& y) {
  return model(text(1, node(op, {"x", "k"}, {"t"}, text(7, "own"))) +
               text(1, node("Add", {"t", "b"}, {"y"})) + input("x", x) + constant("k", k) +
               constant("b", std::vector<std::int64_t>(static_cast<std::size_t>(y.back()), 1)) +
               stated("t", y) + output("y"));
}

TEST_CASE("Operators of other domains are not ONNX's of the same name", "[onnx/errors]") {
  const TemporaryFolder folder;
  // Were they ONNX's, these operands would not multiply.
  folder.write("matmul.onnx", own_operator_and_sum("MatMul", {2, 3}, {1, 1, 1, 1, 1}, {2, 4}));
  folder.write("gemm.onnx", own_operator_and_sum("Gemm", {2, 3}, {1, 1, 1, 1, 1}, {2, 4}));
  folder.write("conv.onnx", own_operator_and_sum("Conv", {1, 4, 6, 5}, {1, 1}, {1, 4, 6, 5}));
  const Outcome outcome = run(
      folder, "roofline matmul.onnx gemm.onnx conv.onnx --gpu v100 --format csv | cut -d, -f7,8");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out ==
        "name,type\nmatmul,other\nadd,add\ngemm,other\nadd,add\nconv,other\nadd,add\n");
  const std::string note =
      ".onnx: counted by their bytes alone, as there is no rule for them: own::";
  CHECK(outcome.err == "matmul" + note + "MatMul (1 node)\ngemm" + note + "Gemm (1 node)\nconv" +
                           note + "Conv (1 node)\n");
}

TEST_CASE("A model that is wrong costs itself only", "[onnx/errors]") {
  const TemporaryFolder folder;
  folder.write("wrong.onnx", model(text(1, node("MatMul", {"x", "k"}, {"y"})) + input("x", {2, 3}) +
                                   constant("k", {1, 1}) + output("y")));
  const Outcome outcome = run(folder, "roofline wrong.onnx alexnet --gpu v100 --format csv");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.find("alexnet") != std::string::npos);
  CHECK(outcome.err ==
        "wrong.onnx: node \"y\" (MatMul): expected matrices that can be multiplied, got [2, 3] and "
        "[2]\n");
}

TEST_CASE("A model cut short is told from a whole one", "[onnx/errors]") {
  const std::string whole = read_file(model_path("resnet18.script"));
  REQUIRE(model_message(whole).empty());
  for (std::size_t size = 1; size < whole.size(); size += 487) {
    INFO(size);
    CHECK(model_message(whole.substr(0, size)) ==
          "m.onnx: expected a whole ONNX model, got one that ends after " + std::to_string(size) +
              " bytes, in the middle of a message");
  }
}

TEST_CASE("Sizes that no tensor has", "[onnx/errors]") {
  const std::string overflow = "expected sizes below 2^63, got an overflow";
  const std::string relu = text(1, node("Relu", {"x"}, {"y"})) + output("y");
  check_models({
      {model(relu + input("x", {huge, 8})), "node \"y\" (Relu): " + overflow},
      {model(relu + input("x", {largest})),
       "node \"y\" (Relu): expected counts below 2^64, got an overflow in layer \"relu\""},
      {model(relu + input("x", {2, 0, 4})),
       "expected values of x.1, which the model leaves open, got none"},
      {model(relu + input("x", {0, 8})),
       "expected values of x.0, which the model leaves open, got none"},
      {model(relu + input("x", {INT64_MIN, 8})),
       "input \"x\": expected sizes of 1 to 2^63 - 1, got 9223372036854775808 along axis 0"},
      {model(relu + input("x", {1, -5})),
       "input \"x\": expected sizes of 1 to 2^63 - 1, got 18446744073709551611 along axis 1"},
      {model_of("Expand", {"x", "k"}, {huge, 1, 1, 1, 1}), "node \"t\" (Expand): " + overflow},
      {model_of("Expand", {"x", "k"}, {-3, 1, 1, 1, 1}),
       "node \"t\" (Expand): expected a result of sizes of at least 0, got [-3, 1, 8, 4, 4]"},
      {model_of("Tile", {"x", "k"}, {huge, 2, 2, 2}), "node \"t\" (Tile): " + overflow},
      {model_of("ConstantOfShape", {"k"}, {huge, huge}),
       "node \"t\" (ConstantOfShape): " + overflow},
      {model_of("Reshape", {"x", "k"}, {0, -2}),
       "node \"t\" (Reshape): expected a shape, got [0, -2]"},
      {model_of("DepthToSpace", {"x"}, {}, attribute("blocksize", huge)),
       "node \"t\" (DepthToSpace): " + overflow},
      {model_of("DepthToSpace", {"x"}, {}, attribute("blocksize", -3)),
       "node \"t\" (DepthToSpace): expected an operand [N, C, H, W] and a blocksize >= 1, got [1, "
       "8, 4, 4, -3]"},
      {model(text(1, node("Split", {"x", "k"}, {"y", "z"})) + input("x", {largest, 1}) +
             output("y") + output("z") + constant("k", {-9, 9})),
       "node \"y\" (Split): expected parts of an axis of 9223372036854775807, got [-9, 9]"},
      {model(text(1, node("Split", {"x", "k"}, {"y", "z"})) + input("x", {8, 4}) + output("y") +
             output("z") + constant("k", {6, 3})),
       "node \"y\" (Split): expected parts of an axis of 8, got [6, 3]"},
      {model_of("Concat", {"x", "k"}, {1, 2}, attribute("axis", 9)),
       "node \"t\" (Concat): axis: expected one of 4 axes, got 9"},
  });
}

namespace {

/// A convolution of "x" with 3x3 weights "w" and these attributes, to "y".
std::string convolution(const std::string& attributes) {
  return model(text(1, node("Conv", {"x", "w"}, {"y"}, attributes)) + input("x", {1, 8, 6, 6}) +
               weights("w", {4, 8, 3, 3}) + output("y"));
}

std::string attribute_of_two(const std::string& name, std::uint64_t value) {
  return text(5, text(1, name) + integer(8, value) + integer(8, value) + integer(20, 7));
}

}  // namespace

TEST_CASE("Attributes that contradict the operands or their own kind", "[onnx/errors]") {
  const std::string equation = text_attribute("equation", "ij,jk->ik");
  CHECK(model_message(model(text(1, node("Einsum", {"x", "w"}, {"y"}, equation)) +
                            input("x", {2, 3}) + input("w", {4, 5}) + output("y"))) ==
        "m.onnx: node \"y\" (Einsum): equation: expected one that fits the operands' sizes, got "
        "ij,jk->ik");
  const std::string texts = text(5, text(1, "strides") + text(9, "2") + text(9, "2"));
  check_models({
      {convolution(attribute_of_two("kernel_shape", 5)),
       "node \"y\" (Conv): kernel_shape: expected [3, 3], as the weights have, got [5, 5]"},
      {convolution(texts), "node \"y\" (Conv): strides: expected integers, got texts"},
      {convolution(attribute("strides", 2)),
       "node \"y\" (Conv): strides: expected integers, got an integer"},
      {convolution(text_attribute("group", "2")),
       "node \"y\" (Conv): group: expected an integer, got a text"},
      {convolution(attribute_of_two("dilations", 0)),
       "node \"y\" (Conv): dilations: expected an integer from 1 to 1099511627776, got 0"},
      {convolution(attribute_of_two("dilations", 9223372036854775807)),
       "node \"y\" (Conv): dilations: expected an integer from 1 to 1099511627776, got "
       "9223372036854775807"},
      {convolution(text_attribute("auto_pad", std::string(1'000'000, 'g'))),
       "node \"y\" (Conv): auto_pad: expected NOTSET, SAME_UPPER, SAME_LOWER or VALID, got \"" +
           std::string(200, 'g') + "...\""},
      {convolution(text_attribute("auto_pad", "garbage")),
       "node \"y\" (Conv): auto_pad: expected NOTSET, SAME_UPPER, SAME_LOWER or VALID, got "
       "\"garbage\""},
  });
  CHECK(model_message(convolution(attribute_of_two("kernel_shape", 3) +
                                  text_attribute("auto_pad", "SAME_UPPER")))
            .empty());
  // What some writers leave at zero beside the value that is meant.
  CHECK(model_message(convolution(text(5, text(1, "strides") + integer(3, 0) + integer(8, 1) +
                                              integer(8, 1) + integer(20, 7))))
            .empty());
}

TEST_CASE("Nodes are called by the beginning of a long name", "[onnx/errors]") {
  const std::string name(4000, 'n');
  const std::string shown = '"' + std::string(200, 'n') + "...\"";
  check_models({
      {model(text(1, node("MatMul", {"x", "k"}, {name})) + input("x", {2, 3}) +
             constant("k", {1, 1}) + output(name)),
       "node " + shown + " (MatMul): expected matrices that can be multiplied, got [2, 3] and [2]"},
      {model(text(1, node("Relu", {name}, {"y"})) + output("y")),
       "node \"y\" (Relu): expected an input that the model, a tensor of it or an earlier node "
       "gives, got " +
           shown},
  });
}

TEST_CASE("Results of two nodes are an error", "[onnx/errors]") {
  const std::string relus =
      text(1, node("Relu", {"x"}, {"y"})) + text(1, node("Tanh", {"x"}, {"y"}));
  check_models({
      {model(relus + input("x", {8}) + output("y")),
       "node \"y\" (Tanh): expected results that nothing else gives, got \"y\""},
      {model(text(1, node("Relu", {"x"}, {"x"})) + input("x", {8}) + output("x")),
       "node \"x\" (Relu): expected results that nothing else gives, got \"x\""},
  });
}

TEST_CASE("Nodes that are no layers are named", "[onnx/errors]") {
  const TemporaryFolder folder;
  const auto assumed = [&](const std::string& bytes) {
    return infer_onnx(folder.write("m.onnx", bytes), {}).assumptions;
  };
  using Notes = std::vector<std::string>;
  CHECK(assumed(model(text(1, node("Relu", {"x"}, {"y"})) + text(1, node("Tanh", {"x"}, {"z"})) +
                      text(1, node("Exp", {"z"}, {"e"})) + input("x", {8}) + output("y"))) ==
        Notes{"left out 2 nodes that no output depends on, the first node \"z\" (Tanh)"});
  CHECK(assumed(model(text(1, node("Slice", {"x", "k", "k"}, {"s"})) +
                      text(1, node("Relu", {"s"}, {"y"})) + text(1, node("Tanh", {"x"}, {"z"})) +
                      input("x", {8}) + constant("k", {0}) + output("y") + output("z"))) ==
        Notes{"left out 2 nodes whose results are empty, the first node \"s\" (Slice)"});
  // A view costs nothing, whatever it shows.
  const std::string unknown = text(1, node("Mystery", {"x"}, {"m"}, text(7, "own")));
  const std::string no_size =
      "left out 1 node whose sizes are not known, the first node \"m\" (own::Mystery)";
  CHECK(assumed(model(unknown + text(1, node("Reshape", {"m", "k"}, {"s"})) + stated("s", {8}) +
                      text(1, node("Relu", {"s"}, {"y"})) + input("x", {8}) + constant("k", {8}) +
                      output("y"))) == Notes{no_size});
  // By their bytes alone, although there is a rule.
  CHECK(assumed(model(unknown + text(1, node("Log", {"m"}, {"y"})) + stated("y", {8}) +
                      input("x", {8}) + output("y"))) ==
        Notes{"counted by their bytes alone, as the sizes of their operands are not known: Log (1 "
              "node)",
              no_size});
  CHECK(assumed(model(text(1, node("Slice", {"x", "k", "k"}, {"s"})) +
                      text(1, node("ReduceSum", {"s"}, {"y"})) + input("x", {8}) +
                      constant("k", {0}) + output("y"))) ==
        Notes{"counted by their bytes alone, as their first operand has no elements: ReduceSum (1 "
              "node)",
              "left out 1 node whose results are empty, the first node \"s\" (Slice)"});
  CHECK(assumed(model(text(1, node("BatchNormalization", {"x", "g", "g", "g", "g"}, {"y"})) +
                      input("x", {8}) + weights("g", {8}) + output("y"))) ==
        Notes{"counted by their bytes alone, as their operands have other sizes than their rules "
              "take: BatchNormalization (1 node)"});
}

TEST_CASE("Large constants cost nothing until they are used", "[onnx/errors]") {
  CHECK(model_message(model_of("Expand", {"x", "k"}, {1000000, 1, 1, 1})).empty());
  const std::string range = text(1, node("Range", {"zero", "k", "one"}, {"r"})) +
                            text(1, node("ReduceSum", {"r"}, {"s"})) +
                            text(1, node("Add", {"x", "s"}, {"y"}));
  CHECK(model_message(model(range + input("x", {1, 8}) + constant("zero", {0}) +
                            constant("one", {1}) + constant("k", {huge})))
            .empty());
}

TEST_CASE("What a small model is written out to is bounded", "[onnx/errors]") {
  const std::string relu = node("Relu", {"a"}, {"b"});
  const std::string sum = node("Sum", Names(5000, "a"), {"b"});
  const std::string fill = node("ConstantOfShape", {"k"}, {"c"});
  std::string constants;
  for (int i = 0; i < 9000; ++i)
    constants += text(1, node("ConstantOfShape", {"k"}, {"c" + std::to_string(i)}));
  const std::string small =
      "expected a smaller graph once functions are written out, got more than 1048576 nodes and "
      "operands, or as much in small constants and names";
  const std::string long_name(4096, 'n');
  const std::string shown = '"' + std::string(200, 'n') + "...\"";
  const std::string scopes = text(9, text(1, "pkg.torch.onnx.name_scopes") +
                                         text(2, "['', '" + std::string(60000, 's') + "', 'r']"));
  check_models({
      {model_of_functions(doubling_functions(30, relu, "")), "node \"b\" (f29): " + small},
      {model_of_functions(doubling_functions(14, sum, "")), "node \"b\" (Sum): " + small},
      {model_of_functions(
           doubling_functions(14, node("Relu", {"a"}, {"b"}, text(3, long_name)), "")),
       "node " + shown + " (Relu): " + small},
      {model_of_functions(doubling_functions(15, relu, std::string(3000, 'n'))),
       "node " + shown + " (f15): " + small},
      {model_of_functions(doubling_functions(14, node("Relu", {"a"}, {"b"}, scopes), "")),
       "node \"b\" (Relu): " + small},
      {model_of_functions(doubling_functions(3, relu, std::string(5000, 'n'))),
       "expected names of at most 4096 bytes, got one of 5000"},
      {model_of_functions(function("f0", {call("f0", "a", "b")})),
       "node \"b\" (f0): expected functions that call each other at most 64 deep, got more"},
      {model(constants + input("x", {1, 8}) + constant("k", {4096})),
       "node \"c7940\" (ConstantOfShape): " + small},
      {nested_branches(60), "expected graphs nested at most 21 deep, got more"},
      {integer(1, 8) + text(7, std::string(8000002, '\x10')),
       "expected a model of at most 4000000 fields beside the weights, got more"},
  });
  CHECK(model_message(nested_branches(12)).empty());
}

TEST_CASE("Open sizes are asked for by name", "[onnx/errors]") {
  const std::string path = model_path("dimensions");
  const std::string open = ", which the model leaves open, got none";
  LayerDefaults defaults = at_batch(2);
  CHECK(message_of([&] { infer_onnx(path, defaults); }) ==
        path + ": expected values of height, width" + open);
  defaults.dimensions = {{"height", 20}};
  CHECK(message_of([&] { infer_onnx(path, defaults); }) ==
        path + ": expected values of width" + open);
  defaults.dimensions = {{"height", 20}, {"width", 12}, {"depth", 3}};
  CHECK(message_of([&] { infer_onnx(path, defaults); }) ==
        path + ": --dim: expected an open size of the input, N, height, width, got \"depth\"");
}
