// Colours and symbols that stay apart for readers who see no difference between red and green, and
// in print without colours.

#include <cmath>
#include <set>

#include "catch.hpp"
#include "report/chart/chart.hpp"
#include "report/texts.hpp"

using namespace roofline;

namespace {

using Triple = std::array<double, 3>;

/// sRGB to linear light (IEC 61966-2-1).
Triple linear(std::string_view hex) {
  Triple rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    rgb[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

/// What a deuteranope sees: Machado, Oliveira and Fernandes, "A Physiologically-based Model for
/// Simulation of Color Vision Deficiency", 2009, at full severity.
Triple as_deuteranope(const Triple& rgb) {
  constexpr double matrix[3][3] = {{0.367322, 0.860646, -0.227968},
                                   {0.280085, 0.672501, 0.047413},
                                   {-0.011820, 0.042940, 0.968881}};
  Triple seen{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) seen[i] += matrix[i][j] * rgb[j];
    seen[i] = std::clamp(seen[i], 0.0, 1.0);
  }
  return seen;
}

/// CIE L*a*b* under D65: distances are about what an eye tells apart.
Triple lab(const Triple& rgb) {
  constexpr double matrix[3][3] = {
      {0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}};
  constexpr double white[3] = {0.95047, 1, 1.08883};
  Triple f{};
  for (std::size_t i = 0; i < 3; ++i) {
    double value = 0;
    for (std::size_t j = 0; j < 3; ++j) value += matrix[i][j] * rgb[j] / white[i];
    f[i] = value > 0.008856 ? std::cbrt(value) : 7.787 * value + 16.0 / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double distance(const Triple& a, const Triple& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// "#0a559e", as chart.css fills shapes of this colour.
std::string_view hex_of(Colour colour) {
  const std::string start = "." + css_name(colour) + "{fill:";
  const std::size_t at = chart_css.find(start);
  REQUIRE(at != chart_css.npos);
  return chart_css.substr(at + start.size(), 7);
}

}  // namespace

TEST_CASE("Colours are compared as tables of them say", "[report/chart/palette]") {
  CHECK(lab(linear("#ffffff"))[0] == Approx(100).margin(0.1));
  CHECK(lab(linear("#ff0000"))[0] == Approx(53.24).margin(0.1));
  CHECK(lab(linear("#008000"))[0] == Approx(46.23).margin(0.1));
  // A brown and an olive green are far apart, but for a deuteranope.
  const Triple brown = linear("#a52a2a");
  const Triple olive = linear("#556b2f");
  CHECK(distance(lab(brown), lab(olive)) > 60);
  CHECK(distance(lab(as_deuteranope(brown)), lab(as_deuteranope(olive))) < 7);
}

TEST_CASE("Every pair of colours is apart for a deuteranope and in grey",
          "[report/chart/palette]") {
  for (const Colour a : enumerators<Colour>)
    for (const Colour b : enumerators<Colour>) {
      if (a >= b || b == Colour::ink || b == Colour::paper) continue;
      INFO(name_of(a) << " and " << name_of(b));
      const Triple first = linear(hex_of(a));
      const Triple second = linear(hex_of(b));
      CHECK(distance(lab(as_deuteranope(first)), lab(as_deuteranope(second))) > 15);
      CHECK(std::fabs(lab(first)[0] - lab(second)[0]) > 5);
    }
}

TEST_CASE("No colour of a part of time is that of text", "[report/chart/palette]") {
  for (const Colour colour : enumerators<Colour>)
    if (colour < Colour::ink) CHECK(lab(linear(hex_of(colour)))[0] > 20);
}

TEST_CASE("Symbols differ in their outlines", "[report/chart/palette]") {
  std::set<std::string> outlines;
  for (const Symbol symbol : enumerators<Symbol>) outlines.insert(symbol_path(symbol, 50, 50, 10));
  CHECK(outlines.size() == count_of<Symbol>);
}
