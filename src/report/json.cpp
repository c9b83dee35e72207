#include "report/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/columns.hpp"

namespace roofline {
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema_version = 1;
constexpr auto replace_bad_utf8 = Json::error_handler_t::replace;

/// JSON has no NaN and no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

template <class T>
Json optional_number(const std::optional<T>& value) {
  return value ? number(static_cast<double>(*value)) : Json(nullptr);
}

template <class T>
Json optional_name(const std::optional<T>& value) {
  return value ? Json(name_of(*value)) : Json(nullptr);
}

Json sizes(const Shape& shape) {
  Json list{shape.batch, shape.channels};
  for (std::size_t i = 3U - shape.spatial_rank; i < 3; ++i) list.push_back(shape.spatial[i]);
  return list;
}

/// One operand is its shape, several are a list of shapes.
Json input_sizes(const Layer& layer) {
  if (layer.inputs.size() == 1) return sizes(layer.inputs.front().shape);
  Json list = Json::array();
  for (const Operand& operand : layer.inputs) list.push_back(sizes(operand.shape));
  return list;
}

Json bytes_json(const Bytes& bytes) {
  return {{"input", bytes.input},
          {"weight", bytes.weight},
          {"output", bytes.output},
          {"total", bytes.total}};
}

Json dtypes_json(const DataTypes& types) {
  return {{"input", name_of(types.input)},
          {"weight", name_of(types.weight)},
          {"output", name_of(types.output)}};
}

Json layer_json(const LayerResult& row) {
  const Layer& layer = row.layer;
  return {{"name", layer.name},
          {"type", info(layer.kind).name},
          {"dtype", name_of(layer.dtypes.input)},
          {"dtypes", dtypes_json(layer.dtypes)},
          {"pass", name_of(layer.pass)},
          {"engine", name_of(row.engine)},
          {"repeat", layer.repeat},
          {"input", input_sizes(layer)},
          {"output", sizes(layer.output)},
          {"macs", row.counts.macs},
          {"flops", row.counts.flops},
          {"params", row.counts.params},
          {"bytes", bytes_json(row.counts.bytes)},
          {"intensity_flop_per_byte", optional_number(row.point.intensity_flop_per_byte)},
          {"ridge_flop_per_byte", number(row.point.ridge_flop_per_byte)},
          {"bound", name_of(row.point.bound)},
          {"compute_time_s", number(row.point.compute_time_s)},
          {"memory_time_s", number(row.point.memory_time_s)},
          {"roofline_time_s", number(row.point.roofline_time_s)},
          {"attainable_flop_per_s", optional_number(row.point.attainable_flop_per_s)},
          {"time_share", number(row.time_share)},
          {"expected_time_s", nullptr},
          {"limiter", nullptr},
          {"kernel", nullptr},
          {"measured",
           {{"time_s", optional_number(layer.measured.warm_s)},
            {"cold_time_s", optional_number(layer.measured.cold_s)}}}};
}

Json rates_json(const EngineRates& rates) {
  Json json = Json::object();
  for (std::size_t i = 0; i < engine_count; ++i)
    if (rates[i]) json[std::string(engine_names[i])] = number(*rates[i]);
  return json;
}

Json ceilings_json(const Result& result) {
  const Ceilings& ceilings = result.ceilings;
  return {{"peak_flop_per_s", rates_json(ceilings.peak_flop_per_s)},
          {"bandwidth_byte_per_s", number(ceilings.bandwidth_byte_per_s)},
          {"engine", name_of(result.main_engine)},
          {"ridge_flop_per_byte", number(*rate_of(ceilings.peak_flop_per_s, result.main_engine) /
                                         ceilings.bandwidth_byte_per_s)},
          {"kind", name_of(ceilings.kind)}};
}

Json total_json(const Total& total) {
  return {{"macs", total.macs},
          {"flops", total.flops},
          {"params", total.params},
          {"bytes", bytes_json(total.bytes)},
          {"compute_time_s", number(total.compute_time_s)},
          {"memory_time_s", number(total.memory_time_s)},
          {"roofline_time_s", number(total.roofline_time_s)},
          {"expected_time_s", nullptr},
          {"measured_time_s", optional_number(total.measured_time_s)}};
}

Json result_json(const Result& result) {
  Json layers = Json::array();
  for (const LayerResult& row : result.layers) layers.push_back(layer_json(row));
  return {{"source", result.source},
          {"network", result.network},
          {"gpu", result.gpu},
          {"dtype", optional_name(result.dtype)},
          {"batch", result.batch ? Json(*result.batch) : Json(nullptr)},
          {"pass", optional_name(result.pass)},
          {"ceilings", ceilings_json(result)},
          {"layers", std::move(layers)},
          {"total", total_json(result.total)}};
}

Json conventions_json() {
  return {{"flop_per_mac", 2},
          {"bytes", "each operand read once, each result written once, at its own data type"},
          {"peaks", "dense; tensor peaks with fp32 accumulation"},
          {"units", "powers of ten, base units in every key"}};
}

}  // namespace

std::string render_json(const Report& report) {
  Json results = Json::array();
  for (const Result& result : report.results) results.push_back(result_json(result));
  Json errors = Json::array();
  for (const InputError& error : report.errors)
    errors.push_back(
        {{"source", error.source}, {"where", error.where}, {"message", error.message}});
  const Json root{{"schema_version", schema_version},
                  {"roofline_version", ROOFLINE_VERSION},
                  {"conventions", conventions_json()},
                  {"results", std::move(results)},
                  {"errors", std::move(errors)}};
  return root.dump(2, ' ', false, replace_bad_utf8) + '\n';
}

std::string render_ndjson(const Result& result) {
  std::string lines;
  for (const LayerResult& row : result.layers) {
    Json line{{"source", result.source},
              {"network", result.network},
              {"gpu", result.gpu},
              {"batch", row.layer.output.batch}};
    line.update(layer_json(row));
    lines += line.dump(-1, ' ', false, replace_bad_utf8) + '\n';
  }
  return lines;
}

}  // namespace roofline
