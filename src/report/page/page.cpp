// A report as one HTML page: nothing is fetched, all can be read without its script.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/chart/draw.hpp"
#include "report/chart/makers.hpp"
#include "report/formats.hpp"
#include "report/page/assets.hpp"
#include "report/rows.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::string_view section_end = "</section>\n";

std::string section_begin(std::string_view id, std::string_view title) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n", id,
      title);
}

/// A table that may scroll sideways in the section of that id, up to its first row.
/// `attributes` begin with a blank.
std::string table_begin(std::string_view section, const std::vector<std::string_view>& heads,
                        std::string_view attributes = "") {
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"{}-title\">\n"
      "<table{}>\n<thead><tr>",
      section, attributes);
  for (const std::string_view head : heads)
    text += fmt::format("<th scope=\"col\">{}</th>", xml_text(head));
  return text + "</tr></thead>\n<tbody>\n";
}

constexpr std::string_view table_end = "</tbody>\n</table>\n</div>\n";

std::string text_cell(std::string_view text) { return fmt::format("<td>{}</td>", xml_text(text)); }

std::string number_cell(std::string_view text) {
  return fmt::format("<td class=\"n\">{}</td>", xml_text(text));
}

/// What is unfolded by a click on its heading.
std::string details(std::string_view attributes, std::string_view summary, std::string_view text) {
  return fmt::format("<details{}>\n<summary>{}</summary>\n<pre>{}</pre>\n</details>\n", attributes,
                     xml_text(summary), xml_text(text));
}

/// " data-batch=..." of what is shown for that batch alone; empty where it is for all.
std::string batch_attribute(const std::optional<std::uint64_t>& batch) {
  return batch ? fmt::format(" data-batch=\"{}\"", *batch) : "";
}

std::string time_cell(const std::optional<double>& seconds) {
  return number_cell(duration(seconds));
}

std::string memory_text(const Result& result) {
  const auto needed = needed_memory_byte(result);
  if (!needed) return "";
  const std::string text = si(*needed, "B");
  return fits(result).value_or(true) ? text : text + ": DOES NOT FIT";
}

/// The speed-up of a result among the ways in which its work was evaluated, and what it is best in.
std::string place_cells(const Report& report, const Result& result) {
  for (const SettingsTable& table : report.points)
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const SettingRow& point = table.rows[i];
      if (table.work != result.setting.label || point.gpu != result.setting.gpu ||
          point.dtype != result.setting.dtype || point.batch != result.setting.batch)
        continue;
      std::vector<std::string_view> best;
      if (table.best == i) best.emplace_back("time");
      if (table.fewest_joules == i) best.emplace_back("energy");
      if (table.cheapest == i) best.emplace_back("cost");
      return number_cell(factor(point.speedup)) +
             text_cell(fmt::format("{}", fmt::join(best, ", ")));
    }
  return text_cell("") + text_cell("");
}

std::optional<double> images_per_s(const Result& result) {
  if (!result.setting.batch || !(result.total.time_s > 0)) return std::nullopt;
  return static_cast<double>(*result.setting.batch) / result.total.time_s;
}

std::string dtype_text(const Result& result) {
  return result.setting.dtype ? std::string(name_of(*result.setting.dtype)) : "mixed";
}

std::string summary_row(const Report& report, const Result& result, bool measured) {
  const Total& total = result.total;
  const auto rate = images_per_s(result);
  std::string text =
      fmt::format("<tr{}><th scope=\"row\">{}</th>", batch_attribute(result.setting.batch),
                  xml_text(result.setting.label)) +
      text_cell(result.setting.gpu) + text_cell(dtype_text(result)) +
      number_cell(result.setting.batch ? fmt::format("{}", *result.setting.batch) : "mixed") +
      number_cell(si(total.macs, "")) + number_cell(si(total.flops, "")) +
      number_cell(si(total.bytes.total, "B")) + time_cell(total.roofline_time_s) +
      time_cell(total.expected_time_s);
  if (measured)
    text += time_cell(result.measured.summary ? result.measured.summary->total.measured_time_s
                                              : std::nullopt);
  text += number_cell(rate ? plain(*rate) : "");
  if (!report.points.empty()) text += place_cells(report, result);
  return text + number_cell(percent(compute_bound_share(result))) +
         number_cell(memory_text(result)) + "</tr>\n";
}

std::string_view summary_title(const Report& report) {
  return report.results.size() > 1 ? "Comparison" : "Summary";
}

bool has_measured(const Report& report) {
  return std::ranges::any_of(
      report.results, [](const Result& result) { return result.measured.summary.has_value(); });
}

std::string summary_section(const Report& report) {
  const bool measured = has_measured(report);
  std::vector<std::string_view> heads{"network", "GPU",   "type",           "batch",   "MACs",
                                      "FLOP",    "bytes", "roofline bound", "expected"};
  if (measured) heads.emplace_back("measured");
  heads.emplace_back("images/s");
  if (!report.points.empty()) heads.insert(heads.end(), {"speed-up", "best in"});
  heads.insert(heads.end(), {"bound by compute", "memory needed"});
  std::string text =
      section_begin("summary", summary_title(report)) + table_begin("summary", heads);
  for (const Result& result : report.results) text += summary_row(report, result, measured);
  return (text += table_end) += section_end;
}

/// Verdicts on measured inputs, which stand first.
std::string verdict_section(const Report& report) {
  std::string text;
  for (const Result& result : report.results)
    if (result.measured.verdict)
      text += fmt::format("<h3>{}</h3>\n<pre>{}</pre>\n", xml_text(work_title(result, true)),
                          xml_text(verdict_sentences(result)));
  if (report.changes) {
    const TableStyle plain_text{
        [](const Grid& grid, OutputBuffer& out) { write_aligned(grid, {}, out); }, {}};
    text += fmt::format("<h3>Before and after</h3>\n<pre>{}</pre>\n",
                        xml_text(changes_text(*report.changes, report.filter.top, plain_text)));
  }
  if (text.empty()) return text;
  return (section_begin("verdict", "Verdict") += text) += section_end;
}

/// A page with more charts of one kind is not read; of several batches it shows one at a time.
constexpr std::size_t most_charts = 6;
constexpr std::size_t most_charts_by_batch = 16;

void add_charts(std::string& text, const Report& report, ChartKind kind) {
  const std::vector<Chart> charts = layer_charts(report, kind);
  const bool by_batch = !report.sweeps.empty() && !charts.empty() && charts.front().batch;
  const std::size_t shown = std::min(charts.size(), by_batch ? most_charts_by_batch : most_charts);
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("<figure{}>\n{}</figure>\n", batch_attribute(charts[i].batch),
                        svg_element(charts[i]));
  if (shown < charts.size())
    text += fmt::format("<p>{} more: --chart {} -o FILE.svg draws them all.</p>\n",
                        charts.size() - shown, name_of(kind));
}

/// Where the page's script puts a slider, which starts at the best batch.
std::string batch_bar(const Report& report) {
  if (report.sweeps.empty()) return "";
  const SettingsTable& sweep = report.sweeps.front();
  return fmt::format("<div id=\"batches\" data-start=\"{}\" hidden></div>\n",
                     sweep.best ? fmt::format("{}", *sweep.rows[*sweep.best].batch) : "");
}

std::string charts_section(const Report& report) {
  const bool on_roofline = std::ranges::any_of(
      report.results, [](const Result& result) { return result.total.flops > 0; });
  std::string text = section_begin("charts", "Charts");
  if (!report.sweeps.empty()) add_charts(text, report, ChartKind::sweep);
  if (!report.comparisons.empty()) add_charts(text, report, ChartKind::compare);
  if (report.filter.ranks_gpus()) return text += section_end;
  if (on_roofline) add_charts(text, report, ChartKind::roofline);
  add_charts(text, report, ChartKind::time);
  if (on_roofline) add_charts(text, report, ChartKind::intensity);
  return text += section_end;
}

std::vector<const OutputField*> shown_fields(const Report& report) {
  const bool measured = has_measured(report);
  std::vector<const OutputField*> shown;
  for (const OutputField& field : output_fields())
    if (field.path == "type" ||
        (!field.column.header.empty() && (measured || field.column.shown != Shown::measured)))
      shown.push_back(&field);
  return shown;
}

/// What the column sorts by: the number in base units; nothing for texts.
std::string sort_value(const OutputField& field, const TableRow& row) {
  const Row first = row_of(row.result, row.first());
  const Cell value = field.value(first);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *count);
  return "";
}

std::string derivation_id(std::size_t result, std::size_t row) {
  return fmt::format("d{}-{}", result, row);
}

/// The derivation that stands for each layer of a result: that of the first one alike.
std::map<std::size_t, std::string> derivations_by_row(const Report& report, std::size_t result) {
  std::map<std::size_t, std::string> ids;
  for (const auto& group : report.selections[result].groups)
    for (const std::size_t row : group) ids[row] = derivation_id(result, group.front());
  return ids;
}

std::string field_cell(const OutputField& field, const TableRow& row, const std::string& target) {
  const std::string text = xml_text(field_text(field, row));
  if (field.path == "name")
    return target.empty()
               ? fmt::format("<th scope=\"row\">{}</th>", text)
               : fmt::format("<th scope=\"row\"><a href=\"#{}\">{}</a></th>", target, text);
  const std::string value = sort_value(field, row);
  if (value.empty()) return fmt::format("<td>{}</td>", text);
  return fmt::format("<td class=\"n\" data-v=\"{}\">{}</td>", value, text);
}

void write_layer_rows(const Report& report, std::size_t index, bool many,
                      const std::vector<const OutputField*>& fields, OutputBuffer& page) {
  const Result& result = report.results[index];
  auto ids = derivations_by_row(report, index);
  std::string& text = page.text();
  for (const std::size_t i : report.selections[index].rows) {
    const TableRow row{result, {i}};
    text += fmt::format("<tr id=\"{}\"{}>", row_link(report, row),
                        batch_attribute(result.setting.batch));
    for (const OutputField* field : fields) text += field_cell(*field, row, ids[i]);
    if (many) text += text_cell(work_title(result, false)) + text_cell(result.setting.gpu);
    text += "</tr>\n";
    page.pass_on();
  }
}

std::string kernel_table(const Grid& grid) {
  std::vector<std::string_view> heads;
  for (const GridColumn& column : grid.columns) heads.emplace_back(column.header);
  std::string text = table_begin("kernels", heads);
  for_each_row(grid, [&](std::span<const std::string_view> cells, bool) {
    text += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += grid.columns[i].left ? text_cell(cells[i]) : number_cell(cells[i]);
    text += "</tr>\n";
  });
  return text += table_end;
}

void write_layers_section(const Report& report, OutputBuffer& page) {
  const bool many = report.results.size() > 1;
  const std::vector<const OutputField*> fields = shown_fields(report);
  std::vector<std::string_view> heads;
  heads.reserve(fields.size() + 2);
  for (const OutputField* field : fields)
    heads.push_back(field->column.header.empty() ? field->path : field->column.header);
  if (many) heads.insert(heads.end(), {"network", "GPU"});
  page.text() += section_begin("layers", "Layers") +
                 "<p>A layer's name leads to the derivation of its numbers.</p>\n"
                 "<div id=\"tools\" hidden></div>\n" +
                 table_begin("layers", heads, " id=\"layer-table\"");
  for (std::size_t i = 0; i < report.results.size(); ++i)
    write_layer_rows(report, i, many, fields, page);
  (page.text() += table_end) += section_end;
}

void write_derivations_section(const Report& report, OutputBuffer& page) {
  page.text() += section_begin("derivations", "Derivations") +
                 "<p>Layers that differ in nothing but their names share one.</p>\n";
  for (const Explanation& each : report.derivations) {
    const Result& result = report.results[each.result];
    std::string name = row_name({result, {each.row}});
    if (report.results.size() > 1) name += " of " + work_title(result, true);
    page.text() += details(fmt::format(" id=\"{}\"", derivation_id(each.result, each.row)), name,
                           explanation_text(each, result, ExplanationLength::whole));
    page.pass_on();
  }
  page.text() += section_end;
}

std::string kernels_section(const Report& report) {
  if (report.kernels.empty()) return "";
  std::string text = section_begin("kernels", "Kernels");
  for (const Chart& chart : kernel_charts(report, std::nullopt))
    text += fmt::format("<figure>\n{}</figure>\n", svg_element(chart));
  for (std::size_t i = 0; i < report.kernels.size(); ++i)
    text += fmt::format(
        "<pre>{}</pre>\n{}", xml_text(kernel_title(report.kernels[i])),
        kernel_table(kernel_grid(report.kernels[i], report.kernel_selections[i], RenderStyle())));
  return text + fmt::format("<p>{}</p>\n{}", xml_text(kernel_legend(report)), section_end);
}

std::string gpus_section(const Report& report) {
  std::string text = section_begin("gpus", "GPUs and where their numbers come from");
  for (const Gpu& gpu : report.gpus) text += details("", gpu.name, render_gpu(gpu));
  return text += section_end;
}

constexpr std::string_view conventions = R"html(<ul>
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
)html";

std::string errors_section(const Report& report) {
  if (report.errors.empty()) return "";
  std::string text = section_begin("errors", "Inputs that could not be evaluated") + "<ul>\n";
  for (const InputError& error : report.errors)
    text += fmt::format("<li>{}</li>\n", xml_text(error.what()));
  return (text += "</ul>\n") += section_end;
}

/// "a, b and c", or how many there are.
template <typename TextOf>
std::string those_of(const Report& report, std::string_view what, TextOf text_of) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> texts;
  for (const Result& result : report.results)
    if (const std::string text = text_of(result); std::ranges::find(texts, text) == texts.end())
      texts.push_back(text);
  if (texts.size() > most_named) return fmt::format("{} {}", texts.size(), what);
  const std::string last = texts.back();
  texts.pop_back();
  return texts.empty() ? last : fmt::format("{} and {}", fmt::join(texts, ", "), last);
}

std::string subject_of(const Report& report) {
  const std::size_t results = report.results.size();
  const std::size_t tables = report.kernels.size();
  if (results == 1 && tables == 0) return work_title(report.results.front(), true);
  if (results == 0 && tables == 1) return report.kernels.front().recording->name + ": kernels";
  if (results == 0 && tables > 1) return fmt::format("{} recordings of kernels", tables);
  if (results == 0) return "nothing evaluated";
  const auto label = [](const Result& result) { return result.setting.label; };
  const auto gpu = [](const Result& result) { return result.setting.gpu; };
  const auto batch = [](const Result& result) {
    return result.setting.batch ? fmt::format("{}", *result.setting.batch) : "mixed";
  };
  const std::string batches = those_of(report, "batches", batch);
  return fmt::format("{} on {}, {}, {}{}", those_of(report, "networks", label),
                     those_of(report, "GPUs", gpu), those_of(report, "types", dtype_text),
                     batches.ends_with("batches") ? "" : "batch ", batches);
}

/// What the page says in one line: of one result its times, of several the best one.
std::string lead_of(const Report& report) {
  if (report.results.size() == 1) {
    const Result& result = report.results.front();
    const auto rate = images_per_s(result);
    return fmt::format("Expected {}{}; roofline, each layer from device memory, {}.",
                       duration(result.total.time_s),
                       rate ? fmt::format(", {} images/s", plain(*rate)) : "",
                       duration(result.total.roofline_time_s));
  }
  if (report.points.size() != 1 || !report.points.front().best) return "";
  const SettingRow& best = report.points.front().rows[*report.points.front().best];
  if (!best.images_per_s || !best.batch) return "";
  return fmt::format("Fastest of {}: {}{}, batch {}: {} images/s, {} a batch.",
                     report.points.front().rows.size(), best.gpu,
                     best.dtype ? fmt::format(", {}", name_of(*best.dtype)) : "", *best.batch,
                     plain(*best.images_per_s), duration(best.time_s));
}

/// "<a href=...>" to each section of layers and kernels that the report has.
std::string section_links(const Report& report) {
  std::vector<std::string> links;
  const auto add = [&](std::string_view id, std::string_view title) {
    links.push_back(fmt::format("<a href=\"#{}\">{}</a>", id, title));
  };
  const bool layers = !report.results.empty() || report.kernels.empty();
  if (layers) {
    add("summary", summary_title(report));
    add("charts", "Charts");
    add("layers", "Layers");
    add("derivations", "Derivations");
  }
  if (!report.kernels.empty()) add("kernels", "Kernels");
  if (layers) add("gpus", "GPUs");
  add("conventions", "Conventions");
  return fmt::format("{}", fmt::join(links, " "));
}

void write_layer_sections(const Report& report, OutputBuffer& page) {
  if (report.results.empty() && !report.kernels.empty()) return;
  page.text() += verdict_section(report) + batch_bar(report) + summary_section(report) +
                 charts_section(report);
  write_layers_section(report, page);
  write_derivations_section(report, page);
  page.text() += gpus_section(report);
}

}  // namespace

void write_html(const Report& report, const RenderStyle&, const Sink& sink) {
  const std::string title = "Roofline report: " + xml_text(subject_of(report));
  const std::string lead = lead_of(report);
  const std::string_view main_part =
      report.results.empty() && !report.kernels.empty() ? "kernels" : "layers";
  OutputBuffer page(sink);
  page.text() = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#{}\">Skip to the {}</a>\n"
      "<header>\n<h1>{}</h1>\n{}<nav aria-label=\"Sections\">{}</nav>\n</header>\n<main>\n",
      title, page_css, svg_css(), main_part, main_part, title,
      lead.empty() ? "" : fmt::format("<p>{}</p>\n", xml_text(lead)), section_links(report));
  page.text() += errors_section(report);
  write_layer_sections(report, page);
  page.text() += kernels_section(report);
  page.text() += section_begin("conventions", "Conventions");
  (page.text() += conventions) += section_end;
  page.text() += fmt::format(
      "</main>\n<footer><p>roofline {}</p></footer>\n<script>{}</script>\n</body>\n</html>\n",
      ROOFLINE_VERSION, page_script);
  page.flush();
}

}  // namespace roofline
