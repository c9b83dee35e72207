#include "kernel/choices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernel/problem.hpp"

namespace roofline {
namespace {

void set_words(ChoiceFacts& facts, const Problem& problem) {
  using enum ChoiceWord;
  const Layer& layer = *problem.layer;
  const Window& window = *layer.window;
  const double piece = 16 / problem.element_byte;
  const auto is_whole = [piece](double channels) { return std::fmod(channels, piece) == 0; };
  facts.set(fp16, layer.dtypes.input == DataType::fp16);
  facts.set(heuristic, problem.kernels == KernelSource::heuristic);
  facts.set(line, problem.rank == 1);
  facts.set(square, window.kernel[1] == window.kernel[2]);
  facts.set(tiling_window, window.kernel == window.stride);
  facts.set(odd_window, window.kernel[2] % 2 != 0);
  facts.set(even_strides, window.stride[1] == window.stride[2]);
  facts.set(equal_channels, problem.group_in == problem.group_out);
  facts.set(power_of_two, std::has_single_bit(static_cast<std::uint64_t>(problem.group_in)));
  facts.set(whole_vectors, is_whole(problem.group_in) && is_whole(problem.group_out));
  facts.set(whole_sixteens, std::fmod(problem.group_out, 16) == 0);
  facts.set(groups_of_four, layer.groups % 4 == 0);
  facts.set(transposed, layer.kind == LayerKind::conv_transpose);
}

}  // namespace

ChoiceFacts choice_facts(const Problem& problem, bool nhwc, bool on_tensor_cores) {
  const Layer& layer = *problem.layer;
  ChoiceFacts facts;
  facts.set(static_cast<ChoiceWord>(problem.pass), true);
  facts.set(nhwc ? ChoiceWord::nhwc : ChoiceWord::nchw, true);
  facts.set(ChoiceWord::tensor_cores, on_tensor_cores);
  set_words(facts, problem);

  using enum ChoiceSize;
  EnumArray<ChoiceSize, double>& sizes = facts.sizes;
  sizes[bits] = static_cast<double>(info(layer.dtypes.input).bits);
  sizes[axes] = layer.window->rank;
  sizes[batch] = problem.batch;
  sizes[groups] = problem.groups;
  sizes[in] = problem.group_in;
  sizes[out] = problem.group_out;
  sizes[narrower] = std::min(problem.group_in, problem.group_out);
  sizes[wider] = std::max(problem.group_in, problem.group_out);
  sizes[width] = problem.in_w;
  sizes[window] = static_cast<double>(layer.window->kernel[2]);
  sizes[taps] = problem.taps;
  sizes[taps_in] = problem.taps * problem.group_in;
  sizes[stride] = problem.stride;
  sizes[column_stride] = static_cast<double>(layer.window->stride[2]);
  sizes[dilation] = problem.dilation;
  sizes[positions] = problem.out_positions();
  sizes[results] = problem.output_element();
  sizes[image] = problem.input_positions;
  sizes[results_image] = problem.output_positions;
  sizes[in_positions] = problem.in_positions();
  return facts;
}

bool has_row(const LibraryChoices& choices, const LibraryRelease& used, LibraryKernel kernel,
             const ChoiceFacts& facts) {
  bool found = false;
  for_rows(choices, used, facts, [&](const ChoiceRow& row) {
    found = row.kernel == kernel;
    return found;
  });
  return found;
}

}  // namespace roofline
