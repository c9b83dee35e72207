#include <cmath>
#include <filesystem>

#include "cli/command_line.hpp"
#include "cli/errors.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t most_batches = 1000;

std::uint64_t parse_batch(const std::string& word) {
  const std::optional<std::uint64_t> batch = number_in<std::uint64_t>(word);
  if (!batch || *batch == 0)
    throw UsageError("--batch: expected integers >= 1 such as 1,8,64, max or best, got \"" + word +
                     "\"");
  return *batch;
}

/// Appends what stands between the last two of `batches` and `end`, both in step.
void fill_in(std::vector<std::uint64_t>& batches, std::uint64_t end) {
  if (batches.size() < 2)
    throw UsageError("--batch: expected two numbers before \"...\", such as 1,2,4,...,1024");
  const std::uint64_t before = batches[batches.size() - 2];
  const std::uint64_t last = batches.back();
  if (last <= before) throw UsageError("--batch: expected rising numbers before \"...\"");
  if (end <= last)
    throw UsageError("--batch: expected a number above " + std::to_string(last) +
                     " after \"...\", got " + std::to_string(end));
  const std::uint64_t factor = last / before;
  // The third number decides between adding and multiplying where 1,2 could be either.
  const bool multiplies = last % before == 0 &&
                          (batches.size() < 3 || (before % factor == 0 &&
                                                  before / factor == batches[batches.size() - 3]));
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

}  // namespace

Batches parse_batches(const std::vector<std::string>& words) {
  Batches batches;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (const auto goal = parse<BatchGoal>(words[i]))
      batches.goals.push_back(*goal);
    else if (words[i] != "...")
      batches.numbers.push_back(parse_batch(words[i]));
    else if (i + 1 < words.size())
      fill_in(batches.numbers, parse_batch(words[i + 1]));
    else
      throw UsageError("--batch: expected a number after \"...\"");
  return batches;
}

std::pair<std::string, std::uint64_t> parse_dimension(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != text.npos && equals > 0)
    if (const auto value = number_in<std::uint64_t>(std::string_view(text).substr(equals + 1));
        value && *value > 0)
      return {text.substr(0, equals), *value};
  throw UsageError("--dim: expected NAME=VALUE such as height=224, got \"" + text + "\"");
}

StatedPrice parse_price(const std::string& text) {
  const std::size_t equals = text.find('=');
  std::error_code error;
  if (equals == text.npos && std::filesystem::exists(text, error)) return {text, std::nullopt};
  if (equals != text.npos && equals > 0)
    if (const auto price = number_in<double>(std::string_view(text).substr(equals + 1));
        price && std::isfinite(*price) && *price > 0)
      return {text.substr(0, equals), price};
  throw UsageError("--price: expected GPU=PER_HOUR such as h100=2.5 or a file, got \"" + text +
                   "\"");
}

std::array<std::uint64_t, 3> parse_tile(const std::string& text) {
  std::array<std::uint64_t, 3> tile{};
  const char* next = text.data();
  const char* end = text.data() + text.size();
  for (std::size_t i = 0; i < tile.size(); ++i) {
    if (i > 0 && (next == end || *next++ != 'x')) break;
    next = std::from_chars(next, end, tile[i]).ptr;
  }
  if (next != end || tile[0] == 0 || tile[1] == 0 || tile[2] == 0)
    throw UsageError("--tile: expected MxNxK such as 128x64x8, got \"" + text + "\"");
  return tile;
}

std::optional<Pass> parse_pass(const std::string& name) {
  if (name == "training") return std::nullopt;
  if (const auto pass = parse<Pass>(name)) return pass;
  throw UsageError("--pass: expected fwd, dgrad, wgrad or training, got \"" + name + "\"");
}

Algorithm parse_stated_algorithm(const std::string& name) {
  if (const auto algorithm = parse<Algorithm>(name); algorithm && may_be_stated(*algorithm))
    return *algorithm;
  throw UsageError("--algorithm: " + expected_algorithm(name));
}

DataType parse_default_type(const std::string& name) {
  if (const auto dtype = parse<DataType>(name); dtype && is_network_type(*dtype)) return *dtype;
  throw UsageError("--dtype: " + expected_network_type(name));
}

Export parse_export(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  const OutputFormat* format = find_output_format(extension);
  if (format == nullptr || extension.empty())
    throw UsageError("-o " + path + ": expected an extension of " + format_extensions() + ", got " +
                     (extension.empty() ? "none" : '.' + extension));
  return {path, format};
}

const OutputFormat* require_format(std::string_view name) {
  for (const OutputFormat& format : output_formats())
    if (format.name == name) return &format;
  throw UsageError("--format: expected one of " + format_names() + ", got \"" + std::string(name) +
                   "\"");
}

std::string format_names() {
  std::string names;
  for (const OutputFormat& format : output_formats()) add_item(names, format.name);
  return names;
}

std::string format_extensions() {
  std::string names;
  for (const OutputFormat& format : output_formats())
    if (!format.extensions.empty()) add_item(names, '.' + std::string(format.extensions.front()));
  return names;
}

}  // namespace roofline
