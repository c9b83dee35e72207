// Layers which stream through memory: norms, activations, add, mul, concat, pools, upsampling,
// softmax, layer norm. PyTorch runs each as one kernel (cuDNN's for batch norm) with a fixed start,
// a chain of dependent round trips, and a throughput bound by bytes or by instructions per element;
// index arithmetic makes the latter matter for pools.
//
// Backward: dgrad is the layer's whole backward kernel: it reads the gradient of the output and the
// saved forward tensors, and writes the gradient of the input. wgrad of a norm is computed by the
// same kernel and costs the same; of a layer without parameters it is planned as dgrad. add and
// concat pass gradients through: planned as copies.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernel/plans.hpp"
#include "kernel/streaming/stream_formulas.hpp"
#include "model/layer_kind.hpp"

namespace roofline {
namespace {

/// Channels that lie so far apart ask for a line of their own, as line_byte is for places that do.
/// The blocks of a copy to channels last make places one after the other, so that they find more of
/// a line in L1.
constexpr double to_last_byte = 300;

/// Axes that the iterator of PyTorch keeps apart: images and the rest of a slice; planes, rows,
/// columns and the channels that become rows and columns of a shuffle. A padded axis compares as
/// well.
constexpr double slice_axes = 2;
constexpr double shuffle_axes = 4;
constexpr double pad_axes = 2;

bool same_shapes(const Layer& layer) {
  for (const Operand& operand : layer.inputs)
    if (!(operand.shape == layer.output)) return false;
  return true;
}

/// All operands fit the result, for which one of several elements is repeated along an axis.
bool repeats_operand(const Layer& layer) {
  const Shape& result = layer.output;
  bool repeats = false;
  for (const Operand& operand : layer.inputs) {
    const Shape& shape = operand.shape;
    const auto fits = [](std::uint64_t size, std::uint64_t made) {
      return size == made || size == 1;
    };
    if (!fits(shape.batch, result.batch) || !fits(shape.channels, result.channels) ||
        !std::ranges::equal(shape.spatial, result.spatial, fits))
      return false;
    const double elements = element_count(shape);
    repeats = repeats || (elements > 1 && elements < element_count(result));
  }
  return repeats;
}

/// Compilers and engines write kernels with one pass over all operands; pools keep no positions.
bool is_generated(const Layer& layer) {
  const bool pools = layer.kind == LayerKind::max_pool || layer.kind == LayerKind::avg_pool;
  switch (layer.kernels) {
    case KernelSource::library:
    case KernelSource::heuristic: return false;
    case KernelSource::compiler: return !pools || layer.pass == Pass::fwd;
    case KernelSource::inference_engine: return info(layer.kind).fused == Fused::joined || pools;
  }
  return false;
}

/// Memory moves each picked row in whole sectors (CUDA C++ Best Practices Guide, "Coalesced Access
/// to Global Memory").
double sector_waste(const Layer& layer) {
  using enum LayerKind;
  if (layer.kind != embedding && layer.kind != gather && layer.kind != scatter) return 1;
  const double row_byte =
      static_cast<double>(layer.output.channels) * element_byte(layer.dtypes.output);
  return std::ceil(row_byte / sector_byte) * sector_byte / row_byte;
}

StreamProblem stream_problem(const Layer& layer, const Counts& counts) {
  const Shape& input = layer.inputs.front().shape;
  StreamProblem problem;
  problem.layer = &layer;
  problem.nhwc = is_nhwc(layer);
  problem.batch = static_cast<double>(input.batch);
  problem.channels = static_cast<double>(input.channels);
  problem.output_element = layer.generated->places > 0
                               ? static_cast<double>(layer.generated->places)
                               : element_count(layer.output);
  if (layer.kind == LayerKind::instance_norm) {
    problem.channels *= problem.batch;
    problem.batch = 1;
    problem.nhwc = false;
  }
  problem.input_positions = product(input.spatial);
  problem.input_element = element_count(input);
  problem.input_byte = static_cast<double>(counts.bytes.input - counts.saved_byte);
  problem.output_byte = static_cast<double>(counts.bytes.output);
  const double all_byte =
      static_cast<double>(counts.bytes.total) + skipped_byte(layer, problem.nhwc ? 3 : 2);
  const double written_byte = problem.backward() ? problem.input_byte : problem.output_byte;
  const double waste = sector_waste(layer);
  problem.streams = {waste * (all_byte - written_byte),
                     (layer.kind == LayerKind::scatter ? waste : 1) * written_byte};
  return problem;
}

/// Distances of a permutation, in elements.
struct Distances {
  double of_neighbours = 0;       ///< in the operand, of the result's neighbours
  double between_neighbours = 0;  ///< in the result, of the operand's neighbours
};

/// Both shapes in memory's order; 0 where they are no permutation of each other. Of axes of one
/// length the last is meant.
Distances distances_of(const Shape& from, const Shape& to) {
  const auto sizes_of = [](const Shape& shape) {
    return std::array{shape.batch, shape.channels, shape.spatial[0], shape.spatial[1],
                      shape.spatial[2]};
  };
  const auto operand = sizes_of(from);
  const auto result = sizes_of(to);
  if (operand == result || !std::ranges::is_permutation(operand, result)) return {};
  const auto longer = [](std::uint64_t size) { return size > 1; };
  const auto behind = [&](const auto& sizes, const auto& others) {
    const auto inner = std::find_if(others.rbegin(), others.rend(), longer);
    double elements = 1;
    for (auto size = sizes.rbegin(); *size != *inner; ++size)
      elements *= static_cast<double>(*size);
    return elements;
  };
  return {behind(operand, result), behind(result, operand)};
}

template <class Number>
class StreamingKernels : StreamFormulas<Number> {
  using Formulas = StreamFormulas<Number>;
  using Formulas::chain_of;
  using Formulas::constants;
  using Formulas::eval;
  using Formulas::fetch_again;
  using Formulas::indexed;
  using Formulas::inputs;
  using Formulas::machine;
  using Formulas::moved_apart;
  using Formulas::moved_to_planes;
  using Formulas::outputs;
  using Formulas::problem;
  using Formulas::rates;
  using Formulas::start_of;
  using Formulas::work_of;
  using typename Formulas::Work;

 public:
  // cppcheck-suppress uninitDerivedMemberVar ; its members are references, which are copied
  explicit StreamingKernels(const Formulas& formulas) : Formulas(formulas) {}

  Works<Number> works() const {
    if (is_generated(*problem.layer)) return {generated()};
    using Kind = LayerKind;
    switch (problem.layer->kind) {
      case Kind::batch_norm:
      case Kind::layer_norm:
      case Kind::rms_norm:
      case Kind::group_norm:
      case Kind::instance_norm: return norm<Number>(*this);
      case Kind::relu:
      case Kind::relu6:
      case Kind::leaky_relu:
      case Kind::prelu:
      case Kind::elu:
      case Kind::sigmoid:
      case Kind::hardsigmoid:
      case Kind::tanh:
      case Kind::silu:
      case Kind::hardswish:
      case Kind::gelu:
      case Kind::local_response_norm:
      case Kind::elementwise:
      case Kind::rowwise: return {activation()};
      case Kind::other: return {repeats_operand(*problem.layer) ? broadcast() : activation()};
      case Kind::softmax: return softmax<Number>(*this);
      case Kind::glu: return {gated()};
      case Kind::add:
      case Kind::sub:
      case Kind::mul:
      case Kind::div: return {combine()};
      case Kind::concat: return {concat()};
      case Kind::max_pool:
      case Kind::avg_pool: return pool<Number>(*this);
      case Kind::global_avg_pool:
      case Kind::reduce:
        return {problem.backward() ? spread()
                                   : reduction<Number>(*this, *problem.layer, problem.streams)};
      case Kind::upsample: return {upsample()};
      case Kind::copy: return copies();
      case Kind::embedding:
      case Kind::gather: return {problem.backward() ? scatter() : gather()};
      case Kind::scatter: return {scatter()};
      case Kind::im2col: return {problem.backward() ? sum_of_windows() : windows()};
      case Kind::col2im: return {problem.backward() ? windows() : sum_of_windows()};
      // Other files' kernels run these, or no kernel does.
      case Kind::conv:
      case Kind::conv_transpose:
      case Kind::deform_conv:
      case Kind::linear:
      case Kind::matmul:
      case Kind::attention:
      case Kind::lstm:
      case Kind::gru:
      case Kind::rnn:
      case Kind::flatten:
      case Kind::identity:
      case Kind::host_copy: break;
    }
    return {};
  }

 private:
  /// Sixteen-bit elements are widened, computed in fp32, narrowed. Simple functions hide behind
  /// loads and stores.
  Number function_clocks() const {
    switch (info(problem.layer->kind).cost) {
      case ElementCost::exponential:
      case ElementCost::several:
      case ElementCost::any:
      case ElementCost::erf: return outputs() * eval(constants.exponential_clock);
      case ElementCost::own:
      case ElementCost::simple:
      case ElementCost::scaled: break;
    }
    return {};
  }

  /// Operands and result with different memory orders: element by element.
  Work in_another_order() const {
    if (problem.layer->access != Access::transposed)
      return work_of(constants.permuted, Algorithm::strided_elementwise);
    return with_moved_channels();
  }

  /// A change of layout, said by shapes in memory's order, or by shapes that are alike and the
  /// result's layout, without which the direction is not known; else another permutation.
  Work with_moved_channels() const {
    const Layer& layer = *problem.layer;
    const Shape& input = layer.inputs.front().shape;
    const Shape& output = layer.output;
    if (layer.kind != LayerKind::copy)
      return work_of(constants.transposed, Algorithm::transposed_elementwise);
    if (problem.input_positions <= 1) return permuted();
    const double apart = problem.channels * element_byte(layer.dtypes.input);
    if (changes_layout(layer) && !layer.layout)
      return moved_apart(apart, std::sqrt(line_byte * to_last_byte), 1, outputs());
    const bool to_first = changes_layout(layer) ? layer.layout == Layout::nchw
                                                : output.channels == input.spatial[2] &&
                                                      output.spatial[1] == input.channels &&
                                                      output.spatial[2] == input.spatial[1];
    if (to_first) return moved_to_planes(static_cast<double>(output.channels), 1, outputs());
    const bool to_last = output.spatial[2] == input.channels &&
                         output.channels == input.spatial[1] &&
                         output.spatial[1] == input.spatial[2];
    if (to_last || changes_layout(layer)) return moved_apart(apart, to_last_byte, 1, outputs());
    return permuted();
  }

  /// Any other order, where the shapes tell it. A block that makes all elements between neighbours
  /// of the operand finds the rest of each sector in L1; else L2 sends sectors for elements.
  Work permuted() const {
    constexpr double block_threads = 128;
    const Layer& layer = *problem.layer;
    const Distances distances = distances_of(layer.inputs.front().shape, layer.output);
    if (distances.between_neighbours == 0)
      return work_of(constants.transposed, Algorithm::transposed_elementwise);
    if (distances.between_neighbours <= block_threads)
      return moved_apart(0, line_byte, 1, outputs());
    const double apart = distances.of_neighbours * element_byte(layer.dtypes.input);
    Work work = moved_apart(apart, line_byte, 1, outputs());
    fetch_again(work, problem.output_element, apart);
    work.streams.between_byte = distances.between_neighbours * std::min(line_byte, apart);
    return work;
  }

  /// PyTorch copies between the same types only tensors that are not contiguous: here a slice of
  /// the channels, half of them in most networks, to NCHW.
  bool is_slice() const {
    const Layer& layer = *problem.layer;
    return layer.kernels == KernelSource::library && !layer.access &&
           layer.dtypes.input == layer.dtypes.output && layer.output.spatial_rank > 0 &&
           layer.inputs.front().shape == layer.output;
  }

  /// A pixel shuffle: channels become rows and columns, in NCHW.
  double shuffled_columns() const {
    const Shape& input = problem.layer->inputs.front().shape;
    const Shape& output = problem.layer->output;
    const bool shuffled =
        problem.layer->access == Access::transposed && output.channels < input.channels &&
        output.spatial[1] > input.spatial[1] && output.spatial[2] > input.spatial[2];
    const std::uint64_t factor = output.spatial[2] / input.spatial[2];
    return shuffled ? static_cast<double>(factor) : 0;
  }

  /// Axes along which the result is longer.
  double padded_axes() const {
    const Shape& input = problem.layer->inputs.front().shape;
    const Shape& output = problem.layer->output;
    if (input.channels != output.channels || input.batch != output.batch) return 0;
    double axes = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      axes += output.spatial[axis] > input.spatial[axis] ? 1 : 0;
    return axes;
  }

  /// A pad whose source does not say what fills it. Constants are a fill and a copy, reflections
  /// and replicas one kernel with a thread a place, circles a copy a side: this is their mean. Each
  /// padded axis costs an index of every place. In channels last, most go to NCHW.
  Work unknown_pad(double axes) const {
    Work work = indexed((1 + axes) * pad_axes, outputs());
    work.kernels = 2;
    if (problem.nhwc) work.clocks = work.clocks * eval(constants.pad_nhwc_share);
    return work;
  }

  bool lies_alike() const {
    return problem.layer->access.value_or(Access::contiguous) == Access::contiguous;
  }

  Works<Number> copies() const {
    const double axes = problem.layer->pad_mode ? padded_axes() : 0;
    return axes > 0 ? pad<Number>(*this, axes) : Works<Number>{copy()};
  }

  /// Casts from 32 to 16 bits have vector-loading kernels; others go element by element.
  Work copy() const {
    const DataTypes& types = problem.layer->dtypes;
    const bool widens = problem.layer->kernels == KernelSource::library &&
                        types.input != types.output &&
                        !(types.input == DataType::fp32 && element_byte(types.output) == 2);
    if (widens) return in_another_order();
    if (const double run = shuffled_columns(); run > 0)
      return problem.nhwc ? moved_to_planes(problem.channels, run, outputs())
                          : indexed(shuffle_axes, outputs());
    if (!lies_alike()) return in_another_order();
    if (is_slice())
      return problem.nhwc ? moved_to_planes(2 * problem.channels, 1, outputs())
                          : indexed(slice_axes, outputs());
    if (const double axes = padded_axes(); axes > 0) return unknown_pad(axes);
    return activation();
  }

  /// A block fetches each row in vectors of 16 byte; other rows go element by element.
  Work gather() const {
    const double features = static_cast<double>(problem.layer->output.channels);
    if (std::fmod(features * element_byte(problem.layer->dtypes.output), 16) != 0)
      return in_another_order();
    Work work = chain_of(constants.vectorized_several, Algorithm::row_gather);
    const Number rows = eval.named("rows", problem.output_element / features, "", "layer");
    work.blocks = value_of(rows);
    work.clocks = rows * eval(constants.block_clock);
    return work;
  }

  Work scatter() const {
    Work work = chain_of(constants.permuted, Algorithm::strided_elementwise);
    work.clocks = inputs() * eval(constants.scatter_element_clock);
    return work;
  }

  /// PyTorch copies the windows of one image after the other (ATen/native/cuda/im2col.cuh): a
  /// thread a window of a channel, tap by tap.
  Work windows() const {
    constexpr double block_threads = 1024;
    constexpr double place_round_trips = 4;  // of a thread, until it knows its window
    const Layer& layer = *problem.layer;
    const Shape& image = problem.backward() ? layer.output : layer.inputs.front().shape;
    const Shape& columns = problem.backward() ? layer.inputs.front().shape : layer.output;
    const auto channels = static_cast<double>(image.channels);
    const Number taps =
        eval.named("taps", static_cast<double>(columns.channels) / channels, "", "layer");
    Work work = start_of(constants.vectorized, Algorithm::strided_elementwise);
    work.kernels = problem.batch;
    work.threads = block_threads;
    work.blocks = divide_up(channels * product(columns.spatial), block_threads);
    const Number waves =
        eval.named("waves of all images", problem.batch * divide_up(work.blocks, machine.sm_count),
                   "", "layer");
    work.l2_round_trips = waves * (taps + place_round_trips);
    return work;
  }

  /// A thread an element of the image, which adds up the windows that reach over it. Neighbours in
  /// a warp have to wait for the one with most of them.
  Work sum_of_windows() const {
    constexpr double place_round_trips = 12;  // divisions of 64 bits
    constexpr double window_round_trips = 2;
    const Layer& layer = *problem.layer;
    const Shape& image = problem.backward() ? layer.inputs.front().shape : layer.output;
    const Shape& columns = problem.backward() ? layer.output : layer.inputs.front().shape;
    const double side =
        std::sqrt(static_cast<double>(columns.channels) / static_cast<double>(image.channels));
    const double stride =
        std::max(1.0, std::round(std::sqrt(product(image.spatial) / product(columns.spatial))));
    const double along = std::ceil(side / stride);
    const Number over = eval.named("windows over an element", along * along, "", "layer");
    const Number made = eval.named("elements of the image", element_count(image), "", "layer");
    Work work = start_of(constants.vectorized, Algorithm::strided_elementwise);
    work.l2_round_trips = over * window_round_trips + place_round_trips;
    work.clocks = made * eval(constants.col2im_element_clock) +
                  made * over * eval(constants.scatter_element_clock);
    return work;
  }

  Work activation() const {
    if (!lies_alike()) return in_another_order();
    if (info(problem.layer->kind).cost == ElementCost::scaled && !problem.backward())
      return work_of(constants.prelu, Algorithm::broadcast_elementwise);
    Work work = chain_of(problem.backward() ? constants.vectorized_several : constants.vectorized,
                         Algorithm::vectorized_elementwise);
    work.clocks = function_clocks();
    return work;
  }

  Work generated() const {
    const GeneratedKernel& kernel = *problem.layer->generated;
    Work work = chain_of(constants.vectorized_several, Algorithm::vectorized_elementwise);
    if (kernel.places == 0) {
      work.clocks = function_clocks();
      return work;
    }
    const CompiledKernel& compiled = constants.compiled;
    const auto times = [&](std::uint64_t count, const double& clock) {
      return static_cast<double>(count) * eval(clock);
    };
    const Number place_clock = eval.named(
        "clocks of a place", eval(compiled.place_clock) + times(kernel.norms, compiled.norm_clock) +
                                 times(kernel.functions, compiled.function_clock) +
                                 times(kernel.parts, compiled.part_clock) +
                                 times(kernel.reductions, compiled.reduction_clock));
    work.clocks = outputs() * place_clock + times(kernel.rows, compiled.row_clock) +
                  times(kernel.apart, compiled.apart_clock);
    work.kernels = static_cast<double>(kernel.kernels);
    return work;
  }

  /// Halves that lie apart are read element by element.
  Work gated() const {
    const bool lies_apart = problem.batch > 1 || problem.nhwc;
    if (lies_apart) return work_of(constants.glu, Algorithm::strided_elementwise);
    Work work = chain_of(constants.vectorized_several, Algorithm::vectorized_elementwise);
    work.start_s = work.start_s + eval(constants.glu.start_s);
    work.clocks = outputs() * eval(constants.exponential_clock);
    return work;
  }

  Work broadcast() const { return work_of(constants.broadcast, Algorithm::broadcast_elementwise); }

  Work combine() const {
    if (!lies_alike()) return in_another_order();
    if (!same_shapes(*problem.layer)) return broadcast();
    Work work = chain_of(constants.vectorized_several, Algorithm::vectorized_elementwise);
    return work;
  }

  /// Operands in channels last beside others: the result is in NCHW, to which all but one are
  /// taken to be moved.
  Work joined_layouts() const {
    const Layer& layer = *problem.layer;
    const auto operands = static_cast<double>(layer.inputs.size());
    const auto channels = static_cast<double>(layer.output.channels);
    Work work = moved_to_planes(channels / operands, 1, outputs() * ((operands - 1) / operands));
    work.kernels = operands;
    work.round_trips = work.round_trips * operands;
    return work;
  }

  /// PyTorch joins the operands in one kernel, whose grid gives every operand the blocks of the
  /// largest, up to 32 per SM; blocks with nothing to copy still start, and may determine the time.
  Work concat() const {
    if (problem.layer->access == Access::transposed) return joined_layouts();
    // Its kernel takes up to four axes; volumes are copied one after the other.
    if (problem.layer->output.spatial_rank == 3) {
      Work copies = indexed(slice_axes, outputs());
      copies.kernels = static_cast<double>(problem.layer->inputs.size());
      copies.round_trips = copies.round_trips * copies.kernels;
      return copies;
    }
    Work work = problem.nhwc ? work_of(constants.concat_nhwc, Algorithm::cat_copy_nhwc)
                             : work_of(constants.concat_nchw, Algorithm::cat_copy_nchw);
    double largest = 0;
    for (const Operand& operand : problem.layer->inputs)
      largest = std::max(largest, element_count(operand.shape));
    const auto operands = static_cast<double>(problem.layer->inputs.size());
    const Number blocks = eval.named("blocks an operand",
                                     min({divide_up(Number(largest), 512), 32 * rates.sm_count}));
    work.floor_s = eval.named(
        "starts of blocks",
        operands * blocks * (eval(constants.block_clock) / rates.issue_clock_per_s), "s");
    return work;
  }

  /// The gradient of each sum goes to all its elements.
  Work spread() const {
    Work work = chain_of(constants.broadcast, Algorithm::broadcast_elementwise);
    work.clocks = inputs() * eval(constants.broadcast.element_clock);
    return work;
  }

  /// Each thread of the NCHW kernel makes the same place of all planes. Atomics sum the gradient,
  /// and collide if neighbours come from the same element.
  Work interpolated() const {
    // PyTorch takes a single position in NHWC for NCHW.
    const bool nhwc = problem.nhwc && problem.input_positions > 1;
    const bool volume = problem.layer->output.spatial_rank == 3;
    Work work = chain_of(
        nhwc ? constants.upsample_nhwc : constants.upsample_nchw,
        nhwc ? Algorithm::upsample_interpolated_nhwc : Algorithm::upsample_interpolated_nchw);
    const bool cubic = problem.layer->interpolation == Interpolation::bicubic;
    const double taps = cubic ? 16 : volume ? 8 : 4;
    const Number made = eval.named("interpolated elements", problem.output_element, "", "layer");
    work.clocks = made * taps * eval(constants.upsample_tap_clock);
    if (problem.backward()) {
      const double columns = static_cast<double>(problem.layer->inputs.front().shape.spatial[2]);
      const double made_columns = static_cast<double>(problem.layer->output.spatial[2]);
      // 16-bit atomics work on pairs. In NHWC a warp's atomics are on different channels.
      const double pair = element_byte(problem.layer->dtypes.input) == 2 ? 2 : 1;
      const double meeting = std::max(1.0, made_columns / columns / 1.4) * pair;
      work.clocks = work.clocks * eval.factor("atomics that meet",
                                              nhwc ? std::sqrt(meeting) : meeting, "", "layer");
      work.kernels = 2;  // the gradient is cleared first
    } else if (!nhwc) {
      by_planes(work, taps);
    } else if (volume) {
      by_lines(work, taps);
    }
    return work;
  }

  /// Blocks of 1024 threads, in volumes 512, one an SM, walk over the planes.
  void by_planes(Work& work, double taps) const {
    const double planes = problem.batch * problem.channels;
    const double threads = taps > 4 ? 512 : 1024;
    const double places = problem.output_element / planes;
    const double waves = divide_up(divide_up(places, threads), machine.sm_count);
    const Number steps = eval.named("planes of all waves", waves * planes, "", "layer");
    work.round_trips = steps * std::sqrt(taps / 4) * eval(constants.walk_round_trip);
    const Number made = eval.named("interpolated elements", problem.output_element, "", "layer");
    work.clocks = made * taps * (taps / 4) * eval(constants.load_clock);
  }

  /// Volumes have one kernel for both layouts. In channels last the neighbouring places of a warp
  /// lie apart: it asks for a line for each element; an SM takes one line a clock, and made
  /// columns share those that they are made of.
  void by_lines(Work& work, double taps) const {
    constexpr double threads = 512;
    const auto warp = static_cast<double>(machine.sm.warp_size);
    const double columns = static_cast<double>(problem.layer->inputs.front().shape.spatial[2]);
    const double made_columns = static_cast<double>(problem.layer->output.spatial[2]);
    const double apart =
        std::min(1.0, problem.channels * element_byte(problem.layer->dtypes.input) / line_byte);
    const Number lines =
        eval.named("lines that a warp asks for",
                   warp * (taps * std::min(1.0, columns / made_columns) + 1) * apart, "", "layer");
    const double planes = problem.batch * problem.channels;
    const double places = problem.output_element / planes;
    const double warps = std::ceil(std::min(threads, places) / warp);
    const double waves = divide_up(divide_up(places, threads), machine.sm_count);
    const Number walks =
        eval.named("warps of all waves and planes", waves * planes * warps, "", "layer");
    work.floor_s = eval.named("lines of a block's warps", walks * lines / rates.clock_hz, "s");
  }

  Work upsample() const {
    if (problem.layer->interpolation.value_or(Interpolation::nearest) != Interpolation::nearest)
      return interpolated();
    if (problem.backward())
      return work_of(constants.upsample_nchw, Algorithm::upsample_nearest_nchw);
    if (problem.layer->output.spatial_rank == 3) return repeated_volume();
    return problem.nhwc ? work_of(constants.upsample_nhwc, Algorithm::upsample_nearest_nhwc)
                        : work_of(constants.upsample_nchw, Algorithm::upsample_nearest_nchw);
  }

  /// A thread of the kernel for volumes finds one place of a channel, and writes it for all images.
  /// PyTorch has none for channels last, and copies to NCHW before it and back after it.
  Work repeated_volume() const {
    Work work = chain_of(constants.upsample_nchw, Algorithm::upsample_nearest_nchw);
    const Number places =
        eval.named("places of all images", problem.output_element / problem.batch, "", "layer");
    work.clocks = hypot(places * eval(constants.upsample_place_clock),
                        outputs() * eval(constants.upsample_tap_clock));
    if (problem.nhwc) {
      work.kernels = 3;
      work.copy_clocks = (inputs() + outputs()) * eval(constants.transposed.element_clock);
    }
    return work;
  }
};

}  // namespace

template <class Number>
Works<Number> streaming_works(const PlanRequest& request, const MachineRates<Number>& rates,
                              Eval<Number>& eval) {
  const ResolvedModel& model = request.model;
  const StreamProblem problem = stream_problem(request.layer, request.counts);
  return StreamingKernels<Number>(
             {problem, model.constants->values.streaming, rates, model.machine, eval})
      .works();
}

template Works<double> streaming_works(const PlanRequest&, const MachineRates<double>&, Planning&);
template Works<Explained> streaming_works(const PlanRequest&, const MachineRates<Explained>&,
                                          Explaining&);

}  // namespace roofline
