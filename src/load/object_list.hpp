#pragma once

// Files that a user gives beside the inputs, with an object for each thing: JSON, or CSV of which
// each row is an object.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "load/json.hpp"
#include "roofline/limits.hpp"

namespace roofline {

struct ListColumns {
  std::string wanted;                      ///< "gpu and per_hour", as errors name the columns
  std::vector<std::string_view> required;  ///< at the header
  std::vector<std::string_view> texts;     ///< whose cells are texts even where they look otherwise
  bool others_are_read = false;
};

/// Gives the whole document of JSON to `read_document`, each row of CSV to `read_row`. Throws
/// InputError.
void read_object_list(const std::string& path, const InputLimits& limits,
                      const ListColumns& columns,
                      const std::function<void(const Value& document)>& read_document,
                      const std::function<void(const Value& row)>& read_row);

}  // namespace roofline
