// Which tiles the libraries have. Read off kernel names (h200.csv, cuDNN 9) and, for cuDNN 7, off
// the names that its profiles print (volta_s884cudnn_*, volta_scudnn_128x{32,64,128}, ...).
// Threads, stages and registers are those of CUTLASS's kernels of the same tile.

#include <array>

#include "model/kernel/gemm_kernel.hpp"

namespace roofline {
namespace {

//                                             m    n    k  threads stages registers
constexpr std::array<TileKernel, 18> hopper_fp16{{{256, 128, 64, 384, 4, 168},
                                                  {128, 256, 64, 384, 4, 168},
                                                  {192, 192, 64, 384, 3, 168},
                                                  {192, 128, 64, 384, 5, 168},
                                                  {128, 192, 64, 384, 5, 168},
                                                  {128, 128, 64, 256, 5, 168},
                                                  {256, 64, 32, 256, 4, 168},
                                                  {64, 256, 64, 256, 4, 168},
                                                  {128, 96, 64, 256, 5, 168},
                                                  {96, 128, 64, 256, 5, 168},
                                                  {128, 64, 64, 256, 4, 128},
                                                  {64, 128, 64, 256, 4, 128},
                                                  {64, 64, 64, 128, 5, 128},
                                                  {128, 32, 32, 128, 4, 128},
                                                  {32, 128, 32, 128, 4, 128},
                                                  {64, 32, 64, 128, 5, 128},
                                                  {32, 64, 64, 128, 5, 128},
                                                  {64, 16, 64, 128, 5, 128}}};

constexpr std::array<TileKernel, 14> hopper_tf32{{{256, 128, 32, 384, 4, 168},
                                                  {128, 256, 32, 384, 4, 168},
                                                  {128, 192, 32, 384, 4, 168},
                                                  {128, 128, 32, 256, 4, 168},
                                                  {256, 64, 32, 256, 4, 168},
                                                  {64, 256, 32, 256, 4, 168},
                                                  {64, 192, 32, 256, 4, 168},
                                                  {128, 64, 32, 256, 4, 128},
                                                  {64, 128, 32, 256, 4, 128},
                                                  {64, 64, 32, 128, 4, 128},
                                                  {128, 32, 32, 128, 4, 128},
                                                  {32, 128, 32, 128, 4, 128},
                                                  {64, 32, 32, 128, 4, 128},
                                                  {32, 64, 32, 128, 4, 128}}};

constexpr std::array<TileKernel, 8> ampere_tensor{{{256, 128, 32, 256, 3, 250},
                                                   {128, 256, 32, 256, 3, 250},
                                                   {128, 128, 32, 256, 4, 128},
                                                   {256, 64, 32, 256, 4, 128},
                                                   {64, 256, 32, 256, 4, 128},
                                                   {128, 64, 32, 128, 4, 128},
                                                   {64, 128, 32, 128, 4, 128},
                                                   {64, 64, 32, 128, 6, 96}}};

constexpr std::array<TileKernel, 8> volta_tensor{{{256, 128, 32, 256, 1, 250},
                                                  {128, 256, 32, 256, 1, 250},
                                                  {128, 128, 32, 256, 2, 128},
                                                  {256, 64, 32, 256, 2, 128},
                                                  {64, 256, 32, 256, 2, 128},
                                                  {128, 64, 32, 128, 2, 128},
                                                  {64, 128, 32, 128, 2, 128},
                                                  {64, 64, 32, 128, 2, 96}}};

// cuDNN 7's data gradients: large tiles only (a 7x7 layer's takes as long as a 14x14 one's).
constexpr std::array<TileKernel, 3> volta_tensor_dgrad{
    {{256, 128, 32, 256, 1, 250}, {128, 128, 32, 256, 2, 128}, {256, 64, 32, 256, 2, 128}}};

// cuDNN 7 and before, fp32: scudnn kernels and the older implicit_convolve_sgemm.
constexpr std::array<TileKernel, 6> cudnn7_fp32{{{128, 128, 8, 256, 2, 128},
                                                 {128, 64, 8, 128, 2, 122},
                                                 {64, 128, 8, 128, 2, 122},
                                                 {128, 32, 8, 64, 2, 122},
                                                 {64, 64, 8, 64, 2, 122},
                                                 {32, 32, 8, 64, 2, 64}}};

// cuDNN 9, fp32: xmma ffma kernels and engines kept from earlier versions.
constexpr std::array<TileKernel, 5> cudnn9_fp32_fwd{{{256, 64, 8, 128, 3, 232},
                                                     {128, 64, 8, 128, 2, 122},
                                                     {128, 32, 8, 128, 3, 96},
                                                     {64, 64, 8, 128, 3, 96},
                                                     {32, 32, 8, 64, 3, 72}}};
constexpr std::array<TileKernel, 3> cudnn9_fp32_dgrad{
    {{128, 64, 8, 128, 2, 122}, {64, 32, 8, 64, 2, 96}, {32, 32, 8, 64, 3, 72}}};
constexpr std::array<TileKernel, 3> cudnn9_fp32_wgrad{
    {{128, 64, 8, 128, 2, 122}, {64, 128, 8, 128, 2, 122}, {32, 32, 8, 64, 3, 72}}};
constexpr std::array<TileKernel, 6> simt_gemm{{{128, 128, 8, 256, 4, 128},
                                               {128, 64, 8, 128, 4, 122},
                                               {64, 128, 8, 128, 4, 122},
                                               {64, 64, 8, 128, 5, 96},
                                               {32, 64, 8, 128, 3, 72},
                                               {32, 32, 8, 64, 3, 72}}};

// The same for kernels that follow a window: cuDNN's own, fewer shapes than cuBLAS's.
constexpr std::array<TileKernel, 15> hopper_fp16_window{{{256, 128, 64, 384, 4, 168},
                                                         {128, 256, 64, 384, 4, 168},
                                                         {128, 192, 64, 384, 4, 168},
                                                         {64, 192, 64, 256, 4, 168},
                                                         {128, 128, 64, 256, 5, 168},
                                                         {128, 128, 32, 256, 5, 168},
                                                         {256, 64, 32, 256, 4, 168},
                                                         {64, 256, 64, 256, 4, 168},
                                                         {128, 64, 64, 256, 4, 128},
                                                         {64, 128, 64, 256, 4, 128},
                                                         {64, 64, 64, 128, 5, 128},
                                                         {128, 32, 32, 128, 4, 128},
                                                         {32, 128, 32, 128, 4, 128},
                                                         {64, 32, 64, 128, 5, 128},
                                                         {32, 64, 64, 128, 5, 128}}};

// Strided data gradients in tf32: the indexed kernels.
constexpr std::array<TileKernel, 2> hopper_tf32_strided{
    {{256, 64, 32, 256, 4, 168}, {128, 64, 32, 256, 4, 128}}};

// First layers (few channels), cuDNN 9: operands go straight to registers, small tiles only.
constexpr std::array<TileKernel, 1> gathered_fwd{{{128, 32, 16, 128, 1, 128}}};
constexpr std::array<TileKernel, 1> gathered_7x7{{{128, 64, 16, 128, 1, 128}}};
constexpr std::array<TileKernel, 3> gathered_wgrad{
    {{32, 32, 64, 128, 1, 128}, {64, 16, 64, 128, 1, 128}, {32, 128, 32, 128, 4, 128}}};

/// One-byte types: the same tiles, twice as deep in elements.
template <std::size_t N>
constexpr std::array<TileKernel, N> twice_as_deep(std::array<TileKernel, N> tiles) {
  for (TileKernel& tile : tiles) tile.k *= 2;
  return tiles;
}
constexpr auto hopper_8bit = twice_as_deep(hopper_fp16);

bool is_8bit(Engine engine) {
  return engine == Engine::fp8 || engine == Engine::fp8_fp16_accumulate || engine == Engine::int8;
}

bool is_fp16_like(Engine engine) {
  return engine == Engine::fp16_tensor || engine == Engine::bf16 ||
         engine == Engine::fp16_tensor_fp16_accumulate;
}

}  // namespace

std::span<const TileKernel> library_tiles(const Machine& machine, Engine engine,
                                          const Contraction& x) {
  const ConvRole role = x.role;
  const Architecture generation = info(machine.architecture).tiles;
  const bool hopper = generation == Architecture::hopper;
  const bool modern = hopper || generation == Architecture::ampere;
  if (!is_tensor_engine(engine)) {
    if (!modern) return cudnn7_fp32;
    if (engine != Engine::fp32 || !x.is_convolution) return simt_gemm;
    return role == ConvRole::fwd     ? std::span<const TileKernel>(cudnn9_fp32_fwd)
           : role == ConvRole::dgrad ? std::span<const TileKernel>(cudnn9_fp32_dgrad)
                                     : std::span<const TileKernel>(cudnn9_fp32_wgrad);
  }
  if (x.gathered && x.is_convolution && modern) {
    if (role == ConvRole::wgrad) return gathered_wgrad;
    // cuDNN has a kernel of its own for the 7x7, stride 2 first layer of ResNet and its kin.
    if (x.kernel_h == 7 && x.kernel_w == 7 && is_fp16_like(engine)) return gathered_7x7;
    return gathered_fwd;
  }
  if (hopper && is_8bit(engine)) return hopper_8bit;
  if (hopper && is_fp16_like(engine) && !x.pointwise) return hopper_fp16_window;
  if (hopper && is_fp16_like(engine)) return hopper_fp16;
  if (hopper && x.strided && role == ConvRole::dgrad) return hopper_tf32_strided;
  if (hopper) return hopper_tf32;
  if (modern) return ampere_tensor;
  if (role == ConvRole::dgrad) return volta_tensor_dgrad;
  return volta_tensor;
}

}  // namespace roofline
