#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/text.hpp"

namespace roofline {

/// Single letters to add, to leave out or to change between one and the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Candidates within a few typing errors of `word`, nearest first, at most `limit`.
std::vector<std::string> nearest(std::string_view word,
                                 const std::vector<std::string_view>& candidates,
                                 std::size_t limit = 1);

/// `; did you mean "stride"?`, or nothing where no candidate is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

/// "fp64, fp32, ...": the types that a layer may be given.
std::string operand_type_names();
/// The same of those that a network may be asked for in.
std::string network_type_names();

/// What to say of a name that is none of these.
std::string expected_data_type(std::string_view found);
/// The same of --dtype.
std::string expected_network_type(std::string_view found);

/// What to say of a name that no mapping may state.
std::string expected_algorithm(std::string_view found);

}  // namespace roofline
