#pragma once

// The fields of a row, in one place: JSON and NDJSON nest them by their path, a CSV column is the
// path with "_" for ".", tables for people show those that have a header.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/writer.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// Of JSON and NDJSON; raised when a key changes its meaning or goes.
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
  /// In a row, where it is not the value by its unit.
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

/// Where a field stands in JSON.
struct FieldPlace {
  JsonKey key;      ///< in the object that it stands in
  JsonKey group;    ///< that object's key
  std::size_t end;  ///< where its group ends in the table; its own index where it has no group

  /// Places of fields by their paths.
  static std::vector<FieldPlace> all_of(std::span<const std::string_view> paths);
};

/// Writes the fields of what they are `of` into the open object: those of one group as an object,
/// which is null where all of them are unknown. With `with_head` also those that say what a row is
/// of.
template <const auto& table, class... Of>
void write_nested(JsonWriter& writer, bool with_head, const Of&... of) {
  constexpr std::size_t size = std::size(table);
  static const std::vector<FieldPlace> places = [] {
    std::vector<std::string_view> paths;
    for (const auto& field : table) paths.push_back(field.path);
    return FieldPlace::all_of(paths);
  }();
  std::array<Cell, size> cells;
  for (std::size_t i = 0; i < size;) {
    const FieldPlace& first = places[i];
    if (first.end == i) {
      if (with_head || !table[i].is_head) writer.member(first.key, table[i].value(of...));
      ++i;
      continue;
    }
    bool known = false;
    for (std::size_t j = i; j < first.end; ++j) known |= is_known(cells[j] = table[j].value(of...));
    writer.key(first.group);
    if (known) {
      writer.begin_object();
      for (; i < first.end; ++i) writer.member(places[i].key, cells[i]);
      writer.end_object();
    } else {
      writer.value({});
      i = first.end;
    }
  }
}

}  // namespace roofline
