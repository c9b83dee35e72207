#pragma once

// Charts on a terminal: cells to draw on (lines of Braille dots or of ASCII, characters and texts
// over them), and what is drawn with them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/chart/chart.hpp"

namespace roofline {

/// What a terminal can show.
struct Screen {
  std::size_t width = 80;
  bool unicode = false;
  bool colour = false;
};

class Canvas {
 public:
  Canvas(std::size_t width, std::size_t height, const Screen& screen);

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }

  /// Between positions in cells from the top left corner; what lies outside is left out.
  void line(Position from, Position to, LineStyle style);
  /// One character of one column.
  void put(std::size_t column, std::size_t row, std::string_view character,
           Colour colour = Colour::ink);
  /// The text from that cell on, if it fits and touches no other text or character. Whether it did.
  bool put_text(std::ptrdiff_t column, std::ptrdiff_t row, std::string_view text);

  /// A row of cells, without blanks at its end.
  std::string row(std::size_t row) const;

 private:
  struct Cell {
    std::string character;  ///< empty: the dots alone
    std::uint8_t dots = 0;
    char stroke = 0;  ///< of lines in ASCII
    Colour colour = Colour::ink;
    bool is_covered = false;  ///< by the second column of a wide character
  };
  Cell& at(std::size_t column, std::size_t row) { return cells_[row * width_ + column]; }
  const Cell& at(std::size_t column, std::size_t row) const {
    return cells_[row * width_ + column];
  }
  void dot(double column, double row, char stroke);

  std::size_t width_;
  std::size_t height_;
  Screen screen_;
  std::vector<Cell> cells_;
};

/// The text in that colour where the terminal shows colours.
std::string coloured(std::string_view text, Colour colour, const Screen& screen);
/// The character that stands for a symbol.
std::string_view symbol_character(Symbol symbol, const Screen& screen);

std::string plot_text(const Plot& plot, const Screen& screen);
std::string bars_text(const Bars& bars, const std::vector<LegendItem>& legend,
                      const Screen& screen);
/// Items one after the other on lines of the style's width.
std::string flowing_text(const std::vector<std::string>& items, std::string_view between,
                         std::size_t width);

}  // namespace roofline
