#include "load/trace/folding.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/layer_fields.hpp"

namespace roofline {
namespace {

/// Different layers may have one name still: their types tell most of them apart, numbers the rest.
void make_names_unique(std::vector<LayerSpec>& layers) {
  std::unordered_map<std::string, std::size_t> uses;
  for (const LayerSpec& layer : layers) ++uses[*layer.name];
  for (LayerSpec& layer : layers)
    if (uses[*layer.name] > 1) *layer.name += " " + std::string(name_of(*layer.dtypes.input));
  uses.clear();
  for (LayerSpec& layer : layers)
    if (const std::size_t number = ++uses[*layer.name]; number > 1)
      *layer.name += " (" + std::to_string(number) + ")";
}

}  // namespace

std::size_t FoldedLayers::row_of(LayerSpec spec) {
  const auto [entry, inserted] = by_key_.try_emplace(identity(spec) + *spec.name, rows_.size());
  if (inserted) rows_.push_back({std::move(spec), 0, 0});
  return entry->second;
}

void FoldedLayers::add(std::size_t row, double time_s) {
  rows_[row].time_s += time_s;
  ++rows_[row].runs;
}

std::vector<std::size_t> FoldedLayers::places() const {
  std::vector<std::size_t> places;
  std::size_t place = 0;
  for (const Row& row : rows_) {
    places.push_back(place);
    if (row.runs > 0) ++place;
  }
  return places;
}

double FoldedLayers::time_s() const {
  double sum_s = 0;
  for (const Row& row : rows_) sum_s += row.time_s;
  return sum_s;
}

std::vector<LayerSpec> FoldedLayers::layers(std::size_t steps) && {
  std::vector<LayerSpec> layers;
  const auto step_count = static_cast<double>(steps);
  for (Row& row : rows_) {
    if (row.runs == 0) continue;
    // What does not run in every step counts with its share of one.
    const double copies = std::max(1.0, std::round(static_cast<double>(row.runs) / step_count));
    if (const Pass pass = *row.spec.pass; pass != Pass::fwd)
      *row.spec.name += " " + std::string(name_of(pass));
    row.spec.repeat = static_cast<std::uint64_t>(copies);
    row.spec.measured.warm_s = row.time_s / step_count / copies;
    layers.push_back(std::move(row.spec));
  }
  make_names_unique(layers);
  return layers;
}

}  // namespace roofline
