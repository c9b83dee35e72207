// Models of one family of operators each, against what tests/onnx/make_models.py works out by hand
// and with ONNX's own inference.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "model/layer_kind.hpp"
#include "onnx/onnx_bytes.hpp"
#include "onnx/onnx_reading.hpp"
#include "report/fields.hpp"
#include "results/report.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/render.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;
using Json = nlohmann::json;

namespace {

Json expected_models() {
  return Json::parse(read_file(std::string(ROOFLINE_SOURCE_FOLDER) + "/tests/onnx/expected.json"));
}

LayerDefaults defaults_of(const Json& model) {
  LayerDefaults defaults;
  if (model.contains("batch")) defaults.batch_override = model["batch"].get<std::uint64_t>();
  if (model.contains("dim"))
    for (const auto& [name, size] : model["dim"].items())
      defaults.dimensions.emplace_back(name, size.get<std::uint64_t>());
  return defaults;
}

std::string text_of(const Cell& cell) {
  std::string text;
  JsonWriter(text, false).value(cell);
  return text;
}

/// name, type, input, output, MACs, parameters.
Json row_of(const Layer& layer) {
  const Counts counts = count(layer);
  return {layer.name,
          std::string(info(layer.kind).name),
          text_of(stated_input(layer)),
          text_of(stated_output(layer)),
          counts.macs,
          counts.params};
}

std::string json_report(const Network& network) {
  const Context context = make_context(find_gpu("h100").value(), {}).value();
  return find_output_format("json")
      ->render(report_of({{analyze(network, context.gpu), &context}}, {}, {}).value(), {})
      .value();
}

}  // namespace

TEST_CASE("Operators are read as the layers that they are", "[onnx/models]") {
  const Json models = expected_models();
  for (const auto& [name, model] : models.items()) {
    INFO(name);
    const LayerDefaults defaults = defaults_of(model);
    const Network network = infer_onnx(model_path(name), defaults);
    Json rows = Json::array();
    for (const Layer& layer : network.layers) rows.push_back(row_of(layer));
    std::sort(rows.begin(), rows.end());  // by name
    for (std::size_t i = 0; i < std::max(rows.size(), model["layers"].size()); ++i) {
      const auto line = [&](const Json& all) { return i < all.size() ? all[i].dump() : ""; };
      CHECK(line(rows) == line(model["layers"]));
    }
    CHECK(Json(network.assumptions) == model.value("notes", Json::array()));
  }
}

TEST_CASE("Models written as layer files are read again as what they are", "[onnx/models]") {
  const Json models = expected_models();
  for (const auto& [name, model] : models.items()) {
    INFO(name);
    const LayerDefaults defaults = defaults_of(model);
    const Network network = infer_onnx(model_path(name), defaults);
    const std::string file = render_layer_file(network).value();
    const Network again = load_network(file, network.source, {}).value();
    CHECK(json_report(again) == json_report(network));
    CHECK(render_layer_file(again).value() == file);
  }
}

TEST_CASE("Quantised tensors have the type of their bits", "[onnx/models]") {
  const Network network = infer_onnx(model_path("four_bits"), at_batch(2));
  REQUIRE(network.layers.size() == 1);
  const Layer& layer = network.layers.front();
  CHECK(layer.name == "fc");
  CHECK(layer.dtypes.input == DataType::fp16);
  CHECK(layer.dtypes.weight == DataType::int4);
  CHECK(layer.dtypes.output == DataType::fp16);
}

TEST_CASE("Integers have the bytes of their width", "[onnx/models]") {
  const TemporaryFolder folder;
  using namespace onnx_bytes;
  const auto bytes_of = [&](std::uint64_t type) {
    const std::string x =
        text(1, "x") + text(2, text(1, integer(1, type) + text(2, text(1, integer(1, 100)))));
    const std::string bytes = model(text(1, node("Neg", {"x"}, {"y"})) + text(11, x) + output("y"));
    return count(infer_onnx(folder.write("m.onnx", bytes)).layers.at(0)).bytes.total;
  };
  CHECK(bytes_of(3) == 2 * 100 * 1);   // int8
  CHECK(bytes_of(4) == 2 * 100 * 2);   // uint16
  CHECK(bytes_of(5) == 2 * 100 * 2);   // int16
  CHECK(bytes_of(6) == 2 * 100 * 4);   // int32
  CHECK(bytes_of(7) == 2 * 100 * 8);   // int64
  CHECK(bytes_of(12) == 2 * 100 * 4);  // uint32
  CHECK(bytes_of(13) == 2 * 100 * 8);  // uint64
}

TEST_CASE("Operators that look at a whole row are no functions of each element", "[onnx/models]") {
  const TemporaryFolder folder;
  using namespace onnx_bytes;
  for (const char* op : {"CumSum", "CumProd", "Hardmax", "Trilu"}) {
    INFO(op);
    const Network network = infer_onnx(folder.write("m.onnx", model_of(op, {"x"}, {1})));
    CHECK(network.layers.at(0).kind == LayerKind::rowwise);
  }
}

TEST_CASE("Causal attention counts the pairs that it computes", "[onnx/models]") {
  const TemporaryFolder folder;
  using namespace onnx_bytes;
  const auto macs_of = [&](const std::string& attributes, const std::string& past) {
    std::string graph = past;
    for (const char* name : {"q", "k", "v"}) graph += input(name, {1, 2, 4, 8});
    const Names inputs = past.empty() ? Names{"q", "k", "v"} : Names{"q", "k", "v", "", "past"};
    const std::string bytes =
        model(text(1, node("Attention", inputs, {"y"}, attributes)) + graph + output("y"), "", 23);
    const Network network = infer_onnx(folder.write("m.onnx", bytes));
    CHECK(network.layers.at(0).kind == LayerKind::attention);
    return count(network.layers.at(0)).macs;
  };
  CHECK(macs_of("", "") == 2 * (4 * 4) * (8 + 8));
  CHECK(macs_of(attribute("is_causal", 1), "") == 2 * (1 + 2 + 3 + 4) * (8 + 8));
  CHECK(macs_of(attribute("is_causal", 1), input("past", {1, 2, 6, 8})) ==
        2 * (7 + 8 + 9 + 10) * (8 + 8));
}

TEST_CASE("The batch is that of the inputs, whatever the layers have", "[onnx/models]") {
  const TemporaryFolder folder;
  using namespace onnx_bytes;
  // Four windows of 49 positions from each image: a batch of 4 N within.
  const std::string windows = text(1, node("Relu", {"x"}, {"r"})) +
                              text(1, node("Reshape", {"r", "k"}, {"s"})) +
                              text(1, node("Tanh", {"s"}, {"y"})) +
                              input("x", {open_size, 64, 14, 14}) + constant("k", {-1, 49, 64});
  const std::string sequence = text(1, node("Relu", {"x"}, {"y"})) + input("x", {5, open_size, 6});
  const std::string vector = text(1, node("Relu", {"x"}, {"y"})) + input("x", {1000});
  struct Row {
    std::string graph;
    std::uint64_t asked;
    std::uint64_t batch;
  };
  for (const Row& row : {Row{windows, 1, 1}, Row{windows, 8, 8}, Row{sequence, 1, 1},
                         Row{sequence, 3, 3}, Row{vector, 1, 1}}) {
    const Network network =
        infer_onnx(folder.write("m.onnx", model(row.graph + output("y"))), at_batch(row.asked));
    CHECK(network.batch == row.batch);
    const Context context = make_context(find_gpu("h100").value(), {}).value();
    CHECK(evaluate(network, context).value().setting.batch == row.batch);
  }
}

TEST_CASE("Indices, lengths and offsets have bytes", "[onnx/models]") {
  const TemporaryFolder folder;
  using namespace onnx_bytes;
  const auto bytes_of = [&](const std::string& graph) {
    std::vector<std::uint64_t> bytes;
    for (const Layer& layer : infer_onnx(folder.write("m.onnx", model(graph))).layers)
      bytes.push_back(count(layer).bytes.total);
    return bytes;
  };
  using Bytes = std::vector<std::uint64_t>;
  CHECK(bytes_of(text(1, node("GatherElements", {"x", "i"}, {"y"}, attribute("axis", 1))) +
                 input("x", {10, 20}) + input("i", {10, 3}, of_int64) + output("y")) ==
        Bytes{30 * 4 + 30 * 8 + 30 * 4});
  CHECK(bytes_of(text(1, node("ReverseSequence", {"x", "i"}, {"y"})) + input("x", {5, 6, 2}) +
                 input("i", {6}, of_int64) + output("y")) == Bytes{2 * 60 * 4 + 6 * 8});
  const std::string pool = text(1, node("MaxPool", {"x"}, {"y", "i"},
                                        integers_attribute("kernel_shape", {2, 2}) +
                                            integers_attribute("strides", {2, 2}))) +
                           input("x", {1, 4, 8, 8}) + output("y");
  CHECK(bytes_of(pool) == Bytes{(256 + 64) * 4});
  CHECK(bytes_of(pool + output("i")) == Bytes{(256 + 64) * 4, 4 + 64 * 8});
  const std::string deform = text(1, node("DeformConv", {"x", "w", "o", "", "m"}, {"y"},
                                          integers_attribute("pads", {1, 1, 1, 1}))) +
                             input("x", {1, 4, 5, 5}) + weights("w", {8, 4, 3, 3}) +
                             input("o", {1, 18, 5, 5}) + input("m", {1, 9, 5, 5}) + output("y");
  CHECK(bytes_of(deform) == Bytes{(100 + 288 + 200 + (18 + 9) * 25) * 4});
}

TEST_CASE("An interpolation is stated", "[onnx/models]") {
  const TemporaryFolder folder;
  using namespace onnx_bytes;
  const auto interpolation_of = [&](const std::string& mode) {
    const std::string resize =
        node("Resize", {"x", "", "", "k"}, {"y"}, text_attribute("mode", mode));
    const std::string graph =
        text(1, resize) + input("x", {1, 4, 8, 8}) + constant("k", {1, 4, 16, 16}) + output("y");
    const Network network = infer_onnx(folder.write("m.onnx", model(graph)));
    CHECK(network.layers.at(0).kind == LayerKind::upsample);
    return network.layers.at(0).interpolation.value_or(Interpolation::nearest);
  };
  CHECK(interpolation_of("nearest") == Interpolation::nearest);
  CHECK(interpolation_of("linear") == Interpolation::bilinear);
  CHECK(interpolation_of("cubic") == Interpolation::bicubic);
}

TEST_CASE("A call takes the function of its overload", "[onnx/models]") {
  const TemporaryFolder folder;
  using namespace onnx_bytes;
  const auto overload = [](const std::string& op, const std::string& name) {
    return text(25, text(1, "act") + text(4, "a") + text(5, "b") + text(10, "own") +
                        text(7, node(op, {"a"}, {"b"})) + text(13, name));
  };
  const std::string own = text(7, "own");
  const std::string graph = text(1, node("act", {"x"}, {"t"}, own + text(8, "second"))) +
                            text(1, node("act", {"t"}, {"y"}, own + text(8, "first"))) +
                            input("x", {1, 8}) + output("y");
  const Network network = infer_onnx(
      folder.write("m.onnx", model(graph, overload("Relu", "first") + overload("Tanh", "second"))));
  REQUIRE(network.layers.size() == 2);
  CHECK(network.layers[0].kind == LayerKind::tanh);
  CHECK(network.layers[1].kind == LayerKind::relu);
}

TEST_CASE("Names that a model's author gave are those of parameters", "[onnx/models]") {
  const TemporaryFolder folder;
  using namespace onnx_bytes;
  const auto params_of = [&](const std::string& name) {
    const std::string graph = text(1, node("Add", {"x", name}, {"y"})) + input("x", {1, 6, 4}) +
                              weights(name, {6, 4}) + output("y");
    return count(infer_onnx(folder.write("m.onnx", model(graph))).layers.at(0)).params;
  };
  CHECK(params_of("_embed.positions") == 24);
  CHECK(params_of("_orig_mod.scale") == 24);
  CHECK(params_of("_to_copy_1") == 0);
  CHECK(params_of("_tensor_constant0") == 0);
  CHECK(params_of("val_12") == 0);
}
