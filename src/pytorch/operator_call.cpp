#include "pytorch/operator_call.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace roofline {
namespace {

// The model has no types of its own for booleans and for integers of 32 and 64 bits as operands:
// those of the same size stand for them, since such tensors are moved rather than multiplied.
constexpr ElementType type_names[] = {
    {"float", "fp32", DataType::fp32},
    {"c10::Half", "fp16", DataType::fp16},
    {"c10::BFloat16", "bf16", DataType::bf16},
    {"double", "fp64", DataType::fp64},
    {"c10::Float8_e4m3fn", "fp8", DataType::fp8},
    {"c10::Float8_e5m2", "fp8", DataType::fp8},
    {"c10::Float8_e4m3fnuz", "fp8", DataType::fp8},
    {"c10::Float8_e5m2fnuz", "fp8", DataType::fp8},
    {"signed char", "int8", DataType::int8},
    {"unsigned char", "uint8", DataType::int8},
    {"c10::qint8", "int8", DataType::int8},
    {"c10::quint8", "uint8", DataType::int8},
    {"bool", "bool", DataType::int8},
    {"int", "int32", DataType::fp32},
    {"c10::qint32", "int32", DataType::fp32},
    {"long int", "int64", DataType::fp64},
    {"long", "int64", DataType::fp64},
    {"short int", "int16", std::nullopt},
    {"c10::complex<float>", "complex64", std::nullopt},
    {"c10::complex<double>", "complex128", std::nullopt},
    {"Float", "fp32", DataType::fp32},
    {"Half", "fp16", DataType::fp16},
    {"BFloat16", "bf16", DataType::bf16},
    {"Double", "fp64", DataType::fp64},
    {"Float8_e4m3fn", "fp8", DataType::fp8},
    {"Float8_e5m2", "fp8", DataType::fp8},
    {"Char", "int8", DataType::int8},
    {"Byte", "uint8", DataType::int8},
    {"Bool", "bool", DataType::int8},
    {"Int", "int32", DataType::fp32},
    {"Long", "int64", DataType::fp64},
};

}  // namespace

const ElementType* find_element_type(std::string_view name) {
  for (const ElementType& each : type_names)
    if (each.name == name) return &each;
  return nullptr;
}

Sizes TensorArgument::stored_sizes() const {
  Sizes stored = sizes;
  for (std::size_t i = 0; i < stored.size() && strides.size() == stored.size(); ++i)
    if (strides[i] == 0) stored[i] = std::min<std::uint64_t>(stored[i], 1);
  return stored;
}

std::optional<Layout> TensorArgument::layout() const {
  if (sizes.size() < 3 || strides.size() != sizes.size() || sizes[1] < 2) return std::nullopt;
  const bool nhwc = strides[1] == 1;
  const bool nchw = strides.back() == 1;
  if (nhwc == nchw) return std::nullopt;
  return nhwc ? Layout::nhwc : Layout::nchw;
}

bool TensorArgument::is_transposed() const {
  const std::size_t rank = sizes.size();
  return rank >= 2 && strides.size() == rank && strides[rank - 1] != 1 && strides[rank - 2] == 1;
}

OperatorArguments::OperatorArguments(std::vector<Argument> arguments)
    : arguments_(std::move(arguments)) {
  for (Argument& argument : arguments_)
    if (const ElementType* type = find_element_type(argument.type))
      for (TensorArgument& tensor : argument.tensors) {
        tensor.type = type->type;
        tensor.type_name = type->name;
      }
}

bool OperatorArguments::is_tensor(std::size_t i) const {
  return i < arguments_.size() && !arguments_[i].is_list && !arguments_[i].tensors.empty() &&
         (!arguments_[i].tensors.front().sizes.empty() ||
          arguments_[i].tensors.front().type.has_value() ||
          find_element_type(arguments_[i].type) != nullptr);
}

const TensorArgument* OperatorArguments::tensor(std::size_t i) const {
  if (!is_tensor(i)) return nullptr;
  const TensorArgument& tensor = arguments_[i].tensors.front();
  return tensor.sizes.empty() ? nullptr : &tensor;
}

bool OperatorArguments::is_tensor_list(std::size_t i) const {
  return i < arguments_.size() && arguments_[i].is_list;
}

const std::vector<TensorArgument>& OperatorArguments::list(std::size_t i) const {
  static const std::vector<TensorArgument> none;
  return is_tensor_list(i) ? arguments_[i].tensors : none;
}

std::vector<const TensorArgument*> OperatorArguments::tensors() const {
  std::vector<const TensorArgument*> tensors;
  for (std::size_t i = 0; i < count(); ++i)
    if (const TensorArgument* each = tensor(i)) tensors.push_back(each);
  return tensors;
}

bool OperatorArguments::has_lists() const {
  return std::any_of(arguments_.begin(), arguments_.end(),
                     [](const Argument& argument) { return argument.is_list; });
}

bool OperatorArguments::lacks_list_shapes() const {
  return std::any_of(arguments_.begin(), arguments_.end(), [](const Argument& argument) {
    return argument.is_list && argument.tensors.empty();
  });
}

std::string_view OperatorArguments::value(std::size_t i) const {
  return i < arguments_.size() ? std::string_view(arguments_[i].value) : std::string_view();
}

std::vector<std::int64_t> OperatorArguments::signed_integers(std::size_t i) const {
  std::vector<std::int64_t> numbers;
  std::string_view text = value(i);
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

Sizes OperatorArguments::integers(std::size_t i) const {
  Sizes sizes;
  for (const std::int64_t number : signed_integers(i)) {
    if (number < 0) return {};
    sizes.push_back(static_cast<std::uint64_t>(number));
  }
  return sizes;
}

std::optional<std::int64_t> OperatorArguments::integer(std::size_t i) const {
  const std::vector<std::int64_t> numbers = signed_integers(i);
  return numbers.size() == 1 ? std::optional(numbers.front()) : std::nullopt;
}

std::optional<double> OperatorArguments::number(std::size_t i) const {
  const std::string text(value(i));
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return end != text.c_str() ? std::optional(number) : std::nullopt;
}

std::vector<bool> OperatorArguments::flags(std::size_t i) const {
  std::vector<bool> flags;
  const std::string_view text = value(i);
  for (std::size_t at = text.find_first_of("TF"); at != std::string_view::npos;
       at = text.find_first_of("TF", at + 1))
    flags.push_back(text[at] == 'T');
  return flags;
}

std::optional<bool> OperatorArguments::flag(std::size_t i) const {
  const std::vector<bool> all = flags(i);
  return all.size() == 1 ? std::optional<bool>(all.front()) : std::nullopt;
}

std::string OperatorArguments::tensors_text() const {
  std::string text;
  for (const Argument& argument : arguments_)
    for (const TensorArgument& tensor : argument.tensors) {
      if (tensor.sizes.empty()) continue;
      const ElementType* type = find_element_type(argument.type);
      text += (text.empty() ? "" : ", ") + (type ? std::string(type->shown) + ' ' : "") +
              sizes_text(tensor.sizes);
    }
  return text;
}

const Caller* OperatorCall::caller(std::string_view wanted) const {
  for (const Caller& each : callers)
    if (each.name == wanted) return &each;
  return nullptr;
}

std::string_view base_name(std::string_view operator_name) {
  const std::size_t space = operator_name.rfind("::");
  if (space != std::string_view::npos) operator_name.remove_prefix(space + 2);
  if (operator_name.size() > 1 && operator_name.ends_with('_')) operator_name.remove_suffix(1);
  return operator_name;
}

}  // namespace roofline
