#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/text.hpp"
#include "report/formats.hpp"
#include "report/rows.hpp"
#include "report/sections.hpp"

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
  return text.empty() ? text : broken(text + '\n', sentence_width);
}

/// The limit on a raised bandwidth and what would lift it; empty if it costs little.
std::string flight_cap_line(const Result& result) {
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
  const std::string text = fmt::format(
      "bytes in flight cap {} at {} whatever the bandwidth, and take {} of the time: more SMs "
      "would move it, or fusing the layer away\n",
      printable(most.layer.name), si(most.kernel->in_flight_byte_per_s.value_or(0), "B/s"),
      percent(share));
  return broken(text, sentence_width);
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
  std::string text = section.size() == 1 ? shortened(printable(result.setting.label), 40)
                                         : fmt::format("{} inputs of one layer", section.size());
  text += " on " + shortened(printable(result.setting.gpu), widest_gpu) +
          stack_title(result, false).substr(result.setting.label.size()) + tuning_text(result);
  return text + '\n';
}

std::string ceilings_sentence(const Result& result) {
  const double peak = *rate_of(result.bounds.ceilings->peak_flop_per_s, result.bounds.main_engine);
  const double bandwidth = result.bounds.ceilings->bandwidth_byte_per_s;
  return fmt::format("{} {} and {} ({}{}): ridge {} FLOP/B\n{}", name_of(result.bounds.main_engine),
                     si(peak, "FLOP/s"), si(bandwidth, "B/s"),
                     name_of(result.bounds.ceilings->kind),
                     result.setting.gpu_changes.empty() ? "" : ", changed", plain(peak / bandwidth),
                     gpu_changes_sentence(result) + flight_cap_line(result));
}

Grid type_grid(const Result& result, const Selection& selection) {
  std::vector<TypeRow> rows =
      each_of(selection.rows, [&](std::size_t i) { return result.types[i]; });
  rows.push_back({.rows = result.layers.size(), .total = result.total, .time_share = 1});
  Grid grid = grid_of<TypeRow>(shown_columns(sum_columns(), of_types), rows);
  grid.columns.front().cells.back() = "total";
  fit(grid, {});
  return grid;
}

std::string hidden_sentence(std::size_t shown, std::size_t all, std::string_view what) {
  if (shown == all) return "";
  return fmt::format("{} of {} {}\n", shown, all, what);
}

std::string hidden_rows_sentence(const Selection& selection, const Result& result,
                                 const TableStyle& style) {
  constexpr std::string_view rows = "rows; the total is of all";
  if (!selection.rest.empty()) return "";
  return style.width || folds_everywhere(result)
             ? hidden_sentence(selection.groups.size(), selection.all_groups, rows)
             : hidden_sentence(selection.rows.size(), result.layers.size(), rows);
}

bool is_one_layer(const Report& report, const Section& section) {
  const Result& result = report.results[section.front()];
  return section.size() == 1 && result.layers.size() == 1 && !result.measured.recording &&
         report.filter.by != RowsBy::type;
}

/// "conv0 of net on V100, ...", and the layer as a list.
std::string one_layer_text(const Report& report, const Section& section) {
  const Result& result = report.results[section.front()];
  const Layer& layer = result.layers.front().layer;
  std::string name = short_name(printable(layer.name), 60);
  if (layer.id->is_known()) name += fmt::format(" (id {})", printable(layer.id->text));
  return fit_sentence(result) + (name == result.setting.label ? "" : name + " of ") +
         title_of(report, section) + layer_list(result) + gpu_changes_sentence(result) +
         flight_cap_line(result) + (fits(result).value_or(true) ? "" : memory_sentence(result)) +
         large_tensors_sentence(result) + measured_notes(result) + '\n';
}

std::string section_text(const Report& report, const Section& section, const TableStyle& style) {
  std::string text;
  const std::size_t shown = count_shown(report, section);
  if (shown == 0) return text;
  const Result& result = report.results[section.front()];
  if (is_one_layer(report, section)) return text + one_layer_text(report, section);
  if (section.size() == 1) text += fit_sentence(result);
  text += title_of(report, section);
  if (section.size() > 1)
    return text + ceilings_sentence(result) + '\n' +
           style.render(layer_grid(report, section, style.width)) +
           hidden_sentence(shown, section.size(), "rows") + '\n';
  const Selection& selection = report.selections[section.front()];
  const Selection& types = report.type_selections[section.front()];
  text += verdict_sentences(result) +
          (result.measured.summary ? "" : broken(time_sentence(result), sentence_width)) +
          ceilings_sentence(result) + memory_sentence(result) + recording_sentences(result) + '\n' +
          slow_convolution_sentences(result);
  if (report.filter.by == RowsBy::type)
    text += style.render(type_grid(result, types)) +
            hidden_sentence(types.rows.size(), result.types.size(), "types; the total is of all");
  else
    text += style.render(layer_grid(report, section, style.width)) +
            hidden_rows_sentence(selection, result, style);
  return text + broken(vector_units_sentence(result), sentence_width) +
         large_tensors_sentence(result) + network_bounds_sentence(result, style.width) +
         measured_text(result, style) + '\n';
}

std::string layer_tables(const Report& report, TableStyle style) {
  Legend legend;
  style.legend = &legend;
  if (report.changes) {
    const std::string text = changes_text(*report.changes, report.filter.top, style) +
                             (report.results.empty() ? "" : flight_cap_line(report.results.back()));
    const std::string words = legend.text();
    return words.empty() ? text : text + '\n' + words;
  }
  std::string text;
  const bool by_type = report.filter.by == RowsBy::type;
  const auto stand_alone = [](const Result&, const Result&) { return false; };
  if (by_type && !report.sweeps.empty())
    for (const SettingsTable& sweep : report.sweeps) text += sweep_text(report, sweep, style);
  else if (report.points.empty() || report.filter.asks_for_layers())
    for (const Section& section :
         grouped<Result>(report.results, by_type ? +stand_alone : share_a_table))
      text += section_text(report, section, style);
  text += points_text(report, style);
  return text.empty() ? text : text + legend.text();
}

std::string kernel_tables(const Report& report, TableStyle style) {
  Legend legend;
  style.legend = &legend;
  std::string text;
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    const KernelTable& table = report.kernels[i];
    const Selection& selection = report.kernel_selections[i];
    text += kernel_title(table) + '\n' + style.render(kernel_grid(table, selection, style.width));
    if (selection.rest.empty())
      text +=
          hidden_sentence(selection.rows.size(), table.rows.size(), "kernels; the total is of all");
    text += '\n';
  }
  return text + legend.text();
}

std::string network_explanations_text(const Report& report, const TableStyle& style) {
  std::string text;
  for (const NetworkExplanation& each : report.network_explanations) {
    const Result& result = report.results[each.result];
    text += (text.empty() ? "" : "\n") +
            broken(fit_sentence(result) + title_of(report, {each.result}), sentence_width) +
            network_explanation_text(each, result, ceilings_sentence(result), style);
  }
  return text;
}

std::string report_text(const Report& report, const TableStyle& style) {
  if (!report.network_explanations.empty()) return network_explanations_text(report, style);
  std::string text = layer_tables(report, style);
  if (report.changes || report.kernels.empty()) return text;
  if (!text.empty()) text += '\n';
  return text + kernel_tables(report, style);
}

std::string explanations_text(const Report& report) {
  std::string text;
  for (const Explanation& each : report.explanations)
    text += (text.empty() ? "" : "\n") +
            explanation_text(each, report.results[each.result], report.filter.all);
  return text;
}

/// The main result, repeated at the end of a long output.
std::string answer_of(const Report& report) {
  if (report.points.size() == 1 && report.points.front().ranked_by)
    return ranking_answer(report.points.front(), report.currency) + '\n';
  if (report.results.size() != 1 || !report.points.empty()) return "";
  const Result& result = report.results.front();
  if (result.layers.size() == 1) return "";
  return result.measured.verdict ? action_sentences(result) : time_sentence(result);
}

/// Marks the begin and end of tables in Markdown; no other text has control characters.
constexpr char table_mark = '\x1f';

/// Escapes markup in the sentences around tables, which hold names.
std::string without_marks(std::string_view text) {
  std::string out;
  for (bool is_table = false; !text.empty(); is_table = !is_table) {
    const std::string_view part = take(text, table_mark);
    out += is_table ? std::string(part) : markdown_lines(part);
  }
  return out;
}

}  // namespace

std::string TableStyle::render(const Grid& grid) const {
  if (legend != nullptr) legend->add(grid);
  return is_markdown ? table_mark + markdown_grid(grid) + '\n' + table_mark : aligned(grid, width);
}

void write_table(const Report& report, const RenderStyle& style, const Sink& sink) {
  std::string text =
      report.explanations.empty() ? report_text(report, {style.width}) : explanations_text(report);
  if (style.width) text = broken(text, *style.width);
  if (style.height && static_cast<std::size_t>(std::ranges::count(text, '\n')) >= *style.height)
    text += broken(answer_of(report), *style.width);
  sink(text);
}

void write_markdown(const Report& report, const RenderStyle&, const Sink& sink) {
  if (!report.explanations.empty()) return sink(markdown_block(explanations_text(report)));
  sink(without_marks(report_text(report, {.is_markdown = true})));
}

}  // namespace roofline
