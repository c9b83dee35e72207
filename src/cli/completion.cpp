#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "model/gpu_selection.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

void add_candidate(std::string& out, std::string_view word, std::string_view description = {}) {
  out += word;
  if (!description.empty()) (out += '\t') += description;
  out += '\n';
}

/// Whether every shell reads the word literally, and it is no option.
bool is_plain_word(std::string_view word) {
  return !word.starts_with('-') && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

/// Aliases; those in the user's GPU files that a shell would act on are left out.
void add_gpus(std::string& out) {
  for (const Gpu& gpu : all_gpus())
    for (const std::string& alias : gpu.aliases)
      if (is_plain_word(alias)) add_candidate(out, alias, printable(gpu.name));
}

bool takes_gpu(std::string_view subcommand) {
  return subcommand == "gpus" || subcommand == "kernels" || subcommand == "model";
}

/// The words in the name of the option's check; for GPUs those of the catalogue.
std::string values_of(CLI::Option& option) {
  std::string out;
  const auto is = [&](const char* name) { return option.check_lname(name); };
  if (is("gpu"))
    for (const std::string& word : selecting_words(all_gpus()))
      if (is_plain_word(word)) add_candidate(out, word, "GPUs, ranked");
  if (is("gpu") || option.get_type_name() == "GPU") {
    add_gpus(out);
    add_candidate(out, ":files");
    return out;
  }
  if (option.get_type_name() == "FILE") add_candidate(out, ":files");
  try {
    std::string words = option.get_validator(0)->get_name();
    std::ranges::replace(words, ' ', '\n');
    if (!words.empty()) add_candidate(out, words);
  } catch (const CLI::OptionNotFound&) {  // no check
  }
  return out;
}

std::string options_and_inputs(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames())
      add_candidate(out, "--" + name, option->get_description());
    for (const std::string& name : option->get_snames())
      add_candidate(out, "-" + name, option->get_description());
  }
  for (const CLI::App* sub : app.get_subcommands({}))
    add_candidate(out, sub->get_name(), sub->get_description());
  out += network_names();
  add_candidate(out, ":files");
  return out;
}

}  // namespace

std::string completions(CLI::App& app, const std::string& previous) {
  std::string out;
  for (const CLI::App* sub : app.get_subcommands({}))
    if (sub->get_name() == previous && takes_gpu(previous)) add_gpus(out);
  std::string word = previous.substr(previous.rfind(',') + 1);
  const bool has_value = word.ends_with('=');
  if (has_value && !word.starts_with('-'))  // "--assume layout=nhwc,fuse="
    for (CLI::Option* option : app.get_options()) {
      std::istringstream values(values_of(*option));
      for (std::string each; std::getline(values, each);)
        if (each.starts_with(word)) add_candidate(out, each.substr(word.size()));
    }
  if (!out.empty()) return out;
  if (has_value) word.pop_back();
  if (word.starts_with('-'))
    if (CLI::Option* option = app.get_option_no_throw(word))
      if (has_value || option->get_items_expected_max() > 0) return values_of(*option);
  return options_and_inputs(app);
}

}  // namespace roofline
