#include "report/row_stream.hpp"

#include <utility>

#include "report/formats.hpp"

namespace roofline {
namespace {

void append_error(std::string& text, RowFormat format, const InputError& error) {
  if (has_columns(format)) return;
  JsonWriter(text, false)
      .object({{"schema_version", schema_version},
               {"source", error.source},
               {"where", error.where},
               {"error", error.message}});
  text += '\n';
}

/// What stands before all rows.
std::string begin_of(RowFormat format, RowsOf what) {
  return has_columns(format) ? csv_header(what) : "";
}

[[noreturn]] void fail_mixed() {
  throw InputError(
      "layers and kernels have different columns: write them in runs of their own, or as another "
      "format");
}

void append_layer(std::string& text, RowFormat format, const Result& result, std::size_t row) {
  append_row(text, format, row_of(result, result.layers[row], !has_columns(format)));
}

}  // namespace

/// To append to.
std::string& RenderedRows::last_piece() {
  if (pieces_.empty() || pieces_.back().size() >= OutputBuffer::worth_byte)
    pieces_.emplace_back().reserve(OutputBuffer::worth_byte + OutputBuffer::worth_byte / 8);
  return pieces_.back();
}

void RenderedRows::add(const InputError& error) { append_error(last_piece(), format_, error); }

void RenderedRows::add(const Result& result, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row) append_layer(last_piece(), format_, result, row);
}

void RenderedRows::add(const KernelTable& table) {
  rows_of_ = RowsOf::kernels;
  for (const KernelRow& row : table.rows) append_row(last_piece(), format_, table, row);
}

RowStream::RowStream(RowFormat format, Sink sink) : format_(format), sink_(std::move(sink)) {}

void RowStream::write(std::string_view text, RowsOf what) {
  if (!rows_of_) {
    rows_of_ = what;
    if (const std::string begin = begin_of(format_, what); !begin.empty()) sink_(begin);
  }
  if (text.empty()) return;
  if (what != rows_of_ && has_columns(format_)) fail_mixed();
  sink_(text);
}

void RowStream::take(const RenderedRows& part) {
  for (const std::string& piece : part.pieces_) write(piece, part.rows_of_);
}

namespace {

void write_point_rows(RowFormat format, const Report& report, OutputBuffer& out) {
  out.text() = begin_of(format, RowsOf::points);
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const SettingsTable& table = report.points[i];
    const PointSelection& selection = report.point_selections[i];
    const auto write = [&](const std::vector<std::size_t>& points) {
      for (const std::size_t point : points)
        append_row(out.text(), format, table, table.rows[point]);
    };
    write(selection.rows);
    if (!report.filter.top) write(selection.unfit);
    out.pass_on();
  }
}

void write_layer_rows(RowFormat format, const Report& report, OutputBuffer& out) {
  const bool of_kernels = report.results.empty() && !report.kernels.empty();
  if (!report.results.empty() && !report.kernels.empty() && has_columns(format)) fail_mixed();
  out.text() = begin_of(format, of_kernels ? RowsOf::kernels : RowsOf::layers);
  for (std::size_t i = 0; i < report.results.size(); ++i)
    for (const std::size_t row : report.selections[i].rows) {
      append_layer(out.text(), format, report.results[i], row);
      out.pass_on();
    }
  for (std::size_t i = 0; i < report.kernels.size(); ++i)
    for (const std::size_t row : report.kernel_selections[i].rows) {
      append_row(out.text(), format, report.kernels[i], report.kernels[i].rows[row]);
      out.pass_on();
    }
}

}  // namespace

void write_rows(RowFormat format, const Report& report, const Sink& sink) {
  OutputBuffer out(sink);
  if (report.filter.ranks_gpus() && report.kernels.empty())
    write_point_rows(format, report, out);
  else
    write_layer_rows(format, report, out);
  for (const InputError& error : report.errors) append_error(out.text(), format, error);
  out.flush();
}

}  // namespace roofline
