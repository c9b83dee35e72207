// A report as a document for people.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "report/document.hpp"
#include "report/formats.hpp"
#include "report/rows.hpp"
#include "report/sections.hpp"
#include "results/explanation.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"
#include "results/selection.hpp"

namespace roofline {
namespace {

using Section = ResultGroup;

std::string gpu_changes_sentence(const Result& result) {
  std::string text;
  for (const GpuChange& change : result.setting.gpu_changes) {
    const auto number = [&](double value) {
      if (change.unit == "MiB") return plain(value) + " MiB";
      return change.unit.empty() ? fmt::format("{:.0f}", value) : si(value, change.unit);
    };
    text += fmt::format("{}{} ", text.empty() ? "what if: " : ", ", change.field);
    text += change.unit == "x"
                ? factor(change.to)
                : (change.from ? number(*change.from) + " " : "") + "-> " + number(change.to);
    if (!change.remark.empty()) text += " (" + change.remark + ")";
  }
  return text;
}

/// The limit on a raised bandwidth and what would lift it; empty if it costs little.
std::string flight_cap_sentence(const Result& result) {
  const bool is_raised =
      std::ranges::any_of(result.setting.gpu_changes, [](const GpuChange& change) {
        return change.field == "bandwidth" && change.from && change.to > *change.from;
      });
  const double share = share_of(result.total.part_s[Limiter::in_flight], result.total.time_s);
  if (!is_raised || share < least_said_share) return "";
  const LayerResult& most =
      *std::ranges::max_element(result.layers, {}, [](const LayerResult& row) {
        return row.kernel ? row.kernel->part_s[Limiter::in_flight] : 0;
      });
  return fmt::format(
      "bytes in flight cap {} at {} whatever the bandwidth, and take {} of the time: more SMs "
      "would move it, or fusing the layer away",
      printable(most.layer.name), si(most.kernel->in_flight_byte_per_s.value_or(0), "B/s"),
      percent(share));
}

/// ", autotuned": kernels of convolutions depend on it.
std::string tuning_text(const Result& result) {
  if (std::ranges::any_of(result.layers, [](const LayerResult& row) {
        return row.layer.kernels == KernelSource::heuristic;
      }))
    return ", kernels by heuristic";
  const bool is_tuned = std::ranges::any_of(
      result.layers, [](const LayerResult& row) { return row.other_tuning_s.has_value(); });
  return result.setting.framework && is_tuned ? ", autotuned" : "";
}

std::string title_of(const Report& report, const Section& section) {
  constexpr std::size_t widest_gpu = 80;  // a changed GPU's name includes its settings
  const Result& result = report.results[section.front()];
  const std::string text = section.size() == 1
                               ? shortened(printable(result.setting.label), 40)
                               : fmt::format("{} inputs of one layer", section.size());
  return text + " on " + shortened(printable(result.setting.gpu), widest_gpu) +
         stack_title(result, false).substr(result.setting.label.size()) + tuning_text(result);
}

std::string hidden_sentence(std::size_t shown, std::size_t all, std::string_view what) {
  return shown == all ? "" : fmt::format("{} of {} {}", shown, all, what);
}

bool is_one_layer(const Report& report, const Section& section) {
  const Result& result = report.results[section.front()];
  return section.size() == 1 && result.layers.size() == 1 && !result.measured.recording &&
         report.filter.by != RowsBy::type;
}

/// Adds what people read of a report's layers, kernels and settings.
class Writer {
 public:
  Writer(const Report& report, ShownRows rows) : report_(report), rows_(rows) {}

  Document document() && {
    if (!report_.explanations.empty()) {
      add_explanations();
    } else if (!report_.network_explanations.empty()) {
      add_network_explanations();
    } else if (report_.changes) {
      add_changes(document_, *report_.changes, report_.filter.top);
      if (!report_.results.empty())
        document_.add_sentence(flight_cap_sentence(report_.results.back()));
      if (document_.needs_legend()) document_.add_legend();
    } else {
      add_layers();
      add_kernels();
    }
    return std::move(document_);
  }

 private:
  void add_layers() {
    const bool by_type = report_.filter.by == RowsBy::type;
    if (by_type && !report_.sweeps.empty())
      for (const SettingsTable& sweep : report_.sweeps) add_sweep(document_, report_, sweep);
    else if (report_.points.empty() || report_.filter.asks_for_layers())
      for (const Section& section : by_type ? each_alone(report_) : by_table(report_))
        add_section(section);
    add_points(document_, report_, rows_);
    if (!document_.is_empty()) document_.add_legend();
  }

  void add_section(const Section& section) {
    const std::size_t shown = count_shown(report_, section);
    if (shown == 0) return;
    document_.add_gap();
    if (is_one_layer(report_, section)) return add_one_layer(section);
    const ShownResult& result = report_.results[section.front()];
    if (section.size() > 1) {
      document_.add_heading(title_of(report_, section));
      add_ceilings(document_, result);
      document_.add_gap();
      document_.add_table(table_of_layers(report_, section, rows_));
      return document_.add_line(hidden_sentence(shown, section.size(), "rows"));
    }
    document_.add_line(fit_sentence(result));
    document_.add_heading(title_of(report_, section));
    add_network(section, result);
  }

  /// "conv0 of net on V100, ...", and the layer as a list.
  void add_one_layer(const Section& section) {
    const Result& result = report_.results[section.front()];
    const Layer& layer = result.layers.front().layer;
    std::string name = short_name(printable(layer.name), 60);
    if (layer.id->is_known()) name += fmt::format(" (id {})", printable(layer.id->text));
    document_.add_line(fit_sentence(result));
    document_.add_heading((name == result.setting.label ? "" : name + " of ") +
                          title_of(report_, section));
    document_.add_sentence(gpu_changes_sentence(result));
    document_.add_list(layer_list(result));
    document_.add_sentence(flight_cap_sentence(result));
    if (!fits(result).value_or(true)) document_.add_line(memory_sentence(result));
    document_.add_line(large_tensors_sentence(result));
    add_measured_notes(document_, result);
  }

  void add_network(const Section& section, const ShownResult& result) {
    const Selection& types = result.shown_types;
    add_verdict(document_, result);
    if (!result.measured.summary) add_time(document_, result);
    add_ceilings(document_, result);
    document_.add_line(memory_sentence(result));
    add_recording(document_, result);
    document_.add_gap();
    add_slow_convolutions(document_, result);
    document_.add_gap();
    if (report_.filter.by == RowsBy::type) {
      document_.add_table({type_grid(result, types)});
      document_.add_line(
          hidden_sentence(types.rows.size(), result.types.size(), "types; the total is of all"));
    } else {
      document_.add_table(table_of_layers(report_, section, rows_));
      document_.add_line(hidden_rows_sentence(result));
    }
    document_.add_sentence(vector_units_sentence(result));
    document_.add_line(large_tensors_sentence(result));
    add_measured(document_, result);
  }

  static Grid type_grid(const Result& result, const Selection& selection) {
    std::vector<TypeRow> rows =
        each_of(selection.rows, [&](std::size_t i) { return result.types[i]; });
    rows.push_back({.rows = result.layers.size(), .total = result.total, .time_share = 1});
    Grid grid = grid_of<TypeRow>(shown_columns(sum_columns(), of_types), rows);
    grid.columns.front().cells.back() = "total";
    return grid;
  }

  std::string hidden_rows_sentence(const ShownResult& result) const {
    const Selection& selection = result.selection;
    constexpr std::string_view what = "rows; the total is of all";
    if (!selection.rest.empty()) return "";
    const auto& groups = rows_ != ShownRows::each ? selection.main_groups : selection.groups;
    return rows_ != ShownRows::each || folds_everywhere(result)
               ? hidden_sentence(groups.size(), selection.all_groups, what)
               : hidden_sentence(selection.rows.size(), result.layers.size(), what);
  }

  void add_kernels() {
    if (report_.kernels.empty()) return;
    for (const Shown<KernelTable>& table : report_.kernels) {
      const Selection& selection = table.selection;
      document_.add_gap();
      add_kernel_title(document_, table);
      document_.add_gap();
      document_.add_table(table_of_kernels(table, selection, rows_));
      if (selection.rest.empty())
        document_.add_line(hidden_sentence(selection.rows.size(), table.rows.size(),
                                           "kernels; the total is of all"));
    }
    document_.add_legend();
  }

  void add_explanations() {
    for (const Explanation& each : report_.explanations) {
      document_.add_gap();
      add_explanation(document_, each, report_.results[each.result], report_.filter.all);
    }
  }

  void add_network_explanations() {
    for (const NetworkExplanation& each : report_.network_explanations) {
      const Result& result = report_.results[each.result];
      document_.add_gap();
      document_.add_sentence(fit_sentence(result));
      document_.add_heading(title_of(report_, {each.result}));
      add_explanation(document_, each, result);
    }
  }

  const Report& report_;
  ShownRows rows_;
  Document document_;
};

/// The main result, repeated at the end of a long output.
Document answer_of(const Report& report) {
  Document answer;
  if (!report.explanations.empty()) return answer;
  if (report.points.size() == 1 && report.points.front().ranked_by)
    answer.add_line(ranking_answer(report.points.front(), report.currency));
  if (report.results.size() != 1 || !report.points.empty()) return answer;
  const Result& result = report.results.front();
  if (result.layers.size() == 1) return answer;
  if (result.measured.verdict)
    add_actions(answer, result);
  else
    add_time(answer, result);
  return answer;
}

}  // namespace

void add_ceilings(Document& document, const Result& result) {
  const double peak = *rate_of(result.bounds.ceilings->peak_flop_per_s, result.bounds.main_engine);
  const double bandwidth = result.bounds.ceilings->bandwidth_byte_per_s;
  document.add_line(
      fmt::format("{} {} and {} ({}{}): ridge {} FLOP/B", name_of(result.bounds.main_engine),
                  si(peak, "FLOP/s"), si(bandwidth, "B/s"), name_of(result.bounds.ceilings->kind),
                  result.setting.gpu_changes.empty() ? "" : ", changed", plain(peak / bandwidth)));
  document.add_sentence(gpu_changes_sentence(result));
  document.add_sentence(flight_cap_sentence(result));
}

Document document_of(const Report& report, ShownRows rows) {
  return Writer(report, rows).document();
}

void write_table(const Report& report, const RenderStyle& style, const Sink& sink) {
  std::string text = text_of(document_of(report, ShownRows::main), style.width);
  if (style.height && static_cast<std::size_t>(std::ranges::count(text, '\n')) >= *style.height)
    text += text_of(answer_of(report), style.width);
  sink(text);
}

void write_markdown(const Report& report, const RenderStyle&, const Sink& sink) {
  sink(markdown_of(document_of(report, ShownRows::each)));
}

}  // namespace roofline
