#include "cli/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/errors.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

CLI::Validator check_of(const Row& row) {
  return row.check ? *row.check : row.target.check.value_or(stated());
}

void use_word(const Target& target, const std::string& word) {
  if (const auto* text = std::get_if<std::string*>(&target.use)) **text = word;
  if (const auto* use = std::get_if<Target::OfWord>(&target.use)) (*use)(word);
}

/// "fuse=none fuse=epilogue ..."
std::string words_of(const Keys& keys) {
  std::string words;
  for (const Row& key : keys) {
    const std::string values = check_of(key).get_name();
    for (std::string_view left = values; !left.empty();)
      words.append(key.name).append("=").append(take(left, ' ')).append(" ");
  }
  return words;
}

Target::OfWords use_of(const Row& row) {
  if (const auto* keys = std::get_if<std::shared_ptr<const Keys>>(&row.target.use))
    return [option = row.name, all = *keys](const Words& given) { use_keys(option, *all, given); };
  if (const auto* use = std::get_if<Target::OfWords>(&row.target.use)) return *use;
  return [target = row.target](const Words& given) {
    for (const std::string& word : given) use_word(target, word);
  };
}

}  // namespace

std::string key_line(const Row& key, const std::string& meaning) {
  std::string values = check_of(key).get_name();
  for (std::size_t at = 0; (at = values.find(' ', at)) != values.npos; at += 3)
    values.replace(at, 1, " | ");
  return concat(key.name, "=", values.empty() ? "..." : values, meaning.empty() ? "" : ": ",
                meaning);
}

CLI::Validator stated() {
  return {[](const std::string& text) {
            return text.empty() ? std::string("expected a value, got an empty one") : std::string();
          },
          ""};
}

CLI::Validator offered(const std::string& words) {
  return {[](std::string&) { return std::string(); }, "", words};
}

CLI::Validator one_of_names(const Names& names,
                            const std::function<bool(const std::string&)>& is_one) {
  return {[names, is_one](std::string& text) {
            return is_one(text) ? std::string()
                                : "expected one of " + joined(names) + ", got " + in_quotes(text) +
                                      did_you_mean(text, names);
          },
          "", joined(names, " ")};
}

CLI::Validator one_of_names(const Names& names) {
  return one_of_names(names, [names](const std::string& text) { return contains(names, text); });
}

void use_keys(const std::string& option, const Keys& keys, const Words& words) {
  const Names names = each_of(keys, [](const Row& key) { return std::string_view(key.name); });
  std::set<std::string> given;
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const auto found = std::ranges::find(keys, name, &Row::name);
    if (found == keys.end() || name.size() == word.size())
      throw UsageError(option + ": expected KEY=VALUE, of " + joined(names) + ", got " +
                       in_quotes(word) + did_you_mean(name, names));
    std::string value = word.substr(name.size() + 1);
    if (const std::string problem = check_of(*found)(value); !problem.empty())
      throw UsageError(fmt::format("{} {}: {}", option, name, problem));
    if (!given.insert(name).second)
      throw UsageError(fmt::format("{}: expected one value of {}, got two", option, name));
    use_word(found->target, value);
  }
}

Target::Target(Keys keys) : use(std::make_shared<const Keys>(std::move(keys))) {}

void Rows::group(const std::string& title) {
  std::ranges::move(options_, std::back_inserter(earlier_));
  options_.clear();
  option_defaults()->group(title);
}

void Rows::finish_groups() {
  group("");
  options_ = std::move(earlier_);
}

CLI::Option* Rows::add_words(const Row& row, bool has_many) {
  if (has_many) return add_option_function<Words>(row.name, use_of(row));
  return add_option_function<std::string>(
      row.name, [target = row.target](const std::string& word) { use_word(target, word); });
}

CLI::Option* Rows::add(const Row& row) {
  std::string type(row.value);
  if (!row.name.starts_with('-'))
    return add_words(row, std::holds_alternative<Target::OfWords>(row.target.use))->type_name(type);
  if (const auto* flag = std::get_if<bool*>(&row.target.use)) return add_flag(row.name, **flag, "");
  if (type.starts_with('['))
    return add_flag(concat(row.name, "{", whole_network, "}"),
                    *std::get<std::string*>(row.target.use), "")
        ->expected(0, 1)
        ->type_name(type);
  const std::size_t end = type.find("...");
  CLI::Option* option = add_words(row, end != type.npos);
  if (end != type.npos) {
    option->allow_extra_args(false);  // so that an input may follow
    type.erase(end);
  }
  if (type.ends_with(',')) {
    option->delimiter(',');
    type.pop_back();
  }
  option->type_name(type);
  const auto* keys = std::get_if<std::shared_ptr<const Keys>>(&row.target.use);
  if (keys == nullptr) return option->check(check_of(row));
  keys_.emplace(row.name, *keys);
  return option->check(offered(words_of(**keys)));
}

std::string Rows::new_spelling(std::string_view old) const {
  constexpr std::pair<std::string_view, std::string_view> spellings[] = {
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
  for (const auto& [name, spelling] : spellings)
    if (name == old) return std::string(spelling);
  for (const auto& [option, keys] : keys_)
    for (const Row& key : *keys)
      if ("--" + key.name == old) return concat(option, " ", key.name, "=...");
  return "";
}

}  // namespace roofline
