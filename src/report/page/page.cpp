// A report as one HTML page without scripts or references: charts, then the text of the table.

#include <fmt/format.h>

#include <algorithm>

#include "report/chart/draw.hpp"
#include "report/chart/makers.hpp"
#include "report/formats.hpp"
#include "report/rows.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::string_view page_css = R"css(
body{margin:0 auto;max-width:75rem;padding:0 1rem 3rem;color:#1a1a1a;background:#fff;
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:1.5rem;margin:1.5rem 0 .5rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2rem 0 .5rem}
summary:focus-visible,pre:focus-visible{outline:3px solid #d55e00;outline-offset:2px}
pre{font:.8rem/1.4 ui-monospace,"DejaVu Sans Mono",monospace;overflow-x:auto;margin:.5rem 0}
summary{cursor:pointer;overflow-wrap:anywhere}
figure{margin:1rem 0;border:1px solid #d0d0d0}
figure svg{display:block;width:100%;height:auto}
@media print{pre{white-space:pre-wrap}}
)css";

std::string section(std::string_view title, const std::string& content) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", title, content);
}

/// Text with fixed columns that scrolls sideways.
std::string lines(std::string_view text) {
  return fmt::format("<pre tabindex=\"0\">{}</pre>\n", xml_text(text));
}

/// More charts of one kind are unreadable.
constexpr std::size_t most_charts = 6;

void add_charts(std::string& text, std::vector<Chart> charts, std::string_view kind) {
  const std::size_t all = charts.size();
  if (charts.size() > most_charts) charts.resize(most_charts);
  for (const Chart& chart : charts)
    text += fmt::format("<figure>\n{}</figure>\n", svg_element(chart));
  if (charts.size() < all)
    text += fmt::format("<p>{} more: --chart {} -o FILE.svg draws them all.</p>\n",
                        all - charts.size(), kind);
}

std::string charts_of(const Report& report) {
  std::string text;
  const auto add = [&](ChartKind kind) {
    add_charts(text, layer_charts(report, kind), name_of(kind));
  };
  if (report.changes) add_charts(text, {changes_chart(*report.changes)}, "changes");
  if (!report.sweeps.empty())
    add(ChartKind::sweep);
  else if (!report.points.empty())
    add(ChartKind::compare);
  if (!report.filter.ranks_gpus() && report.sweeps.empty() && !report.results.empty()) {
    const bool on_roofline = std::ranges::any_of(
        report.results, [](const Result& result) { return result.total.flops > 0; });
    if (on_roofline) add(ChartKind::roofline);
    add(ChartKind::time);
  }
  add_charts(text, kernel_charts(report, std::nullopt), name_of(ChartKind::roofline));
  return text;
}

std::string table_of(const Report& report) {
  std::string text;
  write_table(report, {}, [&](std::string_view piece) { text += piece; });
  return text;
}

std::string gpus_of(const Report& report) {
  std::string text;
  for (const Gpu& gpu : report.gpus)
    text += fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", xml_text(gpu.name),
                        lines(render_gpu(gpu)));
  return text;
}

std::string errors_of(const Report& report) {
  std::string text = "<ul>\n";
  for (const InputError& error : report.errors)
    text += fmt::format("<li>{}</li>\n", xml_text(error.what()));
  return text + "</ul>\n";
}

/// "resnet50 on Tesla T4, fp16, batch 1, fwd: 1.656 ms expected, x2.47 its roofline"
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
  sink(
      fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light\">\n"
                  "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<h1>{}</h1>\n<main>\n",
                  title, page_css, svg_css(), title));
  if (!report.errors.empty())
    sink(section("Inputs that could not be evaluated", errors_of(report)));
  sink(charts_of(report));
  if (const std::string table = table_of(report); !table.empty())
    sink(section("Numbers", lines(table)));
  if (!report.gpus.empty())
    sink(section("GPUs and where their numbers come from", gpus_of(report)));
  sink(section("Words and conventions", lines(words_text(sentence_width))));
  sink("</main>\n<footer><p>roofline " ROOFLINE_VERSION "</p></footer>\n</body>\n</html>\n");
}

}  // namespace roofline
