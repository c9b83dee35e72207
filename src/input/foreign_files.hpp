#pragma once

// Known files of other programs that hold no layers: errors name them and say what to give instead.

#include <string_view>

#include "load/whole_input.hpp"

namespace roofline {

/// Binary files, by the end of their name or their first bytes. Throws InputError.
void refuse_binary_file(ByteStream& stream);

/// Any of these files, by its first bytes.
bool looks_like_foreign_file(std::string_view head);
/// Throws InputError.
NetworkSpecs refuse_foreign_file(ByteStream& stream);

}  // namespace roofline
