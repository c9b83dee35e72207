#pragma once

// The options of a program for CLI11, a row each: what roofline and roofline-calibrate share.

#include <CLI/CLI.hpp>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cli/options.hpp"
#include "load/csv.hpp"
#include "model/text.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

using Words = std::vector<std::string>;

// Checks of a value. Their names are the words that --complete offers.

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
inline CLI::Validator whole(std::string_view most) { return within<std::uint64_t>("1", most); }
/// An unset shell variable leaves an option without its value.
CLI::Validator stated();
/// Takes any word.
CLI::Validator offered(const std::string& words);

using Names = std::vector<std::string_view>;
CLI::Validator one_of_names(const Names& names);
CLI::Validator one_of_names(const Names& names,
                            const std::function<bool(const std::string&)>& is_one);

template <Enumeration E>
CLI::Validator one_of_all() {
  return one_of_names({names_of<E>.begin(), names_of<E>.end()});
}

template <class T>
struct ChosenBy {
  using Type = T;
};
template <class T>
struct ChosenBy<std::optional<T>> {
  using Type = T;
};
template <>
struct ChosenBy<EngineChoices> {
  using Type = EngineChoice;
};

struct Row;
using Keys = std::vector<Row>;

/// The use of an option's words: a variable takes the value that they spell, a function each word
/// or all of them, rows are the keys of KEY=VALUE.
struct Target {
  using OfWord = std::function<void(const std::string&)>;
  using OfWords = std::function<void(const Words&)>;

  std::variant<bool*, std::string*, OfWord, OfWords, std::shared_ptr<const Keys>> use;
  std::optional<CLI::Validator> check{};  ///< of a value whose row has none

  Target(bool& flag) : use(&flag) {}
  Target(std::string& text) : use(&text) {}
  Target(Words& words) : use(OfWords([&words](const Words& given) { words = given; })) {}
  Target(Keys keys);
  template <Enumeration E>
  Target(std::vector<E>& all)
      : use(OfWord([&all](auto& word) { all.push_back(*parse<E>(word)); })),
        check(one_of_all<E>()) {}
  template <class T, Enumeration E = typename ChosenBy<T>::Type>
  Target(T& one)
      : use(OfWord([&one](auto& word) { one = *parse<E>(word); })), check(one_of_all<E>()) {}
  template <class T, class Number = typename ChosenBy<T>::Type>
  requires std::is_arithmetic_v<Number> Target(T& number)
      : use(OfWord([&number](auto& word) { number = *number_in<Number>(word); })) {}
  /// In place of the frameworks' own.
  template <class T, Enumeration E = typename ChosenBy<T>::Type>
  Target(Options& options, T AnalysisOptions::*member)
      : use(OfWord([&options, member](auto& word) {
          options.assumed.emplace_back(
              [member, value = *parse<E>(word)](AnalysisOptions& all) { all.*member = value; });
        })),
        check(one_of_all<E>()) {}
  template <class Use>
  requires std::invocable<Use, const std::string&> || std::invocable<Use, const Words&> Target(
      Use function) {
    if constexpr (std::invocable<Use, const std::string&>)
      use = OfWord(std::move(function));
    else
      use = OfWords(std::move(function));
  }
};

/// An option, a flag, an input, or a key of an option that takes KEY=VALUE. Its help is a line of
/// helps.tsv.
struct Row {
  std::string name;  ///< "-o,--output"; an input's has no dash
  /// As the help shows it: "N"; "LIST,..." of several by commas; "FILE..." of several, each behind
  /// the option; "[LAYER]", which may be missing; empty for flags, inputs and keys.
  const char* value;
  Target target;
  std::optional<CLI::Validator> check{};
};

/// Throws UsageError unless all words are KEY=VALUE, of these keys, each once.
void use_keys(const std::string& option, const Keys& keys, const Words& words);

/// "fuse=none | epilogue: what runs inside": a key's line in the help.
std::string key_line(const Row& key, const std::string& meaning);

class Rows : public CLI::App {
 public:
  explicit Rows(const std::string& name) : CLI::App("", name) {}

  /// CLI11 compares a new option's names with all before it, which took half of the options' time
  /// at every start. Here it compares within a group; a test of the help covers the rest.
  void group(const std::string& title);
  void finish_groups();

  CLI::Option* add(const Row& row);
  /// Gives all options and subcommands their helps.
  void add_helps();
  /// Today's spelling of an earlier option; empty for other names.
  std::string new_spelling(std::string_view old) const;

 private:
  CLI::Option* add_words(const Row& row, bool has_many);

  std::vector<CLI::Option_p> earlier_;
  std::map<std::string, std::shared_ptr<const Keys>> keys_;  ///< by their option
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
