#pragma once

// The fields of a row, in one place: JSON and NDJSON nest them by their path, a CSV column is the
// path with "_" for ".", tables for people show those that have a header.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "report/writer.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// The version of the keys of JSON and NDJSON, raised when one changes its meaning or goes.
inline constexpr std::uint64_t schema_version = 2;

/// What a field's number counts: how people read it, and whether tables may add it up.
enum class Unit : std::uint8_t {
  none,   ///< text, flags, lists
  count,  ///< plain integers
  operation,
  byte,
  second,
  flop_per_byte,
  flop_per_second,
  byte_per_second,
  share,
  ratio,
};

/// Which tables for people show a field.
enum class Shown : std::uint8_t {
  always,
  unmeasured,  ///< those without measured times
  measured,    ///< those with
};

/// How tables for people show a field.
struct TableColumn {
  std::string_view header = {};  ///< empty: they do not show it
  Shown shown = Shown::always;
  /// What stands in the row of the total; nothing where the total has no such number.
  Cell (*total)(const Total&) = nullptr;
  /// What stands in a row where that is not the value in its unit.
  std::string (*text)(const LayerResult&) = nullptr;
};

struct OutputField {
  std::string_view path;  ///< "bytes.total"
  Unit unit;
  Cell (*value)(const Row&);
  TableColumn column = {};
  bool is_head = false;  ///< says what the row is of: on each line of NDJSON and CSV, once in JSON
};

std::span<const OutputField> output_fields();

/// Writes the fields, nested by their paths, into the open object; `with_head` those that say what
/// the row is of, too.
void write_fields(JsonWriter& writer, const Row& row, bool with_head);

/// A row of the result.
inline Row row_of(const Result& result, const LayerResult& layer) {
  return {result.setting.source, result.setting.network, result.setting.gpu, layer};
}

/// "bytes_total" of "bytes.total"
std::string column_of(std::string_view path);

/// Whether an engine of the GPU computes the layer: not for views, copies and fused layers.
bool runs_on_engine(const Layer& layer);

/// "bytes." of "bytes.total": what the paths of fields of one group begin with; else nothing.
constexpr std::string_view group_of(std::string_view path) {
  return path.substr(0, path.find('.') + 1);
}

/// How many fields from `begin` on are of one group; a field without one is alone.
template <const auto& table>
consteval std::size_t size_of_group(std::size_t begin) {
  const std::string_view group = group_of(table[begin].path);
  std::size_t end = begin + 1;
  while (!group.empty() && end < std::size(table) && group_of(table[end].path) == group) ++end;
  return end - begin;
}

/// The key of a field in the object that it stands in, and of that object.
template <const auto& table, std::size_t i>
inline constexpr JsonKey own_key(table[i].path.substr(group_of(table[i].path).size()));
template <const auto& table, std::size_t i>
inline constexpr JsonKey group_key(table[i].path.substr(0, table[i].path.find('.')));

/// Writes the fields of one group, from the table's row i on, as an object.
template <const auto& table, std::size_t i, std::size_t... n, class... Of>
void write_group(std::index_sequence<n...>, JsonWriter& writer, const Of&... of) {
  if (!(is_known(table[i + n].value(of...)) || ...)) {
    writer.member(group_key<table, i>, {});
    return;
  }
  writer.key(group_key<table, i>).begin_object();
  (writer.member(own_key<table, i + n>, table[i + n].value(of...)), ...);
  writer.end_object();
}

/// Writes the fields of what they are `of` into the open object, nested by their paths; `with_head`
/// those that say what a row is of, too. A group of fields that are all unknown is null as a whole.
/// The table is known as this is compiled: each field becomes the code that writes it, which writes
/// rows a fifth faster than calls through its pointers.
template <const auto& table, std::size_t i = 0, class... Of>
void write_nested(JsonWriter& writer, bool with_head, const Of&... of) {
  constexpr std::size_t end = i + size_of_group<table>(i);
  if constexpr (group_of(table[i].path).empty()) {
    if (with_head || !table[i].is_head) writer.member(own_key<table, i>, table[i].value(of...));
  } else {
    write_group<table, i>(std::make_index_sequence<end - i>(), writer, of...);
  }
  if constexpr (end < std::size(table)) write_nested<table, end>(writer, with_head, of...);
}

}  // namespace roofline
