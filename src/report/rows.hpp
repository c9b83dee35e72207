#pragma once

// Rows of layers and of kernels as people read them.

#include <string>
#include <vector>

#include "report/fields.hpp"
#include "report/grid.hpp"

namespace roofline {

/// Results that are shown together, by their indices in the report.
using ResultGroup = std::vector<std::size_t>;
std::vector<ResultGroup> grouped_results(const Report& report,
                                         bool (*are_together)(const Result&, const Result&));
/// Whether both are a single layer on the same GPU: they are rows of one table.
bool share_a_table(const Result& a, const Result& b);
/// How many of these results have rows that are shown.
std::size_t count_shown(const Report& report, const ResultGroup& results);

/// One row of a table: layers, their countable fields added up.
struct TableRow {
  const Result& result;
  std::vector<std::size_t> layers;  ///< indices into the result's; at least one

  const LayerResult& first() const { return result.layers[layers.front()]; }
};

/// The name of layers that are alike. The readers of recordings put a layer's pass into its name;
/// suffix_of() says it here.
std::string label_of(const TableRow& row);
/// What follows the name of layers that are alike: their pass, where passes differ, and how many.
std::string suffix_of(const TableRow& row);
/// Whether the kernel is expected to be faster than its roofline.
bool is_below_roofline(const LayerResult& row);
/// Whether that is because operands need not come from device memory.
bool is_in_cache(const LayerResult& row);
/// "~" before a time whose uncertainty comes from errors on other GPUs: it must not look like a
/// measurement.
std::string carried_over_mark(const std::optional<Uncertainty>& uncertainty);

/// The lines of rows of the result.
std::vector<LayerLine> lines_of(const Result& result, const std::vector<std::size_t>& rows);
/// What tables show of layers that are alike, but for their name.
std::string alike_text(const Column<LayerLine>& column, std::span<const LayerLine> alike);

/// "resnet50 on V100, fp32, batch 1, fwd"; without the GPU where `with_gpu` is false.
std::string work_title(const Result& result, bool with_gpu);

/// The rows of layers as a grid: of a file every layer with its whole name, on a terminal the rows
/// that matter in as many columns as there are. `results`, indices into the report's, share a
/// table: one network, or several inputs of one layer each.
Grid layer_grid(const Report& report, const std::vector<std::size_t>& results,
                std::optional<std::size_t> width);

/// Whether layers that are alike are one row in files too: in a recording they have one time, the
/// mean of all.
bool folds_everywhere(const Result& result);

// A recording's kernels.

/// What stands above the table: where the recording is from, the roofs, what the GPU did.
std::string kernel_title(const KernelTable& table);
Grid kernel_grid(const KernelTable& table, const Selection& selection,
                 std::optional<std::size_t> width);
std::string kernel_label(const KernelRow& row);
/// "24.57 us, 12.3%, x4": its time, its share of all, its launches.
std::string kernel_note(const KernelRow& row);
/// All that is known of a kernel, a line each.
std::string kernel_hover(const KernelTable& table, const KernelRow& row);

}  // namespace roofline
