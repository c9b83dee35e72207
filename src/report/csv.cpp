#include "report/fields.hpp"
#include "report/formats.hpp"

namespace roofline {
namespace {

std::string header() {
  std::string out;
  for (const OutputField& field : output_fields())
    out += (out.empty() ? "" : ",") + column_of(field);
  return out + '\n';
}

std::size_t append_row(std::string& text, const Row& row) {
  std::size_t share_at = 0;
  bool first = true;
  for (const OutputField& field : output_fields()) {
    if (!first) text += ',';
    first = false;
    if (field.path == "time_share") share_at = text.size();
    append_csv(text, field.value(row));
  }
  text += '\n';
  return share_at;
}

}  // namespace

constinit const RowFormat csv_rows{RowOrder::by_result, append_row, header};

}  // namespace roofline
