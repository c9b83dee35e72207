#pragma once

// gzip files, as a stream of what they hold.

#include <memory>

#include "load/byte_stream.hpp"

namespace roofline {

/// The same stream; where it begins as gzip does, what it holds once decompressed (all members of
/// the file). Reading the result throws InputError where the data are damaged or cut off, or expand
/// more than data do that were not made to.
std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> stream,
                                         const InputLimits& limits = {});

}  // namespace roofline
