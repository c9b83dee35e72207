#include "cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/errors.hpp"
#include "cli/output.hpp"
#include "cli/rows.hpp"
#include "load/csv.hpp"
#include "load/cuda_launch.hpp"
#include "model/layer_kind.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "report/fields.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

template <class T>
T value_of(const std::string& option, Expected<T> value) {
  if (!value) throw UsageError(option + ": " + value.error().what());
  return *std::move(value);
}

constexpr std::size_t most_batches = 1000;

std::uint64_t parse_batch(const std::string& word) {
  const std::optional<std::uint64_t> batch = number_in<std::uint64_t>(word);
  if (word.size() == 3 && word.starts_with("00"))  // of "10,000"
    throw UsageError("--batch: expected numbers without a comma within, such as 10000, got " +
                     in_quotes(word));
  if (!batch || *batch == 0)
    throw UsageError("--batch: expected integers " +
                     (is_beyond_64_bits(word) ? "from 1 to " + std::string(largest_integer)
                                              : std::string(">= 1")) +
                     " such as 1,8,64, max or best, got " + in_quotes(word));
  return *batch;
}

/// Continues the step of the last two batches up to `end`.
void fill_in(std::vector<std::uint64_t>& batches, std::uint64_t end) {
  if (batches.size() < 2)
    throw UsageError("--batch: expected two numbers before \"...\", such as 1,2,4,...,1024");
  const std::uint64_t before = batches[batches.size() - 2];
  const std::uint64_t last = batches.back();
  if (last <= before) throw UsageError("--batch: expected rising numbers before \"...\"");
  if (end <= last)
    throw UsageError("--batch: expected a number above " + std::to_string(last) +
                     " after \"...\", got " + std::to_string(end));
  const bool multiplies = last % before == 0;  // 1,2 doubles
  const std::uint64_t factor = last / before;
  const std::uint64_t step = last - before;
  const auto has_next = [&](std::uint64_t number) {
    return multiplies ? number <= (end - 1) / factor : number < end - step;
  };
  for (std::uint64_t next = last; has_next(next);) {
    next = multiplies ? next * factor : next + step;
    if (batches.size() == most_batches)
      throw UsageError("--batch: expected at most " + std::to_string(most_batches) +
                       " numbers, got more up to " + std::to_string(end));
    batches.push_back(next);
  }
}

/// The format with the longest extension of the file's: run.trace.json is a trace.
const OutputFormat* format_of_file(std::string_view file) {
  for (std::size_t dot = file.find('.'); dot != file.npos; dot = file.find('.', dot + 1))
    if (const OutputFormat* format = find_output_format(file.substr(dot + 1)); format != nullptr)
      return format;
  return nullptr;
}

}  // namespace

/// "..." continues the step before it: 1,2,4,...,1024 doubles and 8,16,24,...,64 adds 8.
void parse_batches(const std::vector<std::string>& words, Options& options) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (const auto goal = parse<BatchGoal>(words[i]))
      options.batch_goals.push_back(*goal);
    else if (words[i] != "...")
      options.batches.push_back(parse_batch(words[i]));
    else if (i + 1 < words.size())
      fill_in(options.batches, parse_batch(words[i + 1]));
    else
      throw UsageError("--batch: expected a number after \"...\"");
}

std::pair<std::string, std::uint64_t> parse_dimension(const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  const std::string_view number =
      std::string_view(text).substr(std::min(name.size() + 1, text.size()));
  const auto value = number_in<std::uint64_t>(number);
  if (!name.empty() && value.value_or(0) > 0) return {name, *value};
  const bool is_large = is_beyond_64_bits(number);
  throw UsageError("--dim: expected NAME=VALUE such as height=224" +
                   (is_large ? ", from 1 to " + std::string(largest_integer) : "") + ", got " +
                   in_quotes(text));
}

/// "GPU=PER_HOUR", with or without a currency behind it.
void parse_price(const std::string& text, Options& options) {
  const std::size_t equals = text.find('=');
  const std::size_t end = text.find_last_of("0123456789") + 1;
  if (equals != text.npos && equals > 0 && end > equals)
    if (const auto price = number_in<double>(text.substr(equals + 1, end - equals - 1));
        price && std::isfinite(*price) && *price > 0) {
      const std::string currency(trimmed(text.substr(end)));
      if (!options.prices.empty() && currency != options.request.report.currency)
        throw UsageError("--price: expected one currency, got " +
                         in_quotes(options.request.report.currency) + " and " +
                         in_quotes(currency));
      options.request.report.currency = currency;
      options.prices.emplace_back(text.substr(0, equals), *price);
      return;
    }
  throw UsageError("--price: expected GPU=PER_HOUR such as h100=2.5 or h100=2.5USD, got " +
                   in_quotes(text));
}

double parse_time(const std::string& text) {
  const std::optional<double> time_s = stated_time_s(text);
  if (time_s) return *time_s;
  throw UsageError("--max-time: expected a time above 0 in us, ms or s such as 10ms, got " +
                   in_quotes(text));
}

namespace {

/// "16x16x8": three numbers above 0; of two, the third is 0. Nothing for other texts.
std::optional<std::array<std::uint64_t, 3>> numbers_by(const std::string& text) {
  std::array<std::uint64_t, 3> numbers{};
  const char* next = text.data();
  const char* end = text.data() + text.size();
  for (std::size_t i = 0; i < numbers.size() && (i < 2 || next != end); ++i) {
    if (i > 0 && (next == end || *next++ != 'x')) return std::nullopt;
    next = std::from_chars(next, end, numbers[i]).ptr;
    if (numbers[i] == 0) return std::nullopt;
  }
  return next == end ? std::optional(numbers) : std::nullopt;
}

}  // namespace

std::array<std::uint64_t, 3> parse_tile(const std::string& text) {
  const auto tile = numbers_by(text);
  if (!tile)
    throw UsageError(
        "--kernel tile: expected MxNxK, the rows and columns of a block's results and "
        "the step along K, such as 16x16x16, or MxN, got " +
        in_quotes(text));
  return (*tile)[2] == 0 ? tile_of((*tile)[0], (*tile)[1]) : *tile;
}

void use_block(const std::string& text, KernelMapping& mapping) {
  constexpr std::uint64_t most = 1'000'000'000;  // as of threads
  const auto block = numbers_by(text);
  if (!block || (*block)[2] > 1 || (*block)[0] > most / (*block)[1])
    throw UsageError("--kernel block: expected the threads of a block, such as 16x16, got " +
                     in_quotes(text));
  mapping.threads = (*block)[0] * (*block)[1];
  mapping.tile = tile_of((*block)[0], (*block)[1]);
}

std::string format_extensions() {
  std::string names;
  for (const OutputFormat& format : output_formats())
    if (!format.extensions.empty()) add_item(names, '.' + std::string(format.extensions.front()));
  return names;
}

Output parse_output_file(const std::string& path) {
  if (!converted_format(path).empty()) {
    if (!is_installed(picture_converter))
      throw UsageError(
          "-o " + path + ": expected the program " + picture_converter +
          ", which makes .png and .pdf of a picture, got none on the PATH: install it, "
          "or write a .svg");
    return {Output::What::report, path, find_output_format("svg")};
  }
  const std::filesystem::path file(path);
  const OutputFormat* format = format_of_file(file.filename().string());
  if (const std::string extension = file.extension().string(); format == nullptr)
    throw UsageError("-o " + path + ": expected an extension of " + format_extensions() + ", got " +
                     (extension.empty() ? "none" : extension));
  return {Output::What::report, path, format};
}

void parse_top(const std::string& text, RowFilter& filter) {
  filter.all = text == "all";
  const auto share = number_in<double>(text.substr(0, text.size() - 1));
  const auto number = number_in<std::uint64_t>(text);
  if (text.ends_with('%') && share && *share >= 1 && *share <= 100)
    filter.cover_share = *share / 100;
  else if (number.value_or(0) > 0)
    filter.top = number;
  else if (!filter.all)
    throw UsageError("--top: expected a number of rows, a share of the time as 80%, or all, got " +
                     in_quotes(text));
}

void parse_field(std::string word, std::vector<std::string>& fields) {
  std::ranges::replace(word, '.', '_');
  if (!is_column(word)) {
    const std::vector<std::string> names = column_names();
    throw UsageError("--fields: expected columns of CSV such as name,bound,expected_time_s, got " +
                     in_quotes(word) + did_you_mean(word, {names.begin(), names.end()}));
  }
  if (contains(fields, word))
    throw UsageError("--fields: expected each column once, got " + in_quotes(word) + " twice");
  fields.push_back(word);
}

void parse_what_if(const std::string& text, Options& options) {
  if (text.starts_with("ceilings="))
    return use_keys("--set", {{"ceilings", "", {options, &AnalysisOptions::ceilings}}}, {text});
  std::vector<GpuSetting>& all = options.request.gpu_settings;
  const GpuSetting setting = value_of("--set " + text, parse_gpu_setting(text));
  for (const GpuSetting& each : all)
    if (each.name == setting.name && each.engine == setting.engine)
      throw UsageError(fmt::format("--set: expected {} or {}, got both", each.text, text));
  all.push_back(setting);
}

void assume_library(const std::string& word, Options& options) {
  const auto library = parse_library_release(word);
  if (!library)
    throw UsageError("--assume library=" + word +
                     ": expected a library and its release, such as cudnn8.0 or miopen7.1");
  options.assumed.emplace_back([library](AnalysisOptions& all) { all.library = library; });
}

void parse_condition(const std::string& text, Options& options) {
  options.request.gates.push_back(value_of("--fail-if '" + text + "'", parse_gate(text)));
}

}  // namespace roofline
