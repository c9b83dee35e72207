// No convolution and no product is faster than its arithmetic and its bytes.

#include <string>
#include <string_view>

#include "kernel/physics.hpp"
#include "load/loading.hpp"
#include "model/generated_layers.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

namespace {

using namespace roofline;
using namespace physics;

/// Whether some outputs see padding alone: their multiply-adds count, but gradients skip them.
bool pads_beyond_window(const Layer& layer) {
  const Window& window = *layer.window;
  return 2 * window.pad_begin[2] > window.kernel[2] - 1;
}

}  // namespace

TEST_CASE("With cold caches no kernel beats the bound but those that do fewer multiply-adds",
          "[kernel/physics_arithmetic]") {
  for (const char* name : {"v100", "h200", "a100", "t4", "rtx3090", "gtx1080ti", "mi210", "mi25"}) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    for (const DataType dtype : {DataType::fp32, DataType::fp16})
      for (Layer layer : generated::layers(23, 8, dtype))
        for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
          layer.pass = pass;
          const auto engine = select_engine(layer, gpu.peak_flop_per_s, EngineChoice::automatic);
          if (!runs(layer, pass) || !engine || pads_beyond_window(layer)) continue;
          const Counts counts = count(layer);
          const auto plan = plan_kernel(layer, counts, *engine, model, CacheState::cold).value();
          if (!plan) continue;
          const std::string_view algorithm = name_of(plan->algorithm);
          if (saves_macs(plan->algorithm)) continue;
          const double bound_s =
              evaluate(counts, *rate_of(gpu.peak_flop_per_s, *engine), gpu.bandwidth_byte_per_s)
                  .roofline_time_s;
          INFO(name << ' ' << layer.name << ' ' << name_of(pass) << ' ' << name_of(dtype) << ' '
                    << algorithm);
          CHECK(plan->expected_time_s() >= bound_s);
        }
  }
}

TEST_CASE("No large product is faster than the peak, whatever the library's shares multiply to",
          "[kernel/physics_arithmetic]") {
  for (const char* gpu : {"gtx1080", "gtx1080ti", "p4", "p100", "t4", "v100", "mi50"})
    for (const char* dtype : {"fp16", "fp32", "fp64"}) {
      INFO(gpu << ' ' << dtype);
      const std::string layers = R"({"layers": [{"type": "matmul", "m": 4096, "n": 4096, "k": 4096,
                                    "batch": 64, "dtype": ")" +
                                 std::string(dtype) + "\"}]}";
      const Network network = load_network(layers, "large", {}).value();
      for (const LayerResult& row : analyze(network, find_gpu(gpu).value(), {}).layers)
        if (row.kernel) CHECK(*row.expected_time_s() >= row.point.roofline_time_s);
    }
}

TEST_CASE("A strided gradient does not beat the FLOP that are counted",
          "[kernel/physics_arithmetic]") {
  // Two of 34 x 3 columns are padding: the kernel computes 98 % of 513.4 GFLOP, at 47.85 TFLOP/s.
  const Network network =
      load_network(R"({"layers": [{"batch": 4, "input": [2048, 100, 100], "out_channels": 1024,
                        "kernel_size": 3, "stride": [1, 3], "padding": 1, "dtype": "fp32",
                        "pass": "dgrad", "layout": "nhwc"}]})",
                   "strided", {})
          .value();
  const LayerResult row = analyze(network, find_gpu("mi250x-gcd").value(), {}).layers.at(0);
  CHECK(row.point.roofline_time_s == Approx(10.73e-3).epsilon(0.001));
  CHECK(*row.expected_time_s() >= row.point.roofline_time_s);
}

TEST_CASE("A product of few rows in fp64 does not beat its arithmetic",
          "[kernel/physics_arithmetic]") {
  // 2 x 64 x 64 x 6 x 4096 FLOP at 254 GFLOP/s: 793 us, while 147 MB take 459.
  const Network network =
      load_network(R"({"layers": [{"type": "matmul", "m": 64, "n": 6, "k": 4096, "batch": 64,
                        "dtype": "fp64"}]})",
                   "rows", {})
          .value();
  const LayerResult row = analyze(network, find_gpu("t4").value(), {}).layers.at(0);
  CHECK(row.point.roofline_time_s == Approx(793e-6).epsilon(0.001));
  CHECK(*row.expected_time_s() >= row.point.roofline_time_s);
  CHECK(row.kernel->algorithm == Algorithm::gemv);
}

TEST_CASE("A window of 2^32 taps is planned without looking at each",
          "[kernel/physics_arithmetic]") {
  const Gpu gpu = find_gpu("v100").value();
  const KernelModel model = kernel_model_of(gpu).value();
  const Layer layer = load_layer(R"({"type": "conv1d", "input": [4, 4294967299], "groups": 4,
                                     "out_channels": 4, "kernel_size": 4294967295})");
  CHECK(seconds(layer, Pass::fwd, gpu, model) > 0.0);
}
