#pragma once

// Which layers to measure where there is no time for all: each next one is that which differs most
// from all before it, so that however many are taken, they are spread over what the layers are.
//
// A layer is a point whose coordinates are the base-2 logarithms of its sizes: batch, channels and
// positions of its input and its output, window, stride, groups, operands, and FLOP of an element
// of the output. Between two layers of 64 and of 128 input channels the distance is 1 for these.

#include <cstddef>
#include <vector>

#include "roofline/layer.hpp"

namespace roofline {

/// The indices of at most `most` layers in that order, the first of which is the nearest to the
/// mean of all. Of layers that are equally far the first is taken.
std::vector<std::size_t> farthest_point_order(const std::vector<Layer>& layers, std::size_t most);

}  // namespace roofline
