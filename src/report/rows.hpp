#pragma once

// Rows of layers and kernels as people read them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/document.hpp"
#include "report/fields.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"
#include "results/selection.hpp"

namespace roofline {

using ResultGroup = std::vector<std::size_t>;
/// Groups of indices: a result joins the first group whose first result it belongs to. It asks all
/// groups, so there should be few.
template <class Whole, class Wholes>
std::vector<ResultGroup> grouped(const Wholes& all,
                                 bool (*are_together)(const Whole&, const Whole&)) {
  std::vector<ResultGroup> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto fitting = std::ranges::find_if(
        groups, [&](const ResultGroup& group) { return are_together(all[group.front()], all[i]); });
    if (fitting == groups.end())
      groups.push_back({i});
    else
      fitting->push_back(i);
  }
  return groups;
}
/// Each result by itself.
std::vector<ResultGroup> each_alone(const Report& report);
/// Results of one layer share the table of those with their GPU, engine and batch.
std::vector<ResultGroup> by_table(const Report& report);
std::size_t count_shown(const Report& report, const ResultGroup& results);

struct TableRow {
  const Result& result;
  std::vector<std::size_t> layers;  ///< indices into the result's layers; at least one

  const LayerResult& first() const { return result.layers[layers.front()]; }
};

/// Name of alike layers.
std::string label_of(const TableRow& row);
/// After a label: the pass, if passes differ (names in recordings hold it), and the count.
std::string suffix_of(const TableRow& row);
/// Whether the kernel is expected to be faster than its roofline.
bool is_below_roofline(const LayerResult& row);
/// "~" before a time whose uncertainty comes from other GPUs: it must not look measured.
std::string carried_over_mark(const std::optional<Uncertainty>& uncertainty);

/// "76.21 us (65 to 90)": 68 of 100 measured times lie in this range.
std::string range_text(double expected_s, const std::optional<Uncertainty>& uncertainty);

std::vector<LayerLine> lines_of(const Result& result, const std::vector<std::size_t>& rows);
/// A column's cell for alike layers, other than their name.
std::string alike_text(const Column<LayerLine>& column, std::span<const LayerLine> alike);

/// "resnet50 on V100, fp32, batch 1, fwd"; without "on V100" unless `with_gpu`.
std::string work_title(const Result& result, bool with_gpu);
/// Likewise, ending with the stack: ", kernels alone" of a network without a framework.
std::string stack_title(const Result& result, bool with_gpu);

/// Rows of a table.
enum class ShownRows : std::uint8_t {
  main,              ///< equal ones folded, those with most of the time first, the rest as one
  each,              ///< every layer and setting
  main_before_each,  ///< the main ones, and every one behind them
};

/// `results`, indices into the report, share a table: one network, or several inputs of one layer.
Table table_of_layers(const Report& report, const std::vector<std::size_t>& results,
                      ShownRows rows);

/// Whether alike layers are one row in files too: in a recording they share a mean time.
bool folds_everywhere(const Result& result);

// A recording's kernels.

/// Above the table: the recording, the roofs, the GPU's work.
void add_kernel_title(Document& document, const KernelTable& table);
Table table_of_kernels(const KernelTable& table, const Selection& selection, ShownRows rows);
std::string kernel_label(const KernelRow& row);

}  // namespace roofline
