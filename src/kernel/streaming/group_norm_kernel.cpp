#include "kernel/streaming/group_norm_kernel.hpp"

#include <algorithm>

namespace roofline {
namespace {

constexpr double block_threads = 512;

}  // namespace

template <class Trace>
ThroughputWork<NumberOf<Trace>> group_norm(const StreamFormulas<Trace>& f) {
  using Number = NumberOf<Trace>;
  const StreamProblem& p = f.p;
  Trace& trace = f.trace;
  const bool forward = !p.backward();
  const GroupNormKernel& kernel = forward ? f.k.group_norm : f.k.group_norm_backward;
  auto work = f.start_of(kernel, forward ? Algorithm::group_norm : Algorithm::group_norm_backward);
  work.kernels = forward ? 3 : 5;
  work.streams = {(forward ? 2 : 4) * p.input_byte, p.input_byte};

  const double row_elements =
      forward ? static_cast<double>(p.layer->norm_elements) : p.input_positions;
  const Number rows = trace.named(forward ? "groups of all images" : "channels of all images",
                                  p.input_element / row_elements, "", "layer");
  const Number steps =
      trace.named("steps of a block", divide_up(row_elements, block_threads), "", "layer");
  work.blocks = value_of(rows);
  work.threads = block_threads;
  work.clocks = f.inputs() * trace(kernel.element_clock) + rows * trace(kernel.row_clock);
  work.l2_round_trips = steps * trace(kernel.step_round_trip);
  if (!forward) {
    const Number images = trace.named("images", p.batch, "", "layer");
    work.l2_round_trips = work.l2_round_trips + images * trace(kernel.image_round_trip);
  }
  if (p.nhwc) {
    // The image is brought into NCHW first, backward the gradient too.
    const double copies = forward ? 1 : 2;
    work.kernels += copies;
    work.copy_clocks = copies * f.inputs() * trace(f.k.transposed.element_clock);
  }
  return work;
}

template ThroughputWork<double> group_norm(const StreamFormulas<Planning>&);
template ThroughputWork<Traced> group_norm(const StreamFormulas<Explaining>&);

}  // namespace roofline
