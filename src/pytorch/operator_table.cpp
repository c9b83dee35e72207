#include "pytorch/operator_table.hpp"

#include <algorithm>
#include <unordered_map>

#include "load/kernel_names.hpp"

namespace roofline {
namespace {

/// The rows by each of their names.
std::unordered_map<std::string_view, const OperatorRow*> rows_by_name() {
  std::unordered_map<std::string_view, const OperatorRow*> rows;
  for (const auto family : {convolution_operators(), product_operators(), function_operators(),
                            norm_operators(), pool_operators(), movement_operators()})
    for (const OperatorRow& row : family)
      for (std::string_view names = row.names; !names.empty();) {
        const std::size_t end = std::min(names.find(' '), names.size());
        rows.emplace(names.substr(0, end), &row);
        names.remove_prefix(std::min(end + 1, names.size()));
      }
  return rows;
}

/// A pointwise kernel of torch.compile whose operands are one tensor and vectors writes that tensor
/// in place: nothing else could take its results.
Sizes written_in_place(const OperatorCall& call,
                       const std::vector<const TensorArgument*>& operands) {
  if (!call.name.starts_with("triton_poi_")) return {1};
  std::uint64_t largest = 0;
  std::uint64_t next = 0;
  const TensorArgument* tensor = nullptr;
  for (const TensorArgument* each : operands) {
    const std::uint64_t elements = element_count(each->sizes);
    next = std::max(next, std::min(largest, elements));
    if (elements > largest) tensor = each;
    largest = std::max(largest, elements);
  }
  constexpr std::uint64_t vector_share = 8;
  return tensor != nullptr && next < largest / vector_share ? tensor->sizes : Sizes{1};
}

/// What optimizers call on whole lists of tensors: "_foreach_add", "_fused_adamw".
bool is_for_lists(std::string_view operator_name) {
  const std::string_view name = base_name(operator_name);
  return name.starts_with("_foreach_") || name.starts_with("_amp_foreach_") ||
         name.starts_with("_fused_adam") || name.starts_with("_fused_sgd") ||
         name.starts_with("_fused_adagrad");
}

/// Tensors without axes hold a value each.
Layers one_value(const OperatorCall& call) {
  if (std::none_of(call.arguments->begin(), call.arguments->end(),
                   [](const Argument& argument) { return argument.is_tensor(); }))
    return {};
  LayerSpec spec = layer_of_one_value(LayerKind::other, call);
  spec.inputs = {whole_operand({1})};
  spec.output = whole_operand({1}).sizes;
  return {spec};
}

/// A call without a row that fits, as a layer of kind `other` that reads each of its operands once.
/// What it writes is known where it is stated, or where one operand is large and therefore written
/// in place. None where a type or the shapes of a list are unknown.
Layers operand_traffic(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  const bool for_lists = is_for_lists(call.name);
  // Whoever joins a list reads nothing else.
  if (call.kind == LayerKind::concat || (for_lists && (!a[0].is_list || a[0].tensors.empty())))
    return {};
  std::vector<TensorArgument> listed;
  for (const Argument& argument : a) {
    if (!argument.is_list) continue;
    for (TensorArgument tensor : argument.tensors) {
      if (for_lists) tensor.type = call.list_type;
      listed.push_back(std::move(tensor));
    }
  }
  std::vector<const TensorArgument*> operands = a.tensors();
  for (const TensorArgument& tensor : listed) operands.push_back(&tensor);
  const bool all_known =
      std::all_of(operands.begin(), operands.end(),
                  [](const TensorArgument* tensor) { return tensor->type.has_value(); });
  if (!all_known) return {};
  if (operands.empty()) return one_value(call);
  const Sizes written = call.result ? *call.result : written_in_place(call, operands);
  Layers layers = traffic_layer(call, operands, written, *operands.front()->type);
  for (LayerSpec& layer : layers)
    layer.name = std::string(call.name) + " " + sizes_text(operands.front()->sizes);
  return layers;
}

}  // namespace

const OperatorRow* find_operator(std::string_view name) {
  static const auto rows = rows_by_name();
  const std::string key = (name.starts_with("aten::") ? "" : "::") + std::string(base_name(name));
  const auto found = rows.find(key);
  return found != rows.end() ? found->second : nullptr;
}

Layers read_call(const OperatorCall& stated, bool* by_operands) {
  const auto is_refused = [](const LayerSpec& spec) { return failure_of(spec).has_value(); };
  const OperatorRow* row = find_operator(stated.name);
  OperatorCall call = stated;
  Layers specs;
  if (row != nullptr) {
    call.kind = row->kind;
    call.argument_names = row->arguments;
    specs = row->read(call);
  }
  const bool fits = !specs.empty() && std::none_of(specs.begin(), specs.end(), is_refused);
  if (by_operands != nullptr) *by_operands = !fits;
  if (fits) return specs;
  specs = operand_traffic(call);
  return std::any_of(specs.begin(), specs.end(), is_refused) ? Layers{} : specs;
}

bool says_little(std::string_view operator_name) {
  return is_for_lists(operator_name) ||
         mentions(operator_name, {"embedding_codegen_lookup", "SplitLookupFunction"});
}

}  // namespace roofline
