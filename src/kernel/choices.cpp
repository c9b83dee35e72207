#include "kernel/choices.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernel/layer_sizes.hpp"

namespace roofline {
namespace {

void set_words(ChoiceFacts& facts, const Layer& layer, std::uint64_t in, std::uint64_t out) {
  using enum ChoiceWord;
  const Window& window = *layer.window;
  const double piece = 16 / element_byte(layer.dtypes.input);
  const auto is_whole = [piece](std::uint64_t channels) {
    return std::fmod(static_cast<double>(channels), piece) == 0;
  };
  facts.set(fp16, layer.dtypes.input == DataType::fp16);
  facts.set(heuristic, layer.kernels == KernelSource::heuristic);
  facts.set(line, is_line(layer));
  facts.set(square, window.kernel[1] == window.kernel[2]);
  facts.set(odd_window, window.kernel[2] % 2 != 0);
  facts.set(even_strides, window.stride[1] == window.stride[2]);
  facts.set(equal_channels, in == out);
  facts.set(power_of_two, std::has_single_bit(in));
  facts.set(whole_vectors, is_whole(in) && is_whole(out));
  facts.set(groups_of_four, layer.groups % 4 == 0);
}

}  // namespace

ChoiceFacts choice_facts(const Layer& layer, bool nhwc, bool on_tensor_cores) {
  const auto [input, output, pass] = mirror_of(layer);
  const Window& own = *layer.window;
  const std::uint64_t group_in = input->channels / layer.groups;
  const std::uint64_t group_out = output->channels / layer.groups;
  ChoiceFacts facts;
  facts.set(static_cast<ChoiceWord>(pass), true);
  facts.set(nhwc ? ChoiceWord::nhwc : ChoiceWord::nchw, true);
  facts.set(ChoiceWord::tensor_cores, on_tensor_cores);
  set_words(facts, layer, group_in, group_out);

  using enum ChoiceSize;
  const auto set = [&sizes = facts.sizes](ChoiceSize size, auto number) {
    sizes[size] = static_cast<double>(number);
  };
  set(bits, info(layer.dtypes.input).bits);
  set(axes, own.rank);
  set(batch, input->batch);
  set(groups, layer.groups);
  set(in, group_in);
  set(out, group_out);
  set(narrower, std::min(group_in, group_out));
  set(wider, std::max(group_in, group_out));
  set(width, input->spatial[2]);
  set(window, own.kernel[2]);
  set(taps, product(own.kernel));
  set(taps_in, product(own.kernel) * facts.sizes[in]);
  set(stride, product(own.stride));
  set(column_stride, own.stride[2]);
  set(dilation, *std::ranges::max_element(own.dilation));
  set(positions, static_cast<double>(output->batch) * product(output->spatial));
  set(results, facts.sizes[positions] * static_cast<double>(output->channels));
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
