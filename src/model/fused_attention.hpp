#pragma once

#include "roofline/network.hpp"

namespace roofline {

/// Makes one attention of what exporters write out: a product of queries and keys, scaled or not;
/// its softmax; that one's product with the values. The first product becomes the attention and the
/// others are fused into it, where nothing else reads what is between them. Where something is
/// added to the scores (the position bias of windows), models have the products themselves.
void fuse_attention(Network& network);

}  // namespace roofline
