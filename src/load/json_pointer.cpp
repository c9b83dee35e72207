#include "load/json_pointer.hpp"

namespace roofline {

void append_part(std::string& pointer, std::string_view key) {
  constexpr std::size_t longest = 200;
  pointer += '/';
  for (const char c : key.substr(0, longest)) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
  if (key.size() > longest) pointer += "...";
}

void append_part(std::string& pointer, std::size_t index) {
  pointer += '/';
  pointer += std::to_string(index);
}

}  // namespace roofline
