#pragma once

// Files of profilers that are known and not read: what each is, and what to do.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "load/byte_stream.hpp"
#include "roofline/reader.hpp"

namespace roofline {

/// Throws InputError where the stream holds a profiler's own binary file.
void refuse_binary_recording(ByteStream& stream);

/// A trace of TensorFlow's or JAX's profiler, which nothing but its devices' names tells from
/// others.
bool looks_like_tensorflow_trace(std::string_view head);
/// Throws InputError.
std::unique_ptr<Reader> refuse_tensorflow_trace(std::unique_ptr<ByteStream> stream);

/// A profiler's table of something else than kernels: calls on the host, agents, markers.
bool looks_like_other_profiler_table(std::string_view head);
/// Among other inputs, as in the folder that a profiler fills, it is passed over. Throws InputError
/// where it is the only one.
std::unique_ptr<Reader> open_other_profiler_table(std::unique_ptr<ByteStream> stream,
                                                  std::span<const std::string> other_inputs);

}  // namespace roofline
