#pragma once

// Nsight Compute's counters, as `ncu --csv` prints them: a row for each metric of each launch, or
// a row for each launch with the units below the header (--page raw).

#include <memory>
#include <string_view>

#include "load/byte_stream.hpp"
#include "roofline/reader.hpp"

namespace roofline {

bool looks_like_nsight_compute(std::string_view head);
std::unique_ptr<Reader> open_nsight_compute(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
