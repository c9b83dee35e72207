#pragma once

// Loops with a name: lists made of lists, sums, and look-ups.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

namespace roofline {

/// What `make`, a function or a member, gives for each item.
template <class Items, class Make>
auto each_of(const Items& items, const Make& make) {
  std::vector<std::decay_t<decltype(std::invoke(make, *items.begin()))>> made;
  made.reserve(items.size());
  for (const auto& item : items) made.push_back(std::invoke(make, item));
  return made;
}

/// The sum of what `of` gives for each item, in order.
template <class Items, class Of>
auto sum_over(const Items& items, const Of& of) {
  std::decay_t<decltype(std::invoke(of, *items.begin()))> sum{};
  for (const auto& item : items) sum += std::invoke(of, item);
  return sum;
}

template <class Items, class Value>
bool contains(const Items& items, const Value& value) {
  return std::ranges::find(items, value) != std::end(items);
}

/// Appends what the list lacks.
template <class Value>
void add_new(std::vector<Value>& all, const Value& value) {
  if (!contains(all, value)) all.push_back(value);
}

/// At most `most` items.
template <class Items>
auto first_of(const Items& items, std::size_t most) {
  return std::span(items).first(std::min(most, items.size()));
}

}  // namespace roofline
