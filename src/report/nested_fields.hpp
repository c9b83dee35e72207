#pragma once

// The fields of a table, nested in JSON by their paths. Tables are known as this is compiled: each
// field becomes the code that writes it, without calls through its pointer.

#include <cstddef>
#include <string_view>
#include <utility>

#include "report/json_writer.hpp"

namespace roofline {

/// "bytes" of "bytes.total"; empty without a group.
constexpr std::string_view group_of(std::string_view path) {
  const std::size_t dot = path.find('.');
  return dot == path.npos ? std::string_view() : path.substr(0, dot);
}

/// How many fields from `begin` on are of one group; a field without one is alone.
template <const auto& table>
consteval std::size_t size_of_group(std::size_t begin) {
  const std::string_view group = group_of(table[begin].path);
  std::size_t end = begin + 1;
  while (!group.empty() && end < std::size(table) && group_of(table[end].path) == group) ++end;
  return end - begin;
}

/// The key of a field in the object that it stands in.
template <const auto& table, std::size_t index>
inline constexpr JsonKey own_key(table[index].path.substr(table[index].path.find('.') + 1));

/// A group of fields that are all unknown is null as a whole.
template <const auto& table, std::size_t begin, std::size_t... in_group, class... Of>
void write_group(std::index_sequence<in_group...>, JsonWriter& writer, const Of&... of) {
  static constexpr JsonKey key(group_of(table[begin].path));
  if (!(is_known(table[begin + in_group].value(of...)) || ...)) {
    writer.member(key, {});
    return;
  }
  writer.key(key).begin_object();
  (writer.member(own_key<table, begin + in_group>, table[begin + in_group].value(of...)), ...);
  writer.end_object();
}

/// Writes the fields of what they are `of` into the open object; `with_head` those that say what a
/// row is of, too.
template <const auto& table, std::size_t begin = 0, class... Of>
void write_nested(JsonWriter& writer, bool with_head, const Of&... of) {
  constexpr std::size_t end = begin + size_of_group<table>(begin);
  if constexpr (!group_of(table[begin].path).empty())
    write_group<table, begin>(std::make_index_sequence<end - begin>(), writer, of...);
  else if (with_head || !table[begin].is_head)
    writer.member(own_key<table, begin>, table[begin].value(of...));
  if constexpr (end < std::size(table)) write_nested<table, end>(writer, with_head, of...);
}

}  // namespace roofline
