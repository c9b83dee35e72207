#pragma once

// Names of enumerators are their identifiers: Pass::fwd is "fwd". Count, list, names and parsing
// follow from the enumeration. For names which are no identifiers ("amp-bf16", ">="), a function
// name_of(E) beside the enumeration takes precedence. Enumerators count from 0 without gaps; the
// underlying type is stated.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace roofline {

template <class E>
concept Enumeration = std::is_enum_v<E>;

/// The enumerator's identifier; empty for a number without one, printed as "(roofline::Pass)3".
template <auto value>
constexpr std::string_view identifier() {
  std::string_view text = __PRETTY_FUNCTION__;  // "... value = roofline::Pass::fwd; ..."
  text.remove_prefix(text.find("value = "));
  text = text.substr(0, text.find_first_of(";]"));
  return text.find('(') == text.npos ? text.substr(text.rfind(':') + 1) : std::string_view();
}

template <Enumeration E, std::size_t count = 0>
constexpr std::size_t count_enumerators() {
  if constexpr (identifier<static_cast<E>(count)>().empty())
    return count;
  else
    return count_enumerators<E, count + 1>();
}

template <Enumeration E>
inline constexpr std::size_t count_of = count_enumerators<E>();

template <Enumeration E, std::size_t... i>
constexpr std::array<std::string_view, sizeof...(i)> list_identifiers(std::index_sequence<i...>) {
  return {identifier<static_cast<E>(i)>()...};
}

template <Enumeration E>
inline constexpr std::array<std::string_view, count_of<E>> identifiers_of =
    list_identifiers<E>(std::make_index_sequence<count_of<E>>());

template <Enumeration E>
constexpr std::string_view name_of(E e) {
  const auto& identifiers = identifiers_of<E>;
  return identifiers[static_cast<std::size_t>(e)];
}

template <Enumeration E>
constexpr std::size_t index_of(E e) {
  return static_cast<std::size_t>(e);
}

template <Enumeration E>
constexpr std::array<E, count_of<E>> list_enumerators() {
  std::array<E, count_of<E>> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<E>(i);
  return all;
}

template <Enumeration E>
inline constexpr std::array<E, count_of<E>> enumerators = list_enumerators<E>();

template <Enumeration E>
constexpr std::array<std::string_view, count_of<E>> list_names() {
  std::array<std::string_view, count_of<E>> names{};
  for (const E e : enumerators<E>) names[index_of(e)] = name_of(e);
  return names;
}

template <Enumeration E>
inline constexpr std::array<std::string_view, count_of<E>> names_of = list_names<E>();

/// Whether `e` is one of the others.
template <Enumeration E, class... Others>
constexpr bool is_any(E e, Others... others) {
  return ((e == others) || ...);
}

/// Takes the text up to `end` off, with `end`.
constexpr std::string_view take(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

/// Whether `word` is in `list`, words separated by blanks.
constexpr bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty())
    if (take(list, ' ') == word) return true;
  return false;
}

/// By name or alias (aliases_of(E): words separated by blanks); nullopt for unknown text.
template <Enumeration E>
constexpr std::optional<E> parse(std::string_view text) {
  for (const E e : enumerators<E>) {
    if (name_of(e) == text) return e;
    if constexpr (requires { aliases_of(e); })
      if (has_word(aliases_of(e), text)) return e;
  }
  return std::nullopt;
}

template <Enumeration E, class T>
struct EnumArray : std::array<T, count_of<E>> {
  using Base = std::array<T, count_of<E>>;
  using Base::operator[];
  constexpr T& operator[](E e) { return Base::operator[](index_of(e)); }
  constexpr const T& operator[](E e) const { return Base::operator[](index_of(e)); }
};

}  // namespace roofline
