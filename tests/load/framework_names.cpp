// Layers as PyTorch's class names and other people's keys have them.

#include "load/loading.hpp"
#include "report/text.hpp"

using namespace roofline;

namespace {

struct NamedLayer {
  std::string text;  ///< of a layer, without its braces
  LayerKind kind;
  std::string shapes;  ///< of its input and its output: N, C, spatial
};

void check_named(const std::vector<NamedLayer>& table) {
  for (const NamedLayer& each : table) {
    INFO(each.text);
    const Layer layer = load_layer("{\"type\": " + each.text + "}");
    CHECK(layer.kind == each.kind);
    CHECK(shape_text(layer.inputs.front().shape) + " to " + shape_text(layer.output) ==
          each.shapes);
  }
}

}  // namespace

TEST_CASE("Classes of torch.nn that slide a window", "[load/framework_names]") {
  using enum LayerKind;
  check_named({
      {R"("Conv1d", "input": [3, 9], "out_channels": 4, "kernel_size": 3)", conv, "1x3x9 to 1x4x7"},
      {R"("Conv1d", "input": [2, 3, 9], "out_channels": 4, "kernel_size": 3)", conv,
       "2x3x9 to 2x4x7"},
      {R"("Conv2d", "input": [3, 9, 9], "out_channels": 4, "kernel_size": 3)", conv,
       "1x3x9x9 to 1x4x7x7"},
      {R"("Conv3d", "input": [3, 9, 9, 9], "out_channels": 4, "kernel_size": 3)", conv,
       "1x3x9x9x9 to 1x4x7x7x7"},
      {R"("ConvTranspose1d", "input": [3, 4], "out_channels": 5, "kernel_size": 2, "stride": 2)",
       conv_transpose, "1x3x4 to 1x5x8"},
      {R"("ConvTranspose2d", "input": [3, 4, 4], "out_channels": 5, "kernel_size": 2)",
       conv_transpose, "1x3x4x4 to 1x5x5x5"},
      {R"("ConvTranspose3d", "input": [3, 4, 4, 4], "out_channels": 5, "kernel_size": 1)",
       conv_transpose, "1x3x4x4x4 to 1x5x4x4x4"},
      {R"("MaxPool1d", "input": [3, 8], "kernel_size": 2)", max_pool, "1x3x8 to 1x3x4"},
      {R"("MaxPool2d", "input": [3, 8, 8], "kernel_size": 2)", max_pool, "1x3x8x8 to 1x3x4x4"},
      {R"("MaxPool3d", "input": [3, 8, 8, 8], "kernel_size": 2)", max_pool,
       "1x3x8x8x8 to 1x3x4x4x4"},
      {R"("AvgPool1d", "input": [3, 8], "kernel_size": 2)", avg_pool, "1x3x8 to 1x3x4"},
      {R"("AvgPool2d", "input": [3, 8, 8], "kernel_size": 2)", avg_pool, "1x3x8x8 to 1x3x4x4"},
      {R"("AvgPool3d", "input": [3, 8, 8, 8], "kernel_size": 2)", avg_pool,
       "1x3x8x8x8 to 1x3x4x4x4"},
  });
}

TEST_CASE("Classes of torch.nn whose name says how many axes the input has",
          "[load/framework_names]") {
  using enum LayerKind;
  check_named({
      // PyTorch's BatchNorm1d takes [N, C] and [N, C, L]: 64 channels, not 2 or 100.
      {R"("BatchNorm1d", "input": [2, 64])", batch_norm, "2x64 to 2x64"},
      {R"("BatchNorm1d", "input": [2, 64, 100])", batch_norm, "2x64x100 to 2x64x100"},
      {R"("BatchNorm2d", "input": [4, 8, 8])", batch_norm, "1x4x8x8 to 1x4x8x8"},
      {R"("BatchNorm3d", "input": [4, 8, 8, 8])", batch_norm, "1x4x8x8x8 to 1x4x8x8x8"},
      {R"("SyncBatchNorm", "input": [4, 8, 8])", batch_norm, "1x4x8x8 to 1x4x8x8"},
      {R"("InstanceNorm1d", "input": [64, 100])", instance_norm, "1x64x100 to 1x64x100"},
      {R"("InstanceNorm2d", "input": [4, 8, 8])", instance_norm, "1x4x8x8 to 1x4x8x8"},
      {R"("InstanceNorm3d", "input": [4, 8, 8, 8])", instance_norm, "1x4x8x8x8 to 1x4x8x8x8"},
      {R"("AdaptiveAvgPool1d", "input": [2, 4, 8])", global_avg_pool, "2x4x8 to 2x4x1"},
      {R"("AdaptiveAvgPool2d", "input": [4, 8, 8])", global_avg_pool, "1x4x8x8 to 1x4x1x1"},
      {R"("AdaptiveAvgPool3d", "input": [4, 8, 8, 8])", global_avg_pool, "1x4x8x8x8 to 1x4x1x1x1"},
      {R"("Softmax2d", "input": [4, 8, 8])", softmax, "1x4x8x8 to 1x4x8x8"},
      {R"("UpsamplingNearest2d", "input": [4, 8, 8], "scale_factor": 2)", upsample,
       "1x4x8x8 to 1x4x16x16"},
  });
  CHECK(message_of([] { load_layer(R"({"type": "BatchNorm2d", "input": [4, 8]})"); }) == "");
  CHECK(message_of([] { load_layer(R"({"type": "InstanceNorm2d", "input": [4, 8]})"); }) ==
        "conv.json: /input: expected a shape [C, H, W] or [N, C, H, W], got [4,8]");
}

TEST_CASE("Other classes of torch.nn", "[load/framework_names]") {
  const std::pair<const char*, LayerKind> classes[] = {
      {"Upsample", LayerKind::upsample},
      {"GroupNorm", LayerKind::group_norm},
      {"LayerNorm", LayerKind::layer_norm},
      {"LocalResponseNorm", LayerKind::local_response_norm},
      {"ReLU", LayerKind::relu},
      {"ReLU6", LayerKind::relu6},
      {"LeakyReLU", LayerKind::leaky_relu},
      {"PReLU", LayerKind::prelu},
      {"ELU", LayerKind::elu},
      {"SiLU", LayerKind::silu},
      {"Hardswish", LayerKind::hardswish},
      {"Hardsigmoid", LayerKind::hardsigmoid},
      {"Sigmoid", LayerKind::sigmoid},
      {"Tanh", LayerKind::tanh},
      {"GELU", LayerKind::gelu},
      {"Softmax", LayerKind::softmax},
      {"GLU", LayerKind::glu},
      {"Flatten", LayerKind::flatten},
  };
  for (const auto& [name, kind] : classes) {
    INFO(name);
    const std::string more = kind == LayerKind::group_norm ? R"(, "groups": 2)"
                             : kind == LayerKind::upsample ? R"(, "scale_factor": 2)"
                                                           : "";
    CHECK(load_layer("{\"type\": \"" + std::string(name) + "\", \"input\": [4, 8, 8]" + more + "}")
              .kind == kind);
  }
  const Layer linear =
      load_layer(R"({"type": "Linear", "in_features": 10, "out_features": 4, "bias": true})");
  CHECK(linear.kind == LayerKind::linear);
  CHECK(linear.output == Shape{1, 4, {1, 1, 1}, 0});
}

TEST_CASE("Other people's keys get a hint that helps", "[load/framework_names]") {
  const auto conv = [](const std::string& more) {
    return R"({"input": [3, 8, 8], "out_channels": 4, )" + more + "}";
  };
  const std::string unknown = "expected a key of a conv layer, got ";
  check_messages({
      {conv(R"("kernel_size": 3, "padLeft": 1)"),
       "/padLeft: " + unknown + "\"padLeft\"; did you mean \"padding\"?"},
      {conv(R"("kernel_size": 3, "data_format": "channels_last")"),
       "/data_format: " + unknown +
           "\"data_format\"; write \"layout\": \"nchw\" or \"nhwc\", and sizes as [N, C, H, W]"},
      {conv(R"("kernel_size": 3, "padding_mode": "reflect")"),
       "/padding_mode: expected zeros, got \"reflect\""},
      {conv(R"("kernel_size": 3, "conv_group": 2)"),
       "/conv_group: " + unknown + "\"conv_group\"; did you mean \"groups\"?"},
      {R"({"type": "GroupNorm", "input": [6, 8, 8], "n_groups": 3})",
       "/n_groups: expected a key of a group_norm layer, got \"n_groups\"; did you mean "
       "\"groups\"?"},
      {R"({"type": "BatchNorm2d", "input": [6, 8, 8], "num_features": 8})",
       "/num_features: expected 6, the channels of the input [1, 6, 8, 8], got 8"},
  });
}

TEST_CASE("A layer norm spans what it says, else the features", "[load/framework_names]") {
  const std::string image = R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3}, )";
  struct Case {
    std::string text;
    std::uint64_t elements;
  };
  const Case table[] = {
      {R"({"type": "LayerNorm", "input": [2, 16]})", 16},
      {R"({"type": "LayerNorm", "input": [2, 6, 8, 16], "normalized_shape": 16})", 16},
      {R"({"type": "LayerNorm", "input": [2, 6, 8, 16], "normalized_shape": [8, 16]})", 128},
      {R"({"type": "LayerNorm", "input": [2, 6, 8, 16], "normalized_shape": [6, 8, 16]})", 768},
      {R"({"type": "LayerNorm", "input": [2, 8, 16]})", 16},
      {"[" + image + R"({"type": "LayerNorm", "normalized_shape": [4]}])", 4},
      {"[" + image + R"({"type": "LayerNorm", "normalized_shape": [6, 6]}])", 36},
      {"[" + image + R"({"type": "LayerNorm", "normalized_shape": [4, 6, 6]}])", 144},
      {"[" + image + R"({"type": "RMSNorm"}, {"type": "LayerNorm"}])", 4},
  };
  for (const Case& each : table) {
    INFO(each.text);
    CHECK(load_text(each.text).layers.back().norm_elements == each.elements);
  }
  check_messages({{"[" + image + R"({"type": "LayerNorm", "normalized_shape": [5]}])",
                   "/1/normalized_shape: expected [4], the features of the input [1, 4, 6, 6], or "
                   "all its 144 elements but the batch, got [5]"}});
}
