#pragma once

// What a recording says of the links to other GPUs and to the host.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "report/grid.hpp"
#include "roofline/analysis.hpp"

namespace roofline {

/// What layers, work between GPUs and copies over the host link stand for.
std::string explained_sentence(const TraceSummary& recording);

enum class Link : std::uint8_t { gpus, host };

/// Transfers over that link in descending order of time, `most` rows and the total of all; without
/// rows where there are none. On a terminal of `width` columns what there is no room for is left
/// out.
Grid transfers_grid(const Result& result, Link link, std::size_t most,
                    std::optional<std::size_t> width);

}  // namespace roofline
