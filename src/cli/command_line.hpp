#pragma once

// The options as rows: each names what it fills, of Options where its meaning is its own, else of
// CommandLine, whose members mean something only together.

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace roofline {

/// What --explain without a name stands for.
inline constexpr std::string_view whole_network = ".";

/// What --batch asks for.
struct Batches {
  std::vector<std::uint64_t> numbers;
  std::vector<BatchGoal> goals;
};

struct CommandLine {
  Options options;
  LayerDefaults defaults;  ///< what all settings share; types and batches follow
  std::vector<DataType> dtypes;
  Batches batches;
  std::optional<Pass> pass = Pass::fwd;  ///< none: training
  std::optional<FusionKind> fusion;
  std::string host_copies;
  std::uint64_t limits_factor = 1;
  bool json = false;
  const OutputFormat* format = nullptr;  ///< what --format names
  std::string explain;
  bool list_gpus = false;
  bool list_networks = false;
  std::string show_gpu;
  std::string show_model;
  bool script = false;
  std::optional<double> minutes;
};

/// Fills the command line in from its words. Returns the text that --help, --version or --complete
/// prints instead. `help_width`: columns of the terminal that --help is for. Throws UsageError.
std::optional<std::string> read_words(int argc, const char* const* argv, std::size_t help_width,
                                      CommandLine& line);

// The values of single options, from their texts. All throw UsageError.

/// The number that a whole text is; none where it is more, less or something else.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// Numbers, where "..." between a start and an end goes on as the numbers before it do:
/// 1,2,4,...,1024 doubles and 8,16,24,...,64 adds 8; and the names of goals.
Batches parse_batches(const std::vector<std::string>& words);

/// "NAME=N"
std::pair<std::string, std::uint64_t> parse_dimension(const std::string& text);
/// "GPU=PER_HOUR" or "FILE"
StatedPrice parse_price(const std::string& text);
/// "128x64x8"
std::array<std::uint64_t, 3> parse_tile(const std::string& text);
/// None: training, all passes.
std::optional<Pass> parse_pass(const std::string& name);
Algorithm parse_stated_algorithm(const std::string& name);
DataType parse_default_type(const std::string& name);
/// The format of a file is that of its path's extension.
Export parse_export(const std::string& path);

/// The output format that --format names.
const OutputFormat* require_format(std::string_view name);
/// Their names and extensions, as help and errors list them.
std::string format_names();
std::string format_extensions();

/// What may stand next on the command line, for the shells' completion scripts (src/packaging),
/// after `previous`, a word, or the part of a word up to and with its "=": the candidates, one a
/// line, each with its description after a tab; a last line ":files" where a path may stand too.
std::string completions(CLI::App& app, const std::string& previous);

}  // namespace roofline
