#include "pytorch/operator_arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

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

/// Nested lists of numbers: "[[32,3,],[],[[4,],[5,],],],".
struct NestedList {
  std::vector<NestedList> items;
  std::uint64_t number = 0;
  bool is_list = false;
};

class NestedListParser {
 public:
  explicit NestedListParser(std::string_view text) : text_(text) {}

  NestedList parse() {
    NestedList item;
    if (!text_.starts_with('[')) {
      const std::size_t end = std::min(text_.find_first_of(",]"), text_.size());
      std::from_chars(text_.data(), text_.data() + end, item.number);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      return item;
    }
    item.is_list = true;
    text_.remove_prefix(1);
    while (!text_.empty() && text_.front() != ']') item.items.push_back(parse());
    text_.remove_prefix(std::min<std::size_t>(2, text_.size()));  // "],"
    return item;
  }

 private:
  std::string_view text_;
};

std::vector<NestedList> parse_lists(std::string_view text) {
  return text.empty() ? std::vector<NestedList>{} : NestedListParser(text).parse().items;
}

/// "[c10::Half<end><end>Scalar<end>],".
std::vector<std::string> parse_texts(std::string_view text) {
  std::vector<std::string> texts;
  if (text.starts_with('[')) text.remove_prefix(1);
  for (std::size_t end = text.find(string_end); end != std::string_view::npos;
       end = text.find(string_end)) {
    texts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return texts;
}

Sizes numbers_of(const NestedList& list) {
  Sizes numbers;
  for (const NestedList& item : list.items) numbers.push_back(item.number);
  return numbers;
}

bool holds_lists(const NestedList& list) {
  return std::any_of(list.items.begin(), list.items.end(),
                     [](const NestedList& item) { return item.is_list; });
}

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

OperatorArguments::OperatorArguments(const ArgumentTexts& texts, const TextPool& pool) {
  const std::vector<NestedList> sizes = parse_lists(pool.at(texts.sizes));
  const std::vector<NestedList> strides = parse_lists(pool.at(texts.strides));
  const std::vector<std::string> types = parse_texts(pool.at(texts.types));
  const std::vector<std::string> values = parse_texts(pool.at(texts.values));
  arguments_.resize(std::max({sizes.size(), types.size(), values.size()}));
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    Argument& argument = arguments_[i];
    if (i < types.size()) argument.type = types[i];
    if (i < values.size()) argument.value = values[i];
    if (i >= sizes.size()) continue;
    argument.is_list = argument.type == "TensorList" || holds_lists(sizes[i]);
    const auto add = [&](const NestedList& own, const NestedList* own_strides) {
      argument.tensors.push_back(
          {numbers_of(own), own_strides ? numbers_of(*own_strides) : Sizes{}, std::nullopt, {}});
    };
    const NestedList* stride = i < strides.size() ? &strides[i] : nullptr;
    if (!argument.is_list) {
      add(sizes[i], stride);
      continue;
    }
    for (std::size_t j = 0; j < sizes[i].items.size(); ++j)
      add(sizes[i].items[j],
          stride != nullptr && j < stride->items.size() ? &stride->items[j] : nullptr);
  }
  for (Argument& argument : arguments_)
    if (const ElementType* type = find_element_type(argument.type))
      for (TensorArgument& tensor : argument.tensors) {
        tensor.type = type->type;
        tensor.type_name = type->name;
      }
}

bool OperatorArguments::has_shapes() const {
  return std::any_of(arguments_.begin(), arguments_.end(),
                     [](const Argument& argument) { return !argument.tensors.empty(); });
}

bool OperatorArguments::has_values() const {
  return std::any_of(arguments_.begin(), arguments_.end(),
                     [](const Argument& argument) { return !argument.value.empty(); });
}

bool OperatorArguments::is_tensor(std::size_t i) const {
  return i < arguments_.size() && !arguments_[i].is_list && !arguments_[i].tensors.empty() &&
         (!arguments_[i].tensors.front().sizes.empty() ||
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

const std::vector<TensorArgument>& OperatorArguments::tensors(std::size_t i) const {
  static const std::vector<TensorArgument> none;
  return is_tensor_list(i) ? arguments_[i].tensors : none;
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

}  // namespace roofline
