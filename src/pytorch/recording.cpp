#include "pytorch/recording.hpp"

#include <algorithm>
#include <charconv>

namespace roofline {
namespace {

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

TextId TextPool::id(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<TextId>(texts_.size());
  ids_.emplace(texts_.emplace_back(text), id);
  return id;
}

OperatorArguments read_arguments(const ArgumentTexts& texts, const TextPool& pool) {
  const std::vector<NestedList> sizes = parse_lists(pool.at(texts.sizes));
  const std::vector<NestedList> strides = parse_lists(pool.at(texts.strides));
  const std::vector<std::string> types = parse_texts(pool.at(texts.types));
  const std::vector<std::string> values = parse_texts(pool.at(texts.values));
  std::vector<Argument> arguments(std::max({sizes.size(), types.size(), values.size()}));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Argument& argument = arguments[i];
    if (i < types.size()) argument.type = types[i];
    if (i < values.size()) argument.value = values[i];
    if (i >= sizes.size()) continue;
    const NestedList no_strides;
    const NestedList& stride = i < strides.size() ? strides[i] : no_strides;
    argument.is_list = argument.type == "TensorList" || holds_lists(sizes[i]);
    if (!argument.is_list) {
      argument.tensors.push_back({numbers_of(sizes[i]), numbers_of(stride), std::nullopt, {}});
      continue;
    }
    for (std::size_t j = 0; j < sizes[i].items.size(); ++j)
      argument.tensors.push_back({numbers_of(sizes[i].items[j]),
                                  j < stride.items.size() ? numbers_of(stride.items[j]) : Sizes{},
                                  std::nullopt,
                                  {}});
  }
  return OperatorArguments(std::move(arguments));
}

}  // namespace roofline
