// Operands of layers: who wrote them, what of them is learned, and their types.

#include "catch.hpp"
#include "load/loading.hpp"
#include "onnx/onnx_bytes.hpp"
#include "onnx/onnx_reading.hpp"
#include "pytorch/exported_program.hpp"
#include "pytorch/program_text.hpp"
#include "pytorch/trace_text.hpp"
#include "roofline/roofline_point.hpp"
#include "temporary_folder.hpp"

// Names of a unity build's files may meet.
namespace layer_operands {

using namespace roofline;

namespace {

std::vector<Layer> layers_of(const ProgramText& program) {
  const std::string bytes = zipped({{"net/models/model.json", program.text()}});
  const auto reader = whole<read_exported_programs>(text_stream("net.pt2", bytes));
  auto item = *reader->next();
  return infer(*item.value().spec({}).value(), {}).value().layers;
}

std::uint64_t params_of(const std::vector<Layer>& layers) {
  std::uint64_t params = 0;
  for (const Layer& layer : layers) params += count(layer).params;
  return params;
}

std::vector<Layer> onnx_layers(const std::string& graph, std::uint64_t set) {
  const TemporaryFolder folder;
  return infer_onnx(folder.write("m.onnx", onnx_bytes::model(graph, "", set))).layers;
}

}  // namespace

TEST_CASE("Both matrices of a product are read until it runs", "[operators/operands]") {
  const auto layers = layers_of(ProgramText()
                                    .input("x", {"8", "16", "16"})
                                    .input("y", {"8", "16", "16"})
                                    .node("relu", {"x"}, "a", {"8", "16", "16"}, "a")
                                    .node("relu", {"y"}, "b", {"8", "16", "16"}, "b")
                                    .node("bmm", {"a", "b"}, "c", {"8", "16", "16"}, "c"));
  REQUIRE(layers.size() == 3);
  CHECK(layers[2].inputs[0].producer == 0);
  CHECK(layers[2].inputs[1].producer == 1);
  // Two operands and a result of 8 x 16 x 16 x 4 = 8,192 bytes each.
  const Network network = load_text(R"([
      {"type": "relu", "name": "a", "input": {"shape": [8, 16, 16]}},
      {"type": "relu", "name": "b", "input": "a"},
      {"type": "matmul", "inputs": [{"layer": "b", "shape": [8, 16, 16]},
                                    {"layer": "a", "shape": [8, 16, 16]}]}])");
  CHECK(memory_of(network).peak_activation_byte == 3 * 8192);
}

TEST_CASE("Products that do not fit are named", "[operators/operands]") {
  CHECK(message_of([] { load_text(R"({"type": "matmul", "inputs": [[4, 8, 8], [3, 8, 8]]})"); }) ==
        "conv.json: /inputs/1: expected a number of products that divides the other matrix', 4, or "
        "is a multiple of it, got 3");
}

TEST_CASE("Parameters count wherever they stand", "[operators/operands]") {
  struct Row {
    std::string what;
    ProgramText program;
    std::uint64_t params;
  };
  const ProgramText image = ProgramText().input("x", {"2", "14", "14", "8"});
  for (const Row& row : {
           Row{"a convolution of a permuted image, whose filter is copied",
               ProgramText(image)
                   .parameter("w", {"16", "8", "3", "3"})
                   .node("permute", {"x", "as_ints: [0, 3, 1, 2]"}, "p", {"2", "8", "14", "14"})
                   .node("conv2d", {"p", "w", "as_none: true", "as_ints: [1, 1]"}, "y",
                         {"2", "16", "12", "12"}),
               16 * 8 * 9},
           Row{"a scale without axes",
               ProgramText(image).parameter("s", {}).node("mul", {"s", "x"}, "y",
                                                          {"2", "14", "14", "8"}),
               1},
           Row{"a scale whose exponential is taken first",
               ProgramText(image)
                   .parameter("s", {"1"})
                   .node("exp", {"s"}, "e", {"1"})
                   .node("mul", {"x", "e"}, "y", {"2", "14", "14", "8"}),
               1},
           Row{"an einsum",
               ProgramText()
                   .input("x", {"4", "16", "8"})
                   .parameter("w", {"4", "8", "32"})
                   .node("einsum",
                         {"as_string: \"bik,bkj->bij\"",
                          "as_tensors: [{\"name\": \"x\"}, {\"name\": \"w\"}]"},
                         "y", {"4", "16", "32"}),
               4 * 8 * 32},
           Row{"a parameter on the left, read twice",
               ProgramText()
                   .input("x", {"8", "16"})
                   .parameter("w", {"32", "8"})
                   .node("mm", {"w", "x"}, "y", {"32", "16"})
                   .node("mm", {"w", "x"}, "z", {"32", "16"}),
               32 * 8},
       }) {
    INFO(row.what);
    CHECK(params_of(layers_of(row.program)) == row.params);
  }
}

TEST_CASE("ONNX's softmax before set 13 has one row from its axis on", "[operators/operands]") {
  using namespace onnx_bytes;
  struct Row {
    const char* op;
    std::uint64_t set;
    std::vector<std::int64_t> sizes;
    std::string axis;
    std::uint64_t rows;  ///< the operator's definition
    std::uint64_t row_elements;
  };
  for (const Row& row : {
           Row{"Softmax", 9, {1, 1000, 1, 1}, "", 1, 1000},
           Row{"LogSoftmax", 11, {8, 21, 64, 64}, attribute("axis", 1), 8, 86016},
           Row{"Hardmax", 11, {8, 21, 64, 64}, attribute("axis", 2), 8 * 21, 4096},
           Row{"Softmax", 11, {8, 21}, attribute("axis", -1), 8, 21},
           Row{"Softmax", 13, {32, 10}, "", 32, 10},
       }) {
    INFO(row.op << " of set " << row.set);
    const auto layers = onnx_layers(
        text(1, node(row.op, {"x"}, {"y"}, row.axis)) + input("x", row.sizes) + output("y"),
        row.set);
    REQUIRE(layers.size() == 1);
    CHECK(layers[0].output.batch == row.rows);
    CHECK(layers[0].output.channels == row.row_elements);
  }
}

TEST_CASE("A size of data is what the file states, else the largest", "[operators/operands]") {
  using namespace onnx_bytes;
  struct Row {
    const char* what;
    std::string stated;
    std::uint64_t byte;  ///< of x, K and both results
  };
  for (const Row& row : {
           Row{"stated", stated("v", {128, 5}), 4 * 128000 + 8 + (4 + 8) * 640},
           Row{"not stated", "", 4 * 128000 + 8 + (4 + 8) * 128000},
           Row{"more than there are", stated("v", {128, 2000}), 4 * 128000 + 8 + 12 * 128000},
       }) {
    INFO(row.what);
    const auto layers =
        onnx_layers(text(1, node("TopK", {"x", "k"}, {"v", "i"})) + input("x", {128, 1000}) +
                        input("k", {1}, of_int64) + row.stated + output("v") + output("i"),
                    17);
    REQUIRE(layers.size() == 1);
    CHECK(count(layers[0]).bytes.total == row.byte);
  }
}

TEST_CASE("A tensor without axes holds one element", "[operators/operands]") {
  using namespace onnx_bytes;
  for (const char* op : {"Sqrt", "Relu", "Clip", "Not", "ReduceL2", "LpNormalization"}) {
    INFO(op);
    const auto layers =
        onnx_layers(text(1, node(op, {"x"}, {"y"})) + input("x", {}) + output("y"), 17);
    REQUIRE(layers.size() == 1);
    CHECK(layers[0].kind != LayerKind::other);
    CHECK(count(layers[0]).flops == 1);
  }
}

TEST_CASE("With a past, causal attention is aligned to the last key", "[operators/operands]") {
  using namespace onnx_bytes;
  const auto layers = onnx_layers(
      text(1,
           node("Attention", {"q", "k", "v", "", "pk", "pv"}, {"y"}, attribute("is_causal", 1))) +
          input("q", {1, 1, 4, 64}) + input("k", {1, 1, 4, 64}) + input("v", {1, 1, 4, 64}) +
          input("pk", {1, 1, 60, 64}) + input("pv", {1, 1, 60, 64}) + output("y"),
      23);
  REQUIRE(!layers.empty());
  CHECK(count(layers[0]).macs == (61 + 62 + 63 + 64) * 2 * 64);
}

TEST_CASE("Recordings name types at their width", "[operators/operands]") {
  struct Row {
    std::string recorded;
    std::string name;
    std::uint64_t byte;
  };
  for (const Row& row :
       {Row{"long int", "int64", 8}, Row{"int", "int32", 4}, Row{"short int", "int16", 2},
        Row{"bool", "bool", 1}, Row{"c10::complex<float>", "complex64", 8},
        Row{"c10::complex<double>", "complex128", 16}}) {
    INFO(row.recorded);
    const auto layers =
        trace_layers(TraceText()
                         .operation("aten::neg", 7, 100, 20,
                                    {"[[10, 100]]", "[\"" + row.recorded + "\"]", "[\"\"]"})
                         .kernel("some_kernel", 7, 110, 5)
                         .text());
    REQUIRE(layers.size() == 1);
    CHECK(name_of(layers[0].dtypes.input) == row.name);
    CHECK(count(layers[0]).bytes.total == 2 * 1000 * row.byte);
  }
}

}  // namespace layer_operands
