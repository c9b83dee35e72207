#include "model/kernel/pool_kernel.hpp"

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

}  // namespace

ThroughputWork pool(const StreamProblem& p, const StreamingConstants& k) {
  const bool max = p.layer->kind == LayerKind::max_pool;
  const PoolKernel& kernel = p.backward() ? (!max      ? k.average_backward
                                             : p.inner ? k.max_backward_inner
                                                       : k.max_backward_plane)
                             : max        ? (p.inner ? k.max_inner : k.max_plane)
                                          : (p.inner ? k.average_inner : k.average_plane);
  const double taps = window_taps(p.layer->window);
  ThroughputWork work;
  work.constant = &kernel.start_s;
  work.algorithm = max ? (p.inner ? Algorithm::max_pool_nhwc : Algorithm::max_pool_nchw)
                       : (p.inner ? Algorithm::avg_pool_nhwc : Algorithm::avg_pool_nchw);
  work.start_s = kernel.start_s;
  work.in_flight_byte = kernel.in_flight_byte * p.machine->sm_count;
  work.streams = p.streams;
  const double turns = max && p.inner && !p.backward() ? outputs_in_turn(*p.layer) : 1;
  work.rounds.add("outputs in turn", turns, kernel.output_round);
  work.rounds.add("taps in turn", turns * taps, kernel.tap_round);
  const double made = p.backward() ? p.input_element : p.output_element;
  work.clocks.add(p.backward() ? "inputs" : "outputs", made, kernel.output_clock);
  work.clocks.add("taps", made * taps, kernel.tap_clock);
  work.clocks.add("inputs", p.input_element, kernel.input_clock);
  const double index = max ? index_byte * p.output_element : 0;
  if (p.backward()) {
    work.streams = {p.output_byte + index, p.input_byte};
    work.kernels = max ? 2 : 1;  // the gradient is cleared first
  } else {
    work.streams.write_byte += index;
  }
  return work;
}

}  // namespace roofline
