#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "report/explain.hpp"
#include "report/formats.hpp"
#include "report/grid.hpp"
#include "report/people.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// How a table is made of grids: aligned or Markdown, equal layers folded or each its own row.
struct Style {
  std::function<std::string(const Grid&)> render;
  bool folds;
};

/// Results that share one table: a network, or all inputs that are a single layer on the same GPU.
struct Section {
  std::vector<std::size_t> results;
};

bool share_a_table(const Result& a, const Result& b) {
  return a.layers.size() == 1 && b.layers.size() == 1 && a.gpu == b.gpu &&
         a.main_engine == b.main_engine && a.batch == b.batch;
}

std::vector<Section> sections_of(const Report& report) {
  std::vector<Section> sections;
  std::vector<Section*> open;  // of single layers, which may take more
  sections.reserve(report.results.size());
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const auto fitting = std::find_if(open.begin(), open.end(), [&](const Section* section) {
      return share_a_table(report.results[section->results.front()], report.results[i]);
    });
    if (fitting != open.end()) {
      (*fitting)->results.push_back(i);
      continue;
    }
    sections.push_back({{i}});
    if (report.results[i].layers.size() == 1) open.push_back(&sections.back());
  }
  return sections;
}

template <class T>
std::string name_or(const std::optional<T>& value, const char* fallback) {
  return value ? std::string(name_of(*value)) : fallback;
}

std::string title_of(const Report& report, const Section& section) {
  const Result& result = report.results[section.results.front()];
  const double peak = *rate_of(result.ceilings.peak_flop_per_s, result.main_engine);
  const double bandwidth = result.ceilings.bandwidth_byte_per_s;
  const std::string what = section.results.size() == 1
                               ? shortened(printable(result.label), 40)
                               : fmt::format("{} inputs of one layer", section.results.size());
  const std::string pass = result.training ? "training" : name_or(result.pass, "mixed passes");
  return fmt::format("{} on {}, {}, batch {}, {}\n{} {} and {} ({}): ridge {} FLOP/B\n", what,
                     shortened(printable(result.gpu), 30), name_or(result.dtype, "mixed types"),
                     result.batch ? fmt::format("{}", *result.batch) : "mixed", pass,
                     name_of(result.main_engine), si(peak, "FLOP/s"), si(bandwidth, "B/s"),
                     name_of(result.ceilings.kind), plain(peak / bandwidth));
}

/// Which engine runs what: "fp16_tensor: conv, linear; fp16: relu".
std::string engines_of(const Report& report, const Section& section) {
  std::vector<std::pair<Engine, std::vector<std::string_view>>> users;
  for (const std::size_t i : section.results)
    for (const LayerResult& row : report.results[i].layers) {
      if (!runs_on_engine(row.layer)) continue;
      const std::string_view kind = info(row.layer.kind).name;
      auto entry = std::find_if(users.begin(), users.end(),
                                [&](const auto& user) { return user.first == row.engine; });
      if (entry == users.end()) entry = users.insert(users.end(), {row.engine, {}});
      if (std::find(entry->second.begin(), entry->second.end(), kind) == entry->second.end())
        entry->second.push_back(kind);
    }
  if (users.size() < 2) return "";
  std::string text = "engines: ";
  for (const auto& [engine, kinds] : users)
    text += fmt::format("{}{} for {}", text.size() > 9 ? "; " : "", name_of(engine),
                        fmt::join(kinds, ", "));
  return text + '\n';
}

std::vector<const OutputField*> shown_fields(bool measured) {
  const Shown other = measured ? Shown::unmeasured : Shown::measured;
  std::vector<const OutputField*> shown;
  for (const OutputField& field : output_fields())
    if (!field.header.empty() && field.shown != other) shown.push_back(&field);
  return shown;
}

bool is_text(const OutputField& field) { return field.unit == Unit::none; }

/// The rows of one result: groups of equal layers, or each layer.
std::vector<TableRow> rows_of(const Result& result, const Selection& selection, bool folds) {
  std::vector<TableRow> rows;
  if (folds)
    for (const auto& group : selection.groups) rows.push_back({result, group});
  else
    for (const std::size_t row : selection.rows) rows.push_back({result, {row}});
  return rows;
}

Grid grid_of(const Report& report, const Section& section, bool folds) {
  Grid grid;
  const bool measured = std::any_of(section.results.begin(), section.results.end(),
                                    [&](std::size_t i) { return report.results[i].measured; });
  const std::vector<const OutputField*> fields = shown_fields(measured);
  for (const OutputField* field : fields)
    grid.columns.push_back({std::string(field->header), is_text(*field)});
  const bool many = section.results.size() > 1;
  for (const std::size_t i : section.results)
    for (const TableRow& row : rows_of(report.results[i], report.selections[i], folds)) {
      std::vector<std::string> cells;
      for (const OutputField* field : fields) cells.push_back(people_text(*field, row));
      if (many) {
        cells.front() = report.results[i].label + "/" + cells.front();
        if (!measured) cells.back().clear();  // the share, of a network of one layer
      }
      grid.rows.push_back(std::move(cells));
    }
  const Result& first = report.results[section.results.front()];
  if (many || first.layers.size() < 2) return grid;
  std::vector<std::string> cells;
  for (const OutputField* field : fields) cells.push_back(total_text(*field, first.total));
  grid.rows.push_back(std::move(cells));
  grid.has_total = true;
  return grid;
}

constexpr std::string_view conventions =
    "1 MAC = 2 FLOP. bytes: operands read once, results written once. k, M, G: powers of ten.\n"
    "expected: of a library's kernel, below the roofline where operands are in L2 (--cache cold)\n"
    "or Winograd saves MACs. share: of the whole expected time.\n";

constexpr std::string_view folded_legend = "x2, x3: layers alike, added up.\n";

constexpr std::string_view accuracy_legend =
    "predicted / measured: bias is the geometric mean; gerr exp of the mean |ln|; median of "
    "|error|;\n"
    "roofline: gerr of the plain roofline time.\n";

std::string hidden_sentence(std::size_t shown, std::size_t all, std::string_view what) {
  if (shown == all) return "";
  return fmt::format("{} of {} {}; the total is of all\n", shown, all, what);
}

/// Rows of work that no layer stands for; JSON has all.
constexpr std::size_t most_unmodelled = 10;

/// Changed layers of a comparison; JSON has all.
constexpr std::size_t most_changes = 20;

std::string measured_text(const Result& result, const Style& style) {
  std::string text;
  if (result.measured) {
    text += '\n' + style.render(measured_parts_grid(*result.measured));
    text += '\n' + style.render(measured_types_grid(*result.measured));
    text += '\n' + lost_sentences(result);
  }
  if (result.recording && !result.recording->unmodelled.empty())
    text += '\n' + style.render(unmodelled_grid(*result.recording, most_unmodelled));
  if (!result.accuracy.empty())
    text += '\n' + style.render(accuracy_grid(result)) + std::string(accuracy_legend);
  return text + below_bound_sentences(result) + not_compared_sentence(result);
}

std::string section_text(const Report& report, const Section& section, const Style& style) {
  std::string text = title_of(report, section) + engines_of(report, section);
  if (section.results.size() > 1)
    return text + '\n' + style.render(grid_of(report, section, style.folds)) + '\n';
  const Result& result = report.results[section.results.front()];
  const Selection& selection = report.selections[section.results.front()];
  text += memory_sentence(result) + recording_sentences(result) + '\n';
  if (report.view.by == RowsBy::type)
    text += style.render(type_grid(result, selection)) +
            hidden_sentence(selection.types.size(), result.types.size(), "types");
  else
    text += style.render(grid_of(report, section, style.folds)) +
            hidden_sentence(style.folds ? selection.groups.size() : selection.rows.size(),
                            style.folds ? selection.all_groups : result.layers.size(), "rows");
  return text + measured_text(result, style) + '\n';
}

/// Every batch of a sweep in one table takes the place of their layers.
std::string sweep_text(const Sweep& sweep, const Style& style) {
  return fmt::format("{} on {} by batch, expected time\n\n",
                     shortened(printable(sweep.network), 40), shortened(printable(sweep.gpu), 30)) +
         style.render(sweep_grid(sweep)) + sweep_sentence(sweep) + '\n';
}

bool has_folded(const Report& report) {
  return std::any_of(report.selections.begin(), report.selections.end(), [](const auto& each) {
    return std::any_of(each.groups.begin(), each.groups.end(),
                       [](const auto& group) { return group.size() > 1; });
  });
}

std::string changes_text(const Report& report, const Style& style) {
  const MeasuredChanges& changes = *report.changes;
  const std::size_t shown =
      std::min<std::size_t>(changes.layers.size(), report.view.top.value_or(most_changes));
  return fmt::format("measured: before {}, after {}\n\n", printable(changes.before),
                     printable(changes.after)) +
         style.render(changes_grid(changes, shown)) + changes_sentences(changes, shown);
}

std::string report_text(const Report& report, const Style& style) {
  std::string out;
  if (report.changes) return changes_text(report, style);
  // A sweep stands for its batches' layers unless rows of them are asked for.
  const bool layers = report.sweeps.empty() || !report.view.is_default();
  if (layers)
    for (const Section& section : sections_of(report)) out += section_text(report, section, style);
  for (const Sweep& sweep : report.sweeps) out += sweep_text(sweep, style);
  if (!report.comparison.empty())
    out += style.render(comparison_grid(report.comparison)) +
           "speed-up: of the expected time, over the first GPU. bound by: share of the roofline's "
           "time in\nlayers bound so. energy at TDP: expected time x TDP, an upper estimate.\n\n";
  if (out.empty()) return out;
  const bool folded = style.folds && layers && report.view.by != RowsBy::type && has_folded(report);
  const bool rows = layers && report.view.by != RowsBy::type;
  return out + std::string(conventions) + (rows ? limiter_legend(report) : "") +
         std::string(folded ? folded_legend : "");
}

std::string explanations_text(const Report& report) {
  std::string text;
  for (const Explanation& each : report.explanations)
    text += (text.empty() ? "" : "\n") + explanation_text(each, report.results[each.result]);
  return text;
}

}  // namespace

std::string render_table(const Report& report, const RenderStyle& style) {
  if (!report.explanations.empty()) return explanations_text(report);
  return report_text(report, {[&](const Grid& grid) { return aligned(grid, style); }, true});
}

std::string render_markdown(const Report& report, const RenderStyle&) {
  if (!report.explanations.empty()) return "```\n" + explanations_text(report) + "```\n";
  return report_text(report, {[](const Grid& grid) { return markdown(grid) + '\n'; }, false});
}

}  // namespace roofline
