#pragma once

// Programs of torch.export (.pt2) as an input format: one network, as PyTorch runs it.

#include <memory>

#include "load/byte_stream.hpp"
#include "roofline/load.hpp"

namespace roofline {

std::unique_ptr<Reader> open_exported_program(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
