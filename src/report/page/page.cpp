#include "report/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/chart/draw.hpp"
#include "report/chart/layers.hpp"
#include "report/chart/makers.hpp"
#include "report/formats.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

std::string cell(std::string_view text) { return fmt::format("<td>{}</td>", xml_text(text)); }

std::string number_cell(std::string_view text) {
  return fmt::format("<td class=\"n\">{}</td>", xml_text(text));
}

std::string time_cell(const std::optional<double>& seconds) {
  return number_cell(seconds ? duration(*seconds) : "");
}

std::string memory_text(const Result& result) {
  const auto needed = needed_memory_byte(result);
  if (!needed) return "";
  const std::string text = si(static_cast<double>(*needed), "B");
  return fits(result).value_or(true) ? text : text + ": DOES NOT FIT";
}

std::string head_cells(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text += fmt::format("<th scope=\"col\">{}</th>", name);
  return text;
}

std::string summary_row(const Result& result, bool measured) {
  const Total& total = result.total;
  std::string text =
      fmt::format("<tr><th scope=\"row\">{}</th>", xml_text(result.setting.label)) +
      cell(result.setting.gpu) +
      number_cell(result.setting.batch ? fmt::format("{}", *result.setting.batch) : "mixed") +
      number_cell(si(static_cast<double>(total.macs), "")) +
      number_cell(si(static_cast<double>(total.flops), "")) +
      number_cell(si(static_cast<double>(total.bytes.total), "B")) +
      time_cell(total.roofline_time_s) + time_cell(total.expected_time_s);
  if (measured)
    text += time_cell(result.measured.summary ? std::optional(result.measured.summary->measured_s)
                                              : std::nullopt);
  return text + number_cell(percent(compute_bound_share(result))) +
         number_cell(memory_text(result)) + "</tr>\n";
}

std::string summary_section(const Report& report) {
  const bool measured =
      std::any_of(report.results.begin(), report.results.end(),
                  [](const Result& result) { return result.measured.summary.has_value(); });
  std::vector<std::string_view> heads{"network", "GPU",   "batch",          "MACs",
                                      "FLOP",    "bytes", "roofline bound", "expected"};
  if (measured) heads.emplace_back("measured");
  heads.insert(heads.end(), {"bound by compute", "memory needed"});
  std::string text =
      "<section id=\"summary\" aria-labelledby=\"summary-title\">\n"
      "<h2 id=\"summary-title\">Summary</h2>\n<div class=\"scroll\" tabindex=\"0\" "
      "role=\"region\" aria-labelledby=\"summary-title\">\n<table>\n<thead><tr>" +
      head_cells(heads) + "</tr></thead>\n<tbody>\n";
  for (const Result& result : report.results) text += summary_row(result, measured);
  return text + "</tbody>\n</table>\n</div>\n</section>\n";
}

/// What stands first of measured inputs.
std::string verdict_section(const Report& report) {
  std::string text;
  for (const Result& result : report.results)
    if (result.measured.verdict)
      text += fmt::format("<h3>{}</h3>\n<pre>{}</pre>\n", xml_text(work_title(result, true)),
                          xml_text(verdict_sentences(result)));
  if (report.changes) {
    const auto render = [](const Grid& grid) { return aligned(grid, {}); };
    text += fmt::format("<h3>Before and after</h3>\n<pre>{}</pre>\n",
                        xml_text(changes_text(*report.changes, report.view.top, {}, render)));
  }
  if (text.empty()) return text;
  return "<section id=\"verdict\" aria-labelledby=\"verdict-title\">\n"
         "<h2 id=\"verdict-title\">Verdict</h2>\n" +
         text + "</section>\n";
}

/// More charts of one kind are no page to read.
constexpr std::size_t most_charts = 6;

void add_charts(std::string& text, const Report& report, ChartKind kind) {
  const std::vector<Chart> charts = layer_charts(report, kind);
  const std::size_t shown = std::min(charts.size(), most_charts);
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("<figure>\n{}</figure>\n", svg_element(charts[i], {.links = true}));
  if (shown < charts.size())
    text += fmt::format("<p>{} more: --chart {} -o FILE.svg draws them all.</p>\n",
                        charts.size() - shown, name_of(kind));
}

bool has_flops(const Report& report) {
  return std::any_of(report.results.begin(), report.results.end(),
                     [](const Result& result) { return result.total.flops > 0; });
}

std::string charts_section(const Report& report) {
  std::string text =
      "<section id=\"charts\" aria-labelledby=\"charts-title\">\n"
      "<h2 id=\"charts-title\">Charts</h2>\n";
  const bool on_roofline = has_flops(report);
  if (!report.sweeps.empty()) add_charts(text, report, ChartKind::sweep);
  if (!report.comparison.empty()) add_charts(text, report, ChartKind::compare);
  if (report.view.ranks_gpus()) return text + "</section>\n";
  if (on_roofline) add_charts(text, report, ChartKind::roofline);
  add_charts(text, report, ChartKind::time);
  if (on_roofline) add_charts(text, report, ChartKind::intensity);
  return text + "</section>\n";
}

std::string gpus_section(const Report& report) {
  std::string text =
      "<section id=\"gpus\" aria-labelledby=\"gpus-title\">\n"
      "<h2 id=\"gpus-title\">GPUs and where their numbers come from</h2>\n";
  for (const Gpu& gpu : report.gpus)
    text += fmt::format("<details>\n<summary>{}</summary>\n<pre>{}</pre>\n</details>\n",
                        xml_text(gpu.name), xml_text(render_gpu(gpu)));
  return text + "</section>\n";
}

constexpr std::string_view conventions_section =
    R"html(<section id="conventions" aria-labelledby="conventions-title">
<h2 id="conventions-title">Conventions</h2>
<ul>
<li>1 MAC is one multiply-add, 2 FLOP. Bias adds and epilogues are not counted; taps on padding are.</li>
<li>Bytes are algorithmic: every operand read once, every result written once, each at its own data
type, without im2col. k, M, G, T are powers of ten.</li>
<li>Peaks are dense; tensor peaks are with fp32 accumulation.</li>
<li>Roofline bound: the larger of FLOP over peak and bytes over bandwidth (Williams, Waterman and
Patterson, "Roofline: An Insightful Visual Performance Model for Multicore Architectures",
Communications of the ACM 52(4), 2009). A layer is bound by compute where its intensity, FLOP over
bytes, reaches the ridge, peak over bandwidth.</li>
<li>Expected time: of the kernel that a vendor's library would run, by the kernel model. It is below
the roofline where operands are in L2, or where Winograd or FFT save MACs.</li>
<li>Colours of the charts: Okabe and Ito, "Color Universal Design", 2008.</li>
</ul>
</section>
)html";

std::string errors_section(const Report& report) {
  if (report.errors.empty()) return "";
  std::string text =
      "<section id=\"errors\" aria-labelledby=\"errors-title\">\n"
      "<h2 id=\"errors-title\">Inputs that could not be evaluated</h2>\n<ul>\n";
  for (const InputError& error : report.errors)
    text += fmt::format("<li>{}</li>\n", xml_text(error.what()));
  return text + "</ul>\n</section>\n";
}

std::string title_of(const Report& report) {
  const std::size_t results = report.results.size();
  const std::size_t tables = report.kernels.size();
  if (results == 1 && tables == 0) return work_title(report.results.front(), true);
  if (results == 0 && tables == 1) return report.kernels.front().recording->name + ": kernels";
  if (results == 0 && tables > 1) return fmt::format("{} recordings of kernels", tables);
  return fmt::format("{} results on {} GPUs", report.results.size(), report.gpus.size());
}

struct PageSection {
  std::string_view id;
  std::string_view title;
};

/// "<a href=...>" to each section of layers and kernels that the report has.
std::string links_of(const Report& report) {
  std::string links;
  const auto add = [&](const PageSection& section) {
    links += fmt::format("{}<a href=\"#{}\">{}</a>", links.empty() ? "" : " ", section.id,
                         section.title);
  };
  if (report.results.empty() && !report.kernels.empty()) {
    add({"kernels", "Kernels"});
  } else {
    for (const PageSection& section : {PageSection{"summary", "Summary"},
                                       {"charts", "Charts"},
                                       {"layers", "Layers"},
                                       {"derivations", "Derivations"}})
      add(section);
    if (!report.kernels.empty()) add({"kernels", "Kernels"});
    add({"gpus", "GPUs"});
  }
  add({"conventions", "Conventions"});
  return links;
}

std::string layer_sections(const Report& report) {
  if (report.results.empty() && !report.kernels.empty()) return "";
  return verdict_section(report) + summary_section(report) + charts_section(report) +
         layers_section(report) + derivations_section(report) + gpus_section(report);
}

}  // namespace

std::string render_html(const Report& report, const RenderStyle&) {
  const std::string title = xml_text(title_of(report));
  const std::string_view main_part =
      report.results.empty() && !report.kernels.empty() ? "kernels" : "layers";
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>roofline: {}</title>\n<style>{}{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#{}\">Skip to the {}</a>\n"
      "<header>\n<h1>{}</h1>\n<nav aria-label=\"Sections\">{}</nav>\n</header>\n<main>\n",
      title, page_css(), svg_css(), main_part, main_part, title, links_of(report));
  page += errors_section(report) + layer_sections(report) + kernels_section(report);
  page += conventions_section;
  page += fmt::format("</main>\n<footer><p>roofline {}</p></footer>\n<script>{}</script>\n",
                      ROOFLINE_VERSION, page_script());
  return page + "</body>\n</html>\n";
}

}  // namespace roofline
