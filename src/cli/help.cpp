#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/errors.hpp"
#include "cli/output.hpp"
#include "cli/values.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "report/kernel_rows.hpp"
#include "report/text.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/context.hpp"
#include "roofline/data_type.hpp"
#include "roofline/gpu.hpp"
#include "roofline/render.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {
namespace {

constexpr std::size_t name_width = 26;

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter(std::size_t width, bool shows_all) : width_(width), shows_all_(shows_all) {
    column_width(name_width);
  }

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == seldom && !shows_all_) return "";
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }
  /// A group that is not shown leaves no blank line.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    constexpr std::string_view gap = "\n\n\n\n";
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    if (const std::size_t at = text.find(gap); at != text.npos) text.erase(at, 1);
    return text;
  }

  /// Hides the stand-in for an option's missing value.
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    const std::string mark = "{" + std::string(whole_network) + "}";
    if (const std::size_t at = name.find(mark); at != name.npos) name.erase(at, mark.size());
    return name;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return broken(CLI::Formatter::make_option_desc(option), width_ - name_width - 1);
  }

 private:
  std::size_t width_;
  bool shows_all_;
};

std::string framework_list() {
  std::string all;
  for (const Framework framework : enumerators<Framework>)
    add_item(all, fmt::format("{} ({})", name_of(framework), info(framework).meaning));
  return all;
}

/// The text in place of a name in braces.
std::string list_of(std::string_view name) {
  const std::pair<std::string_view, std::function<std::string()>> lists[] = {
      {"converter", [] { return std::string(picture_converter); }},
      {"extensions", format_extensions},
      {"formats", [] { return joined(format_names()); }},
      {"frameworks", framework_list},
      {"gpu fields", settable_gpu_fields},
      {"new line", [] { return std::string("\n"); }},
      {"library changes", [] { return library_changes_text(all_gpus()); }},
      {"orders", [] { return joined(names_of<SortBy>); }},
      {"types", [] { return joined(network_types()); }},
  };
  return std::ranges::find(lists, name,
                           &std::pair<std::string_view, std::function<std::string()>>::first)
      ->second();
}

std::string filled_in(std::string_view help) {
  std::string text;
  while (!help.empty()) {
    text += take(help, '{');
    if (!help.empty()) text += list_of(take(help, '}'));
  }
  return text;
}

std::map<std::string_view, std::string_view> all_helps() {
  std::map<std::string_view, std::string_view> helps;
  for (std::string_view rest = helps_tsv; !rest.empty();) {
    const std::string_view name = take(rest, '\t');
    helps[name] = take(rest, '\n');
  }
  return helps;
}

}  // namespace

Names format_names() { return each_of(output_formats(), &OutputFormat::name); }

Names network_types() {
  Names names;
  for (const DataType type : enumerators<DataType>)
    if (is_network_type(type)) names.push_back(name_of(type));
  return names;
}

namespace {

/// A key's line in the option's description; empty without one.
std::string help_on_key(const CLI::Option& option, const std::string& key) {
  const std::string& description = option.get_description();
  for (std::string_view rest = description; !rest.empty();) {
    const std::string_view line = take(rest, '\n');
    if (line.starts_with(key + '='))
      return broken(concat("  ", option.get_name(), " ", line, "\n"),
                    standard_output_style().width.value_or(100));
  }
  return "";
}

}  // namespace

void Rows::add_helps() {
  const std::map<std::string_view, std::string_view> helps = all_helps();
  const auto help_of = [&](const std::string& name) {
    const auto own = helps.find(get_name() + ' ' + name);
    const auto found = own != helps.end() ? own : helps.find(name);
    return found == helps.end() ? "" : filled_in(found->second);
  };
  for (CLI::App* sub : get_subcommands({})) sub->description(help_of(sub->get_name()));
  for (CLI::Option* option : get_options()) {
    const std::string name = option->get_name();
    std::string help = help_of(name);
    if (const auto keys = keys_.find(name); keys != keys_.end())
      for (const Row& key : *keys->second)
        help += '\n' + key_line(key, help_of(concat(name, " ", key.name)));
    if (!help.empty()) option->description(help);
  }
}

std::shared_ptr<CLI::Formatter> add_helps(Rows& rows, Rows& active, const Program& program,
                                          std::string_view topic) {
  const std::size_t width = standard_output_style().width.value_or(100);
  const auto formatter =
      std::make_shared<HelpFormatter>(std::min<std::size_t>(width, 120), topic == "all");
  for (Rows* each : {&rows, &active}) {
    each->formatter(formatter);
    each->add_helps();
  }
  rows.description(std::string(program.what_it_does));
  rows.footer(std::string(program.footer));
  return formatter;
}

std::string help_on(const CLI::App& rows, const CLI::Formatter& formatter, std::string name) {
  name.erase(0, name.find_first_not_of('-'));
  std::vector<std::string> names;
  for (const CLI::Option* option : rows.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->check_lname(name) || option->check_sname(name))
      return formatter.make_option(option, false);
    for (const std::string& each : option->get_lnames()) names.push_back(each);
  }
  for (const CLI::Option* option : rows.get_options())
    if (std::string help = help_on_key(*option, name); !help.empty()) return help;
  throw UsageError("--help: expected an option, got " + in_quotes(name) +
                   did_you_mean(name, {names.begin(), names.end()}));
}

}  // namespace roofline
