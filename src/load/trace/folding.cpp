#include "load/trace/folding.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace roofline {
namespace {

/// All that makes a layer of a trace what it is, as one text.
class FoldKey {
 public:
  explicit FoldKey(const LayerSpec& spec) {
    add(static_cast<std::uint64_t>(spec.kind));
    add(static_cast<std::uint64_t>(spec.pass.value_or(Pass::fwd)));
    for (const std::optional<DataType>& type :
         {spec.dtypes.input, spec.dtypes.weight, spec.dtypes.output})
      add(type ? static_cast<std::uint64_t>(*type) + 1 : 0);
    if (spec.input) add(spec.input->sizes);
    for (const OperandSpec& operand : spec.inputs) add(operand.sizes);
    for (const AxesSpec* axes :
         {&spec.kernel_size, &spec.stride, &spec.padding, &spec.dilation, &spec.output_padding})
      add(axes->numbers);
    for (const std::optional<std::uint64_t>& number :
         {spec.out_channels, spec.out_features, spec.groups})
      add(number.value_or(0));
    add(spec.bias.value_or(false) ? 1 : 0);
    add(spec.ceil_mode.value_or(false) ? 1 : 0);
    add(spec.normalized_shape);
    add(spec.output);
    text_ += *spec.name;
  }

  const std::string& text() const { return text_; }

 private:
  void add(std::uint64_t number) { text_ += std::to_string(number) + ','; }
  void add(const std::vector<std::uint64_t>& numbers) {
    for (const std::uint64_t number : numbers) add(number);
    text_ += ';';
  }

  std::string text_;
};

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
  const FoldKey key(spec);
  const auto [entry, inserted] = by_key_.try_emplace(key.text(), rows_.size());
  if (inserted) rows_.push_back({std::move(spec), 0, 0});
  return entry->second;
}

void FoldedLayers::add(std::size_t row, double time_s) {
  rows_[row].time_s += time_s;
  ++rows_[row].runs;
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
