#include "report/json.hpp"

#include "report/columns.hpp"
#include "report/json_values.hpp"

namespace roofline {
namespace {

constexpr int schema_version = 1;

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

Json kernel_json(const KernelPlan& kernel) {
  return {{"algorithm", name_of(kernel.algorithm)},
          {"tile", kernel.tile[0] == 0 ? Json(nullptr) : Json(kernel.tile)},
          {"split_k", kernel.split_k},
          {"threads", kernel.threads},
          {"stages", kernel.stages},
          {"registers", kernel.registers},
          {"shared_memory_byte", kernel.shared_memory_byte},
          {"kernels", kernel.kernels},
          {"blocks", kernel.blocks},
          {"resident_blocks_per_sm", kernel.resident_blocks_per_sm},
          {"waves", number(kernel.waves)},
          {"occupancy", number(kernel.occupancy)},
          {"tile_utilization", number(kernel.tile_utilization)},
          {"wave_utilization", number(kernel.wave_utilization)},
          {"l2_byte", number(kernel.l2_byte)},
          {"dram_read_byte", number(kernel.dram_read_byte)},
          {"dram_write_byte", number(kernel.dram_write_byte)},
          {"math_s", number(kernel.math_s)},
          {"l2_s", number(kernel.l2_s)},
          {"dram_s", number(kernel.dram_s)},
          {"latency_s", number(kernel.latency_s)},
          {"launch_s", number(kernel.launch_s)},
          {"limiter_share", number(kernel.limiter_share)}};
}

Json layer_json(const LayerResult& row) {
  const Layer& layer = row.layer;
  return {{"name", layer.name},
          {"type", info(layer.kind).name},
          {"dtype", name_of(layer.dtypes.input)},
          {"dtypes", dtypes_json(layer.dtypes)},
          {"pass", name_of(layer.pass)},
          {"engine", runs_on_engine(layer) ? Json(name_of(row.engine)) : Json(nullptr)},
          {"fused_into", layer.fused_into.empty() ? Json(nullptr) : Json(layer.fused_into)},
          {"repeat", layer.repeat},
          {"input", input_sizes(layer)},
          {"output", sizes(layer.output)},
          {"macs", row.counts.macs},
          {"flops", row.counts.flops},
          {"params", row.counts.params},
          {"buffers", row.counts.buffers},
          {"bytes", bytes_json(row.counts.bytes)},
          {"intensity_flop_per_byte", optional_number(row.point.intensity_flop_per_byte)},
          {"ridge_flop_per_byte", number(row.point.ridge_flop_per_byte)},
          {"bound", name_of(row.point.bound)},
          {"compute_time_s", number(row.point.compute_time_s)},
          {"memory_time_s", number(row.point.memory_time_s)},
          {"roofline_time_s", number(row.point.roofline_time_s)},
          {"attainable_flop_per_s", optional_number(row.point.attainable_flop_per_s)},
          {"time_share", number(row.time_share)},
          {"expected_time_s", optional_number(row.expected_time_s)},
          {"limiter", row.kernel ? Json(name_of(row.kernel->limiter)) : Json(nullptr)},
          {"kernel", row.kernel ? kernel_json(*row.kernel) : Json(nullptr)},
          {"measured",
           {{"time_s", optional_number(layer.measured.warm_s)},
            {"cold_time_s", optional_number(layer.measured.cold_s)}}}};
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
          {"buffers", total.buffers},
          {"bytes", bytes_json(total.bytes)},
          {"compute_time_s", number(total.compute_time_s)},
          {"memory_time_s", number(total.memory_time_s)},
          {"roofline_time_s", number(total.roofline_time_s)},
          {"expected_time_s", optional_number(total.expected_time_s)},
          {"measured_time_s", optional_number(total.measured_time_s)}};
}

Json memory_json(const Result& result) {
  if (!result.memory) return nullptr;
  const Memory& memory = *result.memory;
  return {{"weight_byte", memory.weight_byte},
          {"peak_activation_byte", memory.peak_activation_byte},
          {"peak_layer", memory.peak_layer},
          {"training_weight_byte", memory.training_weight_byte},
          {"saved_activation_byte", memory.saved_activation_byte},
          {"needed_byte", needed_memory_byte(result)},
          {"gpu_byte", optional_number(result.gpu_memory_byte)}};
}

Json types_json(const Result& result) {
  Json list = Json::array();
  for (const TypeRow& type : by_type(result))
    list.push_back({{"type", info(type.kind).name},
                    {"layers", type.layers},
                    {"macs", type.total.macs},
                    {"flops", type.total.flops},
                    {"params", type.total.params},
                    {"bytes", bytes_json(type.total.bytes)},
                    {"roofline_time_s", number(type.total.roofline_time_s)},
                    {"expected_time_s", optional_number(type.total.expected_time_s)},
                    {"time_share", number(type.time_share)}});
  return list;
}

Json error_json(const ModelError& error) {
  return {{"bias", number(error.bias)},
          {"gerr", number(error.gerr)},
          {"median_error", number(error.median_error)},
          {"within_25", number(error.within_25)}};
}

Json accuracy_json(const Result& result) {
  Json list = Json::array();
  for (const Accuracy& cell : result.accuracy) {
    Json worst = Json::array();
    for (const WorstLayer& layer : cell.worst)
      worst.push_back({{"name", layer.name}, {"ratio", number(layer.ratio)}});
    list.push_back({{"class", name_of(cell.layer_class)},
                    {"pass", name_of(cell.pass)},
                    {"dtype", name_of(cell.dtype)},
                    {"layers", cell.layers},
                    {"expected", error_json(cell.expected)},
                    {"roofline", error_json(cell.roofline)},
                    {"worst", std::move(worst)}});
  }
  return list;
}

Json comparison_json(const std::vector<ComparisonRow>& rows) {
  Json list = Json::array();
  for (const ComparisonRow& row : rows)
    list.push_back({{"name", row.name},
                    {"gpu", row.gpu},
                    {"time_s", number(row.time_s)},
                    {"speedup", number(row.speedup)},
                    {"compute_bound_share", number(row.compute_bound_share)},
                    {"energy_at_tdp_j", optional_number(row.energy_at_tdp_j)},
                    {"fewest_joules", row.fewest_joules}});
  return list;
}

Json sweep_json(const Sweep& sweep) {
  Json rows = Json::array();
  for (const SweepRow& row : sweep.rows)
    rows.push_back({{"batch", row.batch},
                    {"copies_s", number(row.copies_s)},
                    {"conv_s", number(row.conv_s)},
                    {"linear_s", number(row.linear_s)},
                    {"pool_s", number(row.pool_s)},
                    {"other_s", number(row.other_s)},
                    {"total_s", number(row.total_s)}});
  return {{"network", sweep.network},
          {"gpu", sweep.gpu},
          {"rows", std::move(rows)},
          {"linear_from_batch", optional_number(sweep.linear_from)}};
}

Json result_json(const Result& result) {
  Json layers = Json::array();
  for (const LayerResult& row : result.layers) layers.push_back(layer_json(row));
  return {{"source", result.source},
          {"network", result.network},
          {"gpu", result.gpu},
          {"dtype", optional_name(result.dtype)},
          {"batch", optional_number(result.batch)},
          {"pass", result.pass.empty() ? Json(nullptr) : Json(result.pass)},
          {"ceilings", ceilings_json(result)},
          {"layers", std::move(layers)},
          {"by_type", types_json(result)},
          {"memory", memory_json(result)},
          {"accuracy", accuracy_json(result)},
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
  Json sweeps = Json::array();
  for (const Sweep& sweep : report.sweeps) sweeps.push_back(sweep_json(sweep));
  const Json root{{"schema_version", schema_version},
                  {"roofline_version", ROOFLINE_VERSION},
                  {"conventions", conventions_json()},
                  {"results", std::move(results)},
                  {"comparison", comparison_json(report.comparison)},
                  {"sweeps", std::move(sweeps)},
                  {"errors", std::move(errors)}};
  return dump_document(root);
}

std::string render_ndjson(const Result& result) {
  std::string lines;
  for (const LayerResult& row : result.layers) {
    const Json head{{"source", result.source},
                    {"network", result.network},
                    {"gpu", result.gpu},
                    {"batch", row.layer.output.batch}};
    std::string line = dump_line(head);
    line.back() = ',';  // the layer's own keys go on where the head's object would end
    lines += line + dump_line(layer_json(row)).substr(1) + '\n';
  }
  return lines;
}

}  // namespace roofline
