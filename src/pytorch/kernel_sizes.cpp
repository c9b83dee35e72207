// What names and grids of PyTorch's own kernels tell of their sizes, where no operator does.
// Products do not tell how long their sums are, norms and softmaxes not how long their rows, and
// kernels of tensors that lie in other orders not how much of an operand is read again and again.

#include <algorithm>
#include <charconv>

#include "pytorch/operator_table.hpp"
#include "pytorch/trace_work.hpp"

namespace roofline {
namespace {

// CUDALoops.cuh in pytorch/pytorch: vectors of so many elements, a functor, and as many tensors as
// the array holds, of which one is written. A thread takes eight elements since vectors of eight
// exist; before it took four.
constexpr std::string_view vectorized = "vectorized_elementwise_kernel<";
constexpr std::string_view tensor_array = "std::array<char*, ";
/// On NVIDIA's GPUs. Those of AMD take other numbers of elements a thread.
constexpr std::uint32_t threads_of_block = 128;
constexpr std::uint64_t elements_of_thread = 8;
constexpr std::uint64_t fewest_blocks = 10;

/// A functor whose operands and result have one type.
struct Functor {
  std::string_view mark;
  std::uint64_t tensors;
  LayerKind kind;
  std::string_view shown;
};

constexpr Functor functors[] = {{"CUDAFunctor_add<", 3, LayerKind::add, "add"},
                                {"CUDAFunctorOnSelf_add<", 2, LayerKind::elementwise, "add"},
                                {"MulFunctor<", 3, LayerKind::mul, "mul"},
                                {"MulFunctor<", 2, LayerKind::elementwise, "mul"},
                                {"launch_clamp_scalar(", 2, LayerKind::elementwise, "clamp"},
                                {"GeluCUDAKernelImpl(", 2, LayerKind::gelu, "gelu"},
                                {"::silu_kernel(", 2, LayerKind::silu, "silu"},
                                {"::rsqrt_kernel_cuda(", 2, LayerKind::elementwise, "rsqrt"},
                                {"float16_copy_kernel_cuda(", 2, LayerKind::copy, "copy"}};

/// The number behind that text; 0 where there is none.
std::uint64_t number_behind(std::string_view name, std::string_view text) {
  std::uint64_t number = 0;
  if (const std::size_t at = name.find(text); at != name.npos)
    std::from_chars(name.data() + at + text.size(), name.data() + name.size(), number);
  return number;
}

}  // namespace

std::optional<LayerSpec> layer_of_kernel(const Recording& recording, const GpuActivity& kernel) {
  const std::string_view name = recording.name(kernel);
  const std::uint64_t tensors = number_behind(name, tensor_array);
  const auto* functor = std::ranges::find_if(functors, [&](const Functor& each) {
    return each.tensors == tensors && mentions(name, {each.mark});
  });
  const bool has_longer_vectors = mentions(name, {"ul>, true>"});  // of 32 bytes, in large tensors
  if (!recording.has_vectors_of_eight || has_longer_vectors || functor == std::end(functors) ||
      number_behind(name, vectorized) == 0 || kernel.threads != threads_of_block ||
      kernel.blocks < fewest_blocks || kernel.blocks >= std::uint64_t{1} << 31U)
    return std::nullopt;
  const auto type =
      mentions(name, {"lambda(float)"}) ? DataType::fp32 : element_type(name, DataType::fp16);
  if (!type) return std::nullopt;
  const std::uint64_t elements = kernel.blocks * threads_of_block * elements_of_thread;
  LayerSpec spec = named_layer(functor->kind, functor->shown, std::to_string(elements), *type);
  const OperandSpec operand = whole_operand({elements});
  if (tensors == 2)
    spec.input = operand;
  else
    spec.inputs = {operand, operand};
  if (functor->kind == LayerKind::copy) {
    spec.output = operand.sizes;
    spec.dtypes.output = mentions(name, {"bfloat16"}) ? DataType::bf16 : DataType::fp16;
  }
  return failure_of(spec) ? std::nullopt : std::optional(spec);
}

}  // namespace roofline
