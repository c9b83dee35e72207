// The page's long tables: of layers with their derivations, and of kernels.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/chart/draw.hpp"
#include "report/chart/layers.hpp"
#include "report/chart/makers.hpp"
#include "report/explain.hpp"
#include "report/kernel_rows.hpp"
#include "report/page/page.hpp"

namespace roofline {
namespace {

std::vector<const OutputField*> shown_fields(const Report& report) {
  const bool measured =
      std::any_of(report.results.begin(), report.results.end(),
                  [](const Result& result) { return result.measured.summary.has_value(); });
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

}  // namespace

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
    text += fmt::format("<figure>\n{}</figure>\n", svg_element(chart, {}));
  for (std::size_t i = 0; i < report.kernels.size(); ++i)
    text += fmt::format(
        "<pre>{}</pre>\n{}", xml_text(kernel_title(report.kernels[i])),
        kernel_table(kernel_grid(report.kernels[i], report.kernel_selections[i], RenderStyle())));
  return text + fmt::format("<p>{}</p>\n{}", xml_text(kernel_legend(report)), section_end);
}

}  // namespace roofline
