#include "model/kernel/contraction_constants.hpp"

#include <array>

#include "model/kernel/number_text.hpp"

// Per family one set for all three passes, found by coordinate descent on the mean
// |ln(predicted/measured)| of forward, data and weight gradient alike.

namespace roofline {
namespace {

// Tensor cores, cuDNN 7. Fitted to 272 DeepBench layers on a V100 (all passes, shared); fixed:
// L2 40 byte a clock an SM, step latencies 330 clocks as on the H200 in fp32.
constexpr ContractionConstants volta_tensor{
    .origin = "fitted to 272 DeepBench layers on a V100",
    .math_share = 0.97,
    .operand_element = 15.6,
    .step_latency_clk = 330,
    .window_step_latency_clk = 330,
    .window_latency_clk = 1.81e+03,
    .block_latency_clk = 3.63e+03,
    .l2_byte_per_clk_per_sm = 40,
    .gather_per_clk_per_sm = 1.61,
    .wgrad_gather = 0.515,
    .dgrad_share = 1.02,
    .wgrad_share = 0.917,
    .overlap_loss = 0.428,
    .launch_s = 9.13e-06,
    .extra_kernel_s = 5.11e-06,
    .window_reduce_s = 1.36e-05,
    .split_k = false,
    .channel_pad = 8,
};

// Vector units, cuDNN 7 and before. Fitted to the same layers in fp32; fixed as above. The large
// launch is that of a stream of library calls, each with its own helper kernels, as DeepBench times
// them.
constexpr ContractionConstants cudnn7_vector{
    .origin = "fitted to 272 DeepBench layers on a V100",
    .math_share = 0.97,
    .operand_element = 11.6,
    .step_latency_clk = 330,
    .window_step_latency_clk = 330,
    .window_latency_clk = 909,
    .block_latency_clk = 3.16e+03,
    .l2_byte_per_clk_per_sm = 40,
    .scatter_per_clk_per_sm = 0.2,
    .dgrad_share = 0.92,
    .wgrad_share = 0.775,
    .overlap_loss = 0.05,
    .launch_s = 1.4e-05,
    .extra_kernel_s = 5e-06,
    .window_reduce_s = 8e-06,
    .fft_share = 0.375,
    .split_k = false,
    .scatter = true,
    .skips_empty_phases = false,
    .winograd = true,
    .winograd_wgrad = true,
    .fft = true,
    .winograd_share = 0.807,
    .batched_share = 1,
};

// Tensor cores, cuDNN 9 and cuBLAS 13. Fitted to 1,277 dense layers of six networks and DeepBench,
// 657 layers of ten other networks, 38 odd convolutions and 57 matrix products on an H200, in CUDA
// graphs. Fixed: L2 42 byte a clock an SM (rounded from a free fit).
constexpr ContractionConstants hopper_tensor{
    .origin = "fitted to 1,277 + 657 layers on an H200",
    .math_share = 0.97,
    .operand_element = 12.2,
    .step_latency_clk = 106,
    .library_share = 1.03,
    .window_step_latency_clk = 50.2,
    .window_latency_clk = 3.23e+03,
    .block_latency_clk = 2.75e+03,
    .l2_byte_per_clk_per_sm = 42,
    .gather_per_clk_per_sm = 2.35,
    .wgrad_gather = 0.525,
    .scatter_per_clk_per_sm = 0.735,
    .dgrad_share = 0.963,
    .wgrad_share = 1.1,
    .overlap_loss = 0.188,
    .launch_s = 2.87e-06,
    .extra_kernel_s = 2.81e-06,
    .window_reduce_s = 1.12e-05,
    .transpose_per_clk_per_sm = 2.66,
    .scatter = true,
};

// The same in tf32 (687 + 657 layers, 36 products); channels last.
constexpr ContractionConstants hopper_tf32{
    .origin = "fitted to 687 + 657 layers on an H200",
    .math_share = 0.97,
    .operand_element = 0,
    .step_latency_clk = 106,
    .library_share = 0.8,
    .window_step_latency_clk = 50,
    .window_latency_clk = 8.53e+03,
    .block_latency_clk = 371,
    .l2_byte_per_clk_per_sm = 42,
    .gather_per_clk_per_sm = 2.47,
    .wgrad_gather = 0.413,
    .scatter_per_clk_per_sm = 0.897,
    .dgrad_share = 0.66,
    .wgrad_share = 0.331,
    .overlap_loss = 0.277,
    .launch_s = 4.42e-06,
    .extra_kernel_s = 2.63e-06,
    .window_reduce_s = 1.96e-05,
    .transpose_per_clk_per_sm = 5.21,
    .scatter = true,
};

// Vector units, cuDNN 9: fp32 in NCHW. Fitted to 1,270 + 657 layers, 57 products; library_share
// from the measured ceiling of cuBLAS, 51 of 67 TFLOP/s.
constexpr ContractionConstants cudnn9_vector{
    .origin = "fitted to 1,270 + 657 layers on an H200",
    .math_share = 0.635,
    .operand_element = 11.3,
    .step_latency_clk = 343,
    .library_share = 1.38,
    .window_step_latency_clk = 349,
    .window_latency_clk = 200,
    .block_latency_clk = 248,
    .l2_byte_per_clk_per_sm = 42,
    .scatter_per_clk_per_sm = 1.06,
    .dgrad_share = 0.851,
    .wgrad_share = 0.775,
    .overlap_loss = 0.5,
    .launch_s = 5.25e-06,
    .extra_kernel_s = 1.01e-05,
    .window_reduce_s = 8.25e-06,
    .fft_share = 0.274,
    .split_k = false,
    .scatter = true,
    .winograd_wgrad = true,
    .fft = true,
    .winograd_share = 1,
    .batched_share = 1,
};

/// What differs by architecture beyond the constants that it borrows. All assumed: no part was
/// measured.
///
/// Energies are dynamic, of one multiply-add's operation at the boost clock, operands' way from
/// shared memory included: from typical board powers and process generations, no source checked.
/// Only boards whose limit is low for their peak (T4, L4, A2) are ever bound by them. 0: no
/// estimate, and the limit never binds.
///
/// Clock: before Volta boards fall from boost to near base clock under load (M40 948 of 1114 MHz,
/// P100 1328 of 1480, TITAN X 1000 of 1075, from memory).
///
/// Library: the rate that other vendors' kernels are taken to sustain, relative to NVIDIA's (MIOpen
/// has one fused Winograd kernel in assembly, else im2col and a BLAS).
struct Assumed {
  double vector_joule_per_flop;
  double tensor_joule_per_flop;
  double clock_share;
  double library_share;
};
// In the order of Architecture.
constexpr std::array<Assumed, architecture_count> assumed{{
    {40e-12, 0, 0.9, 1},       // Kepler
    {26e-12, 0, 0.9, 1},       // Maxwell
    {17e-12, 0, 0.9, 1},       // Pascal
    {14e-12, 2.2e-12, 1, 1},   // Volta
    {16e-12, 2.3e-12, 1, 1},   // Turing
    {8e-12, 0.9e-12, 1, 1},    // Ampere
    {5e-12, 0.55e-12, 1, 1},   // Ada
    {5e-12, 0.6e-12, 1, 1},    // Hopper
    {4.5e-12, 0.5e-12, 1, 1},  // Blackwell
    {18e-12, 0, 1, 0.6},       // GCN
    {18e-12, 0, 1, 0.6},       // RDNA
    {8e-12, 1.2e-12, 1, 0.6},  // CDNA
    {0, 0, 1, 1},              // Xe
}};

ContractionConstants family(Architecture a, Engine engine) {
  const bool hopper = info(a).library == Architecture::hopper;
  if (!is_tensor_engine(engine)) return hopper ? cudnn9_vector : cudnn7_vector;
  if (!hopper) return volta_tensor;
  return engine == Engine::tf32 || engine == Engine::fp32_tensor ? hopper_tf32 : hopper_tensor;
}

}  // namespace

double operand_byte(Engine engine) {
  switch (engine) {
    case Engine::int8:
    case Engine::dp4a:
    case Engine::fp8:
    case Engine::fp8_fp16_accumulate: return 1;
    case Engine::fp32:
    case Engine::tf32:
    case Engine::fp32_tensor: return 4;
    case Engine::fp64:
    case Engine::fp64_tensor: return 8;
    default: return 2;
  }
}

ContractionConstants constants_for(const Machine& machine, Engine engine,
                                   std::string& math_origin) {
  const Architecture a = machine.architecture;
  ContractionConstants c = family(a, engine);
  const bool tensor = is_tensor_engine(engine);
  // On tensor cores the energy of an operation goes with the width of its operands.
  const Assumed& own = assumed[static_cast<std::size_t>(a)];
  c.joule_per_flop =
      tensor ? own.tensor_joule_per_flop * operand_byte(engine) / 2 : own.vector_joule_per_flop;
  if (engine != Engine::fp32) c.winograd = c.winograd_wgrad = c.fft = false;
  if (info(a).vendor == "AMD") c.fft = false;

  math_origin = c.origin;
  const auto scale = [&](double factor, const char* why) {
    if (factor == 1) return;
    c.math_share *= factor;
    math_origin += ", x " + number_text(factor) + ' ' + why;
  };
  // With 64 lanes an SM (GA100) a scheduler issues a multiply-add every other clock and other
  // instructions in between; with 128 they compete, which cudnn9_vector holds.
  if (!tensor && machine.compute_capability == 80) {
    c.math_share = 0.9;
    math_origin = "assumed: 64 lanes an SM leave issue slots free";
  }
  // cuBLAS reaches 0.46 of the int8 peak where it reaches 0.8 of fp16's (sustained ceilings of the
  // H200).
  if (engine == Engine::int8) scale(0.58, "for integers (measured on an H200)");
  scale(own.clock_share, "for clocks under load (assumed)");
  scale(own.library_share, "for another vendor's library (assumed)");
  return c;
}

}  // namespace roofline
