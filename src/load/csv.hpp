#pragma once

// Comma-separated values as RFC 4180 has them: quoted cells may hold commas, doubled quotes and
// line breaks.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/byte_stream.hpp"
#include "roofline/infer.hpp"

namespace roofline {

struct CsvRow {
  std::vector<std::string> cells;
  std::size_t line = 0;  ///< where it starts, from 1
};

class CsvRows {
 public:
  explicit CsvRows(ByteStream& stream) : stream_(&stream) {}
  /// The next row that is not blank; none at the end. Throws InputError for an unclosed quote, and
  /// where the first line is no text in UTF-8 or has the line breaks of another time.
  std::optional<CsvRow> next();

 private:
  bool read_line(std::string& line);

  ByteStream* stream_;
  std::size_t line_ = 0;
};

/// Throws InputError where a row has more or fewer cells than its table has columns.
void check_width(const CsvRow& row, std::size_t columns, const std::string& source);

class Value;

/// The columns of a list of objects.
struct ListColumns {
  std::string wanted;                      ///< "gpu and per_hour", as errors name the columns
  std::vector<std::string_view> required;  ///< in the header
  std::vector<std::string_view> texts;     ///< cells are texts even where they look like numbers
  bool others_are_read = false;
};

/// Reads a file that a user gives beside the inputs, with an object for each thing: JSON, or CSV
/// of which each row is an object. Gives the whole document of JSON to `read_document`, each row
/// of CSV to `read_row`. Throws InputError.
void read_object_list(const std::string& path, const InputLimits& limits,
                      const ListColumns& columns,
                      const std::function<void(const Value& document)>& read_document,
                      const std::function<void(const Value& row)>& read_row);

}  // namespace roofline
