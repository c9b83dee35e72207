#pragma once

// Values with a form of their own. All throw UsageError.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"

namespace roofline {

/// --batch: "..." continues the step before it: 1,2,4,...,1024 doubles and 8,16,24,...,64 adds 8.
void parse_batches(const std::vector<std::string>& words, Options& options);
/// --dim: NAME=VALUE.
std::pair<std::string, std::uint64_t> parse_dimension(const std::string& text);
/// --price: GPU=PER_HOUR, with or without a currency behind it.
void parse_price(const std::string& text, Options& options);
/// --max-time, in seconds.
double parse_time(const std::string& text);
/// --kernel tile: MxNxK, or MxN with steps along K as long as the shorter side.
std::array<std::uint64_t, 3> parse_tile(const std::string& text);
/// --kernel block: MxN threads, which compute one result each.
void use_block(const std::string& text, KernelMapping& mapping);
/// -o: a path, whose extension names the format.
Output parse_output_file(const std::string& path);
/// The extensions that -o takes, with commas between them.
std::string format_extensions();
/// --top: "10", "80%", "all".
void parse_top(const std::string& text, RowFilter& filter);
/// --fields: a column.
void parse_field(std::string word, std::vector<std::string>& fields);
/// --set: FIELD=VALUE, or ceilings=KIND.
void parse_what_if(const std::string& text, Options& options);
/// --assume library: a library and its release.
void assume_library(const std::string& word, Options& options);
/// --fail-if: a condition.
void parse_condition(const std::string& text, Options& options);

}  // namespace roofline
