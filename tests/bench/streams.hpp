#pragma once

#include <string>
#include <vector>

namespace bench {

/// Microseconds that nlohmann's JSON takes a record: to parse the input's lines and to dump the
/// output's trees, which whoever writes JSON has to do.
void print_floor_us(const std::string& input, const std::string& output);

/// Layers a second, beside that floor, jq and cat. `self` is this program.
void time_streams(const std::string& roofline, const std::string& self);

/// Memory, as the input grows tenfold. `self` is this program.
void measure_memory(const std::string& roofline, const std::string& self);

/// What a program has resident at most, whose output goes to the file.
void print_memory_byte(const std::string& output, const std::vector<std::string>& words);

}  // namespace bench
