// Deformable convolutions as torchvision runs them: a kernel samples the images where the taps lie,
// each place between four elements, and writes columns to memory; a product of the weights and the
// columns follows, group by group. Kernels of their own clear the columns and the result, and move
// the result and add the bias. Images go by the largest divisor of the batch up to 32.
//
// Measured on an H100 (torchvision 0.26; 3x3 taps, 64 to 512 channels, 7x7 to 100x100 positions,
// one to four groups of offsets, with and without a mask): a tap of a channel takes 1.26 to 1.40
// clocks of an SM's lanes in fp16, 0.98 to 1.01 in fp32. Backward, where a second kernel of taps
// finds the offsets' gradient, nothing is measured.

#include <cstdint>
#include <utility>

#include "kernel/kernel_sum.hpp"
#include "kernel/plans.hpp"
#include "model/sizes.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

constexpr std::uint64_t images_a_run = 32;
constexpr double clocks_a_tap = 1.0;
constexpr double clocks_a_half_tap = 1.28;  ///< of 16-bit elements, which are converted

std::uint64_t images_together(std::uint64_t batch) {
  std::uint64_t images = images_a_run;
  while (batch % images != 0) --images;
  return images;
}

/// A kernel that fills memory.
template <class Number>
KernelWork<Number> filling(std::uint64_t bytes) {
  KernelWork<Number> work;
  work.streams.write_byte = static_cast<double>(bytes);
  return work;
}

}  // namespace

template <class Number>
KernelPlan deformable_plan(const PlanRequest& request, Eval<Number>& eval) {
  const Layer& layer = request.layer;
  const DataType type = layer.dtypes.input;
  const Shape& in = layer.inputs.front().shape;
  const std::uint64_t taps = checked_product(layer.window->kernel);
  const std::uint64_t images = images_together(in.batch);
  const std::uint64_t runs = in.batch / images;
  const std::uint64_t positions = elements(layer.output) / layer.output.channels / runs;
  const std::uint64_t samples = checked_mul(positions, in.channels, taps);
  const std::uint64_t result_byte = stored_byte(elements(layer.output), layer.dtypes.output);
  const auto rates = machine_rates(request.model.machine, eval);

  KernelSum<Number> sum(request, eval);
  sum.add_product("groups", checked_mul(runs, layer.groups), positions,
                  checked_mul(in.channels / layer.groups, taps),
                  layer.output.channels / layer.groups, CacheState::warm);

  KernelWork<Number> sampling = filling<Number>(stored_byte(samples, type));
  for (const Operand& operand : layer.inputs)
    sampling.streams.read_byte +=
        static_cast<double>(stored_byte(elements(operand.shape) / runs, type));
  sampling.clocks = eval.named(
      "clocks of all taps",
      static_cast<double>(samples) * (info(type).bits < 32 ? clocks_a_half_tap : clocks_a_tap),
      "clock", "layer");
  sum.add_work(sampling, rates, "kernels of taps",
               layer.pass == Pass::dgrad ? checked_mul(2, runs) : runs);
  sum.add_work(filling<Number>(stored_byte(samples, type)), rates, "columns", 1);
  if (layer.pass == Pass::fwd) {
    sum.add_work(filling<Number>(result_byte), rates, "fills of the result", 2);
    KernelWork<Number> copied = filling<Number>(result_byte);
    copied.streams.read_byte = copied.streams.write_byte;
    sum.add_work(copied, rates, "passes over the result", 2);
  }
  KernelPlan plan = std::move(sum).plan();
  plan.algorithm = Algorithm::deformed_columns;
  plan.workspace_byte = checked_add(stored_byte(samples, type), result_byte);
  return plan;
}

template KernelPlan deformable_plan(const PlanRequest&, Planning&);
template KernelPlan deformable_plan(const PlanRequest&, Explaining&);

}  // namespace roofline
