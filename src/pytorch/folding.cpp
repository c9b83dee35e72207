#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/layer_fields.hpp"
#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "pytorch/recording.hpp"

namespace roofline {
namespace {

/// Tells layers of one name apart by type if they differ in it, then by number.
void make_names_unique(std::vector<LayerSpec>& layers) {
  std::unordered_map<std::string, std::set<DataType>> types;
  for (const LayerSpec& layer : layers) types[*layer.name].insert(*layer.dtypes.input);
  for (LayerSpec& layer : layers)
    if (types[*layer.name].size() > 1)
      *layer.name += " " + std::string(name_of(*layer.dtypes.input));
  std::unordered_map<std::string, std::size_t> uses;
  for (LayerSpec& layer : layers)
    if (const std::size_t number = ++uses[*layer.name]; number > 1)
      *layer.name += " (" + std::to_string(number) + ")";
}

double size_of(const LayerSpec& spec) {
  double size = static_cast<double>(spec.output.empty() ? 0 : element_count(spec.output));
  if (spec.input) size += static_cast<double>(element_count(spec.input->sizes));
  for (const OperandSpec& operand : spec.inputs)
    size += static_cast<double>(element_count(operand.sizes));
  return size;
}

/// A layer without its sizes, and the first word of its name.
LayerSpec work_of(const LayerSpec& spec) {
  LayerSpec work = identity(spec);
  const auto blank = [](OperandSpec& operand) { operand.sizes.assign(operand.sizes.size(), 1); };
  if (work.input) blank(*work.input);
  for (OperandSpec& operand : work.inputs) blank(operand);
  work.output.clear();
  work.name = spec.name->substr(0, spec.name->find(' '));
  return work;
}

/// PyTorch's compiler fuses no more (torch._inductor.config.max_fusion_size).
constexpr std::size_t most_fused = 64;

/// Whether each result element depends only on operands' elements at its place.
bool is_elementwise(const LayerSpec& layer) {
  if (layer.kind == LayerKind::batch_norm)
    return !layer.batch_statistics && layer.pass == Pass::fwd;
  if (layer.kind == LayerKind::copy)  // no transposition
    return layer.name->substr(layer.name->rfind('.') + 1).starts_with("copy");
  return info(layer.kind).reach == Reach::place;
}

}  // namespace

// Joins rows of the same work in fewer steps, the smallest first, so that each runs once a step.
void FoldedLayers::join_changing(std::size_t steps) {
  std::map<LayerSpec, std::vector<std::size_t>> changing;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].runs > 0 && rows_[i].runs < steps) changing[work_of(rows_[i].spec)].push_back(i);
  for (auto& [work, rows] : changing) {
    std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
      return size_of(rows_[a].spec) < size_of(rows_[b].spec);
    });
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      Row joined;
      for (; end < rows.size() && joined.runs < steps; ++end) {
        joined.time_s += std::exchange(rows_[rows[end]].time_s, 0);
        joined.runs += std::exchange(rows_[rows[end]].runs, 0);
        joined.transforms_s += rows_[rows[end]].transforms_s;
      }
      joined.spec = rows_[rows[begin + (end - begin) / 2]].spec;
      if (end - begin > 1) *joined.spec.name += " and other sizes";
      const auto first = *std::min_element(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                           rows.begin() + static_cast<std::ptrdiff_t>(end));
      rows_[first] = std::move(joined);
    }
  }
}

void FoldedLayers::move_rare(std::size_t steps, UnmodelledList& unmodelled) {
  for (Row& row : rows_) {
    if (row.runs == 0 || 2 * row.runs > steps) continue;
    const std::string reason =
        "runs in " + std::to_string(row.runs) + " of " + std::to_string(steps) + " steps";
    unmodelled.add(*row.spec.name, "", reason, std::exchange(row.time_s, 0),
                   std::exchange(row.runs, 0));
  }
}

std::size_t FoldedLayers::row_of(LayerSpec spec) {
  LayerSpec key = identity(spec);
  key.name = spec.name;
  const auto [entry, inserted] = by_key_.try_emplace(std::move(key), rows_.size());
  if (inserted) rows_.push_back({std::move(spec), 0, 0});
  return entry->second;
}

void FoldedLayers::add(std::size_t row, double time_s, std::string_view kernel,
                       double transforms_s) {
  rows_[row].time_s += time_s;
  rows_[row].transforms_s += transforms_s;
  if (rows_[row].runs++ > 0 || info(rows_[row].spec.kind).family != KindFamily::contraction) return;
  rows_[row].spec.measured.change(
      [&](Measured& measured) { measured.kernel = short_kernel_name(kernel); });
}

double FoldedLayers::time_s() const {
  double sum_s = 0;
  for (const Row& row : rows_) sum_s += row.time_s;
  return sum_s;
}

std::vector<LayerSpec> FoldedLayers::layers(std::size_t steps, std::vector<std::string>& row_names,
                                            std::vector<LayerTransforms>& transforms) && {
  std::vector<LayerSpec> layers;
  const auto step_count = static_cast<double>(steps);
  for (Row& row : rows_) {
    if (row.runs == 0) continue;
    // Layers that do not run in every step count by their share.
    const double copies = std::max(1.0, std::round(static_cast<double>(row.runs) / step_count));
    if (const Pass pass = *row.spec.pass; pass != Pass::fwd)
      *row.spec.name += " " + std::string(name_of(pass));
    row.spec.repeat = static_cast<std::uint64_t>(copies);
    // Profilers of whole microseconds record 0 for the shortest kernels.
    if (row.time_s > 0)
      row.spec.measured.change(
          [&](Measured& measured) { measured.warm_s = row.time_s / step_count / copies; });
    layers.push_back(std::move(row.spec));
  }
  make_names_unique(layers);
  auto layer = layers.begin();
  for (const Row& row : rows_) {
    row_names.push_back(row.runs > 0 ? *layer++->name : "");
    if (row.runs > 0 && row.transforms_s > 0)
      transforms.push_back({row_names.back(), row.transforms_s / row.time_s});
  }
  return layers;
}

void ChainList::add(std::size_t row, const LayerSpec& layer, const Arguments& arguments) {
  const std::vector<const TensorArgument*> tensors = tensors_in(arguments);
  const bool elementwise = is_elementwise(layer);
  // A list of tensors has many kernels already.
  const bool has_lists =
      std::ranges::any_of(arguments, [](const Argument& argument) { return argument.is_list; });
  if (tensors.empty() || has_lists || (!elementwise && layer.kind != LayerKind::reduce))
    return end();
  const bool goes_on =
      !open_.empty() && std::ranges::any_of(tensors, [&](const TensorArgument* tensor) {
        return tensor->sizes == written_;
      });
  if (!goes_on || open_.size() == most_fused) end();
  if (!elementwise) {
    if (goes_on) open_.push_back(row);
    return end();
  }
  open_.push_back(row);
  written_ =
      layer.kind == LayerKind::batch_norm ? tensors.front()->sizes : broadcast_sizes(tensors);
}

void ChainList::end() {
  if (open_.size() > 1) ++runs_[open_];
  open_.clear();
}

std::vector<ElementwiseChain> ChainList::items(const std::vector<std::string>& names,
                                               std::size_t steps) {
  end();
  std::vector<ElementwiseChain> chains;
  for (const auto& [rows, runs] : runs_) {
    ElementwiseChain& chain = chains.emplace_back();
    for (const std::size_t row : rows) chain.layers.push_back(names[row]);
    chain.runs = static_cast<double>(runs) / static_cast<double>(steps);
  }
  return chains;
}

}  // namespace roofline
