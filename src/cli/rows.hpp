#pragma once

// The options of a program for CLI11, a row each: what roofline and roofline-calibrate share.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "load/csv.hpp"
#include "model/text.hpp"

namespace roofline {

using Words = std::vector<std::string>;

/// A decimal number within limits, which messages show as spelled here.
template <class Number>
CLI::Validator within(std::string_view least, std::string_view most) {
  return {[least, most](std::string& text) {
            const std::optional<Number> number = number_in<Number>(text);
            if (number && *number >= number_in<Number>(least) && *number <= number_in<Number>(most))
              return std::string();
            return "expected " +
                   std::string(std::is_integral_v<Number> ? "an integer" : "a number") + " from " +
                   std::string(least) + " to " + std::string(most) + ", got " + in_quotes(text);
          },
          ""};
}

/// An unset shell variable leaves an option without its value.
CLI::Validator stated();

/// An option with one value, or a key of an option that takes KEY=VALUE,...
struct Key {
  std::string name;
  CLI::Validator check;  ///< of the value
  std::function<void(const std::string&)> use;
  std::string meaning{};
};
using Keys = std::vector<Key>;

Key text(const std::string& name, std::string& value, const std::string& meaning);

class Rows : public CLI::App {
 public:
  Rows(const std::string& description, const std::string& name) : CLI::App(description, name) {}

  /// CLI11 compares a new option's names with all before it, which took half of the options' time
  /// at every start. Here it compares within a group; a test of the help covers the rest.
  void group(const std::string& title) {
    std::ranges::move(options_, std::back_inserter(earlier_));
    options_.clear();
    option_defaults()->group(title);
  }
  void finish_groups() {
    group("");
    options_ = std::move(earlier_);
  }

  CLI::Option* one(const char* type, const Key& key) {
    return add_option_function<std::string>(key.name, key.use, key.meaning)
        ->type_name(type)
        ->check(key.check);
  }
  /// A list by commas takes no further words, so that an input may follow.
  CLI::Option* list(const char* name, const char* type,
                    const std::function<void(const Words&)>& use, const std::string& help) {
    return repeated(name, type, use, help)->delimiter(',');
  }
  /// The help says each key; the check does nothing and names all values, for --complete.
  void keys(const char* name, const Keys& keys, std::string help);
  CLI::Option* repeated(const char* name, const char* type,
                        const std::function<void(const Words&)>& use, const std::string& help) {
    return add_option_function<Words>(name, use, help)->allow_extra_args(false)->type_name(type);
  }

  /// Former options with their new spellings.
  std::map<std::string, std::string> old_names{
      {"--all", "--top all"},
      {"--bandwidth-gbs", "--set bandwidth=500GB/s"},
      {"--ceilings", "--set ceilings=sustained"},
      {"--constants", "roofline-calibrate --constants"},
      {"--cover", "--top 80%"},
      {"--list-gpus", "roofline gpus"},
      {"--list-networks", "roofline networks"},
      {"--minutes", "roofline-calibrate --script --minutes"},
      {"--peak-tflops", "--set peak=10TFLOP/s"},
      {"--script", "roofline-calibrate --script"},
      {"--show-gpu", "roofline gpus NAME"},
      {"--show-model", "roofline-calibrate model GPU"},
      {"--words", "roofline words"},
  };

 private:
  std::vector<CLI::Option_p> earlier_;
};

// Rows of several programs.

void add_layers(Rows& rows, Options& options);
void add_limits(Rows& rows, Options& options);
void add_gpu(Rows& rows, Options& options);
void add_software(Rows& rows, Options& options);
/// Which kernels the library takes, and the constants that their times follow from.
void add_library(Rows& rows, Options& options);
void add_file(Rows& rows, Options& options);
void add_one_gpu(Rows& rows, Options& options);

using AddRows = std::function<void(Rows&, Options&)>;

struct Subcommand {
  std::string name;
  std::string help;
  AddRows add;  ///< notes, too, that the subcommand is asked for
};

/// What a program's command line is read by.
struct Program {
  std::string name;
  std::string_view what_it_does;
  std::string_view footer;
  AddRows add;  ///< the rows without a subcommand
  std::vector<Subcommand> subcommands;
};

Program roofline_program();

/// Returns the text of --help, --version or --complete, if asked for. Throws UsageError.
std::optional<std::string> read_words(int argc, const char* const* argv, const Program& program,
                                      Options& options);

}  // namespace roofline
