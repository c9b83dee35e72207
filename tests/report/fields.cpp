// The fields of a row are the same in every format: a CSV column is the JSON path with "_" for ".".

#include "report/fields.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "cli/process.hpp"
#include "load/csv.hpp"
#include "model/layer_fields.hpp"

using OrderedJson = nlohmann::ordered_json;

namespace {

const std::string layers =
    R"([{"name": "a", "input": [3, 8, 8], "out_channels": 4, "kernel_size": 3, "measured_us": 30, "gpu": "v100"},
        {"name": "b", "type": "relu"},
        {"name": "c", "type": "add", "inputs": ["a", "b"]},
        {"name": "d", "type": "flatten"},
        {"name": "e", "type": "linear", "out_features": 5, "kernel": {"tile": [64, 64, 8]}},
        {"name": "f", "type": "layer_norm", "normalized_shape": [5]}])";

/// The paths of an object, with "_" for ".", in order. The fields of a layer are values, objects
/// (a mapping) too.
void flatten(const OrderedJson& object, const std::string& before,
             std::vector<std::pair<std::string, OrderedJson>>& cells) {
  for (const auto& [key, value] : object.items())
    if (value.is_object() && before != "layer_")
      flatten(value, before + key + "_", cells);
    else
      cells.emplace_back(before + key, value);
}

/// The rows of our CSV, cells by column.
struct Csv {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

Csv csv_of(const std::string& text) {
  const auto stream = roofline::text_stream("csv", text);
  roofline::CsvRows reader(*stream);
  Csv csv{reader.next()->cells, {}};
  while (const auto row = reader.next()) csv.rows.push_back(row->cells);
  return csv;
}

/// A value of JSON as a CSV cell has it.
std::string cell_of(const OrderedJson& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// A layer whose operands say what they are, not of which layer they come.
OrderedJson standing_alone(OrderedJson layer) {
  const auto shape_of = [](OrderedJson& operand) {
    if (operand.is_object() && operand.contains("layer"))
      operand = OrderedJson(operand.at("shape"));
  };
  if (layer.contains("input")) shape_of(layer.at("input"));
  if (layer.contains("inputs"))
    for (OrderedJson& operand : layer.at("inputs")) shape_of(operand);
  return layer;
}

struct Outputs {
  OrderedJson report;
  std::vector<OrderedJson> lines;
  Csv csv;
};

Outputs outputs_of(const std::string& options) {
  const TemporaryFolder folder;
  folder.write("net.json", layers);
  const std::string gpu = options.find("--gpu") == options.npos ? "--gpu v100 " : "";
  const std::string line = "roofline net.json " + gpu + options + " --format ";
  Outputs outputs{OrderedJson::parse(run(folder, line + "json").out), {}, {}};
  for (const std::string& each : lines_of(run(folder, line + "ndjson").out))
    outputs.lines.push_back(OrderedJson::parse(each));
  outputs.csv = csv_of(run(folder, line + "csv").out);
  return outputs;
}

}  // namespace

TEST_CASE("A CSV column is the JSON path with _ for .", "[report/fields]") {
  std::set<std::string> columns;
  for (const auto& field : roofline::layer_columns()) {
    INFO(field.path);
    std::string path(field.path);
    for (char& c : path)
      if (c == '.') c = '_';
    CHECK(roofline::column_of(field.path) == path);
    CHECK(columns.insert(path).second);  // no two paths fall together
  }
}

TEST_CASE("NDJSON has the head of the row and the keys of a JSON layer", "[report/fields]") {
  const std::vector<std::string> head{"schema_version", "source", "network", "gpu",
                                      "framework",      "batch"};
  for (const std::string options : {"", "--pass training", "--assume fuse=epilogue"}) {
    const Outputs outputs = outputs_of(options);
    const OrderedJson& result = outputs.report.at("results").at(0);
    REQUIRE(outputs.lines.size() == result.at("layers").size());
    for (std::size_t i = 0; i < outputs.lines.size(); ++i) {
      OrderedJson line = outputs.lines[i];
      std::vector<std::string> keys;
      for (const auto& [key, value] : line.items()) keys.push_back(key);
      REQUIRE(keys.size() > head.size());
      CHECK(std::vector<std::string>(keys.begin(), keys.begin() + 6) == head);
      CHECK(line.at("schema_version") == outputs.report.at("schema_version"));
      for (const char* key : {"source", "network", "gpu", "framework", "batch", "runs_as"})
        CHECK(line.at(key) == result.at(key));
      for (const std::string& key : head) line.erase(key);
      line.erase("runs_as");
      OrderedJson layer = result.at("layers").at(i);
      layer.at("time_share") = nullptr;  // a line has no whole
      layer.at("layer") = standing_alone(layer.at("layer"));
      CHECK(line == layer);
    }
  }
}

TEST_CASE("CSV has the values of NDJSON and JSON", "[report/fields]") {
  const Outputs outputs = outputs_of("--batch 2");
  REQUIRE(outputs.csv.rows.size() == outputs.lines.size());
  for (std::size_t i = 0; i < outputs.lines.size(); ++i) {
    const std::vector<std::string>& cells = outputs.csv.rows[i];
    REQUIRE(cells.size() == outputs.csv.columns.size());
    OrderedJson line = outputs.lines[i];
    line.at("time_share") = outputs.report.at("results").at(0).at("layers").at(i).at("time_share");
    std::vector<std::pair<std::string, OrderedJson>> flat;
    flatten(line, "", flat);
    // A group that is unknown as a whole (no kernel, nothing measured) is null in JSON.
    for (const auto& [path, value] : flat) {
      INFO(path);
      const auto column = std::ranges::find(outputs.csv.columns, path);
      if (column == outputs.csv.columns.end()) {
        CHECK(value.is_null());
        continue;
      }
      CHECK(cells[static_cast<std::size_t>(column - outputs.csv.columns.begin())] ==
            cell_of(value));
    }
  }
  // Every column is a path of the first layer, which has a kernel and a measured time.
  std::vector<std::pair<std::string, OrderedJson>> flat;
  flatten(outputs.lines.front(), "", flat);
  for (const std::string& column : outputs.csv.columns) {
    INFO(column);
    const bool is_path =
        std::ranges::any_of(flat, [&](const auto& each) { return each.first == column; });
    const bool is_of_no_time = column.starts_with("measured_");  // measured at another batch
    const bool is_of_layer =
        column.starts_with("layer_") && roofline::is_layer_key(column.substr(6));
    CHECK((is_path || is_of_no_time || is_of_layer || column == "error"));
  }
}

namespace {

/// A row's expected time less the sum of its parts, as a share; 0 where no kernel runs.
double beyond_parts(const OrderedJson& row) {
  const OrderedJson& kernel = row.at("kernel");
  if (kernel.is_null()) return 0;
  double sum_s = 0;
  double limiter_s = 0;
  for (const roofline::Limiter limiter : roofline::enumerators<roofline::Limiter>) {
    const std::string name(roofline::name_of(limiter));
    const double part_s = kernel.at(name + "_s").get<double>();
    sum_s += part_s;
    if (row.at("limiter") == name) limiter_s = part_s;
  }
  const double whole_s = row.at("expected_time_s").get<double>();
  CHECK(kernel.at("limiter_share").get<double>() == Approx(limiter_s / whole_s));
  return sum_s / whole_s - 1;
}

}  // namespace

TEST_CASE("An expected time is the sum of its parts in every row of every format",
          "[report/fields]") {
  for (const std::string options :
       {"", "--pass training", "--assume fuse=epilogue", "--assume cache=cold",
        "--set ceilings=sustained --gpu h200", "--assume launch=stream", "--assume launch=eager",
        "--framework pytorch", "--framework tensorrt", "--framework torch-compile",
        "--assume host-copies=pinned", "--set bandwidth=2TB/s", "--dtype fp16"}) {
    INFO(options);
    const Outputs outputs = outputs_of(options);
    const OrderedJson& layers_of_report = outputs.report.at("results").at(0).at("layers");
    REQUIRE(layers_of_report.size() == outputs.lines.size());
    double sum_s = 0;
    for (std::size_t i = 0; i < outputs.lines.size(); ++i) {
      CHECK(beyond_parts(layers_of_report.at(i)) == Approx(0).margin(1e-12));
      CHECK(beyond_parts(outputs.lines[i]) == Approx(0).margin(1e-12));
      sum_s += outputs.lines[i].at("expected_time_s").get<double>();
      double parts_s = 0;
      double whole_s = 0;
      for (std::size_t column = 0; column < outputs.csv.columns.size(); ++column) {
        const std::string& name = outputs.csv.columns[column];
        const std::string& cell = outputs.csv.rows[i][column];
        if (cell.empty()) continue;
        if (name == "expected_time_s") whole_s = std::stod(cell);
        for (const roofline::Limiter limiter : roofline::enumerators<roofline::Limiter>)
          if (name == "kernel_" + std::string(roofline::name_of(limiter)) + "_s")
            parts_s += std::stod(cell);
      }
      if (!outputs.lines[i].at("kernel").is_null()) CHECK(parts_s == Approx(whole_s));
    }
    CHECK(outputs.report.at("results").at(0).at("total").at("expected_time_s") == Approx(sum_s));
  }
}
