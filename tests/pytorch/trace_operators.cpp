// Which operator becomes which layer: one kernel of 5 us under each.

#include "catch.hpp"
#include "model/layer_kind.hpp"
#include "model/recurrence.hpp"
#include "pytorch/trace_text.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace {

struct Row {
  std::string operation;
  RecordedArguments arguments;
  std::string name;
  LayerKind kind;
  Pass pass;
  std::uint64_t macs;        ///< of contractions, by hand
  std::uint64_t total_byte;  ///< by hand: every tensor once
  std::string kernel = "some_kernel";
};

constexpr Pass fwd = Pass::fwd;
constexpr Pass dgrad = Pass::dgrad;
constexpr std::uint64_t image = 2 * 8 * 4 * 4;  ///< elements of 2x8x4x4

const std::vector<Row> rows{
    {"aten::cudnn_convolution",
     {"[[2, 8, 4, 4], [16, 8, 3, 3], [], [], [], [], [], [], []]",
      R"(["c10::Half", "c10::Half", "", "", "", "", "", "", ""])",
      R"(["", "", "[1, 1]", "[1, 1]", "[1, 1]", "1", "True", "False", "False"])"},
     "conv2d 2x8x4x4 to 16 k3",
     LayerKind::conv,
     fwd,
     2 * 16 * 16 * 8 * 9,
     2 * (image + 16 * 8 * 9 + 2 * image)},
    {"aten::cudnn_convolution",  // channels first on tensor cores
     {"[[2, 8, 4, 4], [16, 8, 3, 3], [], [], [], []]", R"(["float", "float", "", "", "", ""])",
      R"(["", "", "[1, 1]", "[2, 2]", "[1, 1]", "1"])",
      "[[128, 16, 4, 1], [72, 9, 3, 1], [], [], [], []]"},
     "conv2d 2x8x4x4 to 16 k3 s2 channels first",
     LayerKind::conv,
     fwd,
     2 * 16 * 4 * 8 * 9,
     4 * (image + 16 * 8 * 9 + 2 * 16 * 4),
     "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32"},
    {"aten::miopen_convolution",
     {"[[2, 8, 4, 4], [8, 1, 3, 3], [8], [], [], [], []]",
      R"(["float", "float", "float", "", "", "", ""])",
      R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "8"])"},
     "conv2d 2x8x4x4 to 8 k3 g8",
     LayerKind::conv,
     fwd,
     image * 9,
     4 * (image + 72 + 8 + image)},
    {"aten::cudnn_convolution_transpose",
     {"[[2, 8, 4, 4], [8, 6, 2, 2], [], [], [], [], []]",
      R"(["c10::Half", "c10::Half", "", "", "", "", ""])",
      R"(["", "", "[0, 0]", "[0, 0]", "[2, 2]", "[1, 1]", "1"])"},
     "conv_transpose2d 2x8x4x4 to 6 k2 s2",
     LayerKind::conv_transpose,
     fwd,
     image * 6 * 4,
     2 * (image + 8 * 6 * 4 + 2 * 6 * 64)},
    {"torchvision::deform_conv2d",
     {"[[2, 8, 4, 4], [16, 8, 3, 3], [2, 18, 4, 4], [2, 9, 4, 4], [16], [], [], [], [], [], [], "
      "[], "
      "[], []]",
      R"(["float", "float", "float", "float", "float", "Scalar", "Scalar", "Scalar", "Scalar",
          "Scalar", "Scalar", "Scalar", "Scalar", "Scalar"])",
      R"(["", "", "", "", "", "1", "1", "1", "1", "1", "1", "1", "1", "True"])"},
     "deform_conv2d 2x8x4x4 to 16 k3",
     LayerKind::deform_conv,
     fwd,
     32 * (8 * 9 * 16 + 4 * 8 * 9),
     4 * (image + 16 * 72 + 16 + 2 * 16 * (18 + 9 + 16))},
    {"aten::addmm",
     {"[[16], [32, 8], [8, 16], [], []]", R"(["float", "float", "float", "Scalar", "Scalar"])",
      R"(["", "", "", "1", "1"])"},
     "linear 32x8 to 16",
     LayerKind::linear,
     fwd,
     32 * 8 * 16,
     4 * (32 * 8 + 8 * 16 + 16 + 32 * 16)},
    {"aten::mm",
     {"[[32, 8], [8, 16]]", R"(["c10::BFloat16", "c10::BFloat16"])", R"(["", ""])"},
     "matmul 32x8 by 8x16",
     LayerKind::matmul,
     fwd,
     32 * 8 * 16,
     2 * (32 * 8 + 8 * 16 + 32 * 16)},
    {"aten::bmm",
     {"[[6, 32, 8], [6, 8, 16]]", R"(["float", "float"])", R"(["", ""])"},
     "matmul 6x32x8 by 6x8x16",
     LayerKind::matmul,
     fwd,
     6 * 32 * 8 * 16,
     6 * 4 * (32 * 8 + 8 * 16 + 32 * 16)},
    {"aten::_flash_attention_forward",
     {"[[2, 16, 12, 64], [2, 16, 12, 64], [2, 16, 12, 64], [], [], [], [], [], []]",
      R"(["c10::Half", "c10::Half", "c10::Half", "", "", "Scalar", "Scalar", "Scalar", "Scalar"])",
      R"(["", "", "", "", "", "16", "16", "0.", "False"])"},
     "attention 2x12x16x64",
     LayerKind::attention,
     fwd,
     2 * 12 * 16 * 16 * 128,
     4 * 2 * (2 * 12 * 16 * 64)},
    {"aten::_scaled_dot_product_efficient_attention",
     {"[[1, 2, 4, 8], [1, 2, 6, 8], [1, 2, 6, 8], [], [], [], []]",
      R"(["float", "float", "float", "", "Scalar", "Scalar", "Scalar"])",
      R"(["", "", "", "", "True", "0.", "True"])"},
     "attention 1x2x4x8 to 6",
     LayerKind::attention,
     fwd,
     2 * (1 + 2 + 3 + 4) * 16,  // causal, from the first key: the last two are not read
     4 * 4 * (4 * 16)},
    {"aten::_cudnn_attention_backward",
     {"[[1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 1]]",
      R"(["c10::Half", "c10::Half", "c10::Half", "c10::Half", "c10::Half", "float"])",
      R"(["", "", "", "", "", ""])"},
     "attention 1x2x4x8 dgrad",
     LayerKind::attention,
     dgrad,
     2 * 4 * 4 * (5 * 8),
     8 * 2 * 64},
    {"aten::native_batch_norm",
     {"[[2, 8, 4, 4], [8], [8], [8], [8], [], [], []]",
      R"(["c10::Half", "float", "float", "float", "float", "Scalar", "Scalar", "Scalar"])",
      R"(["", "", "", "", "", "False", "0.1", "1e-05"])"},
     "batch_norm 2x8x4x4",
     LayerKind::batch_norm,
     fwd,
     0,
     2 * 2 * image + 4 * 4 * 8},
    {"aten::native_layer_norm",
     {"[[2, 16, 32], [], [32], [32], []]", R"(["float", "ScalarList", "float", "float", "Scalar"])",
      R"(["", "[32]", "", "", "1e-05"])"},
     "layer_norm 2x16x32",
     LayerKind::layer_norm,
     fwd,
     0,
     4 * (2 * 2 * 16 * 32 + 2 * 32)},
    {"aten::native_group_norm",
     {"[[2, 8, 4, 4], [8], [8], [], [], [], [], []]",
      R"(["float", "float", "float", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar"])",
      R"(["", "", "", "2", "8", "16", "4", "1e-05"])"},
     "group_norm 2x8x4x4 g4",
     LayerKind::group_norm,
     fwd,
     0,
     4 * (2 * image + 2 * 8)},
    {"aten::clamp_min_",
     {"[[2, 8, 4, 4], []]", R"(["c10::Half", "Scalar"])", R"(["", "0"])"},
     "relu 2x8x4x4",
     LayerKind::relu,
     fwd,
     0,
     2 * 2 * image},
    {"aten::clamp",
     {"[[2, 8, 4, 4], [], []]", R"(["float", "Scalar", "Scalar"])", R"(["", "0.", "6."])"},
     "relu6 2x8x4x4",
     LayerKind::relu6,
     fwd,
     0,
     2 * 4 * image},
    {"aten::clamp",
     {"[[2, 8, 4, 4], [], []]", R"(["float", "Scalar", "Scalar"])", R"(["", "-1.", "1."])"},
     "clamp 2x8x4x4",
     LayerKind::elementwise,
     fwd,
     0,
     2 * 4 * image},
    {"aten::threshold_backward",
     {"[[2, 8, 4, 4], [2, 8, 4, 4], []]", R"(["float", "float", "Scalar"])", R"(["", "", "0"])"},
     "relu 2x8x4x4 dgrad",
     LayerKind::relu,
     dgrad,
     0,
     3 * 4 * image},
    {"aten::cumsum",
     {"[[2, 8, 4, 4], [], []]", R"(["float", "Scalar", ""])", R"(["", "1", ""])"},
     "cumsum 2x8x4x4",
     LayerKind::rowwise,
     fwd,
     0,
     4 * 2 * image},
    {"aten::tril",
     {"[[2, 8, 4, 4], []]", R"(["float", "Scalar"])", R"(["", "0"])"},
     "tril 2x8x4x4",
     LayerKind::rowwise,
     fwd,
     0,
     4 * 2 * image},
    {"aten::gelu",
     {"[[2, 16, 32], []]", R"(["float", ""])", R"(["", ""])"},
     "gelu 2x16x32",
     LayerKind::gelu,
     fwd,
     0,
     2 * 4 * 2 * 16 * 32},
    {"aten::_softmax",
     {"[[6, 32, 10], [], []]", R"(["c10::Half", "Scalar", "Scalar"])", R"(["", "-1", "True"])"},
     "softmax 6x32x10",
     LayerKind::softmax,
     fwd,
     0,
     (2 + 4) * 6 * 32 * 10},
    {"aten::add_",
     {"[[2, 8, 4, 4], [8, 1, 1], []]", R"(["float", "float", "Scalar"])", R"(["", "", "1"])"},
     "add 2x8x4x4 and 8x1x1",
     LayerKind::add,
     fwd,
     0,
     4 * (2 * image + 8)},
    {"aten::mul",
     {"[[2, 8, 4, 4], []]", R"(["float", "double"])", R"(["", ""])"},
     "mul 2x8x4x4",
     LayerKind::elementwise,
     fwd,
     0,
     2 * 4 * image},
    {"aten::add_",
     {"[[], [], []]", R"(["long int", "Scalar", "Scalar"])", R"(["", "1", "1"])"},
     "add of one value",
     LayerKind::elementwise,
     fwd,
     0,
     2 * 4},
    {"aten::div",  // one value an image, spread over its positions
     {"[[2, 8, 4, 4], []]", R"(["float", "Scalar"])", R"(["", "16"])", "[[8, 1, 0, 0], []]"},
     "div 2x8x4x4",
     LayerKind::other,
     fwd,
     0,
     4 * (16 + image)},
    {"aten::cat",
     {"[[[2, 8, 4, 4], [2, 4, 4, 4]], []]", R"(["TensorList", "Scalar"])", R"(["", "1"])"},
     "concat of 2 to 2x12x4x4",
     LayerKind::concat,
     fwd,
     0,
     2 * 2 * (image + image / 2),
     "CatArrayBatchedCopy<OpaqueType<2u>, unsigned int, 4>"},
    {"aten::cat",
     {"[[[2, 8, 4], [2, 8, 6], [0]], []]", R"(["TensorList", "Scalar"])", R"(["", "-1"])"},
     "concat of 2 to 2x8x10",
     LayerKind::concat,
     fwd,
     0,
     2 * 4 * 2 * 8 * 10,
     "Copy<OpaqueType<4u>>"},
    // vLLM's and others' operators: rows of 2880 bf16, of which the sum and the norm are written;
    // 8 positions that each turn 4 heads of 16 and one key by a row of a table.
    {"_C::fused_add_rms_norm",
     {"[[888, 2880], [888, 2880], [2880], []]",
      R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar"])",
      R"(["", "", "", "1e-05"])"},
     "fused_add_rms_norm 888x2880",
     LayerKind::other,
     fwd,
     0,
     2 * (4 * 888 * 2880 + 2880)},
    {"_C::rotary_embedding",
     {"[[8], [8, 64], [8, 16], [], [4096, 16], []]",
      R"(["long int", "c10::BFloat16", "c10::BFloat16", "Scalar", "c10::BFloat16", "Scalar"])",
      R"(["", "", "", "16", "", "True"])"},
     "rotary_embedding 8x64",
     LayerKind::other,
     fwd,
     0,
     8 * 8 + 2 * (2 * 8 * (64 + 16) + 8 * 16)},
    {"_C_cache_ops::reshape_and_cache_flash",
     {"[[8, 2, 16], [8, 2, 16], [999, 16, 2, 16], [999, 16, 2, 16], [8]]",
      R"(["c10::Half", "c10::Half", "c10::Half", "c10::Half", "long int"])",
      R"(["", "", "", "", ""])"},
     "reshape_and_cache_flash 8x2x16",
     LayerKind::other,
     fwd,
     0,
     2 * (2 * 2 * 8 * 2 * 16)},
    {"_C::silu_and_mul",
     {"[[8, 32], [8, 64]]", R"(["c10::Half", "c10::Half"])", R"(["", ""])"},
     "_C::silu_and_mul 8x32",
     LayerKind::other,
     fwd,
     0,
     2 * (8 * 32 + 8 * 64 + 1)},
    {"aten::conv2d",  // an image without a batch
     {"[[8, 4, 4], [16, 8, 3, 3], [], [], [], [], []]",
      R"(["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar"])",
      R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "1"])"},
     "conv2d 1x8x4x4 to 16 k3",
     LayerKind::conv,
     fwd,
     16 * 16 * 8 * 9,
     4 * (8 * 16 + 16 * 8 * 9 + 16 * 16)},
    {"aten::avg_pool2d",
     {"[[8, 4, 4], [], [], [], [], [], []]",
      R"(["float", "ScalarList", "ScalarList", "ScalarList", "Scalar", "Scalar", ""])",
      R"(["", "[2, 2]", "[2, 2]", "[0, 0]", "False", "True", ""])"},
     "avg_pool 1x8x4x4 k2x2 s2x2",
     LayerKind::avg_pool,
     fwd,
     0,
     4 * (8 * 16 + 8 * 4)},
    {"aten::im2col",  // 2 x 2 patches of 8 channels and 9 positions
     {"[[2, 8, 4, 4], [], [], [], []]",
      R"(["float", "ScalarList", "ScalarList", "ScalarList", "ScalarList"])",
      R"(["", "[3, 3]", "[1, 1]", "[1, 1]", "[2, 2]"])"},
     "im2col 2x8x4x4",
     LayerKind::im2col,
     fwd,
     0,
     4 * (image + 2 * 72 * 4)},
    {"aten::col2im",
     {"[[2, 72, 4], [], [], [], [], []]",
      R"(["float", "ScalarList", "ScalarList", "ScalarList", "ScalarList", "ScalarList"])",
      R"(["", "[4, 4]", "[3, 3]", "[1, 1]", "[1, 1]", "[2, 2]"])"},
     "col2im 2x72x4",
     LayerKind::col2im,
     fwd,
     0,
     4 * (2 * 72 * 4 + image)},
    {"aten::_thnn_fused_lstm_cell",  // 4 gates of 4; writes state, cell and gates
     {"[[2, 16], [2, 16], [2, 4], [16], [16]]", R"(["float", "float", "float", "float", "float"])",
      R"(["", "", "", "", ""])"},
     "_thnn_fused_lstm_cell 2x16",
     LayerKind::other,
     fwd,
     0,
     4 * (2 * 16 + 2 * 16 + 2 * 4 + 2 * 16 + 2 * (4 + 4 + 16))},
    {"aten::max_pool2d_with_indices",
     {"[[2, 8, 4, 4], [], [], [], [], []]", R"(["float", "", "", "", "", ""])",
      R"(["", "[2, 2]", "[2, 2]", "[0, 0]", "[1, 1]", "False"])"},
     "max_pool 2x8x4x4 k2x2 s2x2",
     LayerKind::max_pool,
     fwd,
     0,
     4 * (image + image / 4)},
    {"aten::mean",
     {"[[2, 8, 4, 4], [], [], []]", R"(["float", "ScalarList", "Scalar", ""])",
      R"(["", "[-1, -2]", "True", ""])"},
     "global_avg_pool 2x8x4x4",
     LayerKind::global_avg_pool,
     fwd,
     0,
     4 * (image + 16)},
    {"aten::sum",
     {"[[32, 8], [], [], []]", R"(["float", "ScalarList", "Scalar", ""])",
      R"(["", "[0]", "True", ""])"},
     "sum 32x8 to 1x8",
     LayerKind::reduce,
     fwd,
     0,
     4 * (32 * 8 + 8)},
    {"aten::upsample_bilinear2d",
     {"[[2, 8, 4, 4], [], [], [], []]", R"(["float", "ScalarList", "Scalar", "", ""])",
      R"(["", "[7, 9]", "False", "", ""])"},
     "upsample 2x8x4x4 to 7x9",
     LayerKind::upsample,
     fwd,
     0,
     4 * (image + 2 * 8 * 63)},
    {"aten::copy_",
     {"[[2, 8, 4, 4], [2, 8, 4, 4], []]", R"(["c10::Half", "float", "Scalar"])",
      R"(["", "", "False"])"},
     "copy 2x8x4x4 fp32 to fp16",
     LayerKind::copy,
     fwd,
     0,
     (4 + 2) * image},
    {"aten::copy_",
     {"[[32, 8], [32, 8], []]", R"(["float", "float", "Scalar"])", R"(["", "", "False"])",
      "[[8, 1], [1, 32], []]"},
     "transpose 32x8",
     LayerKind::copy,
     fwd,
     0,
     2 * 4 * 32 * 8},
    {"aten::native_dropout",
     {"[[32, 8], [], []]", R"(["c10::Half", "Scalar", "Scalar"])", R"(["", "0.1", "True"])"},
     "native_dropout 32x8",
     LayerKind::other,
     fwd,
     0,
     (2 + 2 + 1) * 32 * 8},
    {"aten::fill_",
     {"[[32, 8], []]", R"(["float", "Scalar"])", R"(["", "0"])"},
     "fill 32x8",
     LayerKind::other,
     fwd,
     0,
     4 + 4 * 32 * 8},
    {"aten::reflection_pad2d",
     {"[[2, 8, 4, 4], []]", R"(["float", "ScalarList"])", R"(["", "[1, 1, 2, 2]"])"},
     "reflection_pad2d 2x8x8x6",
     LayerKind::copy,
     fwd,
     0,
     4 * (image + 2 * 8 * 8 * 6)},
    {"aten::gather",  // 16 rows of 8 by an index that is one value a row
     {"[[100, 8], [], [16, 8], []]", R"(["float", "Scalar", "long int", "Scalar"])",
      R"(["", "0", "", "False"])", "[[8, 1], [], [1, 0], []]"},
     "gather 16x8",
     LayerKind::other,
     fwd,
     0,
     4 * 16 * 8 + 8 * 16 + 4 * 16 * 8},
    {"flash_attn::_flash_attn_forward",  // [N, length, heads, features]
     {"[[2, 16, 12, 64], [2, 16, 12, 64], [2, 16, 12, 64], [], [], [], [], []]",
      R"(["c10::Half", "c10::Half", "c10::Half", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar"])",
      R"(["", "", "", "0.", "0.125", "False", "-1", "-1"])"},
     "attention 2x12x16x64",
     LayerKind::attention,
     fwd,
     2 * 12 * 16 * 16 * 128,
     4 * 2 * (2 * 12 * 16 * 64)},
    {"vllm::inplace_fused_experts",  // 8 tokens, each through 2 of 4 experts of 6 features
     {"[[8, 16], [4, 12, 16], [4, 16, 6], [8, 2], [8, 2]]",
      R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "float", "int"])",
      R"(["", "", "", "", ""])"},
     "inplace_fused_experts 8x16 through 4 experts of 6",
     LayerKind::matmul,
     fwd,
     8 * 2 * (12 * 16 + 6 * 16),
     2 * (4 * (12 * 16 + 6 * 16) + 16 * 16 + 16 * (12 + 6))},
    {"aiter::rms_norm",
     {"[[32, 8], [8], []]", R"(["c10::Half", "c10::Half", "Scalar"])", R"(["", "", "1e-06"])"},
     "rms_norm 32x8",
     LayerKind::rms_norm,
     fwd,
     0,
     2 * (32 * 8 + 8 + 32 * 8)},
    {"_C::rms_norm",  // its result stands first
     {"[[32, 8], [32, 8], [8], []]", R"(["c10::Half", "c10::Half", "c10::Half", "Scalar"])",
      R"(["", "", "", "1e-06"])"},
     "rms_norm 32x8",
     LayerKind::rms_norm,
     fwd,
     0,
     2 * (32 * 8 + 8 + 32 * 8)},
    {"fbgemm::FloatToFP8RowwiseQuantized",  // without a row: its operands alone
     {"[[32, 8], []]", R"(["float", "Scalar"])", R"(["", "True"])"},
     "fbgemm::FloatToFP8RowwiseQuantized 32x8",
     LayerKind::other,
     fwd,
     0,
     4 * (32 * 8 + 1)},
    {"aten::copy_",  // counters of batches
     {"[[], [], []]", R"(["long int", "long int", "Scalar"])", R"(["", "", "False"])"},
     "copy of one value",
     LayerKind::other,
     fwd,
     0,
     4 + 4},
};

}  // namespace

TEST_CASE("Operators become layers", "[pytorch/trace_operators]") {
  for (const Row& row : rows) {
    INFO(row.name);
    const std::string text = TraceText()
                                 .operation(row.operation, 7, 100, 20, row.arguments)
                                 .kernel(row.kernel, 7, 110, 5)
                                 .text();
    const auto spec = read_trace(text);
    REQUIRE(spec->layers.size() == 1);
    CHECK(*spec->layers.front().name == row.name);
    CHECK(*spec->layers.front().measured->warm_s == Approx(5e-6));
    const Layer layer = infer(*spec, {}).value().layers.front();
    CHECK(name_of(layer.pass) == name_of(row.pass));
    CHECK(info(layer.kind).name == info(row.kind).name);
    const Counts counts = count(layer);
    CHECK(counts.macs == row.macs);
    CHECK(counts.bytes.total == row.total_byte);
  }
}

TEST_CASE("A recurrent operator is one layer with all its stacked layers and directions",
          "[pytorch/trace_operators]") {
  // 5 steps of 2 samples with 6 features, 2 layers of an LSTM in both directions, of 4 features.
  const RecordedArguments arguments{
      "[[5, 2, 6], [[16, 6]], [], [], [4, 2, 4], [4, 2, 4], [], [], [], [], [], [], [], [], [], "
      "[]]",
      R"(["float", "TensorList", "Scalar", "", "float", "float", "Scalar", "Scalar", "Scalar",
          "Scalar", "Scalar", "Scalar", "Scalar", "Scalar", "ScalarList", ""])",
      R"(["", "", "4", "", "", "", "2", "4", "0", "2", "False", "0.", "False", "True", "[]", ""])"};
  const auto spec = read_trace(TraceText()
                                   .operation("aten::_cudnn_rnn", 1, 0, 100, arguments)
                                   .kernel("RNN_blockPersist_fp_LSTM", 1, 10, 28)
                                   .text());
  const auto layers = infer(*spec, {}).value().layers;
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].name == "lstm 2x5x6 to 8 l2");
  CHECK(layers[0].kind == LayerKind::lstm);
  CHECK(layers[0].bias);
  CHECK(count(layers[0]).macs == 10 * 6 * 32 + 10 * 4 * 32 + 10 * 8 * 32 + 10 * 4 * 32);
  CHECK(*spec->layers[0].measured->warm_s == Approx(28e-6));
}

/// Steps, samples, features and MACs by hand.
TEST_CASE("Recurrent operators in every form", "[pytorch/trace_operators]") {
  struct Form {
    std::string name;
    RecordedArguments arguments;
    LayerKind kind = LayerKind::lstm;
    Sizes sizes = {};  // samples, steps, features
    std::uint64_t macs = 0;
  };
  const Form forms[] = {
      {"aten::lstm",  // batch first
       {"[[2, 5, 6], [[1, 2, 4], [1, 2, 4]], [[16, 6], [16, 4]], [], [], [], [], [], []]",
        R"(["float", "TensorList", "TensorList", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar",
            "Scalar"])",
        R"(["", "", "", "False", "1", "0.", "False", "False", "True"])"},
       LayerKind::lstm,
       {2, 5, 6},
       2 * 5 * (6 + 4) * 16},
      {"aten::gru",
       {"[[5, 2, 6], [1, 2, 4], [[12, 6], [12, 4]], [], [], [], [], [], []]",
        R"(["float", "float", "TensorList", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar",
            "Scalar"])",
        R"(["", "", "", "True", "1", "0.", "False", "False", "False"])"},
       LayerKind::gru,
       {2, 5, 6},
       2 * 5 * (6 + 4) * 12},
      {"aten::gru_cell",
       {"[[2, 6], [2, 4], [12, 6], [12, 4], [12], [12]]",
        R"(["float", "float", "float", "float", "float", "float"])", R"(["", "", "", "", "", ""])"},
       LayerKind::gru,
       {2, 1, 6},
       2 * (6 + 4) * 12},
      {"aten::miopen_rnn",  // packed: rows of all samples
       {"[[9, 6], [[4, 6]], [], [1, 2, 4], [], [], [], [], [], [], [], [], [], []]",
        R"(["float", "TensorList", "Scalar", "float", "", "Scalar", "Scalar", "Scalar", "Scalar",
            "Scalar", "Scalar", "Scalar", "ScalarList", ""])",
        R"(["", "", "2", "", "", "1", "4", "1", "False", "0.", "False", "False", "[]", ""])"},
       LayerKind::rnn,
       {9, 1, 6},
       9 * (6 + 4) * 4},
  };
  for (const Form& form : forms) {
    INFO(form.name);
    const auto layers = trace_layers(TraceText()
                                         .operation(form.name, 1, 0, 100, form.arguments)
                                         .kernel("recurrent", 1, 10, 28)
                                         .text());
    REQUIRE(layers.size() == 1);
    const Recurrence of = recurrence_of(layers.front());
    CHECK(layers.front().kind == form.kind);
    CHECK(Sizes{of.samples, of.steps, of.features} == form.sizes);
    CHECK(count(layers.front()).macs == form.macs);
  }
}

TEST_CASE("fp32 that ran on TF32 units is tf32", "[pytorch/trace_operators]") {
  const RecordedArguments matrices{"[[32, 8], [8, 16]]", R"(["float", "float"])", R"(["", ""])"};
  const auto type_with = [&](const std::string& kernel) {
    return trace_layers(
               TraceText().operation("aten::mm", 1, 0, 9, matrices).kernel(kernel, 1, 5, 1).text())
        .front()
        .dtypes.input;
  };
  CHECK(type_with("cutlass_80_tensorop_s1688gemm_128x128") == DataType::tf32);
  CHECK(type_with("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n") == DataType::fp32);
}

TEST_CASE("Products of the backward pass are a linear layer's gradients",
          "[pytorch/trace_operators]") {
  const RecordedArguments data{"[[32, 16], [16, 8]]", R"(["float", "float"])", R"(["", ""])",
                               "[[16, 1], [8, 1]]"};
  const RecordedArguments weight{"[[16, 32], [32, 8]]", R"(["float", "float"])", R"(["", ""])",
                                 "[[1, 16], [8, 1]]"};
  const auto layers = trace_layers(TraceText()
                                       .operation("AddmmBackward0", 1, 0, 100)
                                       .operation("aten::mm", 2, 10, 9, data)
                                       .operation("aten::mm", 3, 30, 9, weight)
                                       .kernel("gemm", 2, 15, 4)
                                       .kernel("gemm", 3, 35, 6)
                                       .text());
  REQUIRE(layers.size() == 2);
  for (const Layer& layer : layers) {
    CHECK(layer.kind == LayerKind::linear);
    CHECK(layer.inputs.front().shape.channels == 8);
    CHECK(layer.output.channels == 16);
    CHECK(count(layer).macs == 32 * 8 * 16);
  }
  CHECK(layers[0].pass == Pass::dgrad);
  CHECK(layers[1].pass == Pass::wgrad);
}

TEST_CASE("An instance norm keeps the shape that it was asked for", "[pytorch/trace_operators]") {
  const RecordedArguments asked{"[[4, 64, 8, 8], [], [], [], [], [], [], [], []]",
                                R"(["float", "", "", "", "", "", "", "", ""])",
                                R"(["", "", "", "", "", "True", "0.1", "1e-05", "True"])"};
  const RecordedArguments run{"[[1, 256, 8, 8], [], [], [], [], [], [], []]",
                              R"(["float", "", "", "", "", "", "", ""])",
                              R"(["", "", "", "", "", "True", "0.1", "1e-05"])"};
  const auto layers = trace_layers(TraceText()
                                       .operation("aten::instance_norm", 1, 0, 100, asked)
                                       .operation("aten::native_batch_norm", 2, 10, 50, run)
                                       .kernel("batch_norm", 2, 15, 4)
                                       .text());
  CHECK(layers.front().kind == LayerKind::instance_norm);
  CHECK(layers.front().name == "instance_norm 4x64x8x8");
}
