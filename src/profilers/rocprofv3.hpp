#pragma once

// rocprofv3's recordings: JSON, and of its CSV files the trace of kernels, their statistics and the
// counters. Names of columns and keys: ROCprofiler-SDK's documentation, "Using rocprofv3".

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "load/byte_stream.hpp"
#include "roofline/reader.hpp"

namespace roofline {

bool looks_like_rocprofv3_json(std::string_view head);
std::unique_ptr<Reader> open_rocprofv3_json(std::unique_ptr<ByteStream> stream);

bool looks_like_rocprofv3_csv(std::string_view head);
std::unique_ptr<Reader> open_rocprofv3_csv(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
