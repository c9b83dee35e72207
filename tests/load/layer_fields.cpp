// Every field of a layer, on every kind that takes it: read, written in each format, read again the
// same; and two layers that differ in one are never folded. A new field is covered by its row; one
// whose value no rule below can make up fails the test.

#include "model/layer_fields.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "cli/process.hpp"
#include "load/loading.hpp"
#include "load/network_reader.hpp"
#include "model/layer_kind.hpp"
#include "pytorch/recording.hpp"
#include "results/selection.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/report.hpp"

using namespace roofline;
using Json = nlohmann::json;

namespace {

/// The least that a kind must state.
/// A deformable convolution whose offsets have two numbers of each tap at each position of the
/// result, which is a convolution's.
Json with_offsets(Json layer) {
  Json convolution = layer;
  convolution["type"] = "conv";
  convolution["input"] = layer["inputs"].front();
  convolution.erase("inputs");
  const Layer whole = load_text(convolution.dump()).layers.front();
  const std::uint64_t taps = whole.window->kernel[1] * whole.window->kernel[2];
  layer["inputs"] = {layer["inputs"].front(),
                     {2 * taps, whole.output.spatial[1], whole.output.spatial[2]}};
  return layer;
}

Json base_layer(LayerKind kind) {
  const KindFamily family = info(kind).family;
  Json layer{{"type", info(kind).name}};
  if (kind == LayerKind::matmul) return layer.update({{"m", 6}, {"n", 5}, {"k", 4}}), layer;
  if (kind == LayerKind::attention)
    layer["inputs"] = {
        {{"shape", {2, 4, 6, 8}}}, {{"shape", {2, 4, 6, 8}}}, {{"shape", {2, 4, 6, 8}}}};
  else if (takes(kind, "inputs"))
    layer["inputs"] = {{8, 12, 12}, {8, 12, 12}};
  else
    layer["input"] = info(kind).features == Features::last ? Json{8} : Json{8, 12, 12};
  if (has_window(kind)) layer["kernel_size"] = 3;
  if (takes(kind, "out_channels")) layer["out_channels"] = 8;
  if (kind == LayerKind::linear) layer["out_features"] = 4;
  if (family == KindFamily::recurrent) layer["hidden_size"] = 4;
  if (kind == LayerKind::group_norm) layer["groups"] = 4;
  if (kind == LayerKind::embedding) layer.update({{"num_embeddings", 9}, {"embedding_dim", 4}});
  if (kind == LayerKind::upsample) layer["scale_factor"] = 2;
  if (family == KindFamily::movement) layer["output"] = {1, 8, 6, 6};
  if (kind == LayerKind::deform_conv) return with_offsets(layer);
  return layer;
}

/// In place of a shape: channels and sizes.
void state_sizes(Json& layer, const Json& sizes) {
  layer.erase("input");
  layer.update({{"c", 8}});
  layer.update(sizes);
}

/// A value that any field of that type may have.
Json usual_sample(const LayerField& field) {
  if (std::holds_alternative<FlagField>(field.member)) return true;
  if (std::holds_alternative<ChoiceOfTwoField>(field.member)) return false;
  if (std::holds_alternative<WorkField>(field.member)) return 2;
  if (std::holds_alternative<SecondsField>(field.member)) return 3e-5;
  if (std::holds_alternative<ScalarField>(field.member)) return "a, \"b\"";
  if (std::holds_alternative<UnusedField>(field.member)) return 0.5;
  if (std::holds_alternative<NoteField>(field.member)) return {{"by", {"a", 1}}};
  if (std::holds_alternative<TextField>(field.member)) return "a, \"b\"";
  if (std::holds_alternative<CountField>(field.member)) return 2;
  if (std::holds_alternative<AxesField>(field.member)) return 2;
  if (std::holds_alternative<AxisField>(field.member)) return 2;
  if (const auto* choice = std::get_if<ChoiceField>(&field.member)) return choice->names.back();
  return {};
}

/// The layer with the field stated, and what else it then must state or may not.
Json with_field(LayerKind kind, const LayerField& field) {
  Json layer = base_layer(kind);
  const std::string key(field.key);
  static const std::map<std::string, Json> samples{
      {"dtype", "fp16"},
      {"dtypes", {{"input", "fp16"}, {"weight", "int8"}, {"output", "fp32"}}},
      {"kernel", {{"tile", {64, 64, 8}}, {"threads", 128}, {"stages", 3}}},
      {"fused", {{{"parameter", {1}}}}},
      {"normalized_shape", Json::array({8})},
      {"m", 7},
      {"n", 7},
      {"k", 7},
      {"out_channels", 16},
      {"out_features", 5},
      {"in_features", 8},
      {"groups", 2},
      {"scale_factor", 3},
      {"axis", 2},
      {"output_padding", 0}};
  const Layer inferred = load_text(layer.dump()).layers.front();
  if (key == "in_channels" || key == "input_size") {
    state_sizes(layer, {{"input_size", 10}});
    if (key == "in_channels") layer.erase("c"), layer["in_channels"] = 8;
  } else if (key == "pad_mode") {
    layer.update({{"pad_mode", "circular"}, {"output", {1, 8, 14, 14}}});
  } else if (key == "flops") {
    layer.update({{"flops", 7}, {"bytes", 9}});
  } else if (key == "h" || key == "w") {
    state_sizes(layer, {{"h", 10}, {"w", 9}});
  } else if (key == "output_size") {
    layer.erase("kernel_size");
    layer[key] = 2;
  } else if (key == "r" || key == "s") {
    layer.erase("kernel_size");
    layer.update({{"r", 2}, {"s", 2}});
  } else if (key == "p" || key == "q") {
    layer[key] = inferred.output.spatial[key == "p" ? 1 : 2];
  } else if (key == "output") {
    layer[key] = Json::array();
    for (const std::uint64_t size : stated_sizes(inferred.output, info(kind).features))
      layer[key].push_back(size);
    if (info(kind).family == KindFamily::movement) layer[key] = {1, 8, 3, 3};
  } else if (key == "input") {
    layer[key] = info(kind).features == Features::last ? Json{6} : Json{8, 14, 14};
  } else if (key == "inputs") {
    for (const char* size : {"m", "n", "k"}) layer.erase(size);
    layer[key] = kind == LayerKind::matmul ? Json{{3, 6, 4}, {3, 4, 5}} : layer.value(key, Json());
    if (kind == LayerKind::attention)
      for (Json& operand : layer[key]) operand["shape"] = {2, 4, 10, 8};
    else if (kind != LayerKind::matmul)
      layer[key] = {{8, 14, 14}, {8, 14, 14}};
  } else if (key == "batch") {
    layer[key] = 3;
    if (kind == LayerKind::attention) layer["inputs"] = Json(3, Json{4, 6, 8});
    if (is_any(kind, LayerKind::im2col, LayerKind::col2im)) layer["output"] = {3, 8, 6, 6};
  } else if (key == "type") {
    if (has_window(kind)) layer[key] = std::string(info(kind).name) + "2d";
  } else {
    const auto sample = samples.find(key);
    layer[key] = sample == samples.end() ? usual_sample(field) : sample->second;
    REQUIRE_FALSE(layer[key].is_null());  // give the field a sample
  }
  if (kind == LayerKind::deform_conv) return with_offsets(layer);
  return layer;
}

LayerSpec spec_of(Json layer) {
  layer["name"] = layer.value("name", "one name");
  return read_layer(JsonDocument(layer.dump(), {"x"}).root());
}

/// Each field on each kind, as one list of layers with names of their own.
Json all_layers() {
  Json layers = Json::array();
  for (const LayerField& field : layer_fields())
    for (const KindInfo& kind : all_kinds())
      if (is_input_kind(kind.kind) && field.applies_to(kind.kind)) {
        if (field.key == "batch" && kind.kind == LayerKind::attention) continue;  // in its shapes
        Json layer = with_field(kind.kind, field);
        if (field.key != "name")
          layer["name"] = std::string(field.key) + " of " + std::string(kind.name);
        layers.push_back(std::move(layer));
      }
  return layers;
}

std::vector<Json> rows_of(const TemporaryFolder& folder, const std::string& input) {
  const Outcome outcome = run(folder, "roofline " + input + " --gpu h100 --format ndjson");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  std::vector<Json> rows;
  for (const std::string& line : lines_of(outcome.out)) {
    Json row = Json::parse(line);
    for (const char* key : {"source", "network", "input_from"}) row.erase(key);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

TEST_CASE("A field of a layer comes back out of every format", "[load/layer_fields]") {
  const TemporaryFolder folder;
  folder.write("all.json", all_layers().dump());
  const std::vector<Json> before = rows_of(folder, "all.json");
  REQUIRE(run(folder, "roofline all.json --to-layers out.layers.json").exit_code == 0);
  REQUIRE(
      run(folder, "roofline all.json --gpu h100 -o out.json -o out.ndjson -o out.csv").exit_code ==
      0);
  for (const std::string file : {"out.layers.json", "out.json", "out.ndjson", "out.csv"}) {
    const std::vector<Json> after = rows_of(folder, file);
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      Json expected = before[i];
      Json got = after[i];
      // A layer file is of no GPU that its times were measured on.
      if (file == "out.layers.json")
        for (Json* row : {&expected, &got})
          if (row->at("layer").is_object()) row->at("layer").erase("measured_gpu");
      INFO(file << " " << expected.at("name"));
      CHECK(got == expected);
    }
  }
}

TEST_CASE("Layers that differ in a field are never folded", "[load/layer_fields]") {
  // What a layer is called, how often it stands there, what it was measured at and what ran.
  const std::set<std::string_view> labels{"name",
                                          "id",
                                          "repeat",
                                          "measured_time_s",
                                          "measured_cold_time_s",
                                          "measured_gpu",
                                          "measured_kernel",
                                          "measured_other_kernels",
                                          "padding_mode"};  // which is zeros alone
  for (const LayerField& field : layer_fields())
    for (const KindInfo& kind : all_kinds()) {
      if (!is_input_kind(kind.kind) || !field.applies_to(kind.kind) || field.key == "type")
        continue;
      if (field.key == "batch" && kind.kind == LayerKind::attention) continue;
      INFO(field.key << " of " << kind.name);
      const LayerSpec base = spec_of(base_layer(kind.kind));
      LayerSpec changed = spec_of(with_field(kind.kind, field));
      const bool differs = !labels.contains(field.key) &&
                           !std::holds_alternative<UnusedField>(field.member) &&
                           !std::holds_alternative<NoteField>(field.member);
      CHECK((identity(base) != identity(changed)) == differs);
      changed.name = base.name;
      FoldedLayers folded;
      CHECK((folded.row_of(base) != folded.row_of(changed)) == differs);
    }
  CHECK(identity(spec_of(base_layer(LayerKind::relu))) !=
        identity(spec_of(base_layer(LayerKind::sigmoid))));
}

TEST_CASE("Rows of a table are folded where nothing but their names differs",
          "[load/layer_fields]") {
  const Result result = analyze(load_text(R"([
    {"name": "a", "type": "relu", "input": [64, 28, 28]},
    {"name": "b", "type": "relu", "input": [64, 28, 28]},
    {"name": "as many numbers", "type": "relu", "input": [16, 56, 56]}])"),
                                find_gpu("v100").value());
  CHECK(select(result, {}).groups == std::vector<std::vector<std::size_t>>{{0, 1}, {2}});
}

TEST_CASE("What a kernel reads beside its operand is counted and checked", "[load/layer_fields]") {
  const auto layer = [](const std::string& fused) {
    return R"({"input": [2, 8, 8], "out_channels": 4, "kernel_size": 1, "fused": [)" + fused + "]}";
  };
  const Counts plain = count(load_text(layer("[1, 1, 1]")).layers.front());
  // 4 x 8 x 8 numbers more of the residual than of the single number, at four bytes each.
  CHECK(count(load_text(layer("[4, 8, 8]")).layers.front()).bytes.total ==
        plain.bytes.total + 4 * (4 * 8 * 8 - 1));
  const Counts scaled = count(load_text(layer(R"({"parameter": [4]})")).layers.front());
  CHECK(scaled.bytes.weight == 4 * (2 * 4 + 4));
  CHECK(scaled.params == 2 * 4 + 4);
  CHECK(message_of([&] { load_text(layer("[4, 8, 8], [3, 8, 8]")); }) ==
        "conv.json: /fused/1: expected a shape that broadcasts to the result [1, 4, 8, 8], got "
        "[1, 3, 8, 8]");
}

TEST_CASE("An error in what we wrote points at its own place", "[load/layer_fields]") {
  const TemporaryFolder folder;
  const Json report = Json::parse(run(folder, "roofline alexnet --gpu v100 --json").out);
  Json edited = report;
  edited["results"][0]["layers"][6]["layer"]["kernel_size"] = 0;
  folder.write("x.json", edited.dump());
  CHECK(run(folder, "roofline x.json --gpu v100").err ==
        "x.json: /results/0/layers/6/layer/kernel_size: expected an integer >= 1, got 0\n");
  edited = report;
  edited["results"][0]["layers"][6].erase("layer");
  folder.write("x.json", edited.dump());
  CHECK(run(folder, "roofline x.json --gpu v100").err ==
        "x.json: /results/0/layers/6: expected rows with their layers, got some without, which "
        "this program wrote: give the input that they are of\n");
}

TEST_CASE("Adam's parts of the memory sum", "[load/layer_fields]") {
  const TemporaryFolder folder;
  const Json memory = Json::parse(
      run(folder, "roofline alexnet --gpu v100 --pass training --assume optimizer=adam --json")
          .out)["results"][0]["memory"];
  const auto byte = [&](const char* key) { return memory.at(key).get<std::uint64_t>(); };
  CHECK(byte("optimizer_state_byte") == 2 * byte("training_weight_byte"));
  CHECK(byte("needed_byte") == 2 * byte("training_weight_byte") + byte("optimizer_state_byte") +
                                   byte("saved_activation_byte") + byte("workspace_byte"));
}
