#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace roofline {
namespace {

/// Bytes of the UTF-8 sequence that starts at `i`, 0 where the bytes are none.
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(i);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t j = i + 1; j < i + length; ++j)
    if ((byte(j) & 0xC0U) != 0x80U) return 0;
  return length;
}

/// Byte offset of the character at which `width` columns are used up.
std::size_t offset_of(std::string_view text, std::size_t width) {
  std::size_t i = 0;
  for (std::size_t used = 0; i < text.size() && used < width; ++used)
    i += std::max<std::size_t>(1, sequence_length(text, i));
  return i;
}

}  // namespace

std::string plain(double value) {
  if (!std::isfinite(value)) return "";
  if (value == 0) return "0";
  const double magnitude = std::fabs(value);
  if (magnitude >= 99999.5 || magnitude < 1e-3) return fmt::format("{:.3e}", value);
  if (magnitude >= 999.95) return fmt::format("{:.0f}", value);
  return fmt::format("{:#.4g}", value);
}

std::string si(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "";
  constexpr std::array<std::string_view, 11> prefixes{"p", "n", "u", "m", "", "k",
                                                      "M", "G", "T", "P", "E"};
  std::size_t prefix = 4;
  while (std::fabs(value) >= 999.95 && prefix + 1 < prefixes.size()) value /= 1000, ++prefix;
  while (value != 0 && std::fabs(value) < 0.99995 && prefix > 0) value *= 1000, --prefix;
  const std::string scale = fmt::format("{}{}", prefixes[prefix], unit);
  return scale.empty() ? plain(value) : fmt::format("{} {}", plain(value), scale);
}

std::string duration(double seconds) {
  if (seconds >= 1 && std::isfinite(seconds)) return plain(seconds) + " s";
  return si(seconds, "s");
}

std::string percent(double share) {
  if (!std::isfinite(share)) return "";
  return share < 1000 ? fmt::format("{:.1f}%", 100 * share) : plain(100 * share) + "%";
}

std::string factor(double ratio) {
  if (!std::isfinite(ratio)) return "";
  return ratio >= 0.005 && ratio < 10000 ? fmt::format("x{:.2f}", ratio) : "x" + plain(ratio);
}

std::string ratio_text(double ratio) {
  return ratio < 1000 ? fmt::format("x{:.2f}", ratio) : "x" + plain(ratio);
}

std::string shape_text(const Shape& shape) {
  std::string text = fmt::format("{}x{}", shape.batch, shape.channels);
  for (std::size_t i = 3U - shape.spatial_rank; i < 3; ++i)
    text += fmt::format("x{}", shape.spatial[i]);
  return text;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++width)
    i += std::max<std::size_t>(1, sequence_length(text, i));
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  const std::size_t whole = display_width(text);
  if (whole <= width) return std::string(text);
  const std::size_t kept = width - 3;
  const std::size_t tail = kept / 2;
  return std::string(text.substr(0, offset_of(text, kept - tail))) + "..." +
         std::string(text.substr(offset_of(text, whole - tail)));
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    const auto lead = static_cast<unsigned char>(text[i]);
    const bool c1_control =
        length == 2 && lead == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (length == 0 || lead < 0x20 || lead == 0x7F || c1_control)
      out += '?';
    else
      out += text.substr(i, length);
    i += std::max<std::size_t>(1, length);
  }
  return out;
}

}  // namespace roofline
