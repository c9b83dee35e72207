// Models of one family of operators each, against what tests/onnx/make_models.py works out by hand
// and with ONNX's own inference.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "onnx/onnx_bytes.hpp"
#include "onnx/onnx_reading.hpp"
#include "report/fields.hpp"
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

std::string report_of(const Network& network) {
  const Context context = make_context(find_gpu("h100").value(), {}).value();
  return find_output_format("json")
      ->render(make_report({{analyze(network, context.gpu), &context}}, {}, {}).value(), {})
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
    const std::string file = render_layer_file(network);
    const Network again = load_network(file, network.source, {}).value();
    CHECK(report_of(again) == report_of(network));
    CHECK(render_layer_file(again) == file);
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
