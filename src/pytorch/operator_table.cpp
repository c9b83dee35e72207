#include "pytorch/operator_table.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "load/recording.hpp"
#include "model/layer_kind.hpp"
#include "model/text.hpp"
#include "operators/table.hpp"

namespace roofline {
namespace {

using Read = Operations (*)(const OperatorCall& call);

Read reader_of(const OperatorRow& row, std::string_view arguments) {
  if (const Read mover = mover_of(row)) return mover;
  if (arguments == "tensors") return plain_operations;
  if (arguments == "result") return fill_operations;
  switch (row.kind) {
    case LayerKind::conv:
    case LayerKind::conv_transpose: return convolution_operations;
    case LayerKind::deform_conv: return deformable_operations;
    case LayerKind::max_pool:
    case LayerKind::avg_pool:
    case LayerKind::global_avg_pool: return pool_operations;
    case LayerKind::softmax: return attributed_operations;
    case LayerKind::linear:
    case LayerKind::matmul: return product_operations;
    case LayerKind::attention: return attention_operations;
    case LayerKind::lstm:
    case LayerKind::gru:
    case LayerKind::rnn: return recurrent_operations;
    case LayerKind::add:
    case LayerKind::sub:
    case LayerKind::mul:
    case LayerKind::div: return combination_operations;
    case LayerKind::other: return plain_operations;
    default:
      return info(row.kind).family == KindFamily::activation ? function_operations
                                                             : attributed_operations;
  }
}

/// A row for each group of "native_group_norm: input weight - - - - groups;group_norm: input".
std::vector<CallRow> rows_of_table() {
  std::vector<CallRow> rows;
  for (const std::span<const OperatorRow> family : operator_families())
    for (const OperatorRow& row : family)
      for (std::string_view rest = row.pytorch; !rest.empty();) {
        const std::string_view group = take(rest, ';');
        const std::size_t end = group.find(": ");
        const std::string_view arguments = group.substr(end + 2);
        rows.push_back({.names = group.substr(0, end),
                        .kind = row.kind,
                        .arguments = arguments,
                        .row = &row,
                        .operations = reader_of(row, arguments)});
      }
  return rows;
}

std::unordered_map<std::string_view, const CallRow*> rows_by_name() {
  static const std::vector<CallRow> of_table = rows_of_table();
  std::unordered_map<std::string_view, const CallRow*> rows;
  for (const CallRow& row : of_table)
    for (std::string_view names = row.names; !names.empty();) rows.emplace(take(names, ' '), &row);
  return rows;
}

Layers built(const Operations& operations) {
  Layers layers;
  for (const Operation& operation : operations)
    for (LayerSpec& layer : operation.row->build(operation)) layers.push_back(std::move(layer));
  return layers;
}

/// xnumel of a pointwise kernel of torch.compile, the call's last number.
std::optional<std::uint64_t> pointwise_elements(const OperatorCall& call) {
  if (!call.name.starts_with("triton_poi_")) return std::nullopt;
  for (auto last = call.arguments->rbegin(); last != call.arguments->rend(); ++last)
    if (const auto number = last->integer(); number && *number > 0)
      return static_cast<std::uint64_t>(*number);
  return std::nullopt;
}

/// torch.compile writes an operand in place if nothing else fits the results: all operands but one
/// are vectors, or two are added without a third.
Sizes written_in_place(const OperatorCall& call,
                       const std::vector<const TensorArgument*>& operands) {
  if (!call.name.starts_with("triton_poi_")) return {1};
  const TensorArgument* largest =
      *std::ranges::max_element(operands, [](const TensorArgument* a, const TensorArgument* b) {
        return element_count(a->sizes) < element_count(b->sizes);
      });
  constexpr std::uint64_t vector_share = 8;
  const std::uint64_t least = element_count(largest->sizes) / vector_share;
  const auto tensors = std::ranges::count_if(operands, [&](const TensorArgument* tensor) {
    return element_count(tensor->sizes) >= least;
  });
  const bool adds_two = mentions(call.name, {"_add_"}) && !mentions(call.name, {"_mul_", "_pow_"});
  return tensors <= (adds_two ? 2 : 1) ? largest->sizes : Sizes{1};
}

/// Optimizers' operators on lists of tensors: "_foreach_add", "_fused_adamw".
bool is_for_lists(std::string_view operator_name) {
  const std::string_view name = base_name(operator_name);
  return name.starts_with("_foreach_") || name.starts_with("_amp_foreach_") ||
         name.starts_with("_fused_adam") || name.starts_with("_fused_sgd") ||
         name.starts_with("_fused_adagrad");
}

/// A call without a row: reads each operand once, writes the stated result or its one large
/// operand. None for unknown types or shapes.
Operations operation_without_row(const OperatorCall& call) {
  const Arguments& a = *call.arguments;
  const bool for_lists = is_for_lists(call.name);
  // Joins of unknown lists read nothing else, and picks only a part of their tables.
  if (call.kind == LayerKind::concat || call.kind == LayerKind::gather ||
      (for_lists && (!argument_at(a, 0).is_list || a[0].tensors.empty())))
    return {};
  std::vector<TensorArgument> listed;
  for (const Argument& argument : a) {
    if (!argument.is_list) continue;
    for (TensorArgument tensor : argument.tensors) {
      if (for_lists) tensor.type = call.list_type;
      listed.push_back(std::move(tensor));
    }
  }
  // A pointwise kernel reads its elements of a table; a pool reads more than it writes.
  const auto elements = pointwise_elements(call);
  std::vector<TensorArgument> parts;
  parts.reserve(a.size());
  std::vector<const TensorArgument*> operands = tensors_in(a);
  for (const TensorArgument*& operand : operands)
    if (elements && element_count(operand->sizes) > *elements && !mentions(call.name, {"pool"}))
      operand = &parts.emplace_back(with_sizes(*operand, {*elements}));
  for (const TensorArgument& tensor : listed) operands.push_back(&tensor);
  const bool all_known = std::ranges::all_of(
      operands, [](const TensorArgument* tensor) { return tensor->type.has_value(); });
  if (!all_known) return {};
  const OperatorRow& traffic = *find_row("traffic");
  if (operands.empty()) return operation_on_value(call, traffic);
  const Sizes written = call.result ? *call.result : written_in_place(call, operands);
  Operation operation{.row = &traffic,
                      .results = {{.sizes = written, .type = operands.front()->type}},
                      .called = call.name};
  operation.attributes.computed_in = operands.front()->type;
  for (const TensorArgument* operand : operands) operation.operands.push_back(*operand);
  return {std::move(operation)};
}

/// "expected input, weight that fit, got fp32 3x4".
std::string misfit_of(const OperatorCall& call) {
  const auto has_unknown_type = [](const TensorArgument* tensor) { return !tensor->type; };
  const std::vector<const TensorArgument*> tensors = tensors_in(*call.arguments);
  std::string expected;
  for (std::string_view names = call.argument_names; !names.empty();)
    if (const std::string_view name = take(names, ' '); name != "-") add_item(expected, name);
  if (std::ranges::any_of(tensors, has_unknown_type))
    expected = "tensors of known types";
  else
    expected = expected.empty() ? "tensors of known sizes" : expected + " that fit";
  const std::string got = tensors_text(*call.arguments);
  return "expected " + expected + ", got " + (got.empty() ? "no tensor of known sizes" : got);
}

std::string counted(const std::map<std::string, std::size_t>& operators) {
  std::string text;
  for (const auto& [op, count] : operators)
    add_item(text, op + (count > 1 ? " (" + std::to_string(count) + " times)" : ""));
  return text;
}

}  // namespace

const CallRow* find_operator(std::string_view name) {
  static const auto rows = rows_by_name();
  const std::string key = (name.starts_with("aten::") ? "" : "::") + std::string(base_name(name));
  const auto found = rows.find(key);
  return found != rows.end() ? found->second : nullptr;
}

std::string tensors_text(const Arguments& arguments) {
  std::string text;
  for (const Argument& argument : arguments)
    for (const TensorArgument& tensor : argument.tensors) {
      if (tensor.sizes.empty()) continue;
      const ElementType* type = find_element_type(argument.type);
      const std::string_view name = type != nullptr ? type->name : tensor.type_name;
      add_item(text, std::string(name) + (name.empty() ? "" : " ") + sizes_text(tensor.sizes));
    }
  return text;
}

std::string_view argument_names(const CallRow& row, const Arguments& arguments) {
  constexpr std::string_view result = "result? ";
  std::string_view names = row.arguments;
  if (!names.starts_with(result)) return names;
  const TensorArgument* first = argument_at(arguments, 0).tensor();
  const TensorArgument* second = argument_at(arguments, 1).tensor();
  const bool is_given = first != nullptr && second != nullptr && first->sizes == second->sizes;
  if (!is_given) names.remove_prefix(result.size());
  return names;
}

CallLayers read_call(const OperatorCall& stated) {
  const CallRow* row = find_operator(stated.name);
  OperatorCall call = stated;
  CallLayers read;
  if (row != nullptr) {
    call.kind = row->kind;
    call.argument_names = argument_names(*row, *call.arguments);
    call.row = row->row;
    read.layers = built(row->operations(call));
    if (read.layers.empty()) read.misfit = misfit_of(call);
  }
  for (const LayerSpec& spec : read.layers)
    if (const auto failure = failure_of(spec); failure && read.misfit.empty())
      read.misfit = failure->message;
  if (row != nullptr && read.misfit.empty()) return read;
  read.by_operands = true;
  read.layers = built(operation_without_row(call));
  if (std::ranges::any_of(read.layers,
                          [](const LayerSpec& spec) { return failure_of(spec).has_value(); }))
    read.layers.clear();
  return read;
}

void UnruledCalls::add(const OperatorCall& call, const CallLayers& read) {
  const bool has_elements = !call.result || element_count(*call.result) > 0;
  const bool is_one_value = !read.layers.empty() && tensors_text(*call.arguments).empty();
  if (!read.by_operands || !has_elements || is_one_value) return;
  const CallRow* row = find_operator(call.name);
  if (row != nullptr && multiplies(row->kind)) add_product(call.name);
  const std::string name(base_name(call.name));
  if (row == nullptr && !read.layers.empty()) {
    ++without_row_[name];
    return;
  }
  Misfit& misfit = (read.layers.empty() ? left_out_ : by_bytes_)[std::string(call.name)];
  if (misfit.calls++ == 0)
    misfit.reason = row != nullptr ? read.misfit : "no rule, and " + misfit_of(call);
}

std::string UnruledCalls::text_of(const Misfits& misfits) {
  std::string text;
  for (const auto& [name, misfit] : misfits)
    add_item(text, counted({{name, misfit.calls}}) + ": " + misfit.reason, "; ");
  return text;
}

void UnruledCalls::add_notes(std::vector<std::string>& notes) const {
  if (has_products())
    notes.insert(
        notes.begin(),
        "no range is stated, as the products of these could not be sized: " + counted(products_));
  if (!without_row_.empty())
    notes.push_back("counted by their bytes alone, as there is no rule for them: " +
                    counted(without_row_));
  if (!by_bytes_.empty())
    notes.push_back("counted by their bytes alone, as their rules do not fit: " +
                    text_of(by_bytes_));
  if (!left_out_.empty()) notes.push_back("left out: " + text_of(left_out_));
}

bool says_little(std::string_view operator_name) {
  return is_for_lists(operator_name) ||
         mentions(operator_name, {"embedding_codegen_lookup", "SplitLookupFunction"});
}

TensorArgument with_sizes(const TensorArgument& tensor, Sizes sizes) {
  TensorArgument other = tensor;
  other.sizes = std::move(sizes);
  other.strides.clear();
  return other;
}

std::optional<TensorArgument> image_of(const TensorArgument* tensor, std::size_t axes) {
  if (tensor == nullptr || !tensor->type || axes == 0 || axes > most_operand_sizes - 2 ||
      element_count(tensor->sizes) == 0)
    return std::nullopt;
  TensorArgument image = *tensor;
  if (image.rank() == axes + 1) add_batch(image);
  return image.rank() == axes + 2 ? std::optional(std::move(image)) : std::nullopt;
}

std::optional<TensorArgument> image_of(const TensorArgument* tensor,
                                       std::string_view operator_name) {
  const std::size_t digit = operator_name.find_first_of("123");
  return image_of(tensor, digit == operator_name.npos
                              ? 0
                              : static_cast<std::size_t>(operator_name[digit] - '0'));
}

Sizes broadcast_sizes(const std::vector<const TensorArgument*>& tensors) {
  const auto place = [](const TensorArgument* tensor) { return &tensor->sizes; };
  return broadcast(each_of(tensors, place)).value_or(tensors.front()->sizes);
}

std::optional<DataType> promoted_type(const std::vector<const TensorArgument*>& tensors) {
  const auto weight = [](const TensorArgument& tensor) {
    const ElementType* type = find_element_type(tensor.type_name);
    const bool is_float = type != nullptr && type->elements == Elements::numbers;
    return std::tuple(is_float, tensor.rank() > 0, tensor.type ? info(*tensor.type).bits : 0);
  };
  return (*std::ranges::max_element(tensors, {}, [&](const auto* each) { return weight(*each); }))
      ->type;
}

DataType multiplied_type(const OperatorCall& call, DataType type) {
  return type == DataType::fp32 && call.is_tf32 ? DataType::tf32 : type;
}

void add_batch(TensorArgument& tensor) {
  if (tensor.strides.size() == tensor.rank())
    tensor.strides.insert(tensor.strides.begin(), element_count(tensor.sizes));
  tensor.sizes.insert(tensor.sizes.begin(), 1);
}

bool Argument::is_tensor() const {
  return !is_list && !tensors.empty() &&
         (!tensors.front().sizes.empty() || !tensors.front().type_name.empty());
}

const TensorArgument* Argument::tensor() const {
  return is_tensor() && !tensors.front().sizes.empty() ? &tensors.front() : nullptr;
}

const TensorArgument* Argument::typed_tensor() const {
  const TensorArgument* found = tensor();
  return found != nullptr && found->type ? found : nullptr;
}

const Argument& argument_at(const Arguments& arguments, std::size_t place) {
  static const Argument none;
  return place < arguments.size() ? arguments[place] : none;
}

std::vector<const TensorArgument*> tensors_in(const Arguments& arguments) {
  std::vector<const TensorArgument*> tensors;
  for (const Argument& argument : arguments)
    if (const TensorArgument* each = argument.tensor()) tensors.push_back(each);
  return tensors;
}

std::vector<std::int64_t> Argument::signed_integers() const {
  std::vector<std::int64_t> numbers;
  std::string_view text = value;
  while (true) {
    const std::size_t begin = text.find_first_of("-0123456789");
    if (begin == std::string_view::npos) return numbers;
    std::int64_t number = 0;
    const auto [end, error] =
        std::from_chars(text.data() + begin, text.data() + text.size(), number);
    if (error != std::errc()) return {};
    if (end != text.data() + text.size() && *end == '.') return {};
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

Sizes Argument::integers() const {
  Sizes sizes;
  for (const std::int64_t number : signed_integers()) {
    if (number < 0) return {};
    sizes.push_back(static_cast<std::uint64_t>(number));
  }
  return sizes;
}

std::optional<std::int64_t> Argument::integer() const {
  const std::vector<std::int64_t> numbers = signed_integers();
  return numbers.size() == 1 ? std::optional(numbers.front()) : std::nullopt;
}

std::optional<double> Argument::number() const {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  return end != value.c_str() ? std::optional(number) : std::nullopt;
}

std::vector<bool> Argument::flags() const {
  std::vector<bool> flags;
  for (const char letter : value)
    if (letter == 'T' || letter == 'F') flags.push_back(letter == 'T');
  return flags;
}

std::optional<bool> Argument::flag() const {
  const std::vector<bool> all = flags();
  return all.size() == 1 ? std::optional<bool>(all.front()) : std::nullopt;
}

const Caller* OperatorCall::caller(std::string_view wanted) const {
  for (const Caller& each : callers)
    if (each.name == wanted) return &each;
  return nullptr;
}

Pass OperatorCall::pass() const { return mentions(name, {"backward"}) ? Pass::dgrad : Pass::fwd; }

const Argument& OperatorCall::operator[](std::string_view argument) const {
  return argument_at(*arguments, argument_place(argument, argument_names));
}

std::size_t argument_place(std::string_view argument, std::string_view names) {
  for (std::size_t place = 0; !names.empty(); ++place)
    if (take(names, ' ') == argument) return place;
  return std::numeric_limits<std::size_t>::max();
}

std::string_view base_name(std::string_view operator_name) {
  const std::size_t space = operator_name.rfind("::");
  if (space != std::string_view::npos) operator_name.remove_prefix(space + 2);
  if (operator_name.size() > 1 && operator_name.ends_with('_')) operator_name.remove_suffix(1);
  return operator_name;
}

}  // namespace roofline
