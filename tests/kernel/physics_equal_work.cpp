// Equal work by another name takes as long.

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/physics.hpp"
#include "load/loading.hpp"
#include "model/generated_layers.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

namespace {

using namespace roofline;
using namespace physics;

struct EqualLayers {
  Layer convolution;  ///< of one place, in NHWC
  Layer linear;
};

EqualLayers equal_layers(std::uint64_t batch, std::uint64_t size, const std::string& in,
                         const std::string& out, DataType dtype) {
  LayerDefaults defaults;
  defaults.dtype = dtype;
  const std::string edge = ", " + std::to_string(size);
  return {load_layer(R"({"layout": "nhwc", "kernel_size": 1, "input": [)" + std::to_string(batch) +
                         ", " + in + edge + edge + R"(], "out_channels": )" + out + "}",
                     defaults),
          load_layer(R"({"type": "linear", "input": [)" + std::to_string(batch * size * size) +
                         ", " + in + R"(], "out_features": )" + out + "}",
                     defaults)};
}

}  // namespace

TEST_CASE("A convolution of one place in NHWC takes what its linear layer takes",
          "[kernel/physics_equal_work]") {
  // Not always: cuDNN starts more slowly than cuBLAS, and times its own kernels beside it.
  struct Case {
    const char* gpu;
    double apart;  ///< share that is apart by more than a quarter
  };
  const std::vector<std::uint64_t> channels{1, 3, 16, 50, 64, 100, 128, 255, 256, 512, 1024};
  for (const auto& [name, apart] : {Case{"h100", 0.17}, {"h200", 0.17}, {"a100", 0.18}}) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    generated::Numbers numbers(37);
    double compared = 0, differ = 0;
    for (int i = 0; i < 200; ++i)
      for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
        const std::uint64_t batch = numbers.of({1, 4, 16, 64});
        const std::uint64_t size = numbers.of({1, 7, 14, 28, 56});
        const std::string in = numbers.text_of(channels);
        const std::string out = numbers.text_of(channels);
        const auto [convolution, linear] = equal_layers(batch, size, in, out, dtype);
        for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
          const double ratio =
              *seconds(convolution, pass, gpu, model) / *seconds(linear, pass, gpu, model);
          ++compared;
          differ += ratio > 1.25 || ratio < 0.8 ? 1 : 0;
        }
      }
    INFO(name << ' ' << differ / compared);
    CHECK(differ <= apart * compared);
  }
}

TEST_CASE(
    "In fp64 a convolution of one place in NHWC takes what its linear layer takes, everywhere",
    "[kernel/physics_equal_work]") {
  const std::vector<std::uint64_t> channels{1, 3, 16, 50, 128, 255, 1024};
  for (const char* name : {"k80", "v100", "t4", "rtx3090", "a100", "h100", "b200", "mi50", "mi100",
                           "mi210", "mi300x", "rx7900xtx"}) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    generated::Numbers numbers(61);
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t batch = numbers.of({1, 4, 64});
      const std::uint64_t size = numbers.of({1, 7, 28});
      const std::string in = numbers.text_of(channels);
      const std::string out = numbers.text_of(channels);
      const auto [convolution, linear] = equal_layers(batch, size, in, out, DataType::fp64);
      for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
        INFO(name << ' ' << name_of(pass) << ' ' << batch << " x " << size << ": " << in << " -> "
                  << out);
        CHECK(*seconds(convolution, pass, gpu, model) ==
              Approx(*seconds(linear, pass, gpu, model)).epsilon(0.05));
      }
    }
  }
}

TEST_CASE("A max pool's gradient looks into every window over an element, dilated or not",
          "[kernel/physics_equal_work]") {
  const Gpu gpu = find_gpu("h100").value();
  const auto time_s = [&](const char* window) {
    return *seconds(
        load_layer(R"({"type": "max_pool", "layout": "nchw", "input": [64, 64, 56, 56], )" +
                   std::string(window) + "}"),
        Pass::dgrad, gpu, kernel_model_of(gpu).value());
  };
  const double wide_s = time_s(R"("stride": 1, "kernel_size": 5, "padding": 2)");
  CHECK(time_s(R"("stride": 1, "kernel_size": 3, "padding": 2, "dilation": 2)") ==
        Approx(wide_s).epsilon(0.01));
  CHECK(time_s(R"("stride": 1, "kernel_size": 3, "padding": 1)") < 0.8 * wide_s);
}
