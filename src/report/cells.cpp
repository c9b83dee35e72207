#include "report/cells.hpp"

#include <algorithm>

#include "report/text.hpp"

namespace roofline {

void Cells::add(std::string_view cell) {
  const std::size_t at = text_.size();
  text_ += printable(cell);
  width_ = std::max(width_, display_width(std::string_view(text_).substr(at)));
  text_ += '\n';
}

}  // namespace roofline
