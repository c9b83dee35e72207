#include "pytorch/operator_call.hpp"

#include <cstdlib>
#include <limits>

#include "model/text.hpp"

namespace roofline {
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
