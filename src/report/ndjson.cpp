#include "report/fields.hpp"
#include "report/formats.hpp"
#include "report/kernel_fields.hpp"
#include "report/point_fields.hpp"
#include "report/version.hpp"

namespace roofline {
namespace {

std::size_t append_line(std::string& text, const Row& row) {
  JsonWriter writer(text, false);
  writer.begin_object();
  write_fields(writer, row, true);
  writer.end_object();
  text += '\n';
  return 0;
}

void append_error(std::string& text, const InputError& error) {
  JsonWriter(text, false)
      .begin_object()
      .member("schema_version", schema_version)
      .member("source", error.source)
      .member("where", error.where)
      .member("error", error.message)
      .end_object();
  text += '\n';
}

void append_kernel_line(std::string& text, const KernelTable& table, const KernelRow& row) {
  JsonWriter writer(text, false);
  writer.begin_object();
  write_kernel_fields(writer, table, row, true);
  writer.end_object();
  text += '\n';
}

void append_point_line(std::string& text, const PointTable& table, const OperatingPoint& point) {
  JsonWriter writer(text, false);
  writer.begin_object();
  write_point_fields(writer, table, point, true);
  writer.end_object();
  text += '\n';
}

}  // namespace

constinit const RowFormat ndjson_rows{
    RowOrder::as_computed, append_line, nullptr,           append_error,
    append_kernel_line,    nullptr,     append_point_line, nullptr};

}  // namespace roofline
