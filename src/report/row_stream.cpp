#include "report/row_stream.hpp"

#include <utility>

#include "report/formats.hpp"
#include "report/writer.hpp"

namespace roofline {
namespace {

Row row_of(const Result& result, const LayerResult& layer, const RowFormat& format) {
  return {result.setting.source, result.setting.network, result.setting.gpu, layer,
          format.order == RowOrder::as_computed};
}

std::string begin_of(const RowFormat& format, RowsOf what) {
  return format.begin == nullptr ? "" : format.begin(what);
}

[[noreturn]] void fail_mixed() {
  throw InputError(
      "layers and kernels have different columns: write them in runs of their own, or as another "
      "format");
}

}  // namespace

/// To append to.
std::string& RenderedRows::last_piece() {
  if (pieces_.empty() || pieces_.back().size() >= OutputBuffer::worth_byte)
    pieces_.emplace_back().reserve(OutputBuffer::worth_byte + OutputBuffer::worth_byte / 8);
  return pieces_.back();
}

void RenderedRows::add(const InputError& error) {
  if (format_->error != nullptr) format_->error(last_piece(), error);
}

void RenderedRows::add(const Result& network, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row)
    format_->row(last_piece(), row_of(network, network.layers[row], *format_));
}

void RenderedRows::add(const KernelTable& table) {
  rows_of_ = RowsOf::kernels;
  for (const KernelRow& row : table.rows) format_->kernel(last_piece(), table, row);
}

void RenderedRows::add(std::size_t slot, const Network& record, const std::string& gpu,
                       const std::vector<LayerResult>& rows) {
  if (format_->order == RowOrder::as_computed) {
    for (const LayerResult& layer : rows)
      format_->row(last_piece(), {record.source, record.name, gpu, layer, true});
    return;
  }
  if (open_.size() <= slot) open_.resize(slot + 1);
  Open& open = open_[slot];
  for (const LayerResult& layer : rows) {
    const std::size_t share_at =
        format_->row(open.text, {record.source, record.name, gpu, layer, false});
    open.rows.push_back({share_at, time_s(layer)});
  }
}

RowStream::RowStream(const RowFormat& format, Sink sink)
    : format_(&format), sink_(std::move(sink)) {}

void RowStream::write(std::string_view text, RowsOf what) {
  if (!std::exchange(begun_, true)) {
    rows_of_ = what;
    if (const std::string begin = begin_of(*format_, what); !begin.empty()) sink_(begin);
  }
  if (text.empty()) return;
  if (what != rows_of_ && format_->begin != nullptr) fail_mixed();
  sink_(text);
}

void RowStream::take(RenderedRows part) {
  for (const std::string& piece : part.pieces_) write(piece, part.rows_of_);
  if (open_.size() < part.open_.size()) open_.resize(part.open_.size());
  for (std::size_t slot = 0; slot < part.open_.size(); ++slot)
    if (!part.open_[slot].rows.empty()) open_[slot].push_back(std::move(part.open_[slot]));
}

void RowStream::end_input() {
  for (auto& parts : open_)
    if (!parts.empty()) write(std::exchange(parts, {}));
}

void RowStream::end() {
  end_input();
  write("");
}

void RowStream::write(std::vector<RenderedRows::Open> parts) {
  double whole_s = 0;
  for (const auto& part : parts)
    for (const auto& row : part.rows) whole_s += row.time_s;
  for (RenderedRows::Open& part : parts) {
    std::string text;
    text.reserve(part.text.size() + 24 * part.rows.size());
    std::size_t done = 0;
    for (const auto& row : part.rows) {
      text.append(part.text, done, row.share_at - done);
      JsonWriter(text, false).value(share_of(row.time_s, whole_s));
      done = row.share_at;
    }
    text.append(part.text, done);
    part = {};  // what is written need not stay
    write(text);
  }
}

namespace {

void write_point_rows(const RowFormat& format, const Report& report, OutputBuffer& out) {
  out.text() = begin_of(format, RowsOf::points);
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const SettingsTable& table = report.points[i];
    const PointSelection& selection = report.point_selections[i];
    const auto write = [&](const std::vector<std::size_t>& points) {
      for (const std::size_t point : points) format.point(out.text(), table, table.rows[point]);
    };
    for (const auto& group : selection.groups) write(group);
    if (!report.filter.top) write(selection.unfit);
    out.pass_on();
  }
}

void write_layer_rows(const RowFormat& format, const Report& report, OutputBuffer& out) {
  const bool of_kernels = report.results.empty() && !report.kernels.empty();
  if (!report.results.empty() && !report.kernels.empty() && format.begin != nullptr) fail_mixed();
  out.text() = begin_of(format, of_kernels ? RowsOf::kernels : RowsOf::layers);
  for (std::size_t i = 0; i < report.results.size(); ++i)
    for (const std::size_t row : report.selections[i].rows) {
      format.row(out.text(), row_of(report.results[i], report.results[i].layers[row], format));
      out.pass_on();
    }
  for (std::size_t i = 0; i < report.kernels.size(); ++i)
    for (const std::size_t row : report.kernel_selections[i].rows) {
      format.kernel(out.text(), report.kernels[i], report.kernels[i].rows[row]);
      out.pass_on();
    }
}

}  // namespace

void write_rows(const RowFormat& format, const Report& report, const Sink& sink) {
  OutputBuffer out(sink);
  if (report.filter.ranks_gpus() && report.kernels.empty())
    write_point_rows(format, report, out);
  else
    write_layer_rows(format, report, out);
  if (format.error != nullptr)
    for (const InputError& error : report.errors) format.error(out.text(), error);
  out.flush();
}

}  // namespace roofline
