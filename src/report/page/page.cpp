// A report as one HTML page without scripts or references: charts, tables, GPUs, words.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/recording.hpp"
#include "report/chart/makers.hpp"
#include "report/document.hpp"
#include "report/formats.hpp"
#include "report/sections.hpp"
#include "report/texts.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"

namespace roofline {
namespace {

std::string section(std::string_view title, const std::string& content) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", title, content);
}

/// More are unreadable.
constexpr std::size_t most_charts = 12;

/// The report's picture and, for layers, where their time goes.
Document pictures_of(const Report& report) {
  std::vector<Chart> charts;
  const bool of_layers = report.explanations.empty() && !report.changes &&
                         !report.filter.ranks_gpus() && report.sweeps.empty();
  try {
    charts = charts_of(report, std::nullopt);
  } catch (const InputError&) {  // no layer has FLOP
  }
  if (of_layers) std::ranges::move(time_charts(report), std::back_inserter(charts));
  Document document;
  for (const Chart& chart : first_of(charts, most_charts)) document.add_picture(chart);
  if (charts.size() > most_charts)
    document.add_line(fmt::format("{} more: --chart KIND -o FILE.svg draws all of a kind.",
                                  charts.size() - most_charts));
  return document;
}

std::string gpus_of(const Report& report) {
  std::set<std::string_view> shown;  // of a ranking's rows
  for (const Shown<SettingsTable>& table : report.points)
    for (const std::size_t row : table.selection.rows) shown.insert(table.rows[row].gpu);
  std::string text;
  for (const Gpu& gpu : report.gpus)
    if (shown.empty() || shown.contains(gpu.name))
      text += fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", xml_text(gpu.name),
                          html_of(gpu_document(gpu)));
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
  std::vector<std::string> subjects =
      each_of(report.results, [](const Result& result) { return stack_title(result, true); });
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
  sink(fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>\n{}\n{}</style>\n</head>\n<body>\n<h1>{}</h1>\n<main>\n",
      title, page_css, chart_css, title));
  if (!report.errors.empty())
    sink(section("Inputs that could not be evaluated", errors_of(report)));
  sink(html_of(pictures_of(report)));
  const Document numbers = document_of(report, ShownRows::main_before_each);
  if (!numbers.is_empty()) sink(section("Numbers", html_of(numbers)));
  if (!report.gpus.empty())
    sink(section("GPUs and where their numbers come from", gpus_of(report)));
  sink(fmt::format("<details>\n<summary>Words and conventions</summary>\n{}</details>\n",
                   html_of(words_document())));
  sink("</main>\n<footer><p>roofline " ROOFLINE_VERSION "</p></footer>\n</body>\n</html>\n");
}

}  // namespace roofline
