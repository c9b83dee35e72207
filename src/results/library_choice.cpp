// Whether a library chose the right algorithm, judged by the kernel's name.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "results/steps.hpp"

namespace roofline {
namespace {

enum class Approach : std::uint8_t {
  unknown,
  naive,   ///< one thread per result, reading every operand from memory
  direct,  ///< a patch of the image in registers or shared memory
  im2col,  ///< the image copied into a matrix, then a matrix product
  gemm,    ///< a matrix product with an operand gathered on the fly
  winograd,
  fft,
};

struct ApproachMark {
  Approach approach;
  std::string_view family;                        ///< in words
  std::initializer_list<std::string_view> parts;  ///< of kernel names; any of them matches
};

/// Parts of names of kernels of cuDNN, MIOpen, Composable Kernel and ATen, of MIOpen's solvers and
/// of this model's algorithms, in order.
const ApproachMark approach_marks[] = {
    {Approach::naive, "a naive kernel, a thread a result", {"Naive", "naive_conv"}},
    {Approach::winograd, "Winograd", {"inograd", "Sp3AsmConv"}},
    {Approach::fft, "a Fourier transform", {"fft", "FFT"}},
    {Approach::im2col,
     "the image copied into a matrix",
     {"GemmFwdRest", "GemmBwdRest", "GemmWrwUniversal", "explicit_convolve"}},
    {Approach::direct, "a depthwise kernel", {"depthwise", "_c1_k1_"}},
    {Approach::direct,
     "a direct kernel without tensor cores",
     {"direct", "Direct", "ConvAsm1x1", "ConvAsm3x3", "ConvAsm5x", "ConvAsm7x", "ConvAsmBwdWrW",
      "ConvOclBwdWrW", "gcnAsmConv", "MIOpenConv"}},
    {Approach::gemm,
     "a legacy engine without tensor cores",
     {"implicit_convolve_sgemm", "common_engine", "grad_engine", "grad_alg", "scudnn"}},
    {Approach::gemm,
     "a matrix product on tensor cores",
     {"tensorop", "_tensor", "884", "1688", "16816", "f16f16", "tf32", "hmma", "nvjet", "xdlops",
      "_xdl_", "gtcx", "Xdl"}},
    {Approach::gemm,
     "a matrix product",
     {"gemm", "Gemm", "igemm", "cudnn", "xmma", "Cijk_", "grouped_conv"}},
};

const ApproachMark* mark_of(std::string_view name) {
  const auto fits = [&](const ApproachMark& mark) {
    return std::ranges::any_of(mark.parts, [&](std::string_view part) {
      return name.find(part) != std::string_view::npos;
    });
  };
  const auto* const found = std::ranges::find_if(approach_marks, fits);
  return found != std::end(approach_marks) ? found : nullptr;
}

Approach approach_of(std::string_view name) {
  const ApproachMark* mark = mark_of(name);
  return mark != nullptr ? mark->approach : Approach::unknown;
}

/// All groups side by side in one kernel, as images: the target for a naive library kernel.
std::optional<double> implicit_gemm_s(const LayerResult& row, const KernelModel& model,
                                      CacheState cache) {
  Layer layer = row.layer;
  for (Shape* shape : {&layer.inputs.front().shape, &layer.output}) {
    shape->batch *= layer.groups;
    shape->channels /= layer.groups;
  }
  layer.groups = 1;
  KernelMapping mapping;
  mapping.algorithm = Algorithm::implicit_gemm;
  layer.mapping = mapping;
  const auto plan = plan_kernel(layer, count(layer), row.planned_engine, model, cache);
  if (!plan || !*plan) return std::nullopt;
  return (*plan)->expected_time_s();
}

}  // namespace

std::string_view kernel_family(std::string_view kernel) {
  const ApproachMark* mark = mark_of(kernel);
  return mark != nullptr ? mark->family : "";
}

bool multiplies_matrices(std::string_view kernel) { return approach_of(kernel) == Approach::gemm; }

std::string_view better_kernel(const LayerResult& row) {
  const std::string_view planned = row.kernel->name();
  return approach_of(planned) == Approach::naive ? name_of(Algorithm::implicit_gemm) : planned;
}

std::optional<double> better_time_s(const LayerResult& row, const KernelModel& model,
                                    CacheState cache) {
  if (!row.measured_time_s || !row.kernel || !row.expected_uncertainty) return std::nullopt;
  if (row.layer.kind != LayerKind::conv) return std::nullopt;
  const Approach ran = approach_of(row.measured->kernel);
  const Approach better = approach_of(better_kernel(row));
  // A planned FFT is no evidence: for FFT alone, autotuned kernels on an H200 took twice the range.
  if (ran == better || ran == Approach::unknown || better == Approach::unknown ||
      better == Approach::fft)
    return std::nullopt;
  const bool is_planned = better_kernel(row) == row.kernel->name();
  const auto time_s = is_planned ? row.expected_time_s() : implicit_gemm_s(row, model, cache);
  // Far beyond: what autotuning found to be the best is, in one layer of a hundred, beyond alone.
  const double far = ran == Approach::naive ? 1 : 2;
  if (!time_s || *row.measured_time_s <= far * row.expected_uncertainty->factor_95 * *time_s)
    return std::nullopt;
  return time_s;
}

}  // namespace roofline
