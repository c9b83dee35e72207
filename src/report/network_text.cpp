// A network in words: its memory, its bounds, and all of it on one screen.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "report/rows.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace roofline {

std::string memory_sentence(const Result& result) {
  const auto needed = needed_memory_byte(result);
  if (!needed) return "";
  const Memory& memory = *result.memory;
  std::string text =
      result.setting.training
          ? fmt::format("memory: weights and their gradients {}, kept activations {}",
                        si(2 * memory.training_weight_byte, "B"),
                        si(memory.saved_activation_byte, "B"))
          : fmt::format("memory: weights {}, activations {} at most (in {})",
                        si(memory.weight_byte, "B"), si(memory.peak_activation_byte, "B"),
                        shortened(printable(memory.peak_layer), 30));
  if (result.setting.training && memory.optimizer_state_byte > 0)
    text += ", optimizer " + si(memory.optimizer_state_byte, "B");
  if (memory.workspace_byte > 0) text += ", workspace " + si(memory.workspace_byte, "B");
  if (!fits(result).value_or(true))
    text += fmt::format("\nDOES NOT FIT: {} needed, the GPU has {}", si(*needed, "B"),
                        si(*result.setting.gpu_memory_byte, "B"));
  return text + '\n';
}

std::string network_bounds_sentence(const Result& result, std::optional<std::size_t> width) {
  const auto& bounds = result.bounds.network;
  if (!bounds || !bounds->cached_bound_s) return "";
  std::string text = fmt::format(
      "roofline: each layer from device memory. Bounds of the network: {} if what fits stays in "
      "cache ({}), {} if all layers are fused, {} for arithmetic alone.",
      duration(*bounds->cached_bound_s), si(*result.bounds.cache_byte, "B"),
      duration(*bounds->fused_bound_s), duration(bounds->compute_bound_s));
  if (bounds->expected_below == BelowBound::fewer_macs)
    text += " Expected is less: Winograd or FFT need fewer MACs.";
  if (bounds->expected_below == BelowBound::in_l2)
    text +=
        " Expected is less: it finds each layer's weights in cache, where all do not fit; see "
        "--cache cold.";
  return broken(text, std::min(width.value_or(sentence_width), sentence_width)) + '\n';
}

namespace {

/// Parts of the time that are less are one.
constexpr double least_share = 0.01;
/// It is one screen in a file, too.
constexpr std::size_t widest_name = 40;
constexpr std::size_t screen_width = 80;

/// "3.196 ms expected, 2503 images/s; 20.56 TFLOP/s, 16.4% of the peak"
std::string time_sentence(const Result& result) {
  const double time_s = result.total.time_s;
  std::string text = duration(time_s) + " expected";
  if (result.total.measured_time_s)
    text += ", " + duration(*result.total.measured_time_s) + " measured";
  if (time_s <= 0) return text + '\n';
  if (result.setting.batch && !result.measured.recording)
    text +=
        fmt::format(", {} images/s", plain(static_cast<double>(*result.setting.batch) / time_s));
  const double flop_per_s = static_cast<double>(result.total.flops) / time_s;
  const double peak = *rate_of(result.bounds.ceilings.peak_flop_per_s, result.bounds.main_engine);
  return text + fmt::format("; {}, {} of the peak\n", si(flop_per_s, "FLOP/s"),
                            percent(flop_per_s / peak));
}

/// "of 100 such times, 68 are within x1.16 of it, 95 within x1.42: calibrated on this GPU"
std::string uncertainty_sentence(const Result& result) {
  const auto& uncertainty = result.total.expected_uncertainty;
  if (!uncertainty) return "";
  return fmt::format("of 100 such times, 68 are within {} of it, 95 within {}: {}\n",
                     factor(uncertainty->factor), factor(uncertainty->factor_95),
                     meaning_of(uncertainty->basis));
}

/// "its time: dram 41.2% (device memory), ..."
std::string limiters_sentence(const NetworkExplanation& explanation) {
  std::vector<std::pair<double, std::string>> parts;
  double rest = explanation.other_share;
  for (const Limiter limiter : enumerators<Limiter>) {
    const double share = explanation.limiter_share[limiter];
    if (share < least_share) {
      rest += share;
      continue;
    }
    parts.emplace_back(share, fmt::format("{} {} ({})", words(name_of(limiter)), percent(share),
                                          meaning_of(limiter)));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (rest >= least_share / 10) parts.emplace_back(rest, "the rest " + percent(rest));
  std::string text;
  for (const auto& [share, part] : parts) text += (text.empty() ? "its time: " : ", ") + part;
  return text.empty() ? text : broken(text + '\n', sentence_width);
}

Grid main_layers_grid(const NetworkExplanation& explanation, const Result& result,
                      std::optional<std::size_t> width) {
  Grid grid;
  const bool measured = result.total.measured_time_s.has_value();
  grid.columns = {{"layers that matter", true},         {"FLOP"},  {"bytes"},
                  {measured ? "measured" : "expected"}, {"share"}, {"limiter", true}};
  double rest_s = measured ? *result.total.measured_time_s : result.total.time_s;
  const double whole_s = rest_s;
  std::size_t rest = result.layers.size();
  for (const MainLayer& each : explanation.layers) {
    const TableRow row{result, each.rows};
    double flop = 0;
    double byte = 0;
    for (const std::size_t i : each.rows) {
      flop += static_cast<double>(result.layers[i].counts.flops);
      byte += static_cast<double>(result.layers[i].counts.bytes.total);
    }
    const auto& kernel = row.first().kernel;
    grid.add_row({shortened(label_of(row), widest_name) + suffix_of(row), si(flop, ""),
                  si(byte, "B"), duration(each.time_s), percent(each.share),
                  kernel ? words(name_of(kernel->limiter)) : ""});
    rest_s -= each.time_s;
    rest -= each.rows.size();
  }
  if (rest > 0)
    grid.add_row({fmt::format("{} others", rest), "", "", duration(std::max(0.0, rest_s)),
                  percent(share_of(std::max(0.0, rest_s), whole_s)), ""});
  drop_columns(grid, width.value_or(screen_width),
               std::array<std::string_view, 2>{"bytes", "FLOP"});
  return grid;
}

Grid network_changes_grid(const NetworkExplanation& explanation) {
  Grid grid{{{"what would help", true}, {"expected"}, {"speed-up"}}};
  for (const Advice& each : explanation.changes)
    grid.add_row({each.text, duration(*each.time_s), ratio_text(each.speedup)});
  return grid;
}

/// "SMs", "L2"
std::string thing_text(const std::string& what) {
  return what == "sms" ? "SMs" : what == "l2" ? "L2" : what;
}

/// "-3.7%"; of what is nothing to one digit, "0.0%".
std::string signed_percent(double share) {
  constexpr double least = 0.0005;
  if (std::fabs(share) < least) return percent(0);
  return (share > 0 ? "+" : "") + percent(share);
}

Grid sensitivity_grid(const NetworkExplanation& explanation) {
  Grid grid{{{"10% more", true}}};
  std::vector<std::string> saved{"time"};
  for (const Sensitivity& each : explanation.sensitivity) {
    grid.columns.push_back({thing_text(each.what)});
    saved.push_back(signed_percent(-each.saved_share));
  }
  grid.add_row(saved);
  return grid;
}

}  // namespace

std::string network_explanation_text(const NetworkExplanation& explanation, const Result& result,
                                     const TableStyle& style) {
  std::string text =
      broken(verdict_sentences(result) + memory_sentence(result) + '\n' + time_sentence(result) +
                 uncertainty_sentence(result) + limiters_sentence(explanation) +
                 network_bounds_sentence(result, style.own.width),
             sentence_width);
  text += '\n' + style.render(main_layers_grid(explanation, result, style.own.width));
  if (!explanation.changes.empty())
    text += '\n' + style.render(network_changes_grid(explanation)) +
            "For as much work, as the model times it.\n";
  if (!explanation.sensitivity.empty())
    text += '\n' + style.render(sensitivity_grid(explanation)) +
            "Peaks follow SMs and clock. launch, what starts kernels, is 10% less.\n";
  return text;
}

}  // namespace roofline
