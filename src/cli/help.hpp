#pragma once

// Helps of the programs' options, from the lines of helps.tsv.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "cli/rows.hpp"

namespace roofline {

/// A line each: a name and its help. The line of "gpus NAME" is the subcommand's own; that of
/// "--assume fuse" is of a key.
extern const std::string_view helps_tsv;

/// The group of the rows that --help all shows alone.
inline constexpr const char* seldom = "Seldom needed";

Names format_names();
Names network_types();

/// Gives both the helps, which only a few runs show. `topic`: of --help; "all" shows every row.
std::shared_ptr<CLI::Formatter> add_helps(Rows& rows, Rows& active, const Program& program,
                                          std::string_view topic);

/// The option's row of the help, or a key's line; `name` with or without dashes. Throws UsageError.
std::string help_on(const CLI::App& rows, const CLI::Formatter& formatter, std::string name);

}  // namespace roofline
