#pragma once

// Networks repeat their layers: each of equal ones is planned once.

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "roofline/analysis.hpp"

namespace roofline {

/// Whether layers are equal in all but their names and in whose outputs they read: they run the
/// same kernel, and a file states them alike.
bool is_same_layer(const Layer& a, const Layer& b);

/// The first rows of equal layers. Rows keep their places while this refers to them.
class PlannedRows {
 public:
  /// `rows`: the number of rows to come.
  explicit PlannedRows(std::size_t rows);

  /// An earlier row of an equal layer that began on the same engine; null for the first of them.
  /// `row` is not planned yet.
  const LayerResult* find_equal(const LayerResult& row);

 private:
  struct First {
    const LayerResult* row;
    Engine engine;  ///< before its plan, which may take a faster one
  };
  bool is_single_;
  std::unordered_map<std::uint64_t, First> first_;  ///< by their work
};

}  // namespace roofline
