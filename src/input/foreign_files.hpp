#pragma once

// Known files of other programs that hold no layers: errors name them and say what to give instead.

#include <string_view>

#include "load/whole_input.hpp"

namespace roofline {

/// Binary files, by the end of their name or their first bytes. Throws InputError.
void refuse_binary_file(ByteStream& stream);

/// By its first bytes, apart from tables, which may stand among other tables that are read.
bool looks_like_foreign_file(std::string_view head);
bool looks_like_foreign_table(std::string_view head);
/// Nothing for a table without kernels (calls, agents) beside other inputs. Throws InputError.
NetworkSpecs refuse_foreign_file(ByteStream& stream, const InputSet& inputs);

}  // namespace roofline
