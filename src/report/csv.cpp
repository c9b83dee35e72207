#include "report/fields.hpp"
#include "report/formats.hpp"
#include "report/stated.hpp"

namespace roofline {
namespace {

std::string header() {
  std::string out;
  for (const OutputField& field : output_fields())
    out +=
        (out.empty() ? "" : ",") + (field.path == layer_path ? layer_columns() : column_of(field));
  return out + '\n';
}

template <bool raw>
std::size_t append_row(std::string& text, const Row& row) {
  std::size_t share_at = 0;
  bool first = true;
  for (const OutputField& field : output_fields()) {
    if (!first) text += ',';
    first = false;
    if (field.path == "time_share") share_at = text.size();
    if (field.path == layer_path)
      append_layer_cells(text, row, raw);
    else
      append_csv(text, field.value(row), raw);
  }
  text += '\n';
  return share_at;
}

}  // namespace

constinit const RowFormat csv_rows{RowOrder::by_result, append_row<false>, header};
constinit const RowFormat raw_csv_rows{RowOrder::by_result, append_row<true>, header};

}  // namespace roofline
