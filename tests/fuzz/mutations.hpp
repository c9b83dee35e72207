#pragma once

// Extreme numbers put into valid inputs, of which a fuzzer that changes bytes finds few.

#include <cstdint>
#include <random>
#include <string>

using Randomness = std::minstd_rand;

/// The text with one of its numbers replaced by an extreme one; the same where it has none.
std::string with_extreme_number(const std::string& text, Randomness& random);

/// The same of a protobuf message: a varint, or an 8-byte integer of a tensor's raw data. Lengths
/// around it are kept right.
std::string with_extreme_varint(const std::string& message, Randomness& random);
