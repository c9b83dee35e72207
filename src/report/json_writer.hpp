#pragma once

// JSON text written as it comes, without a tree: on one line, or indented by two.

#include <cstddef>
#include <string>
#include <string_view>

#include "report/cell.hpp"

namespace roofline {

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out, bool indented) : out_(out), indented_(indented) {}

  JsonWriter& key(std::string_view name);
  /// The same of a key as it stands after another member: `,"name":`.
  JsonWriter& comma_key(std::string_view text);
  JsonWriter& value(const Cell& cell);
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& member(std::string_view name, const Cell& cell) { return key(name).value(cell); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();
  void new_line();

  std::string& out_;
  bool indented_;
  std::size_t depth_ = 0;   ///< open arrays and objects
  bool has_items_ = false;  ///< the innermost one
  bool after_key_ = false;
};

}  // namespace roofline
