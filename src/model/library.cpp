#include "roofline/library.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>

#include "model/text.hpp"

namespace roofline {
namespace {

/// Takes a number off the beginning.
std::optional<std::uint16_t> take_number(std::string_view& text) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::optional<Release> parse_release(std::string_view text) {
  Release release;
  const auto major_number = take_number(text);
  if (!major_number || *major_number == 0) return std::nullopt;
  release.major_number = *major_number;
  if (text.empty()) return release;
  if (!text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const auto minor_number = take_number(text);
  if (!minor_number || !text.empty()) return std::nullopt;
  release.minor_number = *minor_number;
  return release;
}

std::optional<LibraryRelease> parse_library_release(std::string_view text) {
  const std::string word = lower_case(text);
  for (const KernelLibrary library : enumerators<KernelLibrary>) {
    const std::string name = lower_case(name_of(library));
    if (!word.starts_with(name)) continue;
    std::string_view number = std::string_view(word).substr(name.size());
    if (number.starts_with(' ')) number.remove_prefix(1);
    if (const auto release = parse_release(number)) return LibraryRelease{library, *release};
  }
  return std::nullopt;
}

}  // namespace roofline
