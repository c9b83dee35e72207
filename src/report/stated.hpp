#pragma once

// What a layer is, as layer files state it: what is written so can be read again.

#include "report/cell.hpp"
#include "roofline/analysis.hpp"

namespace roofline {

/// A shape in a layer file's order, [N, C, ...] or [N, ..., F] as the kind has it.
std::string stated_shape(const Shape& shape, LayerKind kind);
/// A learned operand: {"parameter": [C, ...]}.
Cell stated_parameter(const Operand& operand);
/// The second operand of a matmul, [products, k, n].
Cell stated_second_matrix(const Layer& layer);
/// One operand is its shape; several are a list of shapes, learned ones as {"parameter": [...]}.
Cell stated_input(const Layer& layer);
/// The layers that the operands come from: a name, or a list where there may be several.
Cell stated_producers(const LayerResult& row);
Cell stated_output(const Layer& layer);
/// Begins, and ends where they differ.
Cell stated_padding(const Layer& layer);
/// Numbers of the window's axes; unknown for kinds without a window.
Cell stated_axes(const Layer& layer, const Axes& axes);
/// The mapping that the layer states; unknown where it states none.
Cell stated_mapping(const Layer& layer);
/// [elements], where a layer norm spans so many.
Cell stated_normalized_shape(const Layer& layer);
/// Of convolutions, and of group norms.
Cell stated_groups(const Layer& layer);

}  // namespace roofline
