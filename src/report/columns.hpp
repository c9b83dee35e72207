#pragma once

// The columns of every tabular format, in one place: CSV takes the raw values under `key`, the
// table and Markdown take the text for people under `header`.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "roofline/analysis.hpp"

namespace roofline {

struct Row {
  const Result& result;
  const LayerResult& layer;
};

/// A raw value; monostate where it is unknown.
using Cell = std::variant<std::monostate, std::string, std::uint64_t, double>;

struct Column {
  std::string_view key;     ///< as in JSON
  std::string_view header;  ///< for people; empty where the column is for CSV only
  bool text = false;        ///< set left
  Cell (*value)(const Row&);
  std::string (*people)(const Row&) = nullptr;
  std::string (*total)(const Total&) = nullptr;
};

std::span<const Column> columns();

/// Whether an engine of the GPU computes the layer: not for views, copies and fused layers.
bool runs_on_engine(const Layer& layer);

/// A cell as CSV has it.
std::string csv_cell(const Cell& cell);

std::string_view name_of(Bound bound);
std::string_view name_of(CeilingKind kind);

}  // namespace roofline
