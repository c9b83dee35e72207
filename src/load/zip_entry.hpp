#pragma once

// One entry of a zip archive, whatever the others weigh.

#include <memory>
#include <string>
#include <string_view>

#include "load/byte_stream.hpp"

namespace roofline {

bool looks_like_zip(std::string_view head);

/// The text of the first entry that is wanted. Of a file the archive's directory is read and then
/// that entry; a pipe is read whole. Throws InputError where the archive has none (`expected`
/// says what), is damaged or encrypted, or where the text exceeds the limits.
std::string zip_entry_text(std::unique_ptr<ByteStream> archive,
                           bool (*is_wanted)(std::string_view name), const std::string& expected);

}  // namespace roofline
