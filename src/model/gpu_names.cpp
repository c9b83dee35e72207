#include "roofline/gpu_names.hpp"

#include <algorithm>

namespace roofline {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

bool answers_to(const Gpu& gpu, std::string_view name) {
  return same(gpu.name, name) || std::any_of(gpu.aliases.begin(), gpu.aliases.end(),
                                             [&](const auto& alias) { return same(alias, name); });
}

}  // namespace roofline
