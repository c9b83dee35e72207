#include "kernel/dense/layer_product.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernel/formula.hpp"
#include "kernel/layer_sizes.hpp"
#include "model/layer_kind.hpp"

namespace roofline {
namespace {

/// cuDNN's heuristic times nothing: the middle one of the five fastest tiles stands for its pick
/// among good ones, which half of 8,144 convolutions on an H100 say and the other half bears out.
constexpr std::size_t heuristic_tile = 2;
constexpr double heuristic_splits = 16;  ///< of a sum, at most

double real(std::uint64_t value) { return static_cast<double>(value); }

/// Number of phases of a strided data gradient, and taps of each: its own or the longest phase's.
void set_data_gradient(LayerProduct& x, const Window& window, double k_channels, bool skip_empty,
                       bool own_taps) {
  const Problem& problem = *x.problem;
  double taps = 1;
  double positions = 1;
  double phases = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Dilated windows have no phases: all positions take all taps.
    const std::uint64_t stride = window.dilation[axis] > 1 ? 1 : window.stride[axis];
    taps *= divide_up(real(window.kernel[axis]), real(stride));
    positions *= real(stride);
    phases *= real(std::min(window.kernel[axis], stride));
  }
  x.count = skip_empty ? phases : positions;
  x.leaves_zeros = skip_empty && phases < positions;
  x.m = divide_up(x.m, positions);
  if (skip_empty && own_taps) {
    x.longest = taps * phases / problem.taps;
    taps = problem.taps / phases;
  }
  x.k = k_channels * taps;
  x.k_runs = taps;
}

/// The first layer of ResNet and its kin: libraries have a 16-bit kernel for it.
bool is_wide_first_layer(const Layer& layer, double in_channels, double out_channels) {
  const Window& window = *layer.window;
  return !layer.mapping->tile && window.rank == 2 && window.kernel == Axes{1, 7, 7} &&
         window.stride == Axes{1, 2, 2} && in_channels <= 4 && out_channels == 64;
}

void set_matrices(LayerProduct& x, double align, const EngineModel& engine, Operands operands) {
  const Problem& problem = *x.problem;
  const Layer& layer = *problem.layer;
  const LibraryFeatures& library = engine.features;
  const double group_in = problem.group_in;
  const double group_out = problem.group_out;
  const double taps = problem.taps;
  const double out_positions = problem.out_positions();
  const double in_positions = problem.in_positions();
  // cuDNN names no such kernel in bf16.
  x.gathered = operands == Operands::as_they_are && align > 1 && x.role != Pass::dgrad &&
               std::fmod(group_in, align) != 0 && group_in < 2 * align &&
               (engine.engine != Engine::bf16 || keeps_tensors_padded(layer));
  // Padded tensors are not copied; an image's few channels are padded to four, so that a row of the
  // window is one piece, fetched 16 byte at a time. A library does so only for this one shape.
  const bool padded = keeps_tensors_padded(layer);
  x.pads_image = x.gathered && !padded && engine.constants->first_layer_gather > 0 &&
                 x.element_byte == 2 && x.role == Pass::fwd &&
                 is_wide_first_layer(layer, group_in, group_out);
  const bool padded_to_4 = x.gathered && (padded || x.pads_image);
  if (x.gathered)
    x.gather_vector = padded                        ? std::max(4.0, 16 / x.element_byte)
                      : std::fmod(group_in, 2) == 0 ? 2
                                                    : 1;
  const double c_issued = round_up(group_in, !x.gathered                              ? align
                                             : padded_to_4                            ? 4
                                             : library[LibraryFeature::pads_gathered] ? 8
                                                                                      : 1);
  const double weights = problem.out_channels * group_in * taps;
  const auto pad = [&](double channels, double elements) {
    if (padded || std::fmod(channels, align) == 0) return;
    const double weights_too = x.padded_tensors == 0 ? weights : 0;
    x.padded_tensors += x.padded_tensors == 0 ? 2 : 1;
    x.pad_element += (elements + weights_too) * (1 + round_up(channels, align) / channels);
  };
  pad(group_out, out_positions * problem.out_channels);
  if (!x.gathered) pad(group_in, in_positions * problem.in_channels);
  x.count = problem.groups;
  switch (x.role) {
    case Pass::fwd:
      x.m = out_positions;
      x.m_is = "images x output positions";
      x.n = group_out;
      x.n_is = "output channels";
      x.k = c_issued * taps;
      x.k_is = "input channels, in whole vectors, x taps";
      x.k_runs = align > 1 && !x.gathered ? taps : 1;
      break;
    case Pass::dgrad:
      x.m = in_positions;
      x.m_is = "images x input positions of a phase of the stride";
      x.n = group_in;
      x.n_is = "input channels";
      x.k_is = "output channels, in whole vectors, x taps of a phase";
      set_data_gradient(x, *layer.window, round_up(group_out, align),
                        library[LibraryFeature::skips_empty_phases], align > 1);
      x.count *= problem.groups;
      if (align == 1) x.k_runs = 1;
      break;
    case Pass::wgrad:
      x.m = group_out;
      x.m_is = "output channels";
      x.n = c_issued * taps;
      x.n_is = "input channels, in whole vectors, x taps";
      // Only narrow tiles cross from tap to tap, which images' few channels run on.
      x.n_runs = align > 1 && c_issued >= 16 ? taps : 1;
      x.k = out_positions;
      x.k_is = "images x output positions";
      break;
  }
}

/// The largest power of two, at most 16, which divides rows of both lengths, in bytes.
double row_byte_of(double element, double length, double other_length) {
  double byte = 16;
  while (byte > element &&
         (std::fmod(length * element, byte) != 0 || std::fmod(other_length * element, byte) != 0))
    byte /= 2;
  return byte;
}

/// A convolution without a window in NCHW: each image is a product of the GEMM library with
/// positions as rows; a kernel adds the images' weight gradients.
void set_products_of_images(LayerProduct& x) {
  const Problem& problem = *x.problem;
  const double positions = problem.input_positions;
  x.channels_first = x.gathered = x.by_heuristic = false;
  x.padded_tensors = x.pad_element = 0;
  x.row_byte = row_byte_of(x.element_byte, positions,
                           x.role == Pass::wgrad ? positions : problem.in_channels);
  (x.role == Pass::wgrad ? x.k : x.m) = positions;
  x.count = problem.batch;
  x.sums_products = x.role == Pass::wgrad && problem.batch > 1;
}

/// An inference engine keeps rows padded.
void set_product_of_rows(LayerProduct& x, double align) {
  const Problem& problem = *x.problem;
  x.is_convolution = x.gathered = x.by_heuristic = false;
  x.padded_tensors = x.pad_element = 0;
  if (problem.kernels != KernelSource::inference_engine)
    x.row_byte = row_byte_of(x.element_byte, problem.in_channels, problem.out_channels);
  if (x.role == Pass::fwd) x.k = round_up(problem.in_channels, align);
  x.k_runs = 1;
}

/// Weights of a linear layer are shared by all positions.
void set_plain(LayerProduct& x, const Layer& layer, double align) {
  const Shape& in = layer.inputs.front().shape;
  // Products that share their second matrix are rows of one, a linear layer's.
  x.count = layer.kind == LayerKind::matmul ? real(layer.inputs[1].shape.batch) : 1;
  x.batched = x.count > 1;
  const double rows = product(in.spatial) * real(layer.output.batch) / x.count;
  const double columns = real(layer.output.channels);
  const double depth = real(in.channels);
  x.m = x.role == Pass::wgrad ? columns : rows;
  x.n = x.role == Pass::fwd ? columns : depth;
  x.k = x.role == Pass::fwd ? depth : x.role == Pass::dgrad ? columns : rows;
  constexpr const char* row_word = "rows";
  constexpr const char* in_word = "features in";
  constexpr const char* out_word = "features out";
  x.m_is = x.role == Pass::wgrad ? out_word : row_word;
  x.n_is = x.role == Pass::fwd ? out_word : in_word;
  x.k_is = x.role == Pass::fwd ? in_word : x.role == Pass::dgrad ? out_word : row_word;
  // Rows lie along the features: both outer sizes in a weight gradient.
  x.row_byte = row_byte_of(element_byte(layer.dtypes.input), columns, depth);
  if (x.role != Pass::wgrad) x.k = round_up(x.k, align);
}

/// A data gradient's sizes: all outputs by all taps of the input's channels.
void set_outputs_by_taps(LayerProduct& x) {
  const Problem& problem = *x.problem;
  x.m = problem.out_positions();
  x.m_is = "images x output positions";
  x.n = problem.in_channels * problem.taps;
  x.n_is = "input channels x taps";
  x.count = 1;
}

/// Windows that meet nowhere: a plain product makes all results, which a copy puts in their places.
/// Channels of all taps together fill vectors, so that only odd outputs are padded.
void fold(LayerProduct& x, double align) {
  const Problem& problem = *x.problem;
  const double out_channels = problem.out_channels;
  x.pointwise = true;
  x.strided = x.leaves_zeros = false;
  set_outputs_by_taps(x);
  x.k = round_up(out_channels, align);
  x.k_is = "output channels, in whole vectors";
  x.k_runs = x.longest = 1;
  x.padded_tensors = 3;
  x.pad_element = 2 * (problem.in_positions() * problem.in_channels + x.n * out_channels);
  if (x.k == out_channels) return;
  x.padded_tensors += 1;
  x.pad_element += x.m * (out_channels + x.k);
}

/// Whether the newest kernels on vector units split it: a volume's weight gradient only of many
/// channels, and not the heuristic's.
bool splits_sum(const LayerProduct& x) {
  const Problem& problem = *x.problem;
  if (x.role != Pass::wgrad || !x.is_convolution || problem.rank < 3) return true;
  return !x.by_heuristic && problem.kernel_h > 1 &&
         std::min(problem.in_channels, problem.out_channels) >= 16;
}

}  // namespace

bool keeps_tensors_padded(const Layer& layer) {
  return layer.kernels == KernelSource::inference_engine || element_byte(layer.dtypes.input) <= 1;
}

bool runs_as_product_of_rows(const Problem& problem) {
  const auto is_in_vectors = [](double channels) { return std::fmod(channels, 8) == 0; };
  if (!problem.convolves || problem.groups > 1 || !problem.nhwc || problem.taps > 1 ||
      problem.stride > 1)
    return false;
  if (problem.element_byte == 8) return true;
  return problem.is_fwd() && problem.element_byte == 2 &&
         !(is_in_vectors(problem.in_channels) && is_in_vectors(problem.out_channels));
}

bool has_ragged_rows(const LayerProduct& x) {
  return x.element_byte <= 1 && !x.is_convolution && std::fmod(x.n, 16) != 0;
}

LayerProduct::LayerProduct(const Problem& asked) : problem(&asked) {
  role = asked.pass;
  element_byte = asked.element_byte;
  result_byte = asked.result_byte;
  useful_flop = asked.flop;
  is_convolution = asked.convolves;
  strided = asked.stride > 1;
  pointwise = asked.taps == 1 && !strided;
  by_heuristic = asked.kernels == KernelSource::heuristic;
  read_byte = asked.streams.read_byte;
  write_byte = asked.streams.write_byte;
}

LayerProduct layer_product(const Problem& problem, const EngineModel& model, Operands operands) {
  const Layer& layer = *problem.layer;
  const Engine engine = model.engine;
  LayerProduct x(problem);
  const double align = facts_of(engine).channel_alignment;
  // An inference engine has 16-bit kernels for its chosen layouts.
  const bool wants_nhwc =
      engine == Engine::tf32 ||
      (is_tensor_engine(engine) && usual_layout(layer.dtypes.input) == Layout::nhwc &&
       problem.kernels != KernelSource::inference_engine);
  x.channels_first = wants_nhwc && !problem.nhwc;
  if (!problem.convolves) {
    set_plain(x, layer, align);
    return x;
  }
  // Tensor cores read tensors with channels innermost, or copies in this order.
  x.read_byte += skipped_byte(problem, align > 1 ? 3 : 2);
  set_matrices(x, align, model, operands);
  if (operands == Operands::folded) fold(x, align);
  // Over one position libraries run a matrix product in either layout; for fp32 (NCHW) only weight
  // gradients, the others on cuDNN's own kernels.
  const bool one_position = problem.input_positions * problem.output_positions == 1;
  const bool has_product = align > 1 || problem.element_byte == 8;
  if (x.pointwise && one_position && (has_product || x.role == Pass::wgrad))
    x.is_convolution = false;
  if (has_product && operands == Operands::as_rows) {
    set_product_of_rows(x, align);
    return x;
  }
  if (!x.pointwise || !x.is_convolution || !model.features[LibraryFeature::products_of_images])
    return x;
  if (operands != Operands::as_they_are) return x;
  if (x.channels_first) set_products_of_images(x);
  const double row_byte = row_byte_of(x.element_byte, problem.in_channels, problem.out_channels);
  if (problem.nhwc && x.padded_tensors > 0) {
    x.row_byte = row_byte;
    x.padded_tensors = x.pad_element = 0;
  }
  return x;
}

LayerProduct scattered(const LayerProduct& dgrad) {
  LayerProduct x = dgrad;
  set_outputs_by_taps(x);
  x.m = x.problem->batch * round_up(x.problem->output_positions, x.problem->row_multiple);
  x.k = x.problem->out_channels;
  x.k_is = "output channels";
  x.scattered = true;
  x.leaves_zeros = true;  // sums start from zero
  return x;
}

bool fits_newest(const LayerProduct& x, const ResolvedModel& model, bool on_tensor) {
  const Problem& problem = *x.problem;
  const SelectionConstants& newest = model.constants->values.selection;
  if (!on_tensor && x.role == Pass::fwd) return problem.taps <= newest.most_taps;
  if (!on_tensor) return problem.rank < 3 || x.role == Pass::wgrad;
  constexpr double most_phases = 8;
  return (!x.strided_dgrad() || x.count <= most_phases) &&
         problem.dilation <= newest.near_dilation &&
         (x.role == Pass::dgrad ? x.k_runs : problem.taps) <= newest.most_taps;
}

bool picks_wide_tiles(const LayerProduct& x, const SelectionConstants& selection) {
  return x.by_heuristic && x.role == Pass::fwd && x.problem->taps > selection.most_taps;
}

TileProduct tile_product(const LayerProduct& x, const ResolvedModel& model,
                         const EngineModel& engine, bool older) {
  const Problem& problem = *x.problem;
  const bool on_tensor = is_tensor_engine(engine.engine);
  TileProduct product;
  static_cast<MatrixProduct&>(product) = x;
  product.kernels = !x.is_convolution            ? ProductKernels::gemm_library
                    : older && x.strided_dgrad() ? ProductKernels::older_strided
                    : older                      ? ProductKernels::older
                                                 : ProductKernels::convolution;
  product.follows_window = !x.pointwise;
  const bool own_phases = x.strided_dgrad() && x.count > 1 && !older &&
                          !model.constants->tiles[TileList::tensor_strided_dgrad].empty();
  product.follows_volume = !x.pointwise && (problem.rank == 3 || own_phases);
  // Over strided, dilated windows of images the newest kernels load as if they gathered three.
  const bool gathers =
      !older && x.strided_dgrad() && problem.dilation > 1 && problem.rank == 2 && on_tensor;
  product.gather_vector = x.gathered ? x.gather_vector : gathers ? 3 : 0;
  product.first_layer = x.pads_image;
  // One-byte types have special tiles for these rows.
  if (on_tensor && x.element_byte > 1) product.row_byte = x.row_byte;
  product.persistent = problem.kernels == KernelSource::inference_engine;
  product.converts = x.sums_products;
  // Those for any window do not split, on GPUs that have no other kernels either.
  const bool for_any_window = older || (on_tensor && !fits_newest(x, model, on_tensor));
  product.may_split =
      (x.role == Pass::wgrad || engine.features[LibraryFeature::split_k] || !x.is_convolution) &&
      !(for_any_window && x.role != Pass::wgrad) && !(on_tensor && has_ragged_rows(x)) &&
      (older || on_tensor || splits_sum(x));
  if (x.is_convolution && x.role == Pass::wgrad && !x.gathered && on_tensor) {
    product.most_splits = model.constants->values.selection.wgrad_splits;
    product.converts = product.converts || engine.features[LibraryFeature::converts_wgrad];
  }
  if (x.by_heuristic && x.is_convolution && on_tensor) {
    product.faster_tiles =
        picks_wide_tiles(x, model.constants->values.selection) ? 0 : heuristic_tile;
    product.most_splits = std::min(product.most_splits, heuristic_splits);
  }
  // The GEMM library splits a vector-engine product only until every SM has a block.
  if (!x.is_convolution && !on_tensor) product.most_split_blocks = model.machine.sm_count;
  return product;
}

double patch_share(const LayerProduct& x, double outputs) {
  const Problem& problem = *x.problem;
  const double columns = std::min(problem.out_w, std::ceil(std::sqrt(outputs)));
  const double rows = std::min(problem.out_h, std::ceil(outputs / columns));
  const double stride = std::sqrt(problem.stride);
  const double patch = ((rows - 1) * stride + (problem.kernel_h - 1) * problem.dilation + 1) *
                       ((columns - 1) * stride + (problem.kernel_w - 1) * problem.dilation + 1);
  return std::min(1.0, patch / (rows * columns * problem.taps));
}

}  // namespace roofline
