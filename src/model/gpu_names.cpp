#include "model/gpu_names.hpp"

#include <algorithm>
#include <cctype>

#include "model/spelling.hpp"

namespace roofline {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_number(std::string_view word) { return std::all_of(word.begin(), word.end(), is_digit); }

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Says who makes a part or what it is for, which its number says as well; or that a virtual
/// machine has it whole ("VF").
bool is_decoration(std::string_view word) {
  return is_one_of(
      word, {"nvidia", "geforce", "tesla", "jetson", "amd", "radeon", "instinct", "intel", "grid",
             "gpu", "nvgpu", "graphics", "generation", "edition", "vf"});
}

bool is_size_unit(std::string_view word) { return is_one_of(word, {"g", "gb", "gib"}); }

/// "80gb"
bool is_memory_size(std::string_view word) {
  const std::size_t digits =
      static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_digit) - word.begin());
  return digits > 0 && is_size_unit(word.substr(digits));
}

bool is_board(std::string_view word) {
  return word.starts_with("sxm") || word.starts_with("hbm") ||
         is_one_of(word, {"pcie", "nvl", "nvlink", "oam"});
}

/// Lower-case letters and digits between anything else; "(R)" and "(TM)" are no words.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || byte >= 0x80)
      words.back() += static_cast<char>(std::tolower(byte));
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

std::string words_text(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// 12 of "12g" and "12gb", where the unit is what follows the digits.
std::optional<std::uint64_t> count_before(std::string_view unit, std::string_view word) {
  constexpr std::size_t most_digits = 4;
  if (!word.ends_with(unit)) return std::nullopt;
  word.remove_suffix(unit.size());
  if (word.empty() || word.size() > most_digits || !is_number(word)) return std::nullopt;
  return std::stoull(std::string(word));
}

/// "h100 80gb hbm3 mig 2c 4g 40gb me": what follows the memory size says which media engines a
/// slice has and whether it draws.
std::optional<ShareName> mig_slice_in(std::span<const std::string> words) {
  while (!words.empty() && is_one_of(words.back(), {"me", "gfx", "all"}))
    words = words.first(words.size() - 1);
  if (words.size() < 3) return std::nullopt;
  ShareName name;
  const std::optional<std::uint64_t> gigabytes = count_before("gb", words.back());
  const std::optional<std::uint64_t> slices = count_before("g", words[words.size() - 2]);
  if (!gigabytes || !slices || *slices == 0) return std::nullopt;
  name.gigabytes = *gigabytes;
  name.compute_slices = *slices;
  words = words.first(words.size() - 2);
  if (const auto instance = count_before("c", words.back()); instance && words.size() > 1) {
    name.instance_slices = *instance;
    words = words.first(words.size() - 1);
  }
  if (words.back() == "mig") words = words.first(words.size() - 1);
  if (words.empty()) return std::nullopt;
  name.part = words_text(words);
  return name;
}

/// The boards that NVIDIA's virtual GPUs name otherwise than the boards themselves, from the vGPU
/// guides of NVIDIA AI Enterprise; all other names are those of the boards.
std::string board_of_virtual(const std::string& name) {
  struct Board {
    std::string_view virtual_name;
    std::string_view board;
  };
  constexpr Board boards[] = {
      {"v100", "v100-pcie"},
      {"v100x", "v100-sxm2"},
      {"v100dx", "v100-32gb"},
      {"a100", "a100-pcie-40gb"},
      {"a100x", "a100-40gb"},
      {"a100d", "a100-pcie-80gb"},
      {"a100dx", "a100-80gb"},
      {"a800dx", "a800-80gb"},
      {"h100", "h100-pcie"},
      {"h100xm", "h100"},
      {"h100l", "h100-nvl"},
      {"h800xm", "h800"},
      {"h200", "h200-nvl"},
      {"h200x", "h200"},
      {"h20x", "h20-141gb"},
      {"rtx6000", "quadro-rtx-6000"},
      {"rtx6000p", "quadro-rtx-6000"},
      {"rtx8000", "quadro-rtx-8000"},
      {"rtx8000p", "quadro-rtx-8000"},
  };
  for (const Board& each : boards)
    if (each.virtual_name == name) return std::string(each.board);
  return name;
}

/// "a10 24q", "a100x 3 20c": the letter is the series (applications, PCs, workstations, compute).
std::optional<ShareName> virtual_gpu_in(std::span<const std::string> words) {
  if (words.size() < 2) return std::nullopt;
  std::string_view size = words.back();
  if (size.ends_with("me")) size.remove_suffix(2);
  ShareName name;
  for (const std::string_view series : {"a", "b", "c", "q"})
    if (const auto gigabytes = count_before(series, size)) name.gigabytes = *gigabytes;
  if (name.gigabytes == 0) return std::nullopt;
  words = words.first(words.size() - 1);
  if (words.size() > 1 && words.back().size() == 1 && is_number(words.back())) {
    name.compute_slices = std::stoull(words.back());
    words = words.first(words.size() - 1);
  }
  name.part = board_of_virtual(words_text(words));
  return name;
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

std::optional<ShareName> parse_share_name(std::string_view text) {
  std::vector<std::string> words = words_of(text);
  if (auto slice = mig_slice_in(words)) return slice;
  std::erase_if(words, is_decoration);
  return virtual_gpu_in(words);
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
      // Of an alias that is nearer it is plainer which part it names.
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
