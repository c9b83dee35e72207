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
#include "roofline/sort_by.hpp"
#include "roofline/summary.hpp"

namespace roofline {

/// What a row of the table stands for: a layer, all layers of a type, or a whole network on a GPU
/// in one type at one batch, ranked.
enum class RowsBy : std::uint8_t { layer, type, gpu };

/// Without any of these: all rows, in the network's order.
struct View {
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
  /// The same for tables, which show equal layers as one: each row's layers, all alike.
  std::vector<std::vector<std::size_t>> groups;
  std::size_t all_groups = 0;  ///< that there are, shown or not
  /// Of the groups, where nothing else is asked for and they are many: those that make up 90 % of
  /// the time, in descending time; and the layers of all others. Else the groups, and none.
  std::vector<std::vector<std::size_t>> main_groups;
  std::vector<std::size_t> rest;
  std::vector<std::size_t> types;  ///< indices into the result's types
};

Selection select(const Result& result, const View& view);

/// Of a recording's kernels: indices of its rows, by descending time unless the view sorts.
struct KernelSelection {
  std::vector<std::size_t> rows;
  /// Those that a terminal shows, and those that it leaves out of a default view.
  std::vector<std::size_t> main_rows;
  std::vector<std::size_t> rest;
};

KernelSelection select(const KernelTable& table, const View& view);

/// Of a table of points: indices of them.
struct PointSelection {
  /// The rows of tables: a point each; in a ranking, points that differ in nothing but the name and
  /// the memory of their GPU.
  std::vector<std::vector<std::size_t>> groups;
  std::size_t all_groups = 0;  ///< that there are, shown or not
  /// Of the groups those that a terminal shows where nothing else is asked for.
  std::vector<std::vector<std::size_t>> main_groups;
  std::vector<std::size_t> unfit;  ///< that a ranking leaves out because they do not fit
};

PointSelection select(const PointTable& table, const View& view);

}  // namespace roofline
