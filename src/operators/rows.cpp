// Functions of rows: softmax, sums and norms along axes, means, maxima and averages of images,
// cumulative sums.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>

#include "operators/building.hpp"
#include "operators/operation.hpp"
#include "operators/table.hpp"

namespace roofline {
namespace {

bool is_image(const Operation& operation) {
  const std::size_t rank = first_sizes(operation).size();
  return rank >= 3 && rank <= most_operand_sizes;
}

/// Whether the axes are the positions of [N, C, positions...].
bool are_positions(const Operation& operation) {
  const auto& axes = operation.attributes.axes;
  return is_image(operation) && axes.size() + 2 == first_sizes(operation).size() &&
         axes.front() == 2;
}

bool is_one_position(const Sizes& result) {
  return element_count(result) ==
         element_count(Sizes(result.begin(),
                             result.begin() + std::min<std::ptrdiff_t>(2, std::ssize(result))));
}

/// The axes, next to each other, are one row; rows before them and elements behind them lie apart.
/// Without axes the last is.
Layers along_rows(const Operation& operation) {
  Sizes sizes = first_sizes(operation);
  bool lies_apart = false;
  if (const auto& axes = operation.attributes.axes; !axes.empty() && axes.back() < sizes.size()) {
    const auto first = sizes.begin() + static_cast<std::ptrdiff_t>(axes.front());
    const auto end = sizes.begin() + static_cast<std::ptrdiff_t>(axes.back()) + 1;
    const std::uint64_t behind = element_count(Sizes(end, sizes.end()));
    sizes = {element_count(Sizes(sizes.begin(), first)), element_count(Sizes(first, end))};
    lies_apart = behind > 1;
    if (lies_apart) sizes.push_back(behind);
  }
  auto spec = layer_of(operation, operation.row->kind, sizes);
  if (!spec) return {};
  if (lies_apart && spec->kind == LayerKind::softmax) {
    spec->access = Access::transposed;
    spec->layout = operation.operands.front().layout();
  }
  return named(operation, *spec);
}

Layers reduced(const Operation& operation) {
  if (operation.operands.empty()) return {};
  const Tensor& input = operation.operands.front();
  auto spec = layer_of(operation, LayerKind::reduce, input.stored_sizes());
  if (!spec) return {};
  spec->output = whole_operand(result_sizes(operation)).sizes;
  if (input.layout() == Layout::nhwc) spec->layout = Layout::nhwc;
  return named(operation, *spec);
}

/// An average or a maximum of all positions. Of parts of an image, each of its own size: by the
/// bytes.
Layers of_image(const Operation& operation) {
  if (!is_image(operation)) return reduced(operation);
  if (!is_one_position(result_sizes(operation))) return traffic(operation);
  auto spec = layer_of(operation, operation.row->kind, first_sizes(operation));
  if (!spec) return {};
  spec->layout = operation.operands.front().layout();
  if (spec->kind == LayerKind::max_pool) {
    spec->rank = static_cast<std::uint8_t>(first_sizes(operation).size() - 2);
    spec->output_size = axes_list(Sizes(*spec->rank, 1));
  }
  return named(operation, *spec);
}

/// Over the positions of an image of two axes or more, a mean is an average pool. Over the last of
/// three axes it is a reduction: such tensors are sequences, rarely images of one axis.
Layers mean(const Operation& operation) {
  constexpr std::size_t image_axes = 4;
  if (!are_positions(operation) || first_sizes(operation).size() < image_axes)
    return reduced(operation);
  Operation pool = operation;
  pool.row = find_row("global_avg_pool");
  return of_image(pool);
}

/// A norm of [N, C, ...] over the batch, each example, or groups of channels.
Layers norm_of_channels(const Operation& operation) {
  const Attributes& attributes = operation.attributes;
  auto spec = layer_of(operation, operation.row->kind, first_sizes(operation));
  if (!spec) return {};
  const Tensor& input = operation.operands.front();
  spec->layout = spec->kind == LayerKind::batch_norm ? input.layout() : input.stated_layout;
  if (spec->kind == LayerKind::group_norm) spec->groups = attributes.groups;
  spec->batch_statistics = attributes.batch_statistics;
  set_weight_type(operation, *spec);
  return named(operation, *spec);
}

Layers norm_of_rows(const Operation& operation) {
  const Attributes& attributes = operation.attributes;
  const Sizes sizes = first_sizes(operation);
  const std::uint64_t elements = element_count(sizes);
  const std::uint64_t features = attributes.features;
  if (features == 0 || elements % features != 0) return {};
  const bool keeps_axes = !attributes.rows_are_matrix && sizes.size() <= most_operand_sizes &&
                          attributes.axes.size() == 1 && attributes.axes[0] + 1 == sizes.size();
  auto spec = layer_of(operation, operation.row->kind,
                       keeps_axes ? sizes : Sizes{elements / features, features});
  if (!spec) return {};
  spec->normalized_shape = {features};
  set_weight_type(operation, *spec);
  return named(operation, *spec);
}

}  // namespace

std::span<const OperatorRow> row_operators() {
  using enum LayerKind;
  static constexpr OperatorRow rows[] = {
      {"softmax", along_rows, softmax, "Softmax LogSoftmax",
       "_softmax _log_softmax softmax log_softmax: input axis to_float;"
       "_softmax_backward_data _log_softmax_backward_data: input - axis",
       "SoftMax Softmax"},
      {"hardmax", along_rows, rowwise, "Hardmax"},

      {"mean", mean, reduce, "ReduceMean", "mean: input axes"},
      {"reduce", reduced, reduce,
       "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare ReduceMax ReduceMin "
       "ReduceProd ReduceSum GlobalLpPool",
       "sum nansum prod amax amin max min any all std var var_mean logsumexp: input axes;"
       "linalg_vector_norm norm: input - axes",
       "Reduce"},
      {"argmax", reduced, reduce, "ArgMax ArgMin", "argmax argmin: input axes", "",
       DataType::int64},
      {"global_avg_pool", of_image, global_avg_pool, "GlobalAveragePool",
       "_adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d "
       "adaptive_avg_pool3d: input sizes;"
       "_adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward: gradient input"},
      {"global_max_pool", of_image, max_pool, "GlobalMaxPool", "adaptive_max_pool2d: input sizes"},

      // The flag of training makes it compute the batch's mean and deviation.
      {"batch_norm", norm_of_channels, batch_norm, "BatchNormalization",
       "native_batch_norm cudnn_batch_norm miopen_batch_norm _native_batch_norm_legit "
       "_batch_norm_with_update batch_norm: input weight - - - training;"
       "_native_batch_norm_legit_no_training _batch_norm_no_update: input weight;"
       "native_batch_norm_backward cudnn_batch_norm_backward miopen_batch_norm_backward "
       "batch_norm_backward: input - weight"},
      {"instance_norm", norm_of_channels, instance_norm, "InstanceNormalization",
       "instance_norm: input weight"},
      {"group_norm", norm_of_channels, group_norm, "GroupNormalization",
       "native_group_norm: input weight - - - - groups;group_norm: input groups weight;"
       "native_group_norm_backward: input - - - weight - - - groups"},
      {"layer_norm", norm_of_rows, layer_norm, "LayerNormalization",
       "native_layer_norm layer_norm: input sizes weight;"
       "native_layer_norm_backward: input - sizes - - weight;"
       "::layernorm2d_fwd: result? input weight"},
      {"rms_norm", norm_of_rows, rms_norm, "RMSNormalization SimplifiedLayerNormalization",
       "_fused_rms_norm rms_norm: input sizes weight;"
       "::rms_norm ::rmsnorm ::rmsnorm2d_fwd: result? input weight"},
  };
  return rows;
}

}  // namespace roofline
