#include "kernel/streaming/layer_norm_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/machine/occupancy.hpp"
#include "kernel/streaming/reduction.hpp"

namespace roofline {
namespace {

constexpr std::uint32_t row_threads = 128;
/// That the clocks of a row are stated for: as many as 2048 threads make.
constexpr double most_row_blocks = 16;
/// Registers of a thread, by the width of the elements, as recorded on an H100.
constexpr std::uint32_t forward_registers_32bit = 40;
constexpr std::uint32_t row_registers = 32;

constexpr double column_block = 32;
constexpr double rows_of_shared_columns = 65536;
constexpr double most_shared_blocks = 32768;

template <class Trace>
class LayerNormKernels : StreamFormulas<Trace> {
  using Formulas = StreamFormulas<Trace>;
  using Formulas::inputs;
  using Formulas::k;
  using Formulas::machine;
  using Formulas::p;
  using Formulas::trace;
  using typename Formulas::Number;
  using typename Formulas::Work;

 public:
  // cppcheck-suppress uninitDerivedMemberVar ; its members are references, which are copied
  explicit LayerNormKernels(const Formulas& formulas)
      : Formulas(formulas), rows_(p.input_element / p.channels) {}

  std::vector<Work> forward() const {
    return {is_ragged() ? ragged() : by_rows(k.layer_norm, forward_row_clock(), p.streams)};
  }

  std::vector<Work> backward() const {
    std::vector<Work> works{by_rows(k.layer_norm_backward, k.layer_norm_backward_row_clock,
                                    {2 * p.input_byte, p.input_byte})};
    const double columns = std::ceil(p.channels / column_block);
    const bool shared =
        rows_ > rows_of_shared_columns && columns < std::floor(machine.sm_count / 2);
    if (!shared) {
      works.push_back(by_columns(columns));
      return works;
    }
    const double sharing =
        std::min(std::ceil(rows_ / 32), std::floor(most_shared_blocks / columns));
    works.push_back(by_shared_columns());
    const Work sums = reduction<Trace>(*this, partial_sums(sharing));
    works.insert(works.end(), {sums, sums});
    return works;
  }

 private:
  bool is_ragged() const { return std::fmod(p.channels, 4) != 0; }

  const double& forward_row_clock() const {
    return p.layer->kind == LayerKind::rms_norm ? k.rms_norm_row_clock : k.layer_norm_row_clock;
  }

  double resident_blocks() const {
    const bool wide = !p.backward() && element_byte(p.layer->dtypes.input) > 2;
    const std::uint32_t registers = wide ? forward_registers_32bit : row_registers;
    return std::max(1.0,
                    static_cast<double>(occupancy(machine.sm, {row_threads, registers, 0}).blocks));
  }

  Work start_of(const StreamKernel& kernel, const Streams& streams) const {
    Work work = Formulas::start_of(
        kernel, p.backward() ? Algorithm::layer_norm_backward : Algorithm::layer_norm);
    work.streams = streams;
    return work;
  }

  Work by_rows(const StreamKernel& kernel, const double& row_clock, Streams streams) const {
    const double resident = resident_blocks();
    streams.again_byte = (p.backward() ? 2 : 1) * p.input_byte;
    streams.between_byte = std::min(1.0, resident * machine.sm_count / rows_) *
                           (streams.read_byte + streams.write_byte);
    Work work = start_of(kernel, streams);
    work.blocks = rows_;
    work.threads = row_threads;
    const Number row = trace.named("elements of a row", p.channels, "", "layer");
    const Number rows = trace.named("rows", rows_, "", "layer");
    const Number fewer = trace.factor("16 blocks / those that an SM holds",
                                      std::max(1.0, most_row_blocks / resident));
    work.clocks = (inputs() * trace(kernel.element_clock) + rows * trace(row_clock)) * fewer;
    work.round_trips =
        trace(kernel.round_trips) + divide_up(row, 512) * trace(k.row_step_round_trip);
    return work;
  }

  /// Rows that are no whole vectors: one kernel for the sums, one for the results.
  Work ragged() const {
    Work work = start_of(k.layer_norm_ragged, p.streams);
    const Number row = trace.named("elements of a row", p.channels, "", "layer");
    const Number rows = trace.named("rows", rows_, "", "layer");
    work.clocks = inputs() * trace(k.layer_norm_ragged.element_clock) +
                  rows * trace(k.layer_norm_ragged_row_clock);
    work.round_trips =
        trace(k.layer_norm_ragged.round_trips) + divide_up(row, 512) * trace(k.row_step_round_trip);
    work.kernels = 2;
    return work;
  }

  Work parameters() const {
    Work work = start_of(k.layer_norm_parameters, {2 * p.input_byte, 0});
    work.clocks = inputs() * trace(k.layer_norm_parameters.element_clock);
    return work;
  }

  Work by_columns(double columns) const {
    Work work = parameters();
    const double threads_down = rows_ < 64 ? 1 : rows_ < 128 ? 8 : rows_ < 256 ? 16 : 32;
    work.blocks = columns;
    work.threads = column_block * threads_down;
    work.idle = trace.factor("whole waves / waves",
                             std::ceil(columns / machine.sm_count) * machine.sm_count / columns);
    const Number steps =
        trace.named("steps of a block", divide_up(rows_, 8 * threads_down), "", "layer");
    work.round_trips = steps * trace(k.layer_norm_parameters.round_trips);
    return work;
  }

  Work by_shared_columns() const {
    Work work = parameters();
    work.threads = column_block;
    return work;
  }

  /// What each of the blocks that share columns has found.
  Layer partial_sums(double sharing) const {
    Layer layer;
    layer.kind = LayerKind::reduce;
    layer.dtypes = p.layer->dtypes;
    const auto channels = static_cast<std::uint64_t>(p.channels);
    layer.inputs = {{{static_cast<std::uint64_t>(sharing), channels}, std::nullopt, false}};
    layer.output = {1, channels};
    return layer;
  }

  double rows_;
};

}  // namespace

template <class Trace>
std::vector<ThroughputWork<NumberOf<Trace>>> layer_norm(const StreamFormulas<Trace>& f) {
  const LayerNormKernels<Trace> kernels(f);
  return f.p.backward() ? kernels.backward() : kernels.forward();
}

template std::vector<ThroughputWork<double>> layer_norm(const StreamFormulas<Planning>&);
template std::vector<ThroughputWork<Traced>> layer_norm(const StreamFormulas<Explaining>&);

}  // namespace roofline
