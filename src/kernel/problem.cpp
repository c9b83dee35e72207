#include "kernel/problem.hpp"

#include <algorithm>

#include "model/layer_kind.hpp"

namespace roofline {
namespace {

double number(std::uint64_t value) { return static_cast<double>(value); }

void set_convolution(Problem& problem, const Layer& layer) {
  const auto [input, output, pass] = mirror_of(layer);
  const Window& window = *layer.window;
  problem.input = input;
  problem.output = output;
  problem.pass = pass;
  problem.convolves = true;
  problem.rank = is_line(layer) ? 1 : window.rank;
  problem.batch = number(input->batch);
  problem.groups = number(layer.groups);
  problem.in_channels = number(input->channels);
  problem.out_channels = number(output->channels);
  problem.group_in = problem.in_channels / problem.groups;
  problem.group_out = problem.out_channels / problem.groups;
  problem.input_positions = product(input->spatial);
  problem.output_positions = product(output->spatial);
  problem.in_h = number(input->spatial[1]);
  problem.in_w = number(input->spatial[2]);
  problem.out_h = number(output->spatial[1]);
  problem.out_w = number(output->spatial[2]);
  problem.taps = product(window.kernel);
  problem.kernel_h = number(window.kernel[1]);
  problem.kernel_w = number(window.kernel[2]);
  problem.stride = product(window.stride);
  problem.dilation = number(*std::ranges::max_element(window.dilation));
}

}  // namespace

Problem problem_of(const Layer& layer, const Counts& counts) {
  Problem problem;
  if (info(layer.kind).family != KindFamily::contraction) return problem;
  problem.layer = &layer;
  problem.pass = layer.pass;
  problem.kernels = layer.kernels;
  problem.nhwc = is_nhwc(layer);
  problem.element_byte = element_byte(layer.dtypes.input);
  problem.result_byte =
      element_byte(layer.pass == Pass::fwd ? layer.dtypes.output : layer.dtypes.input);
  problem.streams = streams_of(layer, counts);
  problem.weight_byte = number(counts.bytes.weight);
  problem.flop = number(counts.flops);
  if (has_window(layer.kind)) set_convolution(problem, layer);
  return problem;
}

double skipped_byte(const Problem& problem, std::size_t axes) {
  const bool in_unit_steps = problem.stride == 1 && problem.dilation == 1 &&
                             problem.layer->window->output_padding == Axes{};
  return in_unit_steps ? 0 : skipped_byte(*problem.layer, axes);
}

}  // namespace roofline
