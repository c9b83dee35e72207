// Convolutions that a library runs far more slowly than it could, and what mends them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/engine_facts.hpp"
#include "model/layer_kind.hpp"
#include "model/ranges.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "results/steps.hpp"

namespace roofline {
namespace {

bool is_far_beyond(double measured_s, double time_s) {
  constexpr double slow = 1.5;
  constexpr double slow_s = 20e-6;
  return measured_s > slow * time_s && measured_s > time_s + slow_s;
}

/// Another type changes results, so that it mends a slow convolution but makes none slow.
constexpr std::string_view other_type = "half_precision";

bool mends(const Advice& change) {
  constexpr auto mending =
      std::to_array<std::string_view>({"time_algorithms", "channels_last", "whole_channels",
                                       "one_group", "patches_as_matrix", other_type});
  return contains(mending, change.action);
}

bool is_channels_first(const LayerResult& row) { return layout_of(row.layer) == Layout::nchw; }

std::vector<std::string> traps_of(const LayerResult& row,
                                  const std::optional<double>& transforms_share) {
  const Layer& layer = row.layer;
  const std::uint64_t in = layer.inputs.front().shape.channels;
  const std::uint64_t out = layer.output.channels;
  const std::uint64_t whole = facts_of(row.planned_engine).channel_alignment;
  std::vector<std::string> traps;
  if (layer.groups == 1 && (in % whole != 0 || out % whole != 0))
    traps.push_back(concat(in, " to ", out, " channels, not both multiples of ", whole));
  if (transforms_share)
    traps.push_back((is_channels_first(row) ? "layout transforms around it: "
                     : in == 1              ? "transforms around it: "  // of an unknown layout
                                            : "padding and casts around it: ") +
                    number_text(100 * *transforms_share, 2) + '%');
  if (is_depthwise(layer) && multiplies_matrices(row.measured->kernel))
    traps.emplace_back("depthwise, by a general kernel");
  if (is_channels_first(row) && layer.window->rank == 3)
    traps.emplace_back("3-D with channels first");
  return traps;
}

/// Without changes if it is not slow.
SlowConvolution judged(std::size_t index, const Result& result, const Context& context) {
  const LayerResult& row = result.layers[index];
  const double measured_s = *row.measured_time_s;
  const auto& transforms = result.measured.recording->transforms;
  const auto own = std::ranges::find(transforms, row.layer.name, &LayerTransforms::layer);
  SlowConvolution slow;
  slow.row = index;
  slow.family = kernel_family(row.measured->kernel);
  if (own != transforms.end()) slow.transforms_share = own->share;
  const double transforms_s = measured_s * slow.transforms_share.value_or(0);
  for (Advice& change : changes_of(row, result, context)) {
    if (!mends(change)) continue;
    if (change.action == "channels_last" && transforms_s > 0) {
      change.time_s = measured_s - transforms_s;
      change.at_most = true;
    }
    if (change.action == "time_algorithms" && is_channels_first(row))  // all of them transform
      change.time_s = std::max(*change.time_s, transforms_s);
    change.saved_s = measured_s - *change.time_s;
    if (is_far_beyond(measured_s, *change.time_s)) slow.changes.push_back(std::move(change));
  }
  const auto makes_slow = [](const Advice& change) { return change.action != other_type; };
  if (std::ranges::none_of(slow.changes, makes_slow)) slow.changes.clear();
  std::ranges::stable_sort(slow.changes, std::greater(), &Advice::saved_s);
  slow.traps = traps_of(row, slow.transforms_share);
  return slow;
}

}  // namespace

std::vector<SlowConvolution> slow_convolutions(const Result& result, const Context& context) {
  std::vector<SlowConvolution> all;
  const TraceSummary* recording = result.measured.recording.get();
  if (recording == nullptr || recording->times_hold_launches) return all;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const LayerResult& row = result.layers[i];
    if (!is_convolution(row.layer.kind) || !row.measured_time_s || !row.kernel) continue;
    if (!all.empty() && is_same_work(result.layers[all.back().row], row)) {
      ++all.back().layers;
      continue;
    }
    all.push_back(judged(i, result, context));
  }
  std::erase_if(all, [](const SlowConvolution& each) { return each.changes.empty(); });
  for (SlowConvolution& each : all)
    for (Advice& change : each.changes) change.saved_s *= static_cast<double>(each.layers);
  std::ranges::stable_sort(all, std::greater(), [](const SlowConvolution& each) {
    return each.changes.front().saved_s;
  });
  return all;
}

}  // namespace roofline
