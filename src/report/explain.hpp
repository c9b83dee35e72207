#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "report/grid.hpp"
#include "roofline/report.hpp"

namespace roofline {

enum class ExplanationLength : std::uint8_t {
  lecture,  ///< the steps that one does by hand, and where to find the others
  whole,    ///< all that the expected time is derived from as well
};

/// How one layer's numbers come about, with the numbers put in.
std::string explanation_text(const Explanation& explanation, const Result& result,
                             ExplanationLength length);

/// What a network's time is made of, its bounds and largest layers, what would help and what of the
/// GPU it depends on, each grid rendered by `render`, on a terminal of `width` columns.
std::string network_explanation_text(const NetworkExplanation& explanation, const Result& result,
                                     std::optional<std::size_t> width,
                                     const std::function<std::string(const Grid&)>& render);

}  // namespace roofline
