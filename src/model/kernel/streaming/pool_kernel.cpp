#include "model/kernel/streaming/pool_kernel.hpp"

#include <algorithm>
#include <bit>

#include "model/kernel/layer_sizes.hpp"

namespace roofline {
namespace {

/// PyTorch's max pools write the position of each maximum as a 64-bit integer, wanted or not.
constexpr double index_byte = 8;

std::uint64_t power_of_two_at_most(std::uint64_t value) { return std::bit_floor(value); }

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Outputs that one thread of PyTorch's channels-innermost max pool makes in turn. Its blocks hold
/// up to 1024 threads over channels, columns and rows; each thread takes four channels where there
/// are that many, and two columns and two rows. At batch 1 few blocks result and this chain, not
/// the bytes, is the time.
double outputs_in_turn(const Layer& layer) {
  const std::uint64_t channels = layer.output.channels;
  const std::uint64_t columns = layer.output.spatial[2];
  const std::uint64_t rows = layer.output.spatial[1];
  const std::uint64_t x = std::min<std::uint64_t>(power_of_two_at_most(channels), 32);
  const std::uint64_t y = std::min(power_of_two_at_most(columns), 1024 / x);
  const std::uint64_t z = std::min({power_of_two_at_most(rows), 1024 / x / y, std::uint64_t{64}});
  const std::uint64_t channel_blocks = ceil_div(channels, x * 4);
  const std::uint64_t channel_steps = ceil_div(channels, x * channel_blocks);
  const std::uint64_t column_steps = ceil_div(ceil_div(columns, ceil_div(columns, y * 2)), y);
  const std::uint64_t row_steps = ceil_div(ceil_div(rows, ceil_div(rows, z * 2)), z);
  return static_cast<double>(channel_steps * column_steps * row_steps);
}

/// The pool's kernel: by layout and pass.
const PoolKernel& kernel_of(const StreamProblem& p, const StreamingConstants& k, bool max_pool) {
  if (p.backward()) {
    if (!max_pool) return k.average_backward;
    return p.nhwc ? k.max_backward_nhwc : k.max_backward_nchw;
  }
  if (max_pool) return p.nhwc ? k.max_nhwc : k.max_nchw;
  return p.nhwc ? k.average_nhwc : k.average_nchw;
}

Algorithm algorithm_of(const StreamProblem& p, bool max_pool) {
  if (max_pool) return p.nhwc ? Algorithm::max_pool_nhwc : Algorithm::max_pool_nchw;
  return p.nhwc ? Algorithm::avg_pool_nhwc : Algorithm::avg_pool_nchw;
}

}  // namespace

template <class Trace>
ThroughputWork<NumberOf<Trace>> pool(const StreamFormulas<Trace>& f) {
  using Number = NumberOf<Trace>;
  const StreamProblem& p = f.p;
  Trace& trace = f.trace;
  const bool max_pool = p.layer->kind == LayerKind::max_pool;
  const PoolKernel& kernel = kernel_of(p, f.k, max_pool);
  auto work = f.start_of(kernel, algorithm_of(p, max_pool));
  const Number taps = trace.named("taps", window_taps(p.layer->window), "", "window");
  const bool in_turn = max_pool && p.nhwc && !p.backward();
  const Number turns = trace.factor("outputs that a thread makes in turn",
                                    in_turn ? outputs_in_turn(*p.layer) : 1, "", "layer");
  work.round_trips =
      turns * trace(kernel.output_round_trip) + turns * taps * trace(kernel.tap_round_trip);
  const Number made = p.backward() ? f.inputs() : f.outputs();
  work.clocks = made * trace(kernel.output_clock) + made * taps * trace(kernel.tap_clock) +
                p.input_element * trace(kernel.input_clock);
  const double index = max_pool ? index_byte * p.output_element : 0;
  if (p.backward()) {
    work.streams = {p.output_byte + index, p.input_byte};
    work.kernels = max_pool ? 2 : 1;  // the gradient is cleared first
  } else {
    work.streams.write_byte += index;
  }
  return work;
}

template ThroughputWork<double> pool(const StreamFormulas<Planning>&);
template ThroughputWork<Traced> pool(const StreamFormulas<Explaining>&);

}  // namespace roofline
