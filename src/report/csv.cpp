#include "report/fields.hpp"
#include "report/formats.hpp"
#include "report/kernel_fields.hpp"
#include "report/point_fields.hpp"
#include "report/stated.hpp"

namespace roofline {
namespace {

std::string header() {
  std::string out;
  for (const OutputField& field : output_fields())
    out += (out.empty() ? "" : ",") +
           (field.path == layer_path ? layer_columns() : column_of(field.path));
  return out + '\n';
}

template <bool raw>
std::size_t append_row(std::string& text, const Row& row) {
  Appender out(text);
  std::size_t share_at = 0;
  bool first = true;
  for (const OutputField& field : output_fields()) {
    if (!first) out.add(',');
    first = false;
    if (field.path == "time_share") share_at = out.size();
    if (field.path == layer_path)
      append_layer_cells(out, row, raw);
    else
      append_csv(out, field.value(row), raw);
  }
  out.add('\n');
  out.flush();
  return share_at;
}

std::string kernel_header() {
  std::string out;
  for (const KernelField& field : kernel_fields())
    out += (out.empty() ? "" : ",") + std::string(field.name);
  return out + '\n';
}

template <bool raw>
void append_kernel(std::string& text, const KernelTable& table, const KernelRow& row) {
  Appender out(text);
  bool first = true;
  for (const KernelField& field : kernel_fields()) {
    if (!first) out.add(',');
    first = false;
    append_csv(out, field.value(table, row), raw);
  }
  out.add('\n');
  out.flush();
}

std::string point_header() {
  std::string out;
  for (const PointField& field : point_fields())
    out += (out.empty() ? "" : ",") + column_of(field.path);
  return out + '\n';
}

template <bool raw>
void append_point(std::string& text, const PointTable& table, const OperatingPoint& point) {
  Appender out(text);
  bool first = true;
  for (const PointField& field : point_fields()) {
    if (!first) out.add(',');
    first = false;
    append_csv(out, field.value(table, point), raw);
  }
  out.add('\n');
  out.flush();
}

}  // namespace

constinit const RowFormat csv_rows{
    RowOrder::by_result, append_row<false>,   header,      nullptr, append_kernel<false>,
    kernel_header,       append_point<false>, point_header};
constinit const RowFormat raw_csv_rows{
    RowOrder::by_result, append_row<true>,   header,      nullptr, append_kernel<true>,
    kernel_header,       append_point<true>, point_header};

}  // namespace roofline
