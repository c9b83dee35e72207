// How images lie in memory, and which kernels run for that.

#include "load/loading.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

using namespace roofline;

namespace {

LayerResult on(const std::string& gpu, const std::string& layer) {
  return analyze(load_text(layer), find_gpu(gpu).value()).layers.front();
}

std::string conv_with(const std::string& more) {
  return R"({"input": [32, 64, 56, 56], "out_channels": 64, "kernel_size": 3, "padding": 1)" +
         more + "}";
}

std::string algorithm_of(const std::string& layer) {
  return std::string(name_of(on("v100", layer).kernel->algorithm));
}

}  // namespace

TEST_CASE("A layout that nobody states is what libraries take for the type", "[model/layout]") {
  for (const char* type : {"fp32", "fp64"})
    CHECK(layout_of(load_layer(conv_with(R"(, "dtype": ")" + std::string(type) + "\""))) ==
          Layout::nchw);
  for (const char* type : {"tf32", "fp16", "bf16", "fp8", "int8", "nvfp4"})
    CHECK(layout_of(load_layer(conv_with(R"(, "dtype": ")" + std::string(type) + "\""))) ==
          Layout::nhwc);
  CHECK(layout_of(load_layer(conv_with(R"(, "layout": "nhwc")"))) == Layout::nhwc);
  CHECK(layout_of(load_layer(conv_with(R"(, "dtype": "int8", "layout": "blocked")"))) ==
        Layout::blocked);
}

TEST_CASE("The layout chooses the kernel, not the data type", "[model/layout]") {
  const std::string pool = R"({"type": "max_pool", "input": [32, 64, 56, 56], "kernel_size": 2)";
  CHECK(algorithm_of(pool + "}") == "max_pool_nchw");
  CHECK(algorithm_of(pool + R"(, "layout": "nhwc"})") == "max_pool_nhwc");
  CHECK(algorithm_of(pool + R"(, "dtype": "fp16"})") == "max_pool_nhwc");
  CHECK(algorithm_of(pool + R"(, "dtype": "fp16", "layout": "nchw"})") == "max_pool_nchw");
}

TEST_CASE("Tensor cores copy images that lie in NCHW", "[model/layout]") {
  const LayerResult nhwc = on("v100", conv_with(R"(, "dtype": "fp16")"));
  const LayerResult stated = on("v100", conv_with(R"(, "dtype": "fp16", "layout": "nhwc")"));
  const LayerResult nchw = on("v100", conv_with(R"(, "dtype": "fp16", "layout": "nchw")"));
  CHECK(*stated.expected_time_s() == *nhwc.expected_time_s());
  CHECK(*nchw.expected_time_s() > 1.2 * *nhwc.expected_time_s());
  CHECK(nchw.kernel->kernels > nhwc.kernel->kernels);
}
