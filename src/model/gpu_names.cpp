#include "model/gpu_names.hpp"

#include <algorithm>
#include <cctype>

#include "model/text.hpp"
#include "roofline/enumeration.hpp"

namespace roofline {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_number(std::string_view word) { return std::all_of(word.begin(), word.end(), is_digit); }

/// Says who makes a part or what it is for, which its number says as well; or that a virtual
/// machine has it whole ("VF").
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
      static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_digit) - word.begin());
  return digits > 0 && is_size_unit(word.substr(digits));
}

bool is_board(std::string_view word) {
  return word.starts_with("sxm") || word.starts_with("hbm") ||
         has_word("pcie nvl nvlink oam", word);
}

/// Lower-case letters and digits between anything else; "(R)" and "(TM)" are no words.
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

/// "80", "gb" and "80gib" to "80gb"
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
  std::vector<std::string> model;     ///< words, in their order
  std::vector<std::string> variants;  ///< memory size and board, sorted
};

GpuName parsed(std::string_view text) {
  std::vector<std::string> words = words_of(text);
  join_memory_sizes(words);
  if (!std::all_of(words.begin(), words.end(), is_decoration)) std::erase_if(words, is_decoration);
  GpuName name;
  for (std::string& word : words)
    (is_memory_size(word) || is_board(word) ? name.variants : name.model)
        .push_back(std::move(word));
  std::sort(name.variants.begin(), name.variants.end());
  return name;
}

/// "rtx", "3060ti" to "rtx", "3060", "ti"
std::vector<std::string> runs_of(const std::vector<std::string>& words) {
  std::vector<std::string> runs;
  for (const std::string& word : words)
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (i == 0 || is_digit(word[i]) != is_digit(word[i - 1])) runs.emplace_back();
      runs.back() += word[i];
    }
  return runs;
}

// What differences weigh. A part is meant where they sum to at most `most`, and to at most `much`
// more than those of the nearest part.
constexpr double most = 1.9;
constexpr double much = 0.65;
constexpr double far = 9;                 ///< never meant
constexpr double wrong_digit = 0.8;       ///< rtx 4095 for 4090
constexpr double lost_digit = 1;          ///< h20 for h200
constexpr double two_digits = 1.6;        ///< h20 for h100
constexpr double wrong_letter = 1;        ///< gtx 4090 for rtx
constexpr double missing_word = 0.5;      ///< "6000" for "rtx 6000"
constexpr double other_series = 1.6;      ///< "xavier nx" for "xavier"
constexpr double other_suffix = 0.7;      ///< "4090 laptop" for "4090"
constexpr double other_variant = 0.7;     ///< "h200 nvl" for "h200"
constexpr double missing_variant = 1;     ///< "h20" for "h100 pcie"
constexpr double further_variant = 0.25;  ///< "a100 40gb" for "a100 pcie 40gb"

double number_difference(const std::string& a, const std::string& b) {
  const std::size_t errors = edit_distance(a, b);
  if (errors == 0) return 0;
  if (a.size() == b.size()) return errors == 1 ? wrong_digit : far;
  return errors == 1 ? lost_digit : errors == 2 ? two_digits : far;
}

double run_difference(const std::string& a, const std::string& b) {
  if (is_number(a) && is_number(b)) return number_difference(a, b);
  if (a == b) return 0;
  return edit_distance(a, b) == 1 && std::max(a.size(), b.size()) >= 3 ? wrong_letter : far;
}

/// The cheapest way from one row of runs to the other.
double model_difference(const std::vector<std::string>& wrong,
                        const std::vector<std::string>& model) {
  const auto missing = [](const std::string& run) { return is_number(run) ? far : missing_word; };
  std::vector<double> row(model.size() + 1, 0);
  for (std::size_t j = 0; j < model.size(); ++j) row[j + 1] = row[j] + missing(model[j]);
  double surplus_word = other_series;
  for (const std::string& run : wrong) {
    const double surplus = is_number(run) ? far : surplus_word;
    if (is_number(run)) surplus_word = other_suffix;
    std::vector<double> next{row[0] + surplus};
    for (std::size_t j = 0; j < model.size(); ++j)
      next.push_back(std::min({row[j] + run_difference(run, model[j]), row[j + 1] + surplus,
                               next[j] + missing(model[j])}));
    row = std::move(next);
  }
  return row.back();
}

double variant_difference(const std::vector<std::string>& wrong,
                          const std::vector<std::string>& variants) {
  const auto count_without = [](const auto& some, const auto& others) {
    return static_cast<double>(std::count_if(some.begin(), some.end(), [&](const auto& each) {
      return std::find(others.begin(), others.end(), each) == others.end();
    }));
  };
  return other_variant * count_without(wrong, variants) +
         (wrong.empty() ? missing_variant : further_variant) * count_without(variants, wrong);
}

/// A second number is a memory size: "a100 40".
GpuName parsed_wrong(std::string_view text) {
  GpuName name = parsed(text);
  const auto has_digit = [](const std::string& word) {
    return std::any_of(word.begin(), word.end(), is_digit);
  };
  for (std::size_t i = 1; i < name.model.size(); ++i)
    if (is_number(name.model[i]) && has_digit(name.model[i - 1])) {
      name.variants.push_back(name.model[i] + "gb");
      name.model.erase(name.model.begin() + static_cast<std::ptrdiff_t>(i));
    }
  return name;
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

bool answers_to(const Gpu& gpu, std::string_view name) {
  const std::string wanted = normal_gpu_name(name);
  return normal_gpu_name(gpu.name) == wanted ||
         std::any_of(gpu.aliases.begin(), gpu.aliases.end(),
                     [&](const std::string& alias) { return normal_gpu_name(alias) == wanted; });
}

std::string gpu_name_words(std::string_view name, bool with_maker) {
  std::vector<std::string> words = words_of(name);
  if (!with_maker) std::erase_if(words, is_decoration);
  return joined(words, " ");
}

std::vector<std::string> nearest_gpu_names(std::string_view wrong,
                                           std::span<const std::vector<std::string>> parts,
                                           std::size_t limit) {
  const GpuName meant = parsed_wrong(wrong);
  if (meant.model.empty()) return {};
  const std::vector<std::string> meant_runs = runs_of(meant.model);
  struct Candidate {
    double difference;
    std::string name;
  };
  std::vector<Candidate> candidates;
  for (const std::vector<std::string>& names : parts) {
    Candidate nearest{far, names.front()};
    for (const std::string& text : names) {
      const GpuName name = parsed(text);
      const double difference = model_difference(meant_runs, runs_of(name.model)) +
                                variant_difference(meant.variants, name.variants);
      if (difference >= nearest.difference) continue;
      nearest.difference = difference;
      // It is plainer which part is meant where the nearest name is an alias, a single word.
      if (text.find(' ') == text.npos) nearest.name = text;
    }
    if (nearest.difference <= most) candidates.push_back(std::move(nearest));
  }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.difference < b.difference; });
  std::vector<std::string> near;
  for (const Candidate& each : candidates)
    if (near.size() < limit && each.difference <= candidates.front().difference + much)
      near.push_back(each.name);
  return near;
}

}  // namespace roofline
