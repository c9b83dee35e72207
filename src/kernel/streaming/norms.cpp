// Norms, as PyTorch and cuDNN run them.
//
// Layer and RMS norms (ATen/native/cuda/layer_norm_kernel.cu): forward and for the input's
// gradient, each block of 128 threads has a row and walks over it twice, for sums and for results.
// With few resident blocks a row's time is hardly hidden; with many, and long rows, the second walk
// finds nothing in L2.
//
// The parameters' gradients are sums over rows. A block of 32 columns walks down all rows, 256 at a
// time if there are enough, so 32 columns keep a single SM busy. Above 65,536 rows, blocks share
// the columns, and reductions add their results.
//
// Example (H100): 8,192 rows of 768 in fp16 are 24 blocks with 32 steps of 256 rows, 0.8 us each,
// on 24 of 132 SMs, longer than the gradient of the input on all SMs.
//
// Group norms go channel by channel in NCHW. Forward, a block walks each group for its mean and
// deviation, and a second pass over the image scales it. Backward, a block walks each channel of an
// image for the gradient's two sums, a second pass makes the gradient, and others the parameters'.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "kernel/streaming/stream_formulas.hpp"
#include "model/layer_kind.hpp"

namespace roofline {
namespace {

constexpr std::uint32_t row_threads = 128;
/// Basis of a row's clocks: the blocks in 2048 threads.
constexpr double most_row_blocks = 16;
/// Registers per thread, by the width of the elements, as recorded on an H100.
constexpr std::uint32_t forward_registers_32bit = 40;
constexpr std::uint32_t row_registers = 32;

constexpr double column_block = 32;
constexpr double rows_of_shared_columns = 65536;
constexpr double most_shared_blocks = 32768;

constexpr double group_threads = 512;

/// A block of 512 threads with up to 64 registers, for a batch norm in training.
constexpr double kept_blocks = 2;

template <class Number>
class NormKernels : StreamFormulas<Number> {
  using Formulas = StreamFormulas<Number>;
  using Formulas::constants;
  using Formulas::eval;
  using Formulas::inputs;
  using Formulas::machine;
  using Formulas::problem;
  using Formulas::rates;
  using Formulas::work_of;
  using typename Formulas::Work;

 public:
  // cppcheck-suppress uninitDerivedMemberVar ; its members are references, which are copied
  explicit NormKernels(const Formulas& formulas)
      : Formulas(formulas),
        row_(problem.layer->norm_elements > 0 ? static_cast<double>(problem.layer->norm_elements)
                                              : problem.channels),
        rows_(problem.input_element / row_) {}

  Works<Number> works() const {
    switch (info(problem.layer->kind).reach) {
      case Reach::place: return {batch_norm()};
      case Reach::plane: return with_copy(instance_norm());
      case Reach::group: return with_copy(group_norm());
      case Reach::row:
        return problem.backward() ? layer_norm_backward() : Works<Number>{layer_norm()};
      case Reach::moved:
      case Reach::window: break;
    }
    return {};
  }

 private:
  /// Rows of no whole vectors: the kernel of group norms for sums, and one like it for results.
  Work layer_norm() const {
    Work work = by_rows(constants.layer_norm, constants.layer_norm_row_clock, problem.streams);
    if (std::fmod(row_, 4) == 0) return work;
    work.kernels = 2;
    work.clocks = inputs() * eval(constants.group_norm.element_clock) +
                  Number(work.kernels * rows_) * eval(constants.group_norm.row_clock);
    return work;
  }

  Works<Number> layer_norm_backward() const {
    Works<Number> works{by_rows(constants.layer_norm_backward,
                                constants.layer_norm_backward_row_clock,
                                {2 * problem.input_byte, problem.input_byte})};
    const double columns = std::ceil(row_ / column_block);
    const bool shared =
        rows_ > rows_of_shared_columns && columns < std::floor(machine.sm_count / 2);
    if (!shared) {
      works.push_back(by_columns(columns));
      return works;
    }
    const double sharing =
        std::min(std::ceil(rows_ / 32), std::floor(most_shared_blocks / columns));
    works.push_back(parameters());
    works.back().threads = column_block;
    const Layer partial = partial_sums(sharing);
    const double type_byte = element_byte(problem.layer->dtypes.input);
    const double sum_byte = element_byte(problem.layer->dtypes.output);
    const Work sums = reduction<Number>(*this, partial,
                                        {element_count(partial.inputs.front().shape) * type_byte,
                                         element_count(partial.output) * sum_byte});
    works.insert(works.end(), {sums, sums});
    return works;
  }

  double resident_blocks() const {
    const bool wide = !problem.backward() && !problem.is_16bit();
    const std::uint32_t registers = wide ? forward_registers_32bit : row_registers;
    return std::max(1.0,
                    static_cast<double>(occupancy(machine.sm, {row_threads, registers, 0}).blocks));
  }

  Work start_of(const StreamKernel& kernel, const Streams& streams) const {
    Work work = Formulas::start_of(
        kernel, problem.backward() ? Algorithm::layer_norm_backward : Algorithm::layer_norm);
    work.streams = streams;
    return work;
  }

  Work by_rows(const StreamKernel& kernel, const double& row_clock, Streams streams) const {
    const double resident = resident_blocks();
    streams.again_byte = (problem.backward() ? 2 : 1) * problem.input_byte;
    streams.between_byte = std::min(1.0, resident * machine.sm_count / rows_) *
                           (streams.read_byte + streams.write_byte);
    Work work = start_of(kernel, streams);
    work.blocks = rows_;
    work.threads = row_threads;
    const Number row = eval.named("elements of a row", row_, "", "layer");
    const Number rows = eval.named("rows", rows_, "", "layer");
    const Number fewer = eval.factor("16 blocks / those that an SM holds",
                                     std::max(1.0, most_row_blocks / resident));
    const bool one_sum = problem.layer->kind == LayerKind::rms_norm && !problem.backward();
    const Number sums = eval.factor("one sum of a row, not two", one_sum ? 0.5 : 1);
    work.clocks = (inputs() * eval(kernel.element_clock) + rows * eval(row_clock) * sums) * fewer;
    work.round_trips =
        eval(kernel.round_trips) + divide_up(row, 512) * eval(constants.broadcast.round_trips);
    return work;
  }

  Work parameters() const {
    Work work = start_of(constants.layer_norm_parameters, {2 * problem.input_byte, 0});
    work.clocks = inputs() * eval(constants.layer_norm_parameters.element_clock);
    return work;
  }

  Work by_columns(double columns) const {
    Work work = parameters();
    const double threads_down = rows_ < 64 ? 1 : rows_ < 128 ? 8 : rows_ < 256 ? 16 : 32;
    work.blocks = columns;
    work.threads = column_block * threads_down;
    work.idle = eval.factor("whole waves / waves",
                            std::ceil(columns / machine.sm_count) * machine.sm_count / columns);
    const Number steps =
        eval.named("steps of a block", divide_up(rows_, 8 * threads_down), "", "layer");
    work.round_trips = steps * eval(constants.layer_norm_parameters.round_trips);
    return work;
  }

  Layer partial_sums(double sharing) const {
    Layer layer;
    layer.kind = LayerKind::reduce;
    layer.dtypes = problem.layer->dtypes;
    const auto elements = static_cast<std::uint64_t>(row_);
    layer.inputs = {{{static_cast<std::uint64_t>(sharing), elements}, std::nullopt, false}};
    layer.output = {1, elements};
    return layer;
  }

  /// These norms have no channels last: forward, the image is copied to NCHW first.
  Works<Number> with_copy(const Work& work) const {
    Works<Number> works{work};
    if (!problem.backward() && is_nhwc(*problem.layer))
      works.push_back(Formulas::input_in_planes());
    return works;
  }

  /// Backward, the image and the gradient are copied.
  void add_copies(Work& work) const {
    if (!problem.backward() || !is_nhwc(*problem.layer)) return;
    constexpr double copies = 2;
    work.kernels += copies;
    work.copy_clocks = copies * inputs() * eval(constants.transposed.element_clock);
  }

  Work group_norm() const {
    const bool forward = !problem.backward();
    const GroupNormKernel& kernel = forward ? constants.group_norm : constants.group_norm_backward;
    Work work = Formulas::start_of(
        kernel, forward ? Algorithm::group_norm : Algorithm::group_norm_backward);
    work.kernels = forward ? 3 : 5;
    if (forward) {  // a whole image lies between its two walks
      work.streams = {problem.input_byte, problem.input_byte};
      work.streams.again_byte = work.streams.between_byte = problem.input_byte;
    } else {
      work.streams = {4 * problem.input_byte, problem.input_byte};
    }

    const double row_elements =
        forward ? static_cast<double>(problem.layer->norm_elements) : problem.input_positions;
    const Number rows = eval.named(forward ? "groups of all images" : "channels of all images",
                                   problem.input_element / row_elements, "", "layer");
    const Number steps =
        eval.named("steps of a block", divide_up(row_elements, group_threads), "", "layer");
    work.blocks = value_of(rows);
    work.threads = group_threads;
    work.clocks = inputs() * eval(kernel.element_clock) + rows * eval(kernel.row_clock);
    if (forward)
      work.round_trips = steps * eval(kernel.step_round_trip);
    else
      work.l2_round_trips = steps * eval(kernel.step_round_trip);
    add_copies(work);
    return work;
  }

  Work batch_norm() const {
    if (problem.backward())
      return over_channels(
          problem.nhwc ? constants.norm_backward_nhwc : constants.norm_backward_nchw,
          problem.nhwc ? Algorithm::batch_norm_backward_nhwc : Algorithm::batch_norm_backward_nchw);
    if (problem.layer->batch_statistics)
      return over_channels(
          problem.nhwc ? constants.norm_statistics_nhwc : constants.norm_statistics_nchw,
          problem.nhwc ? Algorithm::batch_norm_training_nhwc : Algorithm::batch_norm_training_nchw);
    // For volumes in channels last, PyTorch has only an elementwise kernel.
    if (problem.nhwc && problem.is_16bit() && problem.layer->output.spatial_rank == 3)
      return work_of(constants.transposed, Algorithm::strided_elementwise);
    return problem.nhwc ? batch_norm_nhwc() : batch_norm_nchw();
  }

  /// A batch norm with sums over a channel first; backward over gradient and saved input.
  Work over_channels(const StreamKernel& kernel, Algorithm algorithm) const {
    Work work = work_of(kernel, algorithm);
    const double read_byte = (problem.backward() ? 2 : 1) * problem.input_byte;
    if (problem.nhwc) {
      work.streams = {2 * read_byte, problem.input_byte};
      work.kernels = 2;
      // Blocks span 128 byte of channels; with fewer channels, threads idle and others do more.
      const double span = 128 / element_byte(problem.layer->dtypes.input);
      work.filled =
          eval.factor("share of rates that few channels reach",
                      std::sqrt(problem.channels / round_up(problem.channels, span)), "", "layer");
      if (!problem.backward() && has_cudnn(machine) && !by_cudnn(true)) by_single_elements(work);
      return work;
    }
    work.streams = {read_byte, problem.input_byte};
    const Number channels = eval.named("channels", problem.channels, "", "layer");
    work.blocks = problem.channels;
    work.idle = 1 / share_of_sms(channels);
    const Number of_channels = channels * eval(constants.norm_channel_clock);
    if (keeps_channel()) {
      // Sixteen-bit elements are taken two at a time.
      work.clocks = work.clocks * (problem.is_16bit() ? 0.5 : 1) + of_channels;
      const double waves = problem.channels / (kept_blocks * machine.sm_count);
      work.filled = eval.factor("share of whole waves", waves > 1 ? waves / std::ceil(waves) : 1);
    } else {
      work.clocks = work.clocks + of_channels;
      walk_again(work);
      if (!problem.backward() && !by_cudnn(true)) {
        // A block walks its channel twice, for sums and for results.
        const Number steps = eval.named(
            "steps of a block", divide_up(problem.input_element / problem.channels, group_threads),
            "", "layer");
        work.round_trips = work.round_trips + steps * eval(constants.norm_step_round_trip);
      }
    }
    // The bytes in flight of few blocks already determine memory's time, whatever SMs are idle.
    const double width = !keeps_channel() && problem.is_16bit() ? 0.5 : 1;
    work.in_flight_byte =
        min({eval(kernel.in_flight_byte) * width * channels,
             eval(constants.norm_statistics_nhwc.in_flight_byte) * rates.sm_count});
    return work;
  }

  /// PyTorch's own kernels for channels last: sums, the running statistics, results. A thread loads
  /// one element at a time, not two as cuDNN's do. For volumes they walk NCDHW, so the input is
  /// copied first and the result copied back.
  void by_single_elements(Work& work) const {
    work.kernels = 3;
    work.start_s = Number(work.kernels / 2) * work.start_s;
    work.in_flight_byte = work.in_flight_byte * 0.5;
    work.clocks = work.clocks * 2;
    if (problem.layer->output.spatial_rank != 3) return;
    work.kernels += 2;
    work.copy_clocks = 2 * inputs() * eval(constants.transposed.element_clock);
  }

  /// cuDNN's kernel of one block per channel keeps its data in shared memory, with two blocks per
  /// SM: on an H100 up to 104 KB, in 16 bits also in registers, 170 KB together. Larger channels
  /// are read twice, as are all by MIOpen and by PyTorch's 16-bit instance norm.
  bool keeps_channel() const {
    const double shared_byte = std::min(104e3, machine.sm.shared_byte / kept_blocks);
    const double kept_byte = (problem.backward() ? 2 : 1) * problem.input_byte / problem.channels;
    return by_cudnn(false) && kept_byte <= shared_byte * (problem.is_16bit() ? 1.6 : 1);
  }

  /// PyTorch runs its own kernels for bf16, and for 16-bit instance norms; `large`: for instances
  /// beyond shared memory as well.
  bool by_cudnn(bool large) const {
    const bool instance = problem.layer->kind == LayerKind::instance_norm;
    const bool bf16 = problem.layer->dtypes.input == DataType::bf16;
    return has_cudnn(machine) && !(bf16 && !problem.backward()) &&
           !(instance && (large || problem.is_16bit()));
  }

  void walk_again(Work& work) const {
    work.streams.again_byte = work.streams.read_byte;
    const double resident = std::min(1.0, 2 * kept_blocks * machine.sm_count / problem.channels);
    work.streams.between_byte = resident * (work.streams.read_byte + work.streams.write_byte);
  }

  /// A block spans 32 channels, with at most 128 blocks over the positions. With fewer than four
  /// blocks per SM, the rates fall with the root of their number.
  Work batch_norm_nhwc() const {
    Work work = work_of(constants.norm_nhwc, Algorithm::bn_fw_inf_nhwc);
    const Number resident =
        eval.named("resident blocks", 128 * divide_up(Number(problem.channels), 32), "");
    work.filled = eval.factor("share of rates that few blocks reach",
                              sqrt(min({1, resident / (4 * rates.sm_count)})));
    return work;
  }

  /// One block walks the positions of one channel of one image, 512 elements a step. In 16 bits it
  /// has half the bytes in flight, and two kernels before it make means and deviations in fp32.
  Work batch_norm_nchw() const {
    Work work = work_of(constants.norm_nchw, Algorithm::bn_fw_inf_nchw);
    work.blocks = problem.batch * problem.channels;
    const Number blocks = eval.named("blocks", Number(problem.batch) * problem.channels);
    work.clocks = max({work.clocks, blocks * eval(constants.block_clock)});
    work.busy = share_of_sms(blocks);
    const Number steps =
        eval.named("steps of a block", divide_up(Number(problem.input_positions), 512));
    work.round_trips = work.round_trips + steps * 0.5;
    if (!problem.is_16bit()) return work;
    work.in_flight_byte = work.in_flight_byte * 0.5;
    // Means and deviations become fp32 by two kernels first, a chain of two steps each.
    work.kernels += 2;
    work.round_trips = work.round_trips + 4;
    return work;
  }

  /// A batch norm of one image with the channels of all, and copies of the parameters for each.
  Work instance_norm() const {
    Work work = over_channels(
        problem.backward() ? constants.norm_backward_nchw : constants.norm_statistics_nchw,
        problem.backward() ? Algorithm::batch_norm_backward_nchw
                           : Algorithm::batch_norm_training_nchw);
    // Copies of two parameters; in 16 bits the forward pass is three PyTorch kernels.
    work.kernels = problem.is_16bit() && !problem.backward() ? 5 : 3;
    add_copies(work);
    return work;
  }

  Number share_of_sms(const Number& blocks) const {
    return eval.factor("share of SMs with a block", min({1, blocks / rates.sm_count}));
  }

  double row_;  ///< elements that a layer norm divides by one mean
  double rows_;
};

}  // namespace

template <class Number>
Works<Number> norm(const StreamFormulas<Number>& f) {
  return NormKernels<Number>(f).works();
}

template Works<double> norm(const StreamFormulas<double>&);
template Works<Explained> norm(const StreamFormulas<Explained>&);

}  // namespace roofline
