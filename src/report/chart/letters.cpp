// Widths of texts without a font: those of DejaVu Sans, the widest of common sans-serif fonts,
// whose horizontal advances its file states. A text in another font is narrower than its box.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "report/chart/chart.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Advances of the printable characters of ASCII in thousandths of the font's size.
constexpr std::array advances = std::to_array<int>({
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838,
});
constexpr char first_letter = ' ';

/// A column of a character outside of ASCII, over the font's size: wide ones have two columns.
constexpr double other_letter = 0.66;
/// Semibold letters over regular ones: bold ones are x1.10 as wide on average.
constexpr double title_widening = 1.12;

bool is_printable_ascii(char c) { return c >= first_letter && c <= '~'; }

}  // namespace

double text_width(std::string_view text, double size, bool is_title) {
  int thousandths = 0;
  std::string others;
  for (const char c : text)
    if (is_printable_ascii(c))
      thousandths += advances[static_cast<std::size_t>(c - first_letter)];
    else
      others += c;
  const double width =
      thousandths / 1000.0 + other_letter * static_cast<double>(display_width(others));
  return width * size * (is_title ? title_widening : 1);
}

std::string fitted_text(const std::string& text, double width, double size) {
  const std::string whole = printable(text);
  std::string fitted = whole;
  constexpr std::size_t least_columns = 5;
  for (std::size_t columns = display_width(whole);
       columns > least_columns && text_width(fitted, size) > width; --columns)
    fitted = shortened(whole, columns);
  return fitted;
}

}  // namespace roofline
