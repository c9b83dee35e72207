// A report as one HTML page, which fetches nothing and runs nothing.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/chart/draw.hpp"
#include "report/chart/makers.hpp"
#include "report/formats.hpp"
#include "report/rows.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::string_view page_css = R"css(
body{margin:0 auto;max-width:75rem;padding:0 1rem 3rem;color:#1a1a1a;background:#fff;
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:1.5rem;margin:1.5rem 0 .5rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2rem 0 .5rem}
a{color:#0b57a4}
nav a{margin-right:1rem}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;background:#fff;padding:.5rem}
.scroll{overflow-x:auto}
#layers .scroll{max-height:85vh;overflow:auto}
table{border-collapse:collapse;font-size:.875rem}
th,td{padding:.2rem .6rem;text-align:left;border-bottom:1px solid #d0d0d0;white-space:nowrap}
#settings thead th{white-space:normal}
thead th{position:sticky;top:0;background:#f1f1f1}
.n{text-align:right;font-variant-numeric:tabular-nums}
tbody tr:hover>*{background:#f3f7fb}
a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid #d55e00;outline-offset:2px}
pre{font:.8rem/1.4 ui-monospace,"DejaVu Sans Mono",monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0}
summary{cursor:pointer;overflow-wrap:anywhere}
figure{margin:1rem 0;border:1px solid #d0d0d0}
figure svg{display:block;width:100%;height:auto}
@media print{nav,.skip{display:none}#layers .scroll{max-height:none;overflow:visible}thead th{position:static}}
)css";

/// A grid as a table in the section of that id, that may scroll sideways.
std::string grid_table(std::string_view section, const Grid& grid) {
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"{}-title\">\n"
      "<table>\n<thead><tr>",
      section);
  for (const GridColumn& column : grid.columns)
    text += fmt::format("<th scope=\"col\">{}</th>", xml_text(column.header));
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 0; row < grid.row_count(); ++row) {
    text += "<tr>";
    for (const GridColumn& column : grid.columns)
      text += fmt::format("<td{}>{}</td>", column.left ? "" : " class=\"n\"",
                          xml_text(column.cells[row]));
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

bool has_settings(const Report& report) { return !report.points.empty(); }

void write_settings(const Report& report, OutputBuffer& page) {
  page.text() += grid_table("settings", points_grid(report, std::nullopt));
}

bool has_verdict(const Report& report) {
  return report.changes || std::ranges::any_of(report.results, [](const Result& result) {
           return result.measured.verdict.has_value();
         });
}

/// Each line as a paragraph.
std::string paragraphs(std::string lines) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += fmt::format("<p>{}</p>\n", xml_text(lines.substr(0, end)));
    lines.erase(0, end + 1);
  }
  return text;
}

std::string figure(const Chart& chart) {
  return fmt::format("<figure>\n{}</figure>\n", svg_element(chart));
}

void write_verdicts(const Report& report, OutputBuffer& page) {
  constexpr auto unbroken = std::numeric_limits<std::size_t>::max();
  for (const Result& result : report.results)
    if (result.measured.verdict) {
      if (report.results.size() > 1)
        page.text() += fmt::format("<h3>{}</h3>\n", xml_text(work_title(result, true)));
      page.text() += paragraphs(verdict_sentences(result, unbroken));
    }
  if (report.changes)
    page.text() += fmt::format("<h3>Before and after</h3>\n{}<pre>{}</pre>\n",
                               figure(changes_chart(*report.changes)),
                               xml_text(changes_text(*report.changes, report.filter.top, {})));
}

/// A page with more charts of one kind is not read.
constexpr std::size_t most_charts = 6;

void add_charts(std::string& text, const Report& report, ChartKind kind) {
  std::vector<Chart> charts = layer_charts(report, kind);
  const std::size_t all = charts.size();
  if (charts.size() > most_charts) charts.resize(most_charts);
  for (const Chart& chart : charts) text += figure(chart);
  if (charts.size() < all)
    text += fmt::format("<p>{} more: --chart {} -o FILE.svg draws them all.</p>\n",
                        all - charts.size(), name_of(kind));
}

void write_charts(const Report& report, OutputBuffer& page) {
  const bool on_roofline = std::ranges::any_of(
      report.results, [](const Result& result) { return result.total.flops > 0; });
  std::string& text = page.text();
  if (!report.sweeps.empty())
    add_charts(text, report, ChartKind::sweep);
  else if (!report.points.empty())
    add_charts(text, report, ChartKind::compare);
  if (report.filter.ranks_gpus() || !report.sweeps.empty()) return;
  if (on_roofline) add_charts(text, report, ChartKind::roofline);
  add_charts(text, report, ChartKind::time);
}

void write_layers(const Report& report, OutputBuffer& page) {
  const std::vector<ResultGroup> tables = grouped_results(report, share_a_table);
  for (const ResultGroup& table : tables) {
    const Result& first = report.results[table.front()];
    if (count_shown(report, table) == 0) continue;  // a ranking's are not kept
    if (tables.size() > 1)
      page.text() += fmt::format("<h3>{}: {}</h3>\n", xml_text(work_title(first, true)),
                                 xml_text(time_headline(first)));
    if (table.size() == 1) page.text() += paragraphs(memory_sentence(first));
    page.text() += grid_table("layers", layer_grid(report, table, std::nullopt));
    page.pass_on();
  }
}

void write_kernels(const Report& report, OutputBuffer& page) {
  std::string& text = page.text();
  for (const Chart& chart : kernel_charts(report, std::nullopt)) text += figure(chart);
  for (std::size_t i = 0; i < report.kernels.size(); ++i)
    text += fmt::format(
        "<pre>{}</pre>\n{}", xml_text(kernel_title(report.kernels[i])),
        grid_table("kernels",
                   kernel_grid(report.kernels[i], report.kernel_selections[i], std::nullopt)));
}

void write_gpus(const Report& report, OutputBuffer& page) {
  for (const Gpu& gpu : report.gpus)
    page.text() += fmt::format("<details>\n<summary>{}</summary>\n<pre>{}</pre>\n</details>\n",
                               xml_text(gpu.name), xml_text(render_gpu(gpu)));
}

void write_words(const Report&, OutputBuffer& page) {
  page.text() += fmt::format("<pre>{}</pre>\n", xml_text(words_text(sentence_width)));
}

void write_errors(const Report& report, OutputBuffer& page) {
  page.text() += "<ul>\n";
  for (const InputError& error : report.errors)
    page.text() += fmt::format("<li>{}</li>\n", xml_text(error.what()));
  page.text() += "</ul>\n";
}

bool has_errors(const Report& report) { return !report.errors.empty(); }
bool has_kernels(const Report& report) { return !report.kernels.empty(); }
bool has_rows(const Report& report) {
  return std::ranges::any_of(report.results,
                             [](const Result& result) { return !result.layers.empty(); });
}
bool has_layers(const Report& report) { return !report.results.empty() || !has_kernels(report); }

struct PageSection {
  std::string_view id;
  std::string_view title;
  bool (*is_there)(const Report& report);
  void (*write)(const Report& report, OutputBuffer& page);
};

constexpr PageSection sections[] = {
    {"errors", "Inputs that could not be evaluated", has_errors, write_errors},
    {"verdict", "Verdict", has_verdict, write_verdicts},
    {"settings", "GPUs, types and batches", has_settings, write_settings},
    {"charts", "Charts", has_layers, write_charts},
    {"layers", "Layers", has_rows, write_layers},
    {"kernels", "Kernels", has_kernels, write_kernels},
    {"gpus", "GPUs and where their numbers come from", has_layers, write_gpus},
    {"words", "Words and conventions", [](const Report&) { return true; }, write_words},
};

/// "resnet50 on Tesla T4, fp16, batch 1, fwd: 1.656 ms expected, x2.47 its roofline"; "... and 3
/// more"
std::string subject_of(const Report& report) {
  std::vector<std::string> subjects;
  for (const Result& result : report.results) subjects.push_back(work_title(result, true));
  for (const KernelTable& table : report.kernels)
    subjects.push_back(table.recording->name + ": kernels");
  if (subjects.empty()) return "nothing evaluated";
  if (subjects.size() == 1 && !report.results.empty())
    return subjects.front() + ": " + time_headline(report.results.front());
  if (subjects.size() == 1) return subjects.front();
  return fmt::format("{} and {} more", subjects.front(), subjects.size() - 1);
}

}  // namespace

void write_html(const Report& report, const RenderStyle&, const Sink& sink) {
  const std::string title = "Roofline report: " + xml_text(subject_of(report));
  std::string links;
  for (const PageSection& section : sections)
    if (section.is_there(report))
      links += fmt::format("<a href=\"#{}\">{}</a>\n", section.id, section.title);
  OutputBuffer page(sink);
  page.text() = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n"
      "<header>\n<h1>{}</h1>\n<nav aria-label=\"Sections\">\n{}</nav>\n</header>\n"
      "<main id=\"content\">\n",
      title, page_css, svg_css(), title, links);
  for (const PageSection& section : sections) {
    if (!section.is_there(report)) continue;
    page.text() += fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n",
        section.id, section.title);
    section.write(report, page);
    page.text() += "</section>\n";
  }
  page.text() +=
      "</main>\n<footer><p>roofline " ROOFLINE_VERSION "</p></footer>\n</body>\n</html>\n";
  page.flush();
}

}  // namespace roofline
