#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "report/columns.hpp"
#include "report/grid.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Results that share one table: a network, or all inputs that are a single layer on the same GPU.
struct Section {
  std::vector<const Result*> results;

  const Result& first() const { return *results.front(); }
};

bool share_a_table(const Result& a, const Result& b) {
  return a.layers.size() == 1 && b.layers.size() == 1 && a.gpu == b.gpu &&
         a.main_engine == b.main_engine && a.batch == b.batch;
}

std::vector<Section> sections_of(const std::vector<Result>& results) {
  std::vector<Section> sections;
  for (const Result& result : results) {
    const auto open = std::find_if(sections.begin(), sections.end(), [&](const Section& other) {
      return share_a_table(other.first(), result);
    });
    if (open == sections.end())
      sections.push_back({{&result}});
    else
      open->results.push_back(&result);
  }
  return sections;
}

template <class T>
std::string name_or(const std::optional<T>& value, const char* fallback) {
  return value ? std::string(name_of(*value)) : fallback;
}

std::string title_of(const Section& section) {
  const Result& result = section.first();
  const double peak = *rate_of(result.ceilings.peak_flop_per_s, result.main_engine);
  const double bandwidth = result.ceilings.bandwidth_byte_per_s;
  const std::string what = section.results.size() == 1
                               ? shortened(printable(result.network), 40)
                               : fmt::format("{} inputs of one layer", section.results.size());
  return fmt::format("{} on {}, {}, batch {}, {}\n{} {} and {} ({}): ridge {} FLOP/B\n", what,
                     shortened(printable(result.gpu), 30), name_or(result.dtype, "mixed types"),
                     result.batch ? fmt::format("{}", *result.batch) : "mixed",
                     result.pass.empty() ? "mixed passes" : result.pass,
                     name_of(result.main_engine), si(peak, "FLOP/s"), si(bandwidth, "B/s"),
                     name_of(result.ceilings.kind), plain(peak / bandwidth));
}

/// Which engine runs what: "fp16_tensor: conv, linear; fp16: relu".
std::string engines_of(const Section& section) {
  std::vector<std::pair<Engine, std::vector<std::string_view>>> users;
  for (const Result* result : section.results)
    for (const LayerResult& row : result->layers) {
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

Grid grid_of(const Section& section) {
  Grid grid;
  for (const Column& column : columns())
    if (!column.header.empty()) grid.columns.push_back({std::string(column.header), column.text});
  const bool many = section.results.size() > 1;
  for (const Result* result : section.results) {
    for (const LayerResult& layer : result->layers) {
      std::vector<std::string> cells;
      for (const Column& column : columns())
        if (!column.header.empty()) cells.push_back(column.people({*result, layer}));
      if (many) cells.front() = result->network + "/" + cells.front();
      grid.rows.push_back(std::move(cells));
    }
  }
  if (grid.rows.size() < 2 || many) return grid;
  std::vector<std::string> cells;
  for (const Column& column : columns())
    if (!column.header.empty())
      cells.push_back(column.total ? column.total(section.first().total) : "");
  grid.rows.push_back(std::move(cells));
  grid.has_total = true;
  return grid;
}

constexpr std::string_view conventions =
    "1 MAC = 2 FLOP. bytes: operands read once, results written once. k, M, G: powers of ten.\n"
    "expected: below the roofline where operands are in L2 (--cache cold) or Winograd saves "
    "MACs.\n";

constexpr std::string_view accuracy_legend =
    "predicted / measured: bias is the geometric mean; gerr exp of the mean |ln|; median of "
    "|error|;\n"
    "roofline: gerr of the plain roofline time.\n";

/// Turns a grid into text, in this or that way.
using GridRenderer = std::function<std::string(const Grid&)>;

std::string hidden_sentence(const Result& result) {
  if (result.rows_hidden == 0) return "";
  return fmt::format("{} of {} rows; the total is of all\n", result.layers.size(),
                     result.layers.size() + result.rows_hidden);
}

std::string section_text(const Section& section, const View& view, const GridRenderer& render) {
  std::string text = title_of(section) + engines_of(section);
  const bool one = section.results.size() == 1;
  if (one) text += memory_sentence(section.first());
  text += '\n' + render(one && view.by_type ? type_grid(section.first()) : grid_of(section));
  if (one) text += hidden_sentence(section.first());
  if (one && !section.first().accuracy.empty())
    text += '\n' + render(accuracy_grid(section.first())) + std::string(accuracy_legend);
  return text + '\n';
}

/// Every batch of a sweep in one table takes the place of their layers.
std::string sweep_text(const Sweep& sweep, const GridRenderer& render) {
  return fmt::format("{} on {} by batch\n\n", shortened(printable(sweep.network), 40),
                     shortened(printable(sweep.gpu), 30)) +
         render(sweep_grid(sweep)) + sweep_sentence(sweep) + '\n';
}

std::string report_text(const Report& report, const GridRenderer& render) {
  std::string out;
  if (report.sweeps.empty())
    for (const Section& section : sections_of(report.results))
      out += section_text(section, report.view, render);
  for (const Sweep& sweep : report.sweeps) out += sweep_text(sweep, render);
  if (!report.comparison.empty())
    out += render(comparison_grid(report.comparison)) +
           "energy at TDP: time x TDP, an upper estimate\n\n";
  if (!out.empty()) out += conventions;
  return out;
}

}  // namespace

std::string render_table(const Report& report, const TableStyle& style) {
  return report_text(report, [&](const Grid& grid) { return aligned(grid, style); });
}

std::string render_markdown(const Report& report) {
  return report_text(report, [](const Grid& grid) { return markdown(grid) + '\n'; });
}

}  // namespace roofline
