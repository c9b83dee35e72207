#pragma once

// Rows are selected before rendering. A selection never changes a sum.

#include <cstddef>
#include <vector>

#include "results/kernel_table.hpp"
#include "roofline/analysis.hpp"
#include "roofline/report.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {

/// Indices of a table's selected rows, in output order.
struct Selection {
  using Groups = std::vector<std::vector<std::size_t>>;

  std::vector<std::size_t> rows;  ///< for files: each row by itself
  /// For tables: equal layers grouped; in a ranking, only settings which fit into memory.
  Groups groups;
  std::size_t all_groups = 0;  ///< number of groups, shown or not
  /// For tables without a filter: of many groups those with 90 % of the time, in descending order
  /// of time, with other rows in `rest`; of few those that take time. Of a ranking, the first ones.
  Groups main_groups;
  std::vector<std::size_t> rest;

  std::vector<std::size_t> main_rows() const {
    std::vector<std::size_t> first;
    for (const auto& group : main_groups) first.push_back(group.front());
    return first;
  }
};

Selection select(const Result& result, const RowFilter& filter);

/// Whether keep_leading() keeps all rows of a stream that files of rows may hold.
bool needs_leading_rows_alone(const RowFilter& filter);
/// Drops the rows of a stream that the filter cannot choose. Keeps all without RowFilter::top.
void keep_leading(std::vector<LayerResult>& rows, const RowFilter& filter);

/// Rows of the result's types.
Selection select_types(const Result& result, const RowFilter& filter);
Selection select(const KernelTable& table, const RowFilter& filter);
Selection select(const SettingsTable& table, const RowFilter& filter);

/// Sorts inputs with one layer, evaluated alike, as rows, within their places among the other
/// results. Returns which of all results are shown.
std::vector<bool> select(std::vector<Evaluated>& results, const RowFilter& filter);

}  // namespace roofline
