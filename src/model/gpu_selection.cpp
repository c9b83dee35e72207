#include "model/gpu_selection.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <set>
#include <string_view>

#include "model/text.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr std::string_view comparisons = "<>=";

struct LimitedQuantity {
  std::string_view unit;
  double scale;
  std::optional<double> (*of)(const Gpu&);
};

std::optional<double> memory_of(const Gpu& gpu) { return gpu.memory_byte; }
std::optional<double> tdp_of(const Gpu& gpu) { return gpu.tdp_w; }
std::optional<double> bandwidth_of(const Gpu& gpu) { return gpu.bandwidth_byte_per_s; }

constexpr std::array<LimitedQuantity, 3> quantities{
    {{"gb", 1e9, memory_of}, {"w", 1, tdp_of}, {"gb/s", 1e9, bandwidth_of}}};

struct Limit {
  std::string comparison;
  double bound = 0;
  const LimitedQuantity* quantity = nullptr;

  bool holds(const Gpu& gpu) const {
    const auto value = quantity->of(gpu);
    if (!value) return false;
    if (*value == bound) return comparison.back() == '=';
    return comparison.front() == (*value > bound ? '>' : '<');
  }
};

Limit take_limit(std::string_view& rest, const std::string& word) {
  const std::size_t number_at = std::min(rest.find_first_not_of(comparisons), rest.size());
  const std::size_t end = std::min(rest.find_first_of(comparisons, number_at), rest.size());
  const std::string_view whole = rest.substr(0, end);
  Limit limit{std::string(rest.substr(0, number_at))};
  const std::string value = lower_case(whole.substr(number_at));
  const auto number = leading_number(value).value_or(LeadingNumber{-1, ""});
  const auto found = std::ranges::find(quantities, number.rest, &LimitedQuantity::unit);
  const bool is_known = has_word(">= <= > < =", limit.comparison);
  if (number.value < 0 || found == quantities.end() || !is_known)
    throw InputError("expected limits such as >=48GB, <=300W or >1000GB/s in " + in_quotes(word) +
                     ", got " + in_quotes(whole));
  limit.bound = number.value * found->scale;
  limit.quantity = &*found;
  rest.remove_prefix(end);
  return limit;
}

bool is_of(const Gpu& gpu, const std::string& what) {
  return what.empty() || what == "all" || lower_case(gpu.vendor) == what ||
         lower_case(gpu.architecture) == what;
}

bool fits_wildcards(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = pattern.npos;  // the last * met, and the start of its text
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Alternatives between braces, as in the folded names of tables: "1,4", "0-5"; ".." is anything.
std::vector<std::string> alternatives(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view each = text.substr(begin, end - begin);
    all.emplace_back(each == ".." ? "*" : each);
    begin = end + 1;
  }
  unsigned first = 0;
  unsigned last = 0;
  const char* end = text.data() + text.size();
  const char* dash = std::from_chars(text.data(), end, first).ptr;
  if (dash == end || *dash != '-' || std::from_chars(dash + 1, end, last).ptr != end) return all;
  all.clear();
  constexpr unsigned most = 10'000;
  for (unsigned number = first; number <= last && number - first < most; ++number)
    all.push_back(std::to_string(number));
  return all;
}

}  // namespace

std::vector<std::string> selecting_words(const std::vector<Gpu>& gpus) {
  std::set<std::string> words;
  for (const Gpu& gpu : gpus) words.insert({lower_case(gpu.vendor), lower_case(gpu.architecture)});
  words.erase("");
  std::vector<std::string> all{"all"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

std::optional<std::vector<Gpu>> selected_gpus(const std::string& word, std::vector<Gpu> gpus) {
  const std::size_t limits_at = std::min(word.find_first_of(comparisons), word.size());
  const std::string what = lower_case(word.substr(0, limits_at));
  const bool is_known = std::ranges::any_of(gpus, [&](const Gpu& gpu) { return is_of(gpu, what); });
  if (!is_known && limits_at == word.size()) return std::nullopt;
  if (!is_known)
    throw InputError("expected all, a maker or an architecture before the limits of " +
                         in_quotes(word) + ", got " + in_quotes(word.substr(0, limits_at)),
                     Remedy::gpu);
  std::vector<Limit> limits;
  for (std::string_view rest = std::string_view(word).substr(limits_at); !rest.empty();)
    limits.push_back(take_limit(rest, word));
  std::erase_if(gpus, [&](const Gpu& gpu) {
    return !is_of(gpu, what) ||
           !std::ranges::all_of(limits, [&](const Limit& limit) { return limit.holds(gpu); });
  });
  if (gpus.empty())
    throw InputError("expected limits that some GPU meets, got " + in_quotes(word), Remedy::gpu);
  return gpus;
}

bool fits_pattern(std::string_view text, std::string_view pattern) {
  if (fits_wildcards(text, pattern)) return true;
  const std::size_t open = pattern.find('{');
  const std::size_t close = pattern.find('}', open);
  if (close == pattern.npos) return false;
  const std::vector<std::string> any = alternatives(pattern.substr(open + 1, close - open - 1));
  return std::ranges::any_of(any, [&](const std::string& each) {
    return fits_pattern(
        text, std::string(pattern.substr(0, open)) + each + std::string(pattern.substr(close + 1)));
  });
}

}  // namespace roofline
