#include "pytorch/embedding_rules.hpp"

#include <algorithm>
#include <cmath>

#include "pytorch/layer_parts.hpp"

namespace roofline {
namespace {

// Where FBGEMM's function has its arguments: (a tensor that takes the gradient, weights on the
// device, weights on the host, cache, placements, offsets of weights, offsets of columns, columns
// in all, most columns, offsets of rows, bits, indices, offsets of bags, pooling, weights of
// indices, ..., an optimizer's state, ...).
constexpr std::size_t device_weights_at = 1;
constexpr std::size_t host_weights_at = 2;
constexpr std::size_t column_offsets_at = 6;
constexpr std::size_t columns_at = 7;
constexpr std::size_t indices_at = 11;
constexpr std::size_t bag_offsets_at = 12;
constexpr std::size_t first_state_at = 17;

std::uint64_t elements_of(const TensorArgument* tensor) {
  return tensor != nullptr ? element_count(tensor->sizes) : 0;
}

/// Columns of a table, the mean of all: of the look-up, or where only tensors are recorded, of the
/// rows, of which an optimizer with one value a row tells the number.
std::optional<double> mean_columns(const OperatorCall& call, const OperatorArguments& a,
                                   std::uint64_t weights) {
  const std::uint64_t tables =
      std::max<std::uint64_t>(1, elements_of(a.tensor(column_offsets_at))) - 1;
  if (const auto columns = a.integer(columns_at); columns && *columns > 0 && tables > 0)
    return static_cast<double>(*columns) / static_cast<double>(tables);
  if (call.name.find("rowwise") == std::string_view::npos) return std::nullopt;
  for (std::size_t i = first_state_at; i < a.count(); ++i) {
    const TensorArgument* state = a.tensor(i);
    if (state == nullptr || state->type != DataType::fp32 || elements_of(state) == 0) continue;
    return static_cast<double>(weights) / static_cast<double>(elements_of(state));
  }
  return std::nullopt;
}

/// The nearest whole number; 0 for what no memory holds.
std::uint64_t whole(double count) {
  constexpr double most = 1e18;
  return count < most ? static_cast<std::uint64_t>(std::llround(count)) : 0;
}

struct LookUp {
  TensorArgument rows;  ///< that are read
  const TensorArgument* indices = nullptr;
  const TensorArgument* bag_offsets = nullptr;
  double columns = 0;
  std::string shape_text;
};

std::optional<LookUp> look_up_of(const OperatorCall& call, const OperatorArguments& a) {
  const TensorArgument* weights = a.tensor(device_weights_at);
  if (elements_of(weights) == 0) weights = a.tensor(host_weights_at);
  const TensorArgument* indices = a.tensor(indices_at);
  const TensorArgument* offsets = a.tensor(bag_offsets_at);
  const std::uint64_t held = elements_of(weights);
  const auto columns = mean_columns(call, a, held);
  if (held == 0 || !weights->type || elements_of(indices) == 0 || elements_of(offsets) < 2 ||
      !columns)
    return std::nullopt;
  LookUp found;
  found.columns = *columns;
  found.indices = indices;
  found.bag_offsets = offsets;
  found.rows.type = weights->type;
  const std::uint64_t asked = whole(static_cast<double>(elements_of(indices)) * *columns);
  found.rows.sizes = {std::min(asked, held)};
  found.shape_text = std::to_string(elements_of(indices)) + "x" + std::to_string(whole(*columns));
  return found;
}

}  // namespace

bool is_lookup(std::string_view name) {
  return name.find("split_embedding_codegen_lookup") != std::string_view::npos;
}

bool is_lookup_backward(std::string_view name) {
  return name.find("CppNode<SplitLookupFunction") != std::string_view::npos;
}

std::optional<std::uint64_t> bags_of_lookup(const OperatorArguments& arguments) {
  const std::uint64_t offsets = elements_of(arguments.tensor(bag_offsets_at));
  return offsets > 1 ? std::optional(offsets - 1) : std::nullopt;
}

std::vector<LayerSpec> lookup(const OperatorCall& call) {
  const auto own = look_up_of(call, *call.arguments);
  if (!own) return {};
  // Results are fp32, whatever the weights are.
  constexpr double result_byte = 4;
  const std::uint64_t size = info(*own->rows.type).bits / 8;
  const double results = static_cast<double>(elements_of(own->bag_offsets) - 1) * own->columns;
  const std::uint64_t written = whole(results * result_byte / static_cast<double>(size));
  auto layers = traffic_layer(call, {{&own->rows, own->indices, own->bag_offsets}, {written}},
                              *own->rows.type);
  for (LayerSpec& layer : layers) layer.name = "split_embedding_lookup " + own->shape_text;
  return layers;
}

std::vector<LayerSpec> lookup_backward(const OperatorCall& call) {
  const TensorArgument* gradient = call.arguments->tensor(0);
  if (gradient == nullptr || call.forward == nullptr) return {};
  const auto own = look_up_of(call, *call.forward);
  if (!own) return {};
  auto layers =
      traffic_layer(call, {{&own->rows, gradient, own->indices, own->bag_offsets}, own->rows.sizes},
                    *own->rows.type);
  for (LayerSpec& layer : layers) layer.name = "split_embedding_lookup_backward " + own->shape_text;
  return layers;
}

}  // namespace roofline
