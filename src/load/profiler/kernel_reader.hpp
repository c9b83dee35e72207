#pragma once

// A profiler's file as an input: one recording of kernels, and beside it what is wrong with some of
// its rows.

#include <cstddef>
#include <memory>
#include <optional>

#include "load/byte_stream.hpp"
#include "roofline/error.hpp"
#include "roofline/kernel_recording.hpp"
#include "roofline/reader.hpp"

namespace roofline {

/// Rows that cannot be read cost only themselves, and are one message.
class BadRows {
 public:
  void add(const InputError& error) {
    if (!first_) first_ = error;
    ++count_;
  }
  /// The first one, and how many more there are; none where every row could be read.
  std::optional<InputError> error() const;

 private:
  std::optional<InputError> first_;
  std::size_t count_ = 0;
};

/// Reads a whole file. Throws InputError where it holds no kernels.
using ReadKernels = KernelRecording (*)(ByteStream& stream, BadRows& bad);

std::unique_ptr<Reader> open_kernels(std::unique_ptr<ByteStream> stream, ReadKernels read);

}  // namespace roofline
