#pragma once

// What the rows that choose kernels say of a library's releases.

#include <string>
#include <vector>

#include "roofline/gpu.hpp"

namespace roofline {

/// The releases that rows tell apart, of each library of the GPUs: "cuDNN up to 8.0, up to 9.1,
/// later". The GPUs must hold constants.
std::string library_changes_text(const std::vector<Gpu>& gpus);

}  // namespace roofline
