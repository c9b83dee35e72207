#include <algorithm>

#include "roofline/gpu.hpp"

namespace roofline {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

/// "CDNA3" and "cdna 3" start with "CDNA"; "Adagio" does not with "Ada".
bool starts_with_word(std::string_view text, std::string_view word) {
  if (word.empty() || text.size() < word.size()) return false;
  const bool same = std::equal(word.begin(), word.end(), text.begin(),
                               [](char a, char b) { return lower(a) == lower(b); });
  return same && (text.size() == word.size() || !is_letter(text[word.size()]));
}

std::optional<Architecture> from_capability(std::uint32_t capability) {
  std::optional<Architecture> found;
  for (const Architecture architecture : enumerators<Architecture>)
    if (const std::uint32_t first = info(architecture).first_capability;
        first > 0 && capability >= first)
      found = architecture;
  return found;
}

std::optional<Architecture> from_name(std::string_view name) {
  for (const Architecture architecture : enumerators<Architecture>)
    for (const std::string_view prefix : info(architecture).prefixes)
      if (starts_with_word(name, prefix)) return architecture;
  return std::nullopt;
}

}  // namespace

std::uint32_t parse_capability(std::string_view text) {
  std::uint32_t value = 0;
  bool dot = false;
  for (const char c : text) {
    if (c == '.' && !dot)
      dot = true;
    else if (c >= '0' && c <= '9' && value < 1000)
      value = value * 10 + static_cast<std::uint32_t>(c - '0');
    else
      return 0;
  }
  return dot ? value : value * 10;
}

std::optional<Architecture> stated_architecture(const Gpu& gpu) {
  if (const auto known = from_capability(parse_capability(gpu.compute_capability))) return known;
  return from_name(gpu.architecture);
}

Architecture architecture_of(const Gpu& gpu) {
  if (const auto stated = stated_architecture(gpu)) return *stated;
  return gpu.vendor == info(Architecture::cdna).vendor ? Architecture::cdna : Architecture::hopper;
}

}  // namespace roofline
