#include "report/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/recording.hpp"
#include "report/text.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"
#include "results/selection.hpp"
#include "results/steps.hpp"

namespace roofline {

std::vector<ResultGroup> each_alone(const Report& report) {
  std::vector<ResultGroup> groups;
  for (std::size_t i = 0; i < report.results.size(); ++i) groups.push_back({i});
  return groups;
}

std::vector<ResultGroup> by_table(const Report& report) {
  using Table = std::tuple<std::string_view, Engine, std::optional<std::uint64_t>>;
  std::vector<ResultGroup> groups;
  std::map<Table, std::size_t> group_of;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Result& result = report.results[i];
    std::size_t group = groups.size();
    if (result.layers.size() == 1)
      group =
          group_of
              .emplace(Table{result.setting.gpu, result.bounds.main_engine, result.setting.batch},
                       group)
              .first->second;
    if (group == groups.size()) groups.emplace_back();
    groups[group].push_back(i);
  }
  return groups;
}

std::size_t count_shown(const Report& report, const ResultGroup& results) {
  return static_cast<std::size_t>(std::ranges::count_if(
      results, [&](std::size_t i) { return !report.results[i].selection.groups.empty(); }));
}

/// The engine that computes a narrow type which the GPU has no engine of; else empty.
std::string_view engine_instead(const Result& result) {
  const auto& type = result.setting.dtype;
  const std::string_view engine = name_of(result.bounds.main_engine);
  constexpr int wide_bit = 16;
  const bool is_own = !type || info(*type).bits >= wide_bit || engine.starts_with(name_of(*type));
  return is_own ? std::string_view() : engine;
}

std::string work_title(const Result& result, bool with_gpu) {
  std::string text = result.setting.label;
  if (with_gpu) text += " on " + result.setting.gpu;
  if (result.setting.dtype) text += fmt::format(", {}", name_of(*result.setting.dtype));
  if (const std::string_view engine = engine_instead(result); !engine.empty())
    text += fmt::format(" (on {})", engine);
  if (result.setting.batch) text += fmt::format(", batch {}", *result.setting.batch);
  // A recording of several passes is a training step.
  if (result.setting.training || (result.measured.recording && !result.setting.pass))
    text += ", training";
  else if (result.setting.pass)
    text += fmt::format(", {}", name_of(*result.setting.pass));
  if (result.setting.layout) text += fmt::format(", {}", name_of(*result.setting.layout));
  if (result.setting.framework) text += fmt::format(", by {}", name_of(*result.setting.framework));
  return text;
}

std::string stack_title(const Result& result, bool with_gpu) {
  const bool is_network = result.layers.size() > 1;
  return work_title(result, with_gpu) +
         (is_network && runs_kernels_alone(result) ? ", kernels alone" : "");
}

bool is_below_roofline(const LayerResult& row) {
  return row.kernel && row.kernel->expected_time_s() < row.point.roofline_time_s;
}

std::string carried_over_mark(const std::optional<Uncertainty>& uncertainty) {
  return uncertainty && uncertainty->basis != UncertaintyBasis::measured ? "~" : "";
}

std::string range_text(double expected_s, const std::optional<Uncertainty>& uncertainty) {
  std::string text = carried_over_mark(uncertainty) + duration(expected_s);
  if (!uncertainty || !(expected_s > 0)) return text;
  return fmt::format("{} ({})", text, duration_range(expected_s, uncertainty->factor));
}

std::string label_of(const TableRow& row) {
  return folded_name(
      each_of(row.layers, [&](std::size_t i) { return row.result.layers[i].layer.name; }));
}

std::string suffix_of(const TableRow& row) {
  const bool many_passes = row.result.setting.training || !row.result.setting.pass;
  std::string text;
  if (many_passes && !row.result.measured.recording)
    text += fmt::format(" {}", name_of(row.first().layer.pass));
  if (row.layers.size() > 1) text += fmt::format(" x{}", row.layers.size());
  return text;
}

std::vector<LayerLine> lines_of(const Result& result, const std::vector<std::size_t>& rows) {
  return each_of(rows, [&](std::size_t i) { return line_of(result, result.layers[i]); });
}

std::string alike_text(const Column<LayerLine>& column, std::span<const LayerLine> alike) {
  const bool is_sum = column.people.text == nullptr && adds_up(column.unit);
  return is_sum ? sum_text(column, alike) : cell_text(column, alike.front());
}

bool folds_everywhere(const Result& result) { return result.measured.recording != nullptr; }

namespace {

constexpr std::size_t enough_name = 20;
constexpr std::size_t enough_recorded_name = 30;  ///< it holds the layer's sizes

bool has_one_engine(const Report& report, const std::vector<std::size_t>& results) {
  std::set<Engine> engines;
  for (const std::size_t i : results)
    for (const LayerResult& row : report.results[i].layers)
      if (has_kernel(row.layer)) engines.insert(row.engine);
  return engines.size() < 2;
}

/// Columns of a table of main rows, in this order: the time of each layer and its cause. They fit
/// 80 characters, so that a pipe, a terminal and a page have the same.
constexpr auto told_in_text = std::to_array<std::string_view>(
    {"layer", "id", "expected", "share", "bound", "limiter", "roofline", "FLOP/B"});

using LayerColumns = std::vector<Column<LayerLine>>;

LayerColumns in_text(const LayerColumns& columns) {
  LayerColumns told;
  for (const std::string_view header : told_in_text)
    std::ranges::copy_if(columns, std::back_inserter(told), [&](const Column<LayerLine>& column) {
      return column.people.header == header;
    });
  return told;
}

class LayerTable {
 public:
  LayerTable(const Report& report, const std::vector<std::size_t>& results, ShownRows rows)
      : rows_(rows), is_many_(results.size() > 1) {
    const Result& first = report.results[results.front()];
    is_measured_ = std::ranges::any_of(
        results, [&](std::size_t i) { return report.results[i].measured.summary.has_value(); });
    Facts facts = is_measured_ ? layer_facts::measured : layer_facts::unmeasured;
    if (folds_everywhere(first)) facts |= layer_facts::recorded;
    if (is_many_) facts |= layer_facts::several_results;
    if (has_one_engine(report, results)) facts |= layer_facts::one_engine;
    columns_ = shown_columns(layer_columns(), facts);
    if (rows_ != ShownRows::each) columns_ = is_measured_ ? without_engine() : in_text(columns_);
    grid_ = empty_grid(columns_, facts);
    for (const std::size_t i : results) add_rows(report.results[i], report.results[i].selection);
    if (!is_many_ && first.layers.size() > 1) add_total(first);
  }

  Table table() && { return {std::move(grid_), is_measured_ ? enough_recorded_name : enough_name}; }

 private:
  LayerColumns without_engine() const {
    LayerColumns told = columns_;
    std::erase_if(told, [](const auto& column) { return column.path == "engine"; });
    return told;
  }

  void add_rows(const Result& result, const Selection& selection) {
    const bool of_main = rows_ != ShownRows::each;
    if (of_main || folds_everywhere(result))
      for (const auto& group : of_main ? selection.main_groups : selection.groups)
        add_row({result, group});
    else
      for (const std::size_t row : selection.rows) add_row({result, {row}});
    if (of_main && !selection.rest.empty()) add_rest(result, selection.rest);
  }

  template <class TextOf>
  void add(const std::string& name, const std::optional<Uncertainty>& uncertainty,
           const TextOf& text_of) {
    grid_.columns.front().add(name);
    for (std::size_t i = 1; i < columns_.size(); ++i) {
      const bool is_expected = columns_[i].path == "expected_time_s";
      grid_.columns[i].add((is_expected ? carried_over_mark(uncertainty) : "") +
                           text_of(columns_[i]));
    }
  }

  void add_row(const TableRow& row) {
    const LayerResult& first = row.first();
    const std::vector<LayerLine> alike = lines_of(row.result, row.layers);
    add((is_many_ ? row.result.setting.label + "/" : "") + label_of(row) + suffix_of(row),
        first.expected_uncertainty, [&](const Column<LayerLine>& column) {
          const bool is_below = column.path == "bound" && is_below_roofline(first);
          return alike_text(column, alike) + (is_below ? "*" : "");
        });
  }

  void add_rest(const Result& result, const std::vector<std::size_t>& rows) {
    const std::vector<LayerLine> rest = lines_of(result, rows);
    add(fmt::format("{} more (--top all)", rows.size()), result.total.expected_uncertainty,
        [&](const Column<LayerLine>& column) { return sum_text<LayerLine>(column, rest); });
  }

  void add_total(const Result& result) {
    const TypeRow whole{.total = result.total, .time_share = 1};
    add("total", result.total.expected_uncertainty, [&](const Column<LayerLine>& column) {
      for (const Column<TypeRow>& sum : sum_columns())
        if (sum.people.header == column.people.header) return cell_text(sum, whole);
      return std::string();
    });
  }

  ShownRows rows_;
  bool is_many_;  ///< results of one layer each
  bool is_measured_ = false;
  LayerColumns columns_;  ///< the name first
  Grid grid_;
};

struct KernelRemedy {
  std::string_view words[4];  ///< of the names of its kernels; none: the idle time
  std::string_view advice;
};

constexpr KernelRemedy kernel_remedies[] = {
    {{}, "keep the GPU busy (a CUDA graph, a larger batch, data loaded beside the step)"},
    {{"Memcpy", "memcpy", "copyBuffer"}, "copy from pinned memory, beside kernels"},
    {{"nccl", "rccl"}, "find the GPU that the others wait for, or run collectives beside kernels"},
    {{"nchwToNhwc", "nhwcToNchw", "batched_transpose", "tensorTransform"},
     "channels last, of model and images, without kernels that change layouts"},
};

/// What kernels alone tell: parts of the recording that need not be, the two longest.
void add_kernel_advice(Document& document, const KernelTable& table) {
  constexpr double least_share = 0.15;
  constexpr std::size_t most_said = 2;
  const KernelRecording& recording = *table.recording;
  const double whole_s = recording.span_s.value_or(table.time_s);
  std::vector<std::pair<double, std::string_view>> savings;
  for (const KernelRemedy& remedy : kernel_remedies) {
    const auto is_meant = [&](const KernelRow& row) {
      return std::ranges::any_of(remedy.words, [&](std::string_view word) {
        return !word.empty() && row.kernel.name.find(word) != std::string::npos;
      });
    };
    double saved_s = remedy.words[0].empty() ? whole_s - recording.busy_s.value_or(whole_s) : 0.0;
    for (const KernelRow& row : table.rows)
      if (is_meant(row)) saved_s += row.kernel.time_s;
    if (saved_s >= least_share * whole_s && saved_s > 0)
      savings.emplace_back(std::min(saved_s, whole_s), remedy.advice);
  }
  std::ranges::stable_sort(savings, std::greater(), [](const auto& each) { return each.first; });
  std::string_view begin = "do first";
  for (const auto& [saved_s, advice] : first_of(savings, most_said)) {
    document.add_line(fmt::format("{}: {}: leaves {}, saves up to {}", begin, advice,
                                  duration(whole_s - saved_s), duration(saved_s)));
    begin = "or";
  }
}

}  // namespace

Table table_of_layers(const Report& report, const std::vector<std::size_t>& results,
                      ShownRows rows) {
  Table table = LayerTable(report, results, rows).table();
  if (rows == ShownRows::main_before_each)
    table.whole = LayerTable(report, results, ShownRows::each).table().grid;
  return table;
}

void add_kernel_title(Document& document, const KernelTable& table) {
  const KernelRecording& recording = *table.recording;
  document.add_heading(fmt::format(
      "{}: kernels recorded by {}{}", shortened(printable(recording.name), 40),
      name_of(recording.recorder), table.gpu.empty() ? "" : " on " + printable(table.gpu)));
  if (const auto& bounds = table.bounds)
    document.add_line(fmt::format(
        "{} {}, DRAM {} ({}); L2 {} (of the kernel model)", name_of(bounds->main_engine),
        si(*rate_of(bounds->ceilings->peak_flop_per_s, bounds->main_engine), "FLOP/s"),
        si(bounds->ceilings->bandwidth_byte_per_s, "B/s"), name_of(bounds->ceilings->kind),
        si(bounds->roofs->l2_byte_per_s, "B/s")));
  std::string work;
  if (recording.busy_s && recording.span_s)
    work =
        fmt::format("GPU busy {} and idle {} of {}; ", duration(*recording.busy_s),
                    duration(*recording.span_s - *recording.busy_s), duration(*recording.span_s));
  document.add_line(fmt::format("{}{} launches of {} kernels take {}", work, table.launches,
                                table.rows.size(), duration(table.time_s)));
  for (const std::string& note : recording.notes) document.add_line(printable(note));
  add_kernel_advice(document, table);
}

Table table_of_kernels(const KernelTable& table, const Selection& selection, ShownRows shown) {
  constexpr std::size_t enough_kernel_name = 32;
  const auto line_of = [&](const KernelRow& row) { return KernelLine{table, row}; };
  const auto lines_of = [&](const std::vector<std::size_t>& rows) {
    return each_of(rows, [&](std::size_t i) { return line_of(table.rows[i]); });
  };
  const std::vector<Column<KernelLine>> columns = shown_columns(kernel_columns());
  const bool of_main = shown != ShownRows::each;
  Grid grid =
      grid_of<KernelLine>(columns, lines_of(of_main ? selection.main_rows() : selection.rows));
  if (of_main && !selection.rest.empty())
    add_sum<KernelLine>(grid, columns, fmt::format("+{} (--top all)", selection.rest.size()),
                        lines_of(selection.rest));
  add_sum<KernelLine>(grid, columns, "total", each_of(table.rows, line_of));
  Table all{std::move(grid), enough_kernel_name};
  if (shown == ShownRows::main_before_each)
    all.whole = table_of_kernels(table, selection, ShownRows::each).grid;
  return all;
}

std::string kernel_label(const KernelRow& row) {
  return printable(short_signature(row.kernel.name));
}

}  // namespace roofline
