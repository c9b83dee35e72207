// A little more work is no cliff but where a library has it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernel/physics.hpp"
#include "load/loading.hpp"
#include "model/generated_layers.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

namespace {

using namespace roofline;
using namespace physics;

}  // namespace

TEST_CASE("In fp32 one more channel is no cliff, and padding channels does not halve the time",
          "[kernel/physics_cliff]") {
  // In fp16 both happen, and are measured: 64 -> 64 channels 24 us, 65 -> 65 132 us on an H200
  // (tests/measured/h200_unaligned.ndjson).
  for (const char* name : {"v100", "h200", "a100", "t4", "rtx3090", "gtx1080ti", "mi210"}) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    const std::vector<Layer> even = dense_layers(DataType::fp32, 0, 0);
    for (const auto& [in, out] : {std::pair{1U, 0U}, std::pair{0U, 1U}}) {
      const std::vector<Layer> odd = dense_layers(DataType::fp32, in, out);
      const std::vector<Layer> padded = dense_layers(DataType::fp32, 8 * in, 8 * out);
      for (std::size_t i = 0; i < even.size(); ++i)
        for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
          const double odd_s = *seconds(odd[i], pass, gpu, model);
          INFO(name << ' ' << name_of(pass) << ' ' << odd[i].inputs.front().shape.channels << " -> "
                    << odd[i].output.channels << " at " << odd[i].output.spatial[1]);
          CHECK(odd_s <= 2.5 * *seconds(even[i], pass, gpu, model));
          CHECK(*seconds(padded[i], pass, gpu, model) >= 0.5 * odd_s);
        }
    }
  }
}

// Tensor cores take 16-bit channels in vectors of eight. On an H200 cuDNN pads a whole image of 257
// channels of which a 1x1 window of stride 2 reads a quarter: 97.5 us forward to 64 channels, of
// 256 channels 9.2 us, x10.6 (tests/measured/h200_unaligned.ndjson). cuBLAS runs rows of an odd
// length by Turing's instructions (h100_order.ndjson), whose rate no longer grows: x14 on a B200 at
// these sizes. MIOpen has solvers for blocks of channels, and beside them an im2col image by image:
// of 6,316 convolutions measured on an MI100 974 ran fastest on that, and 424 on naive kernels.
TEST_CASE("One more channel is a cliff only where a library pads, or has a solver for blocks",
          "[kernel/physics_cliff]") {
  double compared = 0, of_blocks = 0;  // on AMD
  for (const char* name :
       {"v100", "p4", "t4", "a100", "l4", "h100", "b200", "mi25", "mi100", "mi210", "mi300x"}) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    generated::Numbers numbers(59);
    for (int i = 0; i < 150; ++i)
      for (const DataType dtype : {DataType::fp32, DataType::fp16, DataType::int8}) {
        const Layer layer = drawn_layer(numbers, dtype);
        for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad})
          for (const bool of_input : {true, false}) {
            Layer more = layer;
            std::uint64_t& channels = (of_input ? more.inputs.front().shape : more.output).channels;
            const double most = static_cast<double>(channels + 1) / static_cast<double>(channels);
            ++channels;
            const auto time_s = seconds(layer, pass, gpu, model);
            const auto more_s = seconds(more, pass, gpu, model);
            if (!time_s || !more_s) continue;
            const double cliff = *more_s / (*time_s * most);
            INFO(name << ' ' << name_of(dtype) << ' ' << name_of(pass) << ' ' << channels
                      << (of_input ? " in" : " out") << ": " << cliff);
            if (gpu.vendor == "NVIDIA") {
              CHECK(cliff <= (dtype == DataType::fp16 ? 14 : 4));
            } else {
              ++compared;
              of_blocks += cliff > 4 ? 1 : 0;
            }
          }
      }
  }
  INFO(of_blocks << " of " << compared);
  CHECK(of_blocks <= 0.0005 * compared);
}

// An L2 loses a workspace by and by: to an RTX 4090 162 images of the first shape's weight gradient
// had cost 2.4 times as much as 144.
TEST_CASE("A few more images are no cliff where a transform's workspace outgrows L2",
          "[kernel/physics_cliff]") {
  for (const char* name : {"k80", "gtx1080ti", "v100", "t4", "a100", "l40s", "rtx4090", "h100"}) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    for (const char* shape :
         {R"(20, 57, 57], "out_channels": 4, "kernel_size": 3, "padding": 3})",
          R"(64, 28, 28], "out_channels": 64, "kernel_size": 5, "padding": 2})",
          R"(128, 56, 56], "out_channels": 128, "kernel_size": 3, "padding": 1})",
          R"(256, 14, 14], "out_channels": 256, "kernel_size": 5, "padding": 2})",
          R"(32, 27, 27], "out_channels": 96, "kernel_size": 9, "padding": 4})"})
      for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
        const auto time_s = [&](unsigned batch) {
          return *seconds(load_layer(R"({"dtype": "fp32", "layout": "nchw", "input": [)" +
                                     std::to_string(batch) + ", " + shape),
                          pass, gpu, model);
        };
        for (unsigned batch = 8; batch < 600; batch += batch / 8) {
          INFO(name << ' ' << name_of(pass) << ' ' << batch << ", " << shape);
          CHECK(time_s(batch + batch / 8) <= 1.6 * time_s(batch));
        }
      }
  }
}

TEST_CASE("One more row of a product in fp64 is no cliff", "[kernel/physics_cliff]") {
  LayerDefaults defaults;
  defaults.dtype = DataType::fp64;
  for (const char* name : {"t4", "l4", "a10", "a40", "rtx4090", "v100", "h100", "mi210"}) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    generated::Numbers numbers(47);
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t rows = numbers.of({1, 4, 6, 7, 12, 32, 48, 64, 200, 2310});
      const std::string columns = numbers.text_of({3, 6, 7, 19, 38, 64, 288});
      const std::string depth = numbers.text_of({4, 30, 235, 1024});
      const auto time_s = [&](std::uint64_t m) {
        return *seconds(load_layer(R"({"type": "matmul", "m": )" + std::to_string(m) +
                                       R"(, "n": )" + columns + R"(, "k": )" + depth + "}",
                                   defaults),
                        Pass::fwd, gpu, model);
      };
      INFO(name << ' ' << rows << " x " << columns << " x " << depth);
      CHECK(time_s(rows + 1) <= 2.2 * time_s(rows));
      CHECK(time_s(rows + 1) >= 0.9 * time_s(rows));
    }
  }
}
