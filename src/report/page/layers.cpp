#include "report/chart/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/chart/scene.hpp"
#include "report/explain.hpp"
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

std::string head_cell(std::string_view text) {
  return fmt::format("<th scope=\"col\">{}</th>", text);
}

void write_layer_rows(const Report& report, std::size_t index, bool many,
                      const std::vector<const OutputField*>& fields, OutputBuffer& page) {
  const Result& result = report.results[index];
  const auto ids = derivations_by_row(report, index);
  std::string& text = page.text();
  for (const std::size_t i : report.selections[index].rows) {
    const TableRow row{result, {i}};
    const auto id = ids.find(i);
    text += fmt::format("<tr id=\"{}\"{}>", row_link(report, row),
                        batch_attribute(result.setting.batch));
    for (const OutputField* field : fields)
      text += field_cell(*field, row, id == ids.end() ? std::string() : id->second);
    if (many)
      text += fmt::format("<td>{}</td><td>{}</td>", xml_text(work_title(result, false)),
                          xml_text(result.setting.gpu));
    text += "</tr>\n";
    page.pass_on();
  }
}

}  // namespace

void write_layers_section(const Report& report, OutputBuffer& page) {
  const bool many = report.results.size() > 1;
  const std::vector<const OutputField*> fields = shown_fields(report);
  std::string& text = page.text();
  text +=
      "<section id=\"layers\" aria-labelledby=\"layers-title\">\n"
      "<h2 id=\"layers-title\">Layers</h2>\n"
      "<p>A layer's name leads to the derivation of its numbers.</p>\n"
      "<div id=\"tools\" hidden></div>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-labelledby=\"layers-title\">\n<table id=\"layer-table\">\n<thead><tr>";
  for (const OutputField* field : fields)
    text += head_cell(field->column.header.empty() ? field->path : field->column.header);
  if (many) text += head_cell("network") + head_cell("GPU");
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < report.results.size(); ++i)
    write_layer_rows(report, i, many, fields, page);
  text += "</tbody>\n</table>\n</div>\n</section>\n";
}

void write_derivations_section(const Report& report, OutputBuffer& page) {
  std::string& text = page.text();
  text +=
      "<section id=\"derivations\" aria-labelledby=\"derivations-title\">\n"
      "<h2 id=\"derivations-title\">Derivations</h2>\n"
      "<p>Layers that differ in nothing but their names share one.</p>\n";
  for (const Explanation& each : report.derivations) {
    const Result& result = report.results[each.result];
    const TableRow row{result, {each.row}};
    std::string name = row_name(row);
    if (report.results.size() > 1) name += " of " + work_title(result, true);
    text += fmt::format("<details id=\"{}\">\n<summary>{}</summary>\n<pre>{}</pre>\n</details>\n",
                        derivation_id(each.result, each.row), xml_text(name),
                        xml_text(explanation_text(each, result, ExplanationLength::whole)));
    page.pass_on();
  }
  text += "</section>\n";
}

}  // namespace roofline
