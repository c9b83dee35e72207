#pragma once

// The command line as CLI11 fills it in, before it is checked.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofline {

/// What --explain without a name stands for.
inline constexpr std::string_view whole_network = ".";

struct Arguments {
  std::vector<std::string> inputs;
  std::uint64_t first_line = 0;
  std::string explain;
  std::vector<std::string> gpus;
  std::vector<std::string> dtypes;
  std::vector<std::string> dimensions;
  std::string pass = "fwd";
  std::vector<std::string> batches;
  std::string framework;
  std::string engine;
  std::string layout;
  std::string format;
  bool json = false;
  std::vector<std::string> outputs;
  bool raw_csv = false;
  std::string chart;
  bool plot = false;
  std::string layer_file;
  std::string measured;
  std::uint64_t jobs = 0;
  std::uint64_t limits_factor = 1;
  bool compare = false;
  std::vector<std::string> gpu_settings;
  std::vector<std::string> gates;
  double peak_tflops = 0;
  double bandwidth_gb_per_s = 0;
  std::string ceilings = "datasheet";
  std::string fuse;
  std::string optimizer = "sgd";
  std::vector<std::string> prices;
  std::string cache = "warm";
  std::string launch;
  std::string algorithm;
  std::string tile;
  std::uint64_t split_k = 0;
  std::uint64_t threads = 0;
  std::uint64_t stages = 0;
  std::uint64_t registers = 0;
  std::uint64_t shared_memory_byte = 0;
  std::string host_copies;
  std::string sort;
  std::string by;
  std::uint64_t top = 0;
  double cover_percent = 0;
  bool all = false;
  bool list_gpus = false;
  std::string show_gpu;
  std::string show_model;
  std::string kernel_model;
  std::string constants = "*";
  std::string script;
  double minutes = 0;
  bool list_networks = false;
};

/// What the command line gives, or the text that --help, --version or --complete prints.
struct ParsedArguments {
  Arguments arguments;
  std::optional<std::string> text;
};

/// `help_width`: columns of the terminal that --help is for. Throws UsageError where the words do
/// not form a command line.
ParsedArguments parse_arguments(int argc, const char* const* argv, std::size_t help_width);

/// The output formats' names and extensions, as help and errors list them.
std::string format_names();
std::string format_extensions();

}  // namespace roofline
