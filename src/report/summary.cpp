#include "report/summary.hpp"

#include <fmt/format.h>

#include "report/text.hpp"

namespace roofline {
namespace {

std::string byte_text(std::uint64_t bytes) { return si(static_cast<double>(bytes), "B"); }

std::string bound_text(double compute_share) {
  if (compute_share >= 0.995) return "compute";
  if (compute_share <= 0.005) return "memory";
  return compute_share >= 0.5 ? fmt::format("compute {:.0f}%", 100 * compute_share)
                              : fmt::format("memory {:.0f}%", 100 * (1 - compute_share));
}

}  // namespace

Grid type_grid(const Result& result) {
  Grid grid;
  grid.columns = {{"type", true}, {"layers"},   {"MACs"},     {"FLOP"},
                  {"bytes"},      {"roofline"}, {"expected"}, {"share"}};
  for (const TypeRow& type : by_type(result))
    grid.rows.push_back({std::string(info(type.kind).name), fmt::format("{}", type.layers),
                         si(static_cast<double>(type.total.macs), ""),
                         si(static_cast<double>(type.total.flops), ""),
                         byte_text(type.total.bytes.total), duration(type.total.roofline_time_s),
                         type.total.expected_time_s ? duration(*type.total.expected_time_s) : "",
                         percent(type.time_share)});
  return grid;
}

Grid accuracy_grid(const Result& result) {
  Grid grid;
  grid.columns = {{"accuracy", true}, {"dtype", true}, {"pass", true}, {"layers"},
                  {"bias"},           {"gerr"},        {"median"},     {"within 25%"},
                  {"roofline"},       {"worst", true}};
  for (const Accuracy& cell : result.accuracy)
    grid.rows.push_back(
        {std::string(name_of(cell.layer_class)), std::string(name_of(cell.dtype)),
         std::string(name_of(cell.pass)), fmt::format("{}", cell.layers),
         fmt::format("x{:.2f}", cell.expected.bias), fmt::format("x{:.2f}", cell.expected.gerr),
         percent(cell.expected.median_error), fmt::format("{:.0f}%", 100 * cell.expected.within_25),
         fmt::format("x{:.2f}", cell.roofline.gerr),
         fmt::format("{} x{:.2f}", shortened(cell.worst.front().name, 22),
                     cell.worst.front().ratio)});
  return grid;
}

Grid comparison_grid(const std::vector<ComparisonRow>& rows) {
  Grid grid;
  grid.columns = {{"comparison", true}, {"GPU", true},     {"time"},  {"speed-up"},
                  {"bound", true},      {"energy at TDP"}, {"", true}};
  std::string last;
  for (const ComparisonRow& row : rows) {
    const std::string name = row.name == last ? "" : row.name;
    last = row.name;
    grid.rows.push_back({name, row.gpu, duration(row.time_s), fmt::format("x{:.2f}", row.speedup),
                         bound_text(row.compute_bound_share),
                         row.energy_at_tdp_j ? si(*row.energy_at_tdp_j, "J") : "",
                         row.fewest_joules ? "best per watt" : ""});
  }
  return grid;
}

Grid sweep_grid(const Sweep& sweep) {
  Grid grid;
  grid.columns = {{"batch"}, {"host copies"}, {"conv"},  {"linear"},
                  {"pool"},  {"other"},       {"total"}, {"an image"}};
  for (const SweepRow& row : sweep.rows)
    grid.rows.push_back(
        {fmt::format("{}", row.batch), row.copies_s > 0 ? duration(row.copies_s) : "",
         duration(row.conv_s), duration(row.linear_s), duration(row.pool_s), duration(row.other_s),
         duration(row.total_s), duration(row.total_s / static_cast<double>(row.batch))});
  return grid;
}

std::string sweep_sentence(const Sweep& sweep) {
  if (!sweep.linear_from)
    return "time does not yet grow linearly with the batch at the last of these\n";
  return fmt::format("from batch {} on, time grows linearly with the batch\n", *sweep.linear_from);
}

std::string memory_sentence(const Result& result) {
  if (!result.memory) return "";
  const bool training = result.pass == "training";
  const Memory& memory = *result.memory;
  const std::uint64_t needed = needed_memory_byte(result);
  std::string text =
      training ? fmt::format("memory: weights and their gradients {}, kept activations {}",
                             byte_text(2 * memory.training_weight_byte),
                             byte_text(memory.saved_activation_byte))
               : fmt::format("memory: weights {}, activations {} at most (in {})",
                             byte_text(memory.weight_byte), byte_text(memory.peak_activation_byte),
                             shortened(printable(memory.peak_layer), 30));
  if (result.gpu_memory_byte && needed > *result.gpu_memory_byte)
    text += fmt::format("\nDOES NOT FIT: {} needed, the GPU has {}", byte_text(needed),
                        byte_text(*result.gpu_memory_byte));
  return text + '\n';
}

}  // namespace roofline
