#include "kernel/streaming/streaming_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/layer_sizes.hpp"
#include "kernel/streaming/group_norm_kernel.hpp"
#include "kernel/streaming/layer_norm_kernel.hpp"
#include "kernel/streaming/pool_kernel.hpp"
#include "kernel/streaming/reduction.hpp"

namespace roofline {
namespace {

bool same_shapes(const Layer& layer) {
  for (const Operand& operand : layer.inputs)
    if (!(operand.shape == layer.output)) return false;
  return true;
}

/// Compilers and engines write kernels that go over all operands once, whatever they compute; their
/// pools do too, and keep no positions.
bool is_generated(const Layer& layer) {
  const bool pools = layer.kind == LayerKind::max_pool || layer.kind == LayerKind::avg_pool;
  switch (layer.kernels) {
    case KernelSource::library: return false;
    case KernelSource::compiler: return !pools || layer.pass == Pass::fwd;
    case KernelSource::inference_engine: return is_pointwise(layer.kind) || pools;
  }
  return false;
}

/// Of 512 threads with up to 64 registers, of a batch norm in training.
constexpr double kept_blocks = 2;

template <class Trace>
class StreamingKernels : StreamFormulas<Trace> {
  using Formulas = StreamFormulas<Trace>;
  using Formulas::inputs;
  using Formulas::k;
  using Formulas::machine;
  using Formulas::outputs;
  using Formulas::p;
  using Formulas::rates;
  using Formulas::trace;
  using typename Formulas::Number;
  using typename Formulas::Work;

 public:
  // cppcheck-suppress uninitDerivedMemberVar ; its members are references, which are copied
  explicit StreamingKernels(const Formulas& formulas) : Formulas(formulas) {}

  /// One after the other.
  std::vector<Work> works() const {
    if (is_generated(*p.layer)) return {generated()};
    switch (p.layer->kind) {
      case LayerKind::layer_norm:
      case LayerKind::rms_norm: return layer_norm<Trace>(*this);
      case LayerKind::max_pool:
      case LayerKind::avg_pool: return pool<Trace>(*this);
      default: return {work()};
    }
  }

 private:
  Work work() const {
    switch (p.layer->kind) {
      case LayerKind::add:
      case LayerKind::sub:
      case LayerKind::mul:
      case LayerKind::div: return combine();
      case LayerKind::copy: return copy();
      case LayerKind::embedding:
      case LayerKind::gather: return p.backward() ? scatter() : gather();
      case LayerKind::scatter: return scatter();
      case LayerKind::global_avg_pool:
      case LayerKind::reduce: return p.backward() ? spread() : reduction<Trace>(*this);
      case LayerKind::group_norm: return group_norm<Trace>(*this);
      case LayerKind::instance_norm: return instance_norm();
      case LayerKind::concat: return concat();
      case LayerKind::batch_norm: return batch_norm();
      case LayerKind::softmax: return softmax();
      case LayerKind::upsample: return upsample();
      default: return activation();
    }
  }

  Work start_of(const StreamKernel& kernel, Algorithm algorithm) const {
    Work work = Formulas::start_of(kernel, algorithm);
    work.round_trips = trace(kernel.round_trips);
    return work;
  }

  /// The same with what each output costs.
  Work work_of(const StreamKernel& kernel, Algorithm algorithm) const {
    Work work = start_of(kernel, algorithm);
    work.clocks = outputs() * trace(kernel.element_clock);
    return work;
  }

  Number share_of_sms(const Number& blocks) const {
    return trace.factor("share of SMs with a block", min({1, blocks / rates.sm_count}));
  }

  /// Of an element's arithmetic. Sixteen-bit elements are widened, computed in fp32, narrowed.
  const double& function_clock() const {
    switch (info(p.layer->kind).cost) {
      case ElementCost::exponential:
      case ElementCost::several:
      case ElementCost::any: return k.exponential_clock;
      case ElementCost::erf: return k.erf_clock;
      case ElementCost::own:
      case ElementCost::simple:
      case ElementCost::scaled: break;
    }
    return k.simple_clock;
  }

  /// Where operands and result do not lie alike: an element at a time.
  Work in_another_order() const {
    return p.layer->access == Access::transposed
               ? work_of(k.transposed, Algorithm::transposed_elementwise)
               : work_of(k.permuted, Algorithm::strided_elementwise);
  }

  bool lies_alike() const {
    return p.layer->access.value_or(Access::contiguous) == Access::contiguous;
  }

  /// Casts to 16 bits from 32 have kernels that load vectors; others go an element at a time.
  Work copy() const {
    const DataTypes& types = p.layer->dtypes;
    const bool widens = p.layer->kernels == KernelSource::library && types.input != types.output &&
                        !(types.input == DataType::fp32 && element_byte(types.output) == 2);
    return widens || !lies_alike() ? in_another_order() : activation();
  }

  /// A block brings each row, in vectors of 16 byte; others go an element at a time.
  Work gather() const {
    const double features = static_cast<double>(p.layer->output.channels);
    if (std::fmod(features * element_byte(p.layer->dtypes.output), 16) != 0)
      return in_another_order();
    Work work = start_of(k.vectorized_several, Algorithm::row_gather);
    const Number rows = trace.named("rows", p.output_element / features, "", "layer");
    work.blocks = value_of(rows);
    work.clocks = rows * trace(k.gather_row_clock);
    return work;
  }

  Work scatter() const {
    Work work = start_of(k.permuted, Algorithm::strided_elementwise);
    work.clocks = inputs() * trace(k.scatter_element_clock);
    return work;
  }

  /// A batch norm of one image that has the channels of all, with copies of the parameters for
  /// each.
  Work instance_norm() const {
    Work work = over_channels(
        p.backward() ? k.norm_backward_nchw : k.norm_statistics_nchw,
        p.backward() ? Algorithm::batch_norm_backward_nchw : Algorithm::batch_norm_training_nchw);
    // Copies of two parameters; in 16 bits the forward pass is three kernels of PyTorch's.
    work.kernels = is_16bit() && !p.backward() ? 5 : 3;
    if (is_nhwc(*p.layer)) {
      const double copies = p.backward() ? 2 : 1;
      work.kernels += copies;
      work.copy_clocks = copies * inputs() * trace(k.transposed.element_clock);
    }
    return work;
  }

  Work activation() const {
    if (!lies_alike()) return in_another_order();
    if (info(p.layer->kind).cost == ElementCost::scaled && !p.backward())
      return work_of(k.broadcast, Algorithm::broadcast_elementwise);
    Work work = start_of(p.backward() ? k.vectorized_several : k.vectorized,
                         Algorithm::vectorized_elementwise);
    const Number clock = trace(function_clock());
    work.clocks = outputs() * (p.backward() ? clock * trace(k.backward_ratio) : clock);
    return work;
  }

  Work generated() const {
    Work work = start_of(k.vectorized_several, Algorithm::vectorized_elementwise);
    work.clocks = outputs() * trace(function_clock());
    return work;
  }

  Work combine() const {
    if (!lies_alike()) return in_another_order();
    if (!same_shapes(*p.layer)) return work_of(k.broadcast, Algorithm::broadcast_elementwise);
    Work work = start_of(k.vectorized_several, Algorithm::vectorized_elementwise);
    work.clocks = outputs() * trace(k.simple_clock);
    return work;
  }

  Work batch_norm() const {
    if (p.backward())
      return over_channels(
          p.nhwc ? k.norm_backward_nhwc : k.norm_backward_nchw,
          p.nhwc ? Algorithm::batch_norm_backward_nhwc : Algorithm::batch_norm_backward_nchw);
    if (p.layer->batch_statistics)
      return over_channels(
          p.nhwc ? k.norm_statistics_nhwc : k.norm_statistics_nchw,
          p.nhwc ? Algorithm::batch_norm_training_nhwc : Algorithm::batch_norm_training_nchw);
    return p.nhwc ? batch_norm_nhwc() : batch_norm_nchw();
  }

  /// A batch norm that needs the sums over a channel first, backward over the gradient and the
  /// saved input.
  Work over_channels(const StreamKernel& kernel, Algorithm algorithm) const {
    Work work = work_of(kernel, algorithm);
    const double read_byte = (p.backward() ? 2 : 1) * p.input_byte;
    if (p.nhwc) {
      work.streams = {2 * read_byte, p.input_byte};
      work.kernels = 2;
      // Blocks span 128 byte of channels. Where there are fewer, the threads beyond them do
      // nothing, and those that work have more positions in turn.
      const double span = 128 / element_byte(p.layer->dtypes.input);
      work.filled = trace.factor("share of rates that few channels reach",
                                 std::sqrt(p.channels / round_up(p.channels, span)), "", "layer");
      return work;
    }
    work.streams = {read_byte, p.input_byte};
    const Number channels = trace.named("channels", p.channels, "", "layer");
    work.blocks = p.channels;
    work.idle = 1 / share_of_sms(channels);
    const Number of_channels = channels * trace(k.norm_channel_clock);
    if (keeps_channel()) {
      // Sixteen-bit elements are taken two at a time.
      work.clocks = work.clocks * (is_16bit() ? 0.5 : 1) + of_channels;
      const double waves = p.channels / (kept_blocks * machine.sm_count);
      work.filled = trace.factor("share of whole waves", waves > 1 ? waves / std::ceil(waves) : 1);
    } else {
      work.clocks = work.clocks + of_channels;
      walk_again(work);
    }
    // What few blocks have under way says all of how slow memory is; arithmetic is on their SMs.
    const double width = !keeps_channel() && is_16bit() ? 0.5 : 1;
    work.in_flight_byte = min({trace(kernel.in_flight_byte) * width * channels,
                               trace(k.norm_in_flight_byte) * rates.sm_count});
    return work;
  }

  bool is_16bit() const { return element_byte(p.layer->dtypes.input) <= 2; }

  /// cuDNN's kernel of a block a channel keeps what it has read of it in shared memory, of which
  /// two blocks share an SM's: on an H100 up to 104 KB, and in 16 bits in registers too, 170 KB
  /// together. Larger channels are read twice, as all are by MIOpen and by PyTorch's 16-bit
  /// instance norm.
  bool keeps_channel() const {
    const bool by_cudnn = info(machine.architecture).vendor == info(Architecture::hopper).vendor &&
                          !(is_16bit() && p.layer->kind == LayerKind::instance_norm);
    const double shared_byte = std::min(104e3, machine.sm.shared_byte / kept_blocks);
    const double kept_byte = (p.backward() ? 2 : 1) * p.input_byte / p.channels;
    return by_cudnn && kept_byte <= shared_byte * (is_16bit() ? 1.6 : 1);
  }

  void walk_again(Work& work) const {
    work.streams.again_byte = work.streams.read_byte;
    const double resident = std::min(1.0, 2 * kept_blocks * machine.sm_count / p.channels);
    work.streams.between_byte = resident * (work.streams.read_byte + work.streams.write_byte);
  }

  /// A block spans 32 channels, with at most 128 blocks over the positions. Where that leaves fewer
  /// than four an SM, the rates fall with the root of their number.
  Work batch_norm_nhwc() const {
    Work work = work_of(k.norm_nhwc, Algorithm::bn_fw_inf_nhwc);
    const Number resident =
        trace.named("resident blocks", 128 * divide_up(Number(p.channels), 32), "");
    work.filled = trace.factor("share of rates that few blocks reach",
                               sqrt(min({1, resident / (4 * rates.sm_count)})));
    return work;
  }

  /// One block walks the positions of one channel of one image, 512 elements a step.
  Work batch_norm_nchw() const {
    Work work = work_of(k.norm_nchw, Algorithm::bn_fw_inf_nchw);
    work.blocks = p.batch * p.channels;
    const Number blocks = trace.named("blocks", Number(p.batch) * p.channels);
    work.clocks = max({work.clocks, blocks * trace(k.norm_nchw_block_clock)});
    work.busy = share_of_sms(blocks);
    const Number steps = trace.named("steps of a block", divide_up(Number(p.input_positions), 512));
    work.round_trips = work.round_trips + steps * 0.5;
    return work;
  }

  /// PyTorch joins the operands in one kernel whose grid gives every operand as many blocks as the
  /// largest one needs, up to 32 an SM; those that find nothing to copy still have to start. With
  /// many small operands beside a large one the starting of blocks is the time.
  Work concat() const {
    Work work = p.nhwc ? work_of(k.concat_nhwc, Algorithm::cat_copy_nhwc)
                       : work_of(k.concat_nchw, Algorithm::cat_copy_nchw);
    double largest = 0;
    for (const Operand& operand : p.layer->inputs)
      largest = std::max(largest, element_count(operand.shape));
    const auto operands = static_cast<double>(p.layer->inputs.size());
    const Number blocks = trace.named("blocks an operand",
                                      min({divide_up(Number(largest), 512), 32 * rates.sm_count}));
    work.floor_s = trace.named(
        "starts of blocks",
        operands * blocks * (trace(k.concat_block_clock) / rates.issue_clock_per_s), "s");
    return work;
  }

  /// The gradient of each sum goes to all of its elements.
  Work spread() const {
    Work work = start_of(k.broadcast, Algorithm::broadcast_elementwise);
    work.clocks = inputs() * trace(k.broadcast.element_clock);
    return work;
  }

  /// Each thread of the NCHW kernel makes the same place of all planes, one after the other; the
  /// gradient is added up by atomics, which meet where neighbours are made of the same element.
  Work interpolated() const {
    Work work = start_of(
        p.nhwc ? k.upsample_nhwc : k.upsample_nchw,
        p.nhwc ? Algorithm::upsample_interpolated_nhwc : Algorithm::upsample_interpolated_nchw);
    const double taps = p.layer->interpolation == Interpolation::bicubic ? 16 : 4;
    const Number made = trace.named("interpolated elements", p.output_element, "", "layer");
    work.clocks = made * taps * trace(k.upsample_tap_clock);
    if (p.backward()) {
      const double columns = static_cast<double>(p.layer->inputs.front().shape.spatial[2]);
      const double made_columns = static_cast<double>(p.layer->output.spatial[2]);
      // Atomics of 16 bits are of pairs. In NHWC a warp's are of different channels.
      const double pair = element_byte(p.layer->dtypes.input) == 2 ? 2 : 1;
      const double meeting = std::max(1.0, made_columns / columns / 1.4) * pair;
      work.clocks = work.clocks * trace.factor("atomics that meet",
                                               p.nhwc ? std::sqrt(meeting) : meeting, "", "layer");
      work.kernels = 2;  // the gradient is cleared first
    } else if (!p.nhwc) {
      const Number planes = trace.named("planes", p.batch * p.channels, "", "layer");
      work.l2_round_trips = planes * (taps / 4) * trace(k.upsample_plane_round_trip);
    }
    return work;
  }

  Work upsample() const {
    if (p.layer->interpolation.value_or(Interpolation::nearest) != Interpolation::nearest)
      return interpolated();
    if (p.backward()) return work_of(k.upsample_nchw, Algorithm::upsample_nearest_nchw);
    return p.nhwc ? work_of(k.upsample_nhwc, Algorithm::upsample_nearest_nhwc)
                  : work_of(k.upsample_nchw, Algorithm::upsample_nearest_nchw);
  }

  /// Rows of features: a warp or a block makes one row, so short rows pay for their reductions.
  Work softmax() const {
    const bool warp = p.channels <= 2048;
    Work work = warp ? work_of(k.softmax_warp, Algorithm::softmax_warp)
                     : work_of(k.softmax_block, Algorithm::softmax_block);
    if (p.backward()) {
      // PyTorch multiplies gradient and result in a kernel of its own first.
      work.streams = {4 * p.input_byte, 2 * p.input_byte};
      work.kernels = 2;
    }
    const Number row = trace.named("elements of a row", p.channels, "", "layer");
    // A lane of the warp holds every 32nd element of the row and walks them three times.
    work.round_trips =
        work.round_trips + (warp ? divide_up(row, 32) * trace(k.softmax_lane_round_trip)
                                 : 3 * divide_up(row, 8192) * trace(k.row_step_round_trip));
    return work;
  }
};

}  // namespace

template <class Trace>
KernelPlan streaming_plan(const Layer& layer, const Counts& counts, Engine engine,
                          const ResolvedModel& model, CacheState cache, Trace& trace) {
  const auto flop_s = practical_flop_s(counts, engine_model(model, engine), trace);
  const auto rates = machine_rates(model.machine, trace);
  const StreamProblem problem = stream_problem(layer, counts);
  const StreamingKernels<Trace> kernels(
      {problem, model.constants->values.streaming, rates, model.machine, trace});
  return throughput_plan<Trace>(kernels.works(), flop_s, rates, model, cache, trace);
}

template KernelPlan streaming_plan(const Layer&, const Counts&, Engine, const ResolvedModel&,
                                   CacheState, Planning&);
template KernelPlan streaming_plan(const Layer&, const Counts&, Engine, const ResolvedModel&,
                                   CacheState, Explaining&);

}  // namespace roofline
