#include "model/gpu_names.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "roofline/enumeration.hpp"

namespace roofline {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_number(std::string_view word) { return std::ranges::all_of(word, is_digit); }

/// A maker or product line, implied by the model's number, or a GPU in a virtual machine ("VF").
bool is_decoration(std::string_view word) {
  return has_word(
      "nvidia geforce tesla jetson amd radeon instinct intel grid gpu nvgpu graphics generation "
      "edition vf",
      word);
}

bool is_size_unit(std::string_view word) { return has_word("g gb gib", word); }

/// "80gb"
bool is_memory_size(std::string_view word) {
  const std::size_t digits =
      static_cast<std::size_t>(std::ranges::find_if_not(word, is_digit) - word.begin());
  return digits > 0 && is_size_unit(word.substr(digits));
}

bool is_board(std::string_view word) {
  return word.starts_with("sxm") || word.starts_with("hbm") ||
         has_word("pcie nvl nvlink oam", word);
}

/// Words of lower-case letters and digits; "(R)" and "(TM)" are dropped.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || byte >= 0x80)
      words.back() += lower_case(c);
    else if (!words.back().empty())
      words.emplace_back();
  }
  std::erase_if(words, [](const std::string& word) { return word.empty(); });
  const bool has_marks = name.find('(') != std::string_view::npos;
  if (has_marks)
    std::erase_if(words, [](const std::string& word) { return word == "r" || word == "tm"; });
  return words;
}

/// "80", "gb" and "80gib" become "80gb".
void join_memory_sizes(std::vector<std::string>& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (is_number(words[i]) && is_size_unit(words[i + 1])) {
      words[i] += words[i + 1];
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  for (std::string& word : words)
    if (is_memory_size(word)) word.replace(word.find('g'), std::string::npos, "gb");
}

struct GpuName {
  std::vector<std::string> model;
  std::vector<std::string> variants;  ///< memory size and board, sorted
};

GpuName parsed(std::string_view text) {
  std::vector<std::string> words = words_of(text);
  join_memory_sizes(words);
  const auto decorations =
      std::stable_partition(words.begin(), words.end(), std::not_fn(is_decoration));
  if (decorations != words.begin()) words.erase(decorations, words.end());
  GpuName name;
  for (std::string& word : words)
    (is_memory_size(word) || is_board(word) ? name.variants : name.model)
        .push_back(std::move(word));
  std::ranges::sort(name.variants);
  return name;
}

/// "rtx" and "4070" of "rtx4070super"; no digits where the name begins otherwise.
struct Series {
  std::string_view letters;
  std::string_view digits;
};

Series series_of(std::string_view normal) {
  const std::size_t at = std::min(normal.find_first_of("0123456789"), normal.size());
  const std::string_view rest = normal.substr(at);
  return {normal.substr(0, at), rest.substr(0, rest.find_first_not_of("0123456789"))};
}

std::uint64_t distance_of(const Series& a, const Series& b) {
  const auto number = [](std::string_view digits) {
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  };
  const std::uint64_t first = number(a.digits);
  const std::uint64_t second = number(b.digits);
  return std::max(first, second) - std::min(first, second);
}

/// How much a GPU is like a wrong name.
struct Likeness {
  std::string name;               ///< the plainest
  std::size_t errors = 0;         ///< letters that differ; 0 where one name begins with the other
  bool same_series = false;       ///< the same letters before as many digits
  std::size_t shared_digits = 0;  ///< first digits in common: GPUs of one architecture, mostly
  std::uint64_t distance = 0;     ///< of the numbers in a series
};

std::size_t errors_between(const std::string& meant, const std::string& normal) {
  constexpr std::size_t least_letters = 4;
  const auto [shorter, longer] =
      std::minmax(meant, normal, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const bool begins = shorter.size() >= least_letters && longer.starts_with(shorter);
  return begins ? 0 : edit_distance(meant, normal);
}

/// `names`: of one GPU.
Likeness likeness(const std::string& meant, const std::vector<std::string>& names) {
  Likeness like{names.front(), std::string::npos};
  const Series wanted = series_of(meant);
  for (const std::string& text : names) {
    const std::string normal = normal_gpu_name(text);
    const std::size_t errors = errors_between(meant, normal);
    if (errors >= like.errors) continue;
    like.errors = errors;
    // A single-word alias names the GPU more plainly.
    if (text.find(' ') == text.npos) like.name = text;
    const Series own = series_of(normal);
    like.same_series = !own.letters.empty() && own.letters == wanted.letters &&
                       own.digits.size() == wanted.digits.size();
    if (!like.same_series) continue;
    like.shared_digits = static_cast<std::size_t>(
        std::ranges::mismatch(own.digits, wanted.digits).in1 - own.digits.begin());
    like.distance = distance_of(own, wanted);
  }
  return like;
}

}  // namespace

std::string normal_gpu_name(std::string_view name) {
  const auto [model, variants] = parsed(name);
  std::string normal;
  for (const std::string& word : model) {
    if (!normal.empty() && is_digit(normal.back()) && is_digit(word.front())) normal += '-';
    normal += word;
  }
  for (const std::string& word : variants) normal += '-' + word;
  return normal;
}

std::vector<std::string> normal_gpu_names(const Gpu& gpu) {
  std::vector<std::string> names{normal_gpu_name(gpu.name)};
  for (const std::string& alias : gpu.aliases) names.push_back(normal_gpu_name(alias));
  return names;
}

bool answers_to(const Gpu& gpu, std::string_view name) {
  const std::vector<std::string> names = normal_gpu_names(gpu);
  return std::ranges::find(names, normal_gpu_name(name)) != names.end();
}

std::string gpu_name_words(std::string_view name) { return joined(words_of(name), " "); }

std::vector<std::string> nearest_gpu_names(std::string_view wrong,
                                           std::span<const std::vector<std::string>> parts,
                                           std::size_t limit) {
  if (wrong.size() > longest_typed_name) return {};
  const std::string meant = normal_gpu_name(wrong);
  std::vector<Likeness> all;
  for (const std::vector<std::string>& names : parts) all.push_back(likeness(meant, names));
  const auto most_digits = std::ranges::max_element(all, {}, &Likeness::shared_digits);
  if (most_digits == all.end()) return {};
  const std::size_t shared = most_digits->shared_digits;
  std::erase_if(all, [&](const Likeness& each) { return each.shared_digits < shared; });
  const std::size_t fewest = std::ranges::min(all, {}, &Likeness::errors).errors;
  // A series' name and the start of its number are enough.
  if (shared == 0 && fewest > std::max<std::size_t>(1, meant.size() / 3)) return {};
  std::erase_if(all, [&](const Likeness& each) { return each.errors > fewest; });
  std::ranges::stable_sort(
      all, {}, [](const Likeness& each) { return std::pair(!each.same_series, each.distance); });
  if (all.size() > limit) all.resize(limit);
  return each_of(all, &Likeness::name);
}

std::vector<std::string> gpus_with_chip(std::string_view chip, std::span<const Gpu> gpus) {
  std::string wanted;  // letters and digits: "sm90" for "sm_90", and for compute_90 as well
  for (const std::string& word : words_of(chip)) wanted += word == "compute" ? "sm" : word;
  std::vector<std::string> names;
  for (const Gpu& gpu : gpus) {
    std::string own = gpu.compute_capability;
    std::erase(own, '.');
    if (own.empty() || wanted != (is_number(own) ? "sm" : "") + own) continue;
    names.push_back(gpu.aliases.empty() ? gpu.name : gpu.aliases.front());
  }
  return names;
}

}  // namespace roofline
