#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include "report/fields.hpp"
#include "report/formats.hpp"
#include "report/grid.hpp"
#include "report/rows.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Results that share one table: a network, or all inputs that are a single layer on the same GPU.
using Section = ResultGroup;

bool share_a_table(const Result& a, const Result& b) {
  return a.layers.size() == 1 && b.layers.size() == 1 && a.setting.gpu == b.setting.gpu &&
         a.bounds.main_engine == b.bounds.main_engine && a.setting.batch == b.setting.batch;
}

template <class T>
std::string name_or(const std::optional<T>& value, const char* fallback) {
  return value ? std::string(name_of(*value)) : fallback;
}

/// What a recording without images or sequences ran on is not known.
std::string batch_text(const Result& result) {
  if (result.setting.batch) return fmt::format("batch {}, ", *result.setting.batch);
  return result.measured.recording ? "" : "batch mixed, ";
}

/// What of the GPU was set, from what to what; empty where nothing was.
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
  }
  return text.empty() ? text : broken(text + '\n', sentence_width);
}

std::string title_of(const Report& report, const Section& section) {
  const Result& result = report.results[section.front()];
  const double peak = *rate_of(result.bounds.ceilings.peak_flop_per_s, result.bounds.main_engine);
  const double bandwidth = result.bounds.ceilings.bandwidth_byte_per_s;
  const std::string what = section.size() == 1
                               ? shortened(printable(result.setting.label), 40)
                               : fmt::format("{} inputs of one layer", section.size());
  // A recording of several passes is of a step of training.
  const bool trains =
      result.setting.training || (result.measured.recording != nullptr && !result.setting.pass);
  const std::string pass = trains ? "training" : name_or(result.setting.pass, "mixed passes");
  const std::string by =
      result.setting.framework ? fmt::format(", by {}", name_of(*result.setting.framework)) : "";
  // The name of a GPU that was changed says what was set, and is longer.
  const bool is_changed = !result.setting.gpu_changes.empty();
  return fmt::format("{} on {}, {}, {}{}{}\n{} {} and {} ({}{}): ridge {} FLOP/B\n{}", what,
                     shortened(printable(result.setting.gpu), is_changed ? 80 : 30),
                     name_or(result.setting.dtype, "mixed types"), batch_text(result), pass, by,
                     name_of(result.bounds.main_engine), si(peak, "FLOP/s"), si(bandwidth, "B/s"),
                     name_of(result.bounds.ceilings.kind), is_changed ? ", changed" : "",
                     plain(peak / bandwidth),
                     share_line(result.setting) + gpu_changes_sentence(result));
}

/// What an engine runs.
struct EngineUse {
  Engine engine;
  std::vector<std::string_view> kinds;  ///< each once
  double time_s = 0;
};

constexpr std::size_t most_kinds_named = 5;
constexpr double least_engine_share = 0.01;

std::vector<EngineUse> engine_uses(const Report& report, const Section& section) {
  std::vector<EngineUse> uses;
  for (const std::size_t i : section)
    for (const LayerResult& row : report.results[i].layers) {
      if (!runs_on_engine(row.layer)) continue;
      auto use = std::ranges::find_if(
          uses, [&](const EngineUse& each) { return each.engine == row.engine; });
      if (use == uses.end()) use = uses.insert(uses.end(), {row.engine, {}});
      use->time_s += row.measured_time_s.value_or(time_s(row));
      const std::string_view kind = info(row.layer.kind).name;
      if (std::ranges::find(use->kinds, kind) == use->kinds.end()) use->kinds.push_back(kind);
    }
  return uses;
}

/// "conv, linear"; of more than a few kinds the first ones.
std::string kinds_text(const std::vector<std::string_view>& kinds) {
  if (kinds.size() <= most_kinds_named) return fmt::format("{}", fmt::join(kinds, ", "));
  const std::size_t named = most_kinds_named - 1;
  return fmt::format("{} and {} more", fmt::join(std::span(kinds).first(named), ", "),
                     kinds.size() - named);
}

/// Which engine runs what: "fp16_tensor: conv, linear; fp16: relu". Engines of next to no time are
/// not worth a line.
std::string engines_of(const Report& report, const Section& section) {
  const std::vector<EngineUse> uses = engine_uses(report, section);
  if (uses.size() < 2) return "";
  double whole_s = 0;
  for (const EngineUse& use : uses) whole_s += use.time_s;
  std::string text;
  for (const EngineUse& use : uses)
    if (use.time_s >= least_engine_share * whole_s)
      text += fmt::format("{}{} for {}", text.empty() ? "engines: " : "; ", name_of(use.engine),
                          kinds_text(use.kinds));
  return text + '\n';
}

/// What a framework's choice of engines makes of its layers' time, where it is much; else empty.
std::string other_engine_sentence(const Result& result) {
  constexpr double much = 2;
  const auto& other = result.other_engine;
  if (!other || other->own_expected_s < much * other->expected_s) return "";
  return fmt::format("{} for {} layers is {}'s default: in {} they take {} (--engine auto)\n",
                     name_of(other->engine), name_of(other->own),
                     name_of(*result.setting.framework), name_of(other->own),
                     factor(other->own_expected_s / other->expected_s));
}

/// The expected time of all layers and how sure it is; empty where either is not known, and beside
/// measured times.
std::string expected_sentence(const Result& result, std::optional<std::size_t> width) {
  const Total& total = result.total;
  if (!total.expected_time_s || !total.expected_uncertainty || result.measured.summary) return "";
  const Uncertainty& uncertainty = *total.expected_uncertainty;
  return broken(
             fmt::format("expected: {}{}, within {} (95%: {}), {}", carried_over_mark(uncertainty),
                         duration(*total.expected_time_s), factor(uncertainty.factor),
                         factor(uncertainty.factor_95), meaning_of(uncertainty.basis)),
             width.value_or(sentence_width)) +
         '\n';
}

Grid type_grid(const Result& result, const Selection& selection) {
  Grid grid{{{"type", true},
             {"layers"},
             {"MACs"},
             {"FLOP"},
             {"bytes"},
             {"roofline"},
             {"expected"},
             {"share"}},
            true};
  const auto add = [&](std::string_view name, std::uint64_t rows, const Total& total,
                       double share) {
    grid.add_row({std::string(name), fmt::format("{}", rows), si(total.macs, ""),
                  si(total.flops, ""), si(total.bytes.total, "B"), duration(total.roofline_time_s),
                  duration(total.expected_time_s), percent(share)});
  };
  for (const std::size_t i : selection.types) {
    const TypeRow& type = result.types[i];
    add(info(type.kind).name, type.rows, type.total, type.time_share);
  }
  add("total", result.layers.size(), result.total, 1);
  return grid;
}

constexpr std::string_view folded_legend = "x2, x3: that many layers alike, added up.\n";

std::string hidden_sentence(std::size_t shown, std::size_t all, std::string_view what) {
  if (shown == all) return "";
  return fmt::format("{} of {} {}; the total is of all\n", shown, all, what);
}

/// How many rows of how many are shown, where a selection was asked for.
std::string hidden_rows_sentence(const Selection& selection, const Result& result,
                                 const TableStyle& style) {
  if (!selection.rest.empty()) return "";
  return style.is_terminal() || folds_everywhere(result)
             ? hidden_sentence(selection.groups.size(), selection.all_groups, "rows")
             : hidden_sentence(selection.rows.size(), result.layers.size(), "rows");
}

void write_section(const Report& report, const Section& section, const TableStyle& style,
                   OutputBuffer& out) {
  out.text() += title_of(report, section);
  if (section.size() > 1) {
    out.text() += engines_of(report, section) + '\n';
    style.write(layer_grid(report, section, style.own), out);
    out.text() += '\n';
    return;
  }
  const Result& result = report.results[section.front()];
  const Selection& selection = report.selections[section.front()];
  out.text() += verdict_sentences(result) + expected_sentence(result, style.own.width) +
                engines_of(report, section) + other_engine_sentence(result);
  out.text() += memory_sentence(result) + recording_sentences(result) + '\n';
  if (report.filter.by == RowsBy::type) {
    style.write(type_grid(result, selection), out);
    out.text() += hidden_sentence(selection.types.size(), result.types.size(), "types");
  } else {
    style.write(layer_grid(report, section, style.own), out);
    out.text() += hidden_rows_sentence(selection, result, style);
  }
  out.text() += network_bounds_sentence(result, style.own.width);
  out.text() += measured_text(result, style) + '\n';
}

bool has_folded(const Report& report, const TableStyle& style) {
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    if (!style.is_terminal() && !folds_everywhere(report.results[i])) continue;
    const auto& groups =
        style.is_terminal() ? report.selections[i].main_groups : report.selections[i].groups;
    if (std::ranges::any_of(groups, [](const auto& each) { return each.size() > 1; })) return true;
  }
  return false;
}

/// What the headers mean that are shown, in words that layers and points share.
std::string meanings_legend(const std::set<std::string>& headers) {
  std::string text;
  if (headers.contains("FLOP") || headers.contains("MACs")) text = "1 MAC = 2 FLOP. ";
  text += "k, M, G: powers of ten.";
  if (headers.contains("bytes"))
    text += " bytes: each operand is read once, each result written once.";
  if (headers.contains("roofline"))
    text += " roofline: the least time, all bytes from device memory.";
  if (headers.contains("expected"))
    text +=
        " expected: the time of a library's kernel; less than the roofline where operands are in "
        "L2 (see --cache) or Winograd needs fewer MACs.";
  if (headers.contains("share")) text += " share: of the total.";
  if (headers.contains("expected") || headers.contains("within"))
    text +=
        " within: of 100 measured times, 68 lie between expected / within and expected x within. "
        "~: no kernel of this kind was measured on this GPU.";
  return broken(text, sentence_width) + '\n';
}

/// Points stand for their layers, unless layers are asked for.
bool shows_layers(const Report& report) {
  return report.points.empty() || report.filter.asks_for_layers();
}

/// What the tables say that their legends explain.
struct ShownWords {
  std::set<std::string> headers;
  std::set<std::string> limiters;
  bool rows_in_cache = false;

  void add(const Grid& grid) {
    for (const GridColumn& column : grid.columns) {
      headers.insert(column.header);
      for (const std::string_view cell : column.cells) {
        if (column.header == "limiter") limiters.insert(std::string(cell));
        if (column.header == "bound" && cell.ends_with('*')) rows_in_cache = true;
      }
    }
  }
};

/// What the cells of a column of limiters mean, each in a few words, in lines.
std::string limiter_legend(const std::set<std::string>& cells) {
  std::string text;
  for (const Limiter limiter : enumerators<Limiter>) {
    const std::string name = words(name_of(limiter));
    if (cells.contains(name))
      text += fmt::format("{} {}: {}", text.empty() ? "" : ",", name, meaning_of(limiter));
  }
  if (text.empty()) return "";
  return broken("limiter: the largest part of the expected time;" + text + ".\n", sentence_width);
}

/// What the columns that are shown mean.
std::string columns_legend(const ShownWords& shown) {
  std::string text;
  if (shown.headers.contains("lost")) text += "lost: the measured time beyond the roofline. ";
  if (shown.headers.contains("/bound"))
    text +=
        "/bound, /exp.: the measured time over the roofline, over the expected time; >x1000 where "
        "the roofline is far below the start of a kernel.";
  if (!text.empty()) text = broken(text, sentence_width) + '\n';
  if (shown.rows_in_cache)
    text.insert(0, "memory*: expected is less than the roofline, because operands are in L2.\n");
  return text + limiter_legend(shown.limiters);
}

void write_layer_tables(const Report& report, const TableStyle& plain_style, OutputBuffer& out) {
  // Legends explain what is rendered and nothing else.
  ShownWords shown;
  const TableStyle style{[&](const Grid& grid, OutputBuffer& to) {
                           shown.add(grid);
                           plain_style.write(grid, to);
                         },
                         plain_style.own};
  if (report.changes) {
    out.text() += changes_text(*report.changes, report.filter.top, style);
    if (!shown.limiters.empty()) out.text() += '\n' + limiter_legend(shown.limiters);
    return;
  }
  const bool by_type = report.filter.by == RowsBy::type;
  const bool rows = shows_layers(report) && !by_type;
  if (by_type)
    for (const SettingsTable& sweep : report.sweeps) out.text() += sweep_text(sweep, style);
  if (rows || (by_type && report.sweeps.empty()))
    for (const Section& section : grouped_results(report, share_a_table))
      write_section(report, section, style, out);
  if (report.filter.by == RowsBy::layer && !report.comparisons.empty()) {
    style.write(comparison_grid(report.comparisons), out);
    out.text() += '\n';
  }
  out.text() += points_text(report, style);
  if (out.is_empty()) return;
  out.text() += (report.points.empty() ? "" : points_legend(report, shown.headers)) +
                meanings_legend(shown.headers) + columns_legend(shown) +
                std::string(rows && has_folded(report, style) ? folded_legend : "");
}

void write_kernels(const Report& report, const TableStyle& style, OutputBuffer& out) {
  if (report.changes || report.kernels.empty()) return;
  if (!out.is_empty()) out.text() += '\n';
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    const KernelTable& table = report.kernels[i];
    const KernelSelection& selection = report.kernel_selections[i];
    out.text() += kernel_title(table) + '\n';
    style.write(kernel_grid(table, selection, style.own), out);
    if (selection.rest.empty())
      out.text() += hidden_sentence(selection.rows.size(), table.rows.size(), "kernels");
    out.text() += '\n';
  }
  out.text() += kernel_legend(report);
}

/// A network as a colleague could be sent it.
std::string network_explanations_text(const Report& report, const TableStyle& style) {
  std::string text;
  for (const NetworkExplanation& each : report.network_explanations)
    text += (text.empty() ? "" : "\n") + broken(title_of(report, {each.result}), sentence_width) +
            network_explanation_text(each, report.results[each.result], style);
  return text;
}

void write_report(const Report& report, const TableStyle& style, OutputBuffer& out) {
  if (!report.network_explanations.empty()) {
    out.text() += network_explanations_text(report, style);
    return;
  }
  write_layer_tables(report, style, out);
  write_kernels(report, style, out);
}

std::string explanations_text(const Report& report) {
  const auto length = report.filter.all ? ExplanationLength::whole : ExplanationLength::lecture;
  std::string text;
  for (const Explanation& each : report.explanations)
    text +=
        (text.empty() ? "" : "\n") + explanation_text(each, report.results[each.result], length);
  return text;
}

/// A text as it comes, in which tables stand between two marks, as Markdown: of the sentences
/// around the tables, which hold names too, nothing is markup. No text has the mark, a control
/// character.
class MarkedText {
 public:
  static constexpr char mark = '\x1f';

  explicit MarkedText(const Sink& sink) : sink_(sink) {}

  /// A part that ends within a table or with a line.
  void add(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find(mark);
      const std::string_view part = text.substr(0, end);
      sink_(is_table_ ? std::string(part) : markdown_lines(part));
      if (end == text.npos) return;
      is_table_ = !is_table_;
      text.remove_prefix(end + 1);
    }
  }

 private:
  const Sink& sink_;
  bool is_table_ = false;
};

}  // namespace

void write_table(const Report& report, const RenderStyle& style, const Sink& sink) {
  if (!report.explanations.empty()) return sink(explanations_text(report));
  // What is handed on ends with a line.
  const Sink at_width = [&](std::string_view piece) { sink(broken(piece, *style.width)); };
  OutputBuffer out(style.width ? at_width : sink);
  const auto write = [&](const Grid& grid, OutputBuffer& to) { write_aligned(grid, style, to); };
  write_report(report, {write, style}, out);
  out.flush();
}

void write_markdown(const Report& report, const RenderStyle&, const Sink& sink) {
  if (!report.explanations.empty()) return sink(markdown_block(explanations_text(report)));
  MarkedText text(sink);
  const Sink marked = [&](std::string_view piece) { text.add(piece); };
  OutputBuffer out(marked);
  const auto write = [](const Grid& grid, OutputBuffer& to) {
    to.text() += MarkedText::mark;
    write_markdown_grid(grid, to);
    (to.text() += '\n') += MarkedText::mark;
  };
  write_report(report, {write, {}}, out);
  out.flush();
}

}  // namespace roofline
