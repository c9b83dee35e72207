#pragma once

// Which rows of a result are shown, chosen before anything is rendered. A selection never changes a
// sum.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/kernel_table.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {

/// What a row of the table stands for: a layer, all layers of a type, or a whole network on a GPU
/// in one type at one batch, ranked.
enum class RowsBy : std::uint8_t { layer, type, gpu };

/// Without any of these: all rows, in the network's order.
struct RowFilter {
  std::optional<SortBy> sort;         ///< by time where rows are cut or ranked
  std::optional<std::uint64_t> top;   ///< as many rows at most
  std::optional<double> cover_share;  ///< the fewest rows that make up this share of the time
  std::optional<RowsBy> by;           ///< by layer where it is not said
  bool all = false;                   ///< every row, also where a terminal would show the most

  bool selects() const { return sort || top || cover_share; }
  bool is_default() const { return !selects() && !by && !all; }
  bool ranks_gpus() const { return by == RowsBy::gpu; }
  /// Whether it asks for layers, or sums of them, where work was evaluated in several ways.
  bool asks_for_layers() const { return !is_default() && !ranks_gpus(); }
};

/// What of a result is shown, in the order shown.
struct Selection {
  std::vector<std::size_t> rows;  ///< indices into the result's layers
  /// What tables show, which fold equal layers into one row: each row's layers, all alike.
  std::vector<std::vector<std::size_t>> groups;
  std::size_t all_groups = 0;  ///< that there are, shown or not
  /// What a terminal shows: where nothing else is asked for and groups are many, those that make up
  /// 90 % of the time, in descending time, and `rest` has the layers of all others.
  std::vector<std::vector<std::size_t>> main_groups;
  std::vector<std::size_t> rest;
  std::vector<std::size_t> types;  ///< indices into the result's types
};

Selection select(const Result& result, const RowFilter& filter);

/// Which kernels of a recording are shown: its rows, by descending time unless the filter sorts.
struct KernelSelection {
  std::vector<std::size_t> rows;
  /// Those that a terminal shows, and those that it leaves out where nothing is asked for.
  std::vector<std::size_t> main_rows;
  std::vector<std::size_t> rest;
};

KernelSelection select(const KernelTable& table, const RowFilter& filter);

/// Which rows of a table of settings are shown, by their indices.
struct PointSelection {
  /// The rows of tables: a point each; in a ranking, points that differ in nothing but the name and
  /// the memory of their GPU.
  std::vector<std::vector<std::size_t>> groups;
  std::size_t all_groups = 0;  ///< that there are, shown or not
  /// Those groups that a terminal shows where nothing else is asked for.
  std::vector<std::vector<std::size_t>> main_groups;
  std::vector<std::size_t> unfit;  ///< that a ranking leaves out because they do not fit
};

PointSelection select(const SettingsTable& table, const RowFilter& filter);

}  // namespace roofline
