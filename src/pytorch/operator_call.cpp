#include "pytorch/operator_call.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <utility>

#include "model/text.hpp"

namespace roofline {
namespace {

// The model has no types of its own for booleans and for integers of 32 and 64 bits as operands:
// those of the same size stand for them, since such tensors are moved rather than multiplied.
constexpr ElementType type_names[] = {
    {"float", "fp32", DataType::fp32},
    {"half", "fp16", DataType::fp16},
    {"bfloat16", "bf16", DataType::bf16},
    {"double", "fp64", DataType::fp64},
    {"float8_e4m3fn", "fp8", DataType::fp8},
    {"float8_e5m2", "fp8", DataType::fp8},
    {"float8_e4m3fnuz", "fp8", DataType::fp8},
    {"float8_e5m2fnuz", "fp8", DataType::fp8},
    {"signed char", "int8", DataType::int8},
    {"char", "int8", DataType::int8},
    {"qint8", "int8", DataType::int8},
    {"unsigned char", "uint8", DataType::int8},
    {"byte", "uint8", DataType::int8},
    {"quint8", "uint8", DataType::int8},
    {"bool", "bool", DataType::int8},
    {"int", "int32", DataType::fp32},
    {"qint32", "int32", DataType::fp32},
    {"long int", "int64", DataType::fp64},
    {"long", "int64", DataType::fp64},
    {"short int", "int16", std::nullopt},
    {"complex<float>", "complex64", std::nullopt},
    {"complex<double>", "complex128", std::nullopt},
};

}  // namespace

const ElementType* find_element_type(std::string_view name) {
  if (name.starts_with("c10::")) name.remove_prefix(5);
  const std::string lower = lower_case(name);
  for (const ElementType& each : type_names)
    if (each.name == lower) return &each;
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

std::optional<SequenceLengths> sequence_lengths(std::string_view annotation) {
  constexpr std::string_view begins[] = {"execute_", "step[", "prefill[", "decode["};
  if (std::ranges::none_of(begins,
                           [&](std::string_view begin) { return annotation.starts_with(begin); }))
    return std::nullopt;
  SequenceLengths lengths;
  std::uint64_t requests = 0;
  std::uint64_t squares = 0;  // of the requests' queries
  constexpr std::uint64_t most = 1'000'000'000'000'000;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
  const auto number_at = [&](std::size_t place) {
    std::uint64_t number = 0;
    std::from_chars(annotation.data() + place, annotation.data() + annotation.size(), number);
    return std::min(number, most);
  };
  // Words with a number behind them, "=" or nothing in between.
  for (std::size_t at = 0; (at = annotation.find_first_of(letters, at)) != annotation.npos;) {
    const std::size_t end = std::min(annotation.find_first_not_of(letters, at), annotation.size());
    const std::string_view word = annotation.substr(at, end - at);
    const std::uint64_t number = number_at(annotation.substr(end).starts_with('=') ? end + 1 : end);
    if (word == "sq" || word == "tok") lengths.queries += number;
    if (word == "sk") lengths.keys += number;
    if (word == "sqsk") lengths.pairs += number;
    if (word == "sqsq") squares += number;
    if (word == "bs") requests = number;
    at = end;
  }
  if (lengths.queries == 0)
    for (std::size_t at = 0; (at = annotation.find('(', at)) != annotation.npos;)
      lengths.queries += number_at(++at);
  if (lengths.queries == 0) lengths.queries = requests;  // each decodes a token
  // Requests without a cache yet: their tokens, and the squares of these, summed up.
  const std::size_t tokens = annotation.find('(');
  const std::size_t behind = std::min(annotation.find('_', tokens), annotation.find(')', tokens));
  if (tokens != annotation.npos && annotation.ends_with(")_generation_0(0)") &&
      annotation.substr(behind).starts_with('_'))
    lengths = {number_at(tokens + 1), number_at(tokens + 1), squares = number_at(behind + 1)};
  if (lengths.pairs == 0) lengths.keys = 0;
  if (squares > lengths.queries)
    lengths.pairs -= std::min(lengths.pairs, (squares - lengths.queries) / 2);
  for (std::uint64_t* sum : {&lengths.queries, &lengths.keys, &lengths.pairs})
    *sum = std::min(*sum, most);
  return lengths.queries > 0 ? std::optional(lengths) : std::nullopt;
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
