// Functions that move elements: copies, joins, resizes, rows picked from a table or added to one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "operators/building.hpp"
#include "operators/operation.hpp"
#include "operators/strides.hpp"
#include "operators/table.hpp"

namespace roofline {
namespace {

/// The operand's sizes as they lie in memory, which with the result's tell the permutation; empty
/// where they do not: results of another order, values that are repeated, more axes than a layer
/// has.
Sizes sizes_in_memory(const Tensor& input, const Tensor& result) {
  if (input.rank() > most_operand_sizes || input.sizes != result.sizes ||
      !has_strides(result, contiguous_strides(result.sizes)) || input.stored_sizes() != input.sizes)
    return {};
  std::vector<std::size_t> order(input.rank());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return input.strides[a] > input.strides[b]; });
  return each_of(order, [&](std::size_t axis) { return input.sizes[axis]; });
}

/// The operand in another order, type or number of elements. Reads a value once that is repeated.
Layers copied(const Operation& operation) {
  const Sizes result = operation.operands.empty() ? Sizes{} : result_sizes(operation);
  if (operation.operands.empty() || element_count(result) == 0) return {};
  const Tensor& input = operation.operands.front();
  auto spec = layer_of(operation, LayerKind::copy, input.stored_sizes());
  if (!spec) return {};
  spec->output = whole_operand(result).sizes;
  if (!spec->dtypes.output) spec->dtypes.output = input.type;
  if (!operation.results.empty()) spec->access = access_of({&operation.results.front(), &input});
  if (spec->access == Access::transposed && spec->output == spec->input->sizes &&
      joins_layouts(std::vector{input, operation.results.front()}))
    spec->layout = operation.results.front().layout();
  Layers layers = named(operation, *spec);
  if (spec->access == Access::transposed && !spec->layout)
    if (Sizes sizes = sizes_in_memory(input, operation.results.front()); !sizes.empty())
      layers.front().input->sizes = std::move(sizes);
  return layers;
}

/// The mode of the pad, where PyTorch's name of the operator tells it.
std::optional<PadMode> pad_mode_of(std::string_view called) {
  if (mentions(called, {"reflection_pad"})) return PadMode::reflect;
  if (mentions(called, {"replication_pad"})) return PadMode::replicate;
  if (mentions(called, {"constant_pad"})) return PadMode::constant;
  if (mentions(called, {"pad_circular"})) return PadMode::circular;
  return std::nullopt;
}

Layers padded(const Operation& operation) {
  Layers layers = copied(operation);
  if (layers.empty() ||
      element_count(result_sizes(operation)) <= element_count(first_sizes(operation)))
    return layers;
  layers.front().pad_mode = pad_mode_of(operation.called);
  layers.front().layout = operation.operands.front().layout();
  return layers;
}

/// Tensors behind each other along the axis: channels of images, or else rows.
Layers joined_tensors(const Operation& operation) {
  const auto& axes = operation.attributes.axes;
  const std::size_t rank = first_sizes(operation).size();
  if (axes.size() != 1 || axes.front() >= rank || !operation.attributes.computed_in) return {};
  if (operation.operands.size() == 1) return copied(operation);
  const std::size_t axis = axes.front();
  LayerSpec spec;
  spec.kind = LayerKind::concat;
  spec.pass = operation.pass;
  spec.dtypes.input = operation.attributes.computed_in;
  if (!operation.results.empty()) spec.dtypes.output = operation.results.front().type;
  for (const Tensor& tensor : operation.operands) {
    if (tensor.rank() != rank) return {};
    const auto middle = tensor.sizes.begin() + static_cast<std::ptrdiff_t>(axis);
    const Sizes rows{element_count(Sizes(tensor.sizes.begin(), middle)),
                     element_count(Sizes(middle, tensor.sizes.end()))};
    const bool are_channels = axis == 1 && rank <= most_operand_sizes;
    spec.inputs.push_back(operand_of(tensor, are_channels ? tensor.sizes : rows));
    if (!spec.dtypes.weight && tensor.learned.value_or(0) > 0) spec.dtypes.weight = tensor.type;
  }
  if (joins_layouts(operation.operands)) {
    spec.access = Access::transposed;
    spec.layout = Layout::nchw;
  }
  return named(operation, std::move(spec));
}

/// An image with other positions; other tensors are copied.
Layers resized(const Operation& operation) {
  const Sizes in = first_sizes(operation);
  const Sizes out = operation.operands.empty() ? Sizes{} : result_sizes(operation);
  if (in.size() < 3 || in.size() > most_operand_sizes || in.size() != out.size() ||
      in[0] != out[0] || in[1] != out[1])
    return copied(operation);
  auto spec = layer_of(operation, LayerKind::upsample, in);
  if (!spec) return {};
  spec->layout = operation.operands.front().layout();
  spec->interpolation = operation.attributes.interpolation;
  spec->output = out;
  return named(operation, *spec);
}

/// Whole rows of a table, whose axes up to the stated one count them: one for each index.
Layers picked_rows(const Operation& operation) {
  const Attributes& attributes = operation.attributes;
  const Sizes table = first_sizes(operation);
  if (attributes.axes.size() != 1 || attributes.axes.front() >= table.size()) return {};
  const auto behind = table.begin() + static_cast<std::ptrdiff_t>(attributes.axes.front()) + 1;
  const std::uint64_t rows = element_count(Sizes(table.begin(), behind));
  const std::uint64_t features = element_count(Sizes(behind, table.end()));
  const std::uint64_t written = element_count(result_sizes(operation));
  if (features == 0 || written == 0) return {};
  auto spec =
      layer_of(operation, LayerKind::gather,
               attributes.rows_are_matrix ? Sizes{rows, features} : Sizes{1, rows, features});
  if (!spec) return {};
  spec->output = {written / features, features};
  return named(operation, *spec);
}

/// Windows of images as columns, or images of such columns; of one image by its bytes.
Layers windows_as_columns(const Operation& operation) {
  const bool apart = operation.row->name == "patches";
  constexpr std::size_t image_rank = 4;
  constexpr std::size_t columns_rank = 3;
  const Sizes from = first_sizes(operation);
  const Sizes to = operation.operands.empty() ? Sizes{} : result_sizes(operation);
  if (from.size() != (apart ? image_rank : columns_rank) ||
      to.size() != (apart ? columns_rank : image_rank))
    return traffic(operation);
  auto spec = layer_of(operation, operation.row->kind, from);
  if (!spec) return {};
  spec->output = to;
  return named(operation, *spec);
}

/// Rows are added to those of the result that an index names.
Layers added_rows(const Operation& operation) {
  const Sizes table = operation.operands.empty() ? Sizes{} : result_sizes(operation);
  if (table.empty() || table.front() == 0) return {};
  const std::uint64_t features = element_count(table) / table.front();
  const std::uint64_t elements = element_count(first_sizes(operation));
  if (features == 0 || elements % features != 0) return {};
  auto spec = layer_of(operation, LayerKind::scatter, {elements / features, features});
  if (!spec) return {};
  spec->output = {table.front(), features};
  return named(operation, *spec);
}

}  // namespace

std::span<const OperatorRow> moving_operators() {
  using enum LayerKind;
  static constexpr OperatorRow rows[] = {
      // Another shape of the operand, without a move.
      {"view", nullptr, copy},
      {"copy", copied, copy, "DepthToSpace Expand Slice SpaceToDepth Split Tile Transpose",
       "copy _copy_from: to from",
       "Cast Dequantize Gather Identity Padding Quantize Reformat Resize Shuffle Slice"},
      {"copy_in_order", copied, copy, "",
       "roll flip clone contiguous pixel_shuffle pixel_unshuffle: input"},
      {"pad", padded, copy, "Pad",
       "reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d "
       "replication_pad3d constant_pad_nd _pad_circular: input amounts"},
      {"concat", joined_tensors, concat, "Concat", "cat _cat concat concatenate: - axis"},
      {"resize", resized, upsample, "Resize Upsample",
       "upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact2d "
       "upsample_bilinear2d upsample_bicubic2d upsample_linear1d upsample_trilinear3d "
       "_upsample_bilinear2d_aa: input sizes;"
       "upsample_nearest1d_backward upsample_nearest2d_backward upsample_nearest3d_backward "
       "_upsample_nearest_exact2d_backward upsample_bilinear2d_backward "
       "upsample_bicubic2d_backward upsample_linear1d_backward upsample_trilinear3d_backward: "
       "gradient - sizes"},
      {"gather", picked_rows, LayerKind::gather, "Gather", "embedding: from index"},
      // Along the first axis; slices of other axes are counted by their bytes.
      {"index_add", added_rows, LayerKind::scatter, "", "index_add: to axis index from"},

      // By bytes, as kernels read and write single elements or slices wherever an index says.
      {"gather_elements", traffic, other, "GatherElements", "gather: from axis index"},
      {"index_select", traffic, other, "", "index_select: from axis index"},
      {"index", traffic, LayerKind::gather, "", "index: from indices"},
      {"index_put", traffic, other, "", "index_put _index_put_impl: to indices values accumulate"},
      {"scatter", traffic, other, "Scatter ScatterElements ScatterND",
       "index_copy index_reduce scatter scatter_add scatter_reduce: to axis index from;"
       "index_fill: to axis index"},
      {"picked_loss", traffic, other, "",
       "nll_loss_forward nll_loss2d_forward: input target;"
       "nll_loss_backward nll_loss2d_backward: - input target"},
      {"gradient_of_rows", traffic, other, "",
       "embedding_dense_backward _embedding_bag_dense_backward: gradient index"},
      // Rows of a table, summed for each bag.
      {"sums_of_rows", traffic, other, "",
       "_embedding_bag _embedding_bag_forward_only: table index offsets - - - weights has_end"},
      // FBGEMM's, in tables that lie one behind the other.
      {"look_up", traffic, other, "",
       "::split_embedding_codegen_lookup_rowwise_adagrad_function "
       "::split_embedding_codegen_lookup_sgd_function "
       "::split_embedding_codegen_lookup_adagrad_function "
       "::split_embedding_codegen_lookup_adam_function "
       "::split_embedding_codegen_lookup_none_function: "
       "- table - - - begins - all_rows - - - index offsets - weights - - - - - states"},
      {"look_up_gradient", traffic, other, "",
       "::CppNode<SplitLookupFunction_rowwise_adagrad_Op> ::CppNode<SplitLookupFunction_sgd_Op> "
       "::CppNode<SplitLookupFunction_adagrad_Op> ::CppNode<SplitLookupFunction_adam_Op>: "
       "gradient"},

      {"patches", windows_as_columns, LayerKind::im2col, "",
       "im2col: input kernel dilation padding stride"},
      {"image_of_patches", windows_as_columns, LayerKind::col2im, "", "col2im: input sizes kernel"},
      // By bytes, as a library's kernel changes its operands in place.
      {"rotary_embedding", traffic, other, "", "::rotary_embedding: positions query key - table"},
      {"cache", traffic, other, "",
       "::reshape_and_cache ::reshape_and_cache_flash ::store_cache: key value"},
  };
  return rows;
}

}  // namespace roofline
