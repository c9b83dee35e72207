#include "report/csv.hpp"

#include "model/totals.hpp"
#include "report/fields.hpp"
#include "report/formats.hpp"
#include "report/pieces.hpp"

namespace roofline {
namespace {

/// Appends a row. Returns where its share of the time stands.
std::size_t append_row(std::string& out, const Row& row) {
  std::size_t share_at = 0;
  bool first = true;
  for (const OutputField& field : output_fields()) {
    if (!first) out += ',';
    first = false;
    if (field.path == "time_share") share_at = out.size();
    append_csv(out, field.value(row));
  }
  out += '\n';
  return share_at;
}

/// As that of a result's total.
double whole_time_s(const std::vector<OpenRows>& parts) {
  Total total;
  for (const OpenRows& part : parts)
    for (const OpenRows::Row& row : part.rows) {
      total.roofline_time_s += row.roofline_time_s;
      add_time(total.expected_time_s, row.expected_time_s);
    }
  return time_s(total);
}

}  // namespace

std::string csv_header() {
  std::string out;
  for (const OutputField& field : output_fields())
    out += (out.empty() ? "" : ",") + column_of(field);
  return out + '\n';
}

void append_csv_row(std::string& out, const std::string& source, const std::string& network,
                    const std::string& gpu, const LayerResult& row) {
  append_row(out, {source, network, gpu, row});
}

void append_open_rows(OpenRows& rows, const std::string& source, const std::string& name,
                      const std::string& gpu, const std::vector<LayerResult>& layers) {
  for (const LayerResult& layer : layers) {
    const std::size_t share_at = append_row(rows.text, {source, name, gpu, layer});
    rows.rows.push_back({share_at, layer.expected_time_s, layer.point.roofline_time_s});
  }
}

void write_open_rows(std::vector<OpenRows> parts, const Sink& sink) {
  const double whole_s = whole_time_s(parts);
  Pieces pieces(sink);
  for (OpenRows& part : parts) {
    std::size_t done = 0;
    for (const OpenRows::Row& row : part.rows) {
      pieces.text().append(part.text, done, row.share_at - done);
      const double time_s = row.expected_time_s.value_or(row.roofline_time_s);
      append_csv(pieces.text(), share_of(time_s, whole_s));
      done = row.share_at;
      pieces.pass_on();
    }
    pieces.text().append(part.text, done);
    part = {};  // what is written need not stay
  }
  pieces.flush();
}

void write_csv(const Report& report, const Sink& sink) {
  Pieces pieces(sink);
  pieces.text() = csv_header();
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Result& result = report.results[i];
    for (const std::size_t row : report.selections[i].rows) {
      append_row(pieces.text(), {result.source, result.network, result.gpu, result.layers[row]});
      pieces.pass_on();
    }
  }
  pieces.flush();
}

}  // namespace roofline
