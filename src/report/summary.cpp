#include "report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/layer_rows.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

std::string byte_text(std::uint64_t bytes) { return si(static_cast<double>(bytes), "B"); }

std::string_view cause_text(BelowBound reason) {
  switch (reason) {
    case BelowBound::fewer_macs: return "Winograd or FFT do fewer multiply-adds than are counted";
    case BelowBound::in_l2: return "the operands fit in L2, so device memory hardly moves";
    case BelowBound::ceilings_too_low:
      return "the part does more than these ceilings (clocks, engine or data type differ?)";
    case BelowBound::units: return "a slip of units (us, ms, s)?";
  }
  return "";
}

}  // namespace

void SumText::add(double seconds, std::string_view what) {
  if (parts++ > 0) text += seconds < 0 ? " - " : " + ";
  text += fmt::format("{} {}", duration(parts == 1 ? seconds : std::fabs(seconds)), what);
}

std::string bound_share_text(double compute_share) {
  if (compute_share >= 0.995) return "compute";
  if (compute_share <= 0.005) return "memory";
  return compute_share >= 0.5 ? fmt::format("compute {:.0f}%", 100 * compute_share)
                              : fmt::format("memory {:.0f}%", 100 * (1 - compute_share));
}

std::string limiter_legend(const std::set<std::string>& cells) {
  std::string text;
  for (const Limiter limiter : enumerators<Limiter>) {
    std::string name(name_of(limiter));
    std::replace(name.begin(), name.end(), '_', ' ');
    if (cells.contains(name))
      text += fmt::format("{} {}: {}", text.empty() ? "" : ",", name, meaning_of(limiter));
  }
  if (text.empty()) return "";
  return broken("limiter: the largest part of the expected time;" + text + ".\n", sentence_width);
}

Grid type_grid(const Result& result, const Selection& selection) {
  Grid grid;
  grid.columns = {{"type", true}, {"layers"},   {"MACs"},     {"FLOP"},
                  {"bytes"},      {"roofline"}, {"expected"}, {"share"}};
  for (const std::size_t i : selection.types) {
    const TypeRow& type = result.types[i];
    grid.add_row({std::string(info(type.kind).name), fmt::format("{}", type.rows),
                  si(static_cast<double>(type.total.macs), ""),
                  si(static_cast<double>(type.total.flops), ""), byte_text(type.total.bytes.total),
                  duration(type.total.roofline_time_s),
                  type.total.expected_time_s ? duration(*type.total.expected_time_s) : "",
                  percent(type.time_share)});
  }
  const Total& total = result.total;
  grid.add_row({"total", fmt::format("{}", result.layers.size()),
                si(static_cast<double>(total.macs), ""), si(static_cast<double>(total.flops), ""),
                byte_text(total.bytes.total), duration(total.roofline_time_s),
                total.expected_time_s ? duration(*total.expected_time_s) : "", percent(1)});
  grid.has_total = true;
  return grid;
}

Grid accuracy_grid(const Result& result, std::optional<std::size_t> width) {
  Grid grid;
  grid.columns = {{"accuracy", true}, {"dtype", true}, {"pass", true}, {"layers"},
                  {"bias"},           {"gerr"},        {"median"},     {"within 25%"},
                  {"roofline"},       {"worst", true}};
  for (const Accuracy& cell : result.measured.accuracy)
    grid.add_row({std::string(name_of(cell.layer_class)), std::string(name_of(cell.dtype)),
                  std::string(name_of(cell.pass)), fmt::format("{}", cell.layers),
                  factor(cell.expected.bias), factor(cell.expected.geometric_error),
                  percent(cell.expected.median_error),
                  fmt::format("{:.0f}%", 100 * cell.expected.within_25),
                  ratio_text(cell.roofline.geometric_error),
                  fmt::format("{} {}", shortened(printable(cell.worst.front().name), 22),
                              factor(cell.worst.front().ratio))});
  constexpr std::array<std::string_view, 3> droppable{"median", "within 25%", "worst"};
  drop_columns(grid, width, droppable);
  return grid;
}

std::string gpu_changes_sentence(const Result& result) {
  std::string text;
  for (const GpuChange& change : result.setting.gpu_changes) {
    const auto number = [&](double value) {
      if (change.unit == "MiB") return plain(value) + " MiB";
      return change.unit.empty() ? fmt::format("{:.0f}", value) : si(value, change.unit);
    };
    text += fmt::format("{}{} ", text.empty() ? "what if: " : ", ", change.field);
    text += change.unit == "x"
                ? factor(change.to)
                : (change.from ? number(*change.from) + " " : "") + "-> " + number(change.to);
  }
  return text.empty() ? text : broken(text + '\n', sentence_width);
}

std::string other_engine_sentence(const Result& result) {
  constexpr double much = 2;
  const auto& other = result.other_engine;
  if (!other || other->own_expected_s < much * other->expected_s) return "";
  return fmt::format("{} for {} layers is {}'s default: in {} they take {} (--engine auto)\n",
                     name_of(other->engine), name_of(other->own),
                     name_of(*result.setting.framework), name_of(other->own),
                     factor(other->own_expected_s / other->expected_s));
}

std::string memory_sentence(const Result& result) {
  const auto needed = needed_memory_byte(result);
  if (!needed) return "";
  const Memory& memory = *result.memory;
  std::string text =
      result.setting.training
          ? fmt::format("memory: weights and their gradients {}, kept activations {}",
                        byte_text(2 * memory.training_weight_byte),
                        byte_text(memory.saved_activation_byte))
          : fmt::format("memory: weights {}, activations {} at most (in {})",
                        byte_text(memory.weight_byte), byte_text(memory.peak_activation_byte),
                        shortened(printable(memory.peak_layer), 30));
  if (result.setting.training && memory.optimizer_state_byte > 0)
    text += ", optimizer " + byte_text(memory.optimizer_state_byte);
  if (memory.workspace_byte > 0) text += ", workspace " + byte_text(memory.workspace_byte);
  if (!fits(result).value_or(true))
    text += fmt::format("\nDOES NOT FIT: {} needed, the GPU has {}", byte_text(*needed),
                        byte_text(*result.setting.gpu_memory_byte));
  return text + '\n';
}

std::string expected_sentence(const Result& result, std::optional<std::size_t> width) {
  const Total& total = result.total;
  if (!total.expected_time_s || !total.expected_uncertainty || result.measured.summary) return "";
  const Uncertainty& uncertainty = *total.expected_uncertainty;
  return broken(
             fmt::format("expected: {}{}, within {} (95%: {}), {}", carried_over_mark(uncertainty),
                         duration(*total.expected_time_s), factor(uncertainty.factor),
                         factor(uncertainty.factor_95), meaning_of(uncertainty.basis)),
             width.value_or(sentence_width)) +
         '\n';
}

std::string network_bounds_sentence(const Result& result, std::optional<std::size_t> width) {
  const auto& bounds = result.bounds.network;
  if (!bounds || !bounds->cached_bound_s) return "";
  std::string text = fmt::format(
      "roofline: each layer from device memory. Bounds of the network: {} if what fits stays in "
      "cache ({}), {} if all layers are fused, {} for arithmetic alone.",
      duration(*bounds->cached_bound_s), byte_text(*result.bounds.cache_byte),
      duration(*bounds->fused_bound_s), duration(bounds->compute_bound_s));
  if (bounds->expected_below == BelowBound::fewer_macs)
    text += " Expected is less: Winograd or FFT need fewer MACs.";
  if (bounds->expected_below == BelowBound::in_l2)
    text +=
        " Expected is less: it finds each layer's weights in cache, where all do not fit; see "
        "--cache cold.";
  return broken(text, std::min(width.value_or(sentence_width), sentence_width)) + '\n';
}

std::string below_bound_sentences(const Result& result) {
  std::string text;
  for (const BelowBound reason : {BelowBound::fewer_macs, BelowBound::in_l2,
                                  BelowBound::ceilings_too_low, BelowBound::units}) {
    std::size_t count = 0;
    const LayerResult* fastest = nullptr;
    const auto ratio = [](const LayerResult& row) {
      return *row.measured_time_s / row.point.roofline_time_s;
    };
    for (const LayerResult& row : result.layers) {
      if (row.below_bound != reason) continue;
      ++count;
      if (fastest == nullptr || ratio(row) < ratio(*fastest)) fastest = &row;
    }
    if (fastest != nullptr)
      text += fmt::format("measured below the bound: {} (most: {}, x{} of it): {}\n", count,
                          shortened(printable(fastest->layer.name), 30), plain(ratio(*fastest)),
                          cause_text(reason));
  }
  return text;
}

std::string not_compared_sentence(const Result& result) {
  if (result.measured.not_compared == 0) return "";
  return fmt::format(
      "measured times left out: {}, of another batch, pass or GPU than here, or with caches in "
      "another state\n",
      result.measured.not_compared);
}

}  // namespace roofline
