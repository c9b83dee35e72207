// The parts of an expected time: they sum to it, and the largest is the limiter.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "model/generated_layers.hpp"
#include "roofline/catalogue.hpp"

namespace {

using namespace roofline;

double part(const KernelPlan& plan, Limiter limiter) {
  return plan.part_s[static_cast<std::size_t>(limiter)];
}

bool is_sum_of_parts(const KernelPlan& plan) {
  double sum = 0;
  for (const double part_s : plan.part_s) {
    if (!(part_s >= 0)) return false;
    sum += part_s;
  }
  return sum == plan.expected_time_s() && sum > 0;
}

bool limiter_is_largest(const KernelPlan& plan) {
  const auto largest = std::max_element(plan.part_s.begin(), plan.part_s.end());
  return plan.limiter() == static_cast<Limiter>(largest - plan.part_s.begin()) &&
         plan.limiter_share() == *largest / plan.expected_time_s();
}

KernelPlan plan_of(const std::string& text, const std::string& gpu, Engine engine) {
  const Layer layer = load_layer(text);
  return *plan_kernel(layer, count(layer), engine, kernel_model_of(find_gpu(gpu).value()).value(),
                      CacheState::warm)
              .value();
}

}  // namespace

TEST_CASE("Parts sum to the time, bit for bit, and the largest is the limiter", "[kernel/parts]") {
  std::map<Limiter, int> limiters;
  for (const DataType dtype :
       {DataType::fp64, DataType::fp32, DataType::tf32, DataType::fp16, DataType::int8}) {
    const std::vector<Layer> layers = generated::layers(9, 4, dtype);
    for (const Gpu& gpu : all_gpus()) {
      const KernelModel model = kernel_model_of(gpu).value();
      for (Layer layer : layers)
        for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
          if (!runs(layer, pass)) continue;
          layer.pass = pass;
          const auto engine = select_engine(layer, gpu.peak_flop_per_s, EngineChoice::automatic);
          if (!engine) continue;
          const Counts counts = count(layer);
          for (const CacheState cache : {CacheState::warm, CacheState::cold}) {
            const auto plan = plan_kernel(layer, counts, *engine, model, cache).value();
            if (!plan) continue;
            ++limiters[plan->limiter()];
            INFO(gpu.name << ' ' << layer.name << ' ' << name_of(pass) << ' ' << name_of(dtype)
                          << ' ' << name_of(plan->algorithm));
            const bool good = is_sum_of_parts(*plan) && limiter_is_largest(*plan) &&
                              (counts.flops > 0 || part(*plan, Limiter::math) == 0);
            CHECK(good);
          }
        }
    }
  }
  CHECK(limiters.size() == count_of<Limiter>);  // each is the largest part somewhere
}

TEST_CASE("A layer without FLOP has no math", "[kernel/parts]") {
  const KernelPlan concat =
      plan_of(R"({"type": "concat", "inputs": [[64, 64, 56, 56], [64, 64, 56, 56]]})", "h200",
              Engine::fp32);
  CHECK(part(concat, Limiter::math) == 0);
  CHECK(part(concat, Limiter::dram) > 0);
}

/// Kernels that join with DRAM as sqrt(kernels^2 + DRAM^2): what the kernels have of their own
/// time. Their parts are kernels^2 / both, DRAM's is DRAM^2 / both.
double own_share(const KernelPlan& plan) {
  const double dram_s = part(plan, Limiter::dram);
  const double first_launch_s = 1.15e-6;
  const double kernels_s = plan.expected_time_s() - first_launch_s - dram_s;
  return std::sqrt(kernels_s / (kernels_s + dram_s));
}

TEST_CASE("The notebook's convolution, part by part", "[kernel/parts]") {
  // 512 blocks of 10 steps, four on each of 80 SMs and in the second wave three. An SM multiplies
  // at 15.7e12 x 0.97 / 80 FLOP/s, and 11.6 x (1/128 + 1/64) on top is operand loads.
  const KernelPlan plan = plan_of(
      R"({"input": [3, 256, 256], "out_channels": 64, "kernel_size": 5, "padding": 2,
          "kernel": {"tile": [128, 64, 8], "threads": 128}})",
      "v100", Engine::fp32);
  const double rate = 15.7e12 * 0.97;
  const double flop = 2.0 * 64 * 65536 * 75;
  const double overhead = 11.6 * (1 / 128.0 + 1 / 64.0);
  // 6.4 blocks an SM are 7 on the busiest. Stores: 64 x 65536 results of 4 byte at 42 byte a clock,
  // an SM and 1.53 GHz.
  const double store_s = 4.0 * 64 * 65536 / (80 * 42 * 1.53e9);
  const double spread_s = flop / rate * (1 + overhead) * 80 / 75 + store_s;
  const double kernel_s = spread_s * 7 / 6.4;
  // 0.83 of 900 GB/s: the image, the weights and the result, beyond what the L2 keeps.
  const double dram_s = 4.0 * (3 * 65536 + 64 * 75 + 64 * 65536) / (0.83 * 900e9);
  const double own = kernel_s / std::hypot(kernel_s, dram_s);
  CHECK(own_share(plan) == Approx(own));
  CHECK(part(plan, Limiter::dram) == Approx(dram_s * dram_s / std::hypot(kernel_s, dram_s)));
  CHECK(part(plan, Limiter::math) == Approx(flop / rate * own));
  CHECK(part(plan, Limiter::instructions) == Approx(flop / rate * overhead * own));
  CHECK(part(plan, Limiter::tile_padding) == Approx(flop / rate * (1 + overhead) * 5 / 75 * own));
  // An empty kernel 1 us and the gap 0.15 us: a stated kernel has no library's start.
  CHECK(part(plan, Limiter::launch) == Approx(1.15e-6));
  CHECK(part(plan, Limiter::l2) == Approx(store_s * own));
  CHECK(part(plan, Limiter::last_wave) == Approx(spread_s * (7 / 6.4 - 1) * own));
  CHECK(part(plan, Limiter::occupancy) == 0);
  CHECK(part(plan, Limiter::latency) == 0);
}

TEST_CASE("A weight gradient on a V100 has its own share of the rate", "[kernel/parts]") {
  struct Case {
    const char* mapping;  ///< its tile, and the data type
    Engine engine;
    double rate;      ///< of the forward pass
    double overhead;  ///< operand loads
    double share;     ///< fitted to DeepBench's V100
  };
  // 0.97 of 15.7 and 125 TFLOP/s, and operand loads of 11.6 and 15.6 elements by tiles of 64 x 64.
  for (const Case& each :
       {Case{R"("tile": [64, 64, 8], "threads": 64})", Engine::fp32, 15.7e12 * 0.97,
             11.6 * (1 / 64.0 + 1 / 64.0), 0.775},
        Case{R"("tile": [64, 64, 32], "threads": 128}, "dtype": "fp16")", Engine::fp16_tensor,
             125e12 * 0.97, 15.6 * (1 / 64.0 + 1 / 64.0), 0.917}}) {
    INFO(name_of(each.engine));
    const KernelPlan plan = plan_of(
        R"({"input": [32, 64, 56, 56], "out_channels": 64, "kernel_size": 3, "padding": 1,
            "pass": "wgrad", "kernel": {"split_k": 16, )" +
            std::string(each.mapping) + "}",
        "v100", each.engine);
    const double math_s = 2.0 * 32 * 56 * 56 * 64 * 64 * 9 / each.rate * own_share(plan);
    CHECK(part(plan, Limiter::math) == Approx(math_s));
    CHECK(part(plan, Limiter::instructions) ==
          Approx(math_s * ((1 + each.overhead) / each.share - 1)));
  }
}

TEST_CASE("Backward arithmetic of activations and layer norms on an H200", "[kernel/parts]") {
  struct Case {
    const char* layer;
    double clocks;  ///< of one of 132 SMs at 1.98 GHz
    double launches;
  };
  // 2^26 elements, more than device memory takes time for: 0.29 clocks. Rows of 96: 0.1 clocks an
  // element and 188 a row, and a second kernel, with 0.22 clocks an element, for the weights.
  for (const Case& each : {Case{R"({"type": "gelu", "dtype": "fp16", "input": [64, 1024, 32, 32]})",
                                67108864 * 0.29, 1},
                           Case{R"({"type": "silu", "dtype": "fp16", "input": [64, 1024, 32, 32]})",
                                67108864 * 0.29, 1},
                           Case{R"({"type": "layer_norm", "pass": "dgrad", "input": [65536, 96]})",
                                65536 * (96 * (0.1 + 0.22) + 188), 2}}) {
    INFO(each.layer);
    const KernelPlan plan = plan_of(each.layer, "h200", Engine::fp32);
    // Less what chains of round trips have of it, for the rows 1.4 %.
    CHECK(part(plan, Limiter::math) + part(plan, Limiter::instructions) ==
          Approx(each.clocks / (132 * 1.98e9)).epsilon(0.015));
    CHECK(part(plan, Limiter::dram) == 0);
    CHECK(part(plan, Limiter::launch) == Approx(each.launches * 1.15e-6));
  }
}

TEST_CASE("Few columns of a layer norm's weights keep few SMs busy", "[kernel/parts]") {
  // Rows of 96 are three blocks of 32 columns: 129 of 132 SMs wait for them.
  const KernelPlan plan = plan_of(
      R"({"type": "layer_norm", "pass": "dgrad", "input": [65536, 96]})", "h200", Engine::fp32);
  const double parameters_s = 65536 * 96 * 0.22 / (132 * 1.98e9);
  // 256 steps of 256 rows take a round trip of 0.55 us each, beside the clocks.
  const double bound_s = 44 * parameters_s;
  const double chain_s = 256 * 0.55e-6;
  CHECK(part(plan, Limiter::last_wave) ==
        Approx(43 * parameters_s * bound_s / std::hypot(bound_s, chain_s)));
}

TEST_CASE("A layer norm's rows are what one mean divides", "[kernel/parts]") {
  // Over all but the batch, 256 rows of 3,136: 6.46 us on an H100; over the last axis, 114,688 rows
  // of 7: 561 us.
  const char* all =
      R"({"type": "layer_norm", "input": [256, 64, 7, 7], "normalized_shape": [64, 7, 7]})";
  const char* last = R"({"type": "layer_norm", "input": [256, 64, 7, 7], "normalized_shape": [7]})";
  const KernelPlan few = plan_of(all, "h100", Engine::fp32);
  CHECK(few.blocks == 256);
  CHECK(few.expected_time_s() == Approx(6.46e-6).epsilon(0.1));
  const KernelPlan many = plan_of(last, "h100", Engine::fp32);
  CHECK(many.blocks == 114688);
  CHECK(many.expected_time_s() > 20 * few.expected_time_s());
}

TEST_CASE("A batch norm in bf16 trains by PyTorch's kernels in channels last", "[kernel/parts]") {
  struct Case {
    const char* input;
    std::uint64_t launches;
    double measured_s;  ///< on an H100
  };
  for (const Case& each :
       {Case{"[1, 24, 440, 440]", 3, 30.3e-6}, Case{"[32, 64, 40, 40]", 3, 20.9e-6},
        Case{"[2, 64, 49, 49, 49]", 5, 291.2e-6}}) {
    INFO(each.input);
    const auto plan = [&](const std::string& dtype, Engine engine) {
      return plan_of(R"({"type": "batch_norm", "training": true, "layout": "nhwc", "dtype": ")" +
                         dtype + R"(", "input": )" + each.input + "}",
                     "h100", engine);
    };
    const KernelPlan own = plan("bf16", Engine::bf16_vector);
    CHECK(own.kernels == each.launches);
    CHECK(own.expected_time_s() == Approx(each.measured_s).epsilon(0.2));
    const KernelPlan of_cudnn = plan("fp16", Engine::fp16);
    CHECK(of_cudnn.kernels == 2);
    CHECK(of_cudnn.expected_time_s() < own.expected_time_s());
  }
}

TEST_CASE("Windows, permutations and masks take what they were measured to take on an H200",
          "[kernel/parts]") {
  struct Case {
    const char* layer;
    std::uint64_t launches;
    double measured_s;
  };
  // Windows of 2, 3 and 5, with strides; axes that trade places; a repeated operand. The mask and
  // the first of both kinds of windows are of recordings of networks.
  for (
      const Case& each : {
          Case{R"("type": "im2col", "input": [32, 192, 28, 28], "output": [32, 1728, 196])", 32,
               133e-6},
          Case{R"("type": "im2col", "input": [8, 192, 56, 56], "output": [8, 1728, 784])", 8,
               68.9e-6},
          Case{R"("type": "im2col", "input": [2, 192, 56, 56], "output": [2, 4800, 3136])", 2,
               75.4e-6},
          Case{
              R"("type": "col2im", "input": {"shape": [32, 1728, 196]}, "output": [32, 192, 28, 28])",
              1, 217e-6},
          Case{
              R"("type": "col2im", "input": {"shape": [32, 2304, 196]}, "output": [32, 256, 28, 28])",
              1, 286.2e-6},
          Case{
              R"("type": "col2im", "input": {"shape": [8, 1024, 3249]}, "output": [8, 256, 56, 56])",
              1, 299.8e-6},
          Case{R"("type": "copy", "access": "transposed", "input": [32, 196, 49, 96],
                   "output": [32, 96, 49, 196])",
               1, 198.9e-6},
          Case{R"("type": "other", "inputs": [[16, 12, 256, 256],
                   {"shape": [16, 1, 256, 256], "dtype": "bool"}], "output": [16, 12, 256, 256])",
               1, 34.2e-6},
      }) {
    INFO(each.layer);
    const KernelPlan plan =
        plan_of(std::string(R"({"dtype": "fp16", )") + each.layer + "}", "h200", Engine::fp16);
    CHECK(plan.kernels == each.launches);
    CHECK(plan.expected_time_s() == Approx(each.measured_s).epsilon(0.2));
  }
}

TEST_CASE("What a second walk does not find in L2 is read again", "[kernel/parts]") {
  // An SM holds 12 blocks of 128 threads with 40 registers, and 132 of them rows of 16 KiB, which
  // they read and write between two walks: 0.99 of 50 MiB. From 0.3 to 1.4 of it more gets lost.
  const KernelPlan plan =
      plan_of(R"({"type": "layer_norm", "input": [65536, 4096]})", "h100", Engine::fp32);
  const double input_byte = 65536.0 * 4096 * 4;
  const double between = 12.0 * 132 * 4096 * 4 * 2 / (50 * 1048576.0);
  CHECK(plan.dram_read_byte == Approx(input_byte * (1 + (between - 0.3) / 1.1)).epsilon(0.0001));
}

TEST_CASE("A max pool's gradient looks into the windows over each element, in whole warps",
          "[kernel/parts]") {
  // Planes of 7 x 7 are two warps; windows of 3 x 3 at strides of 2 are four over an element. The
  // kernel that clears the gradient first is bound by memory.
  const KernelPlan plan = plan_of(
      R"({"type": "max_pool", "pass": "dgrad", "input": [512, 2048, 7, 7], "kernel_size": 3,
          "stride": 2, "padding": 1})",
      "h200", Engine::fp32);
  CHECK(part(plan, Limiter::math) + part(plan, Limiter::instructions) ==
        Approx(512.0 * 2048 * 64 * (2.2 + 4 * 0.165) / (132 * 1.98e9)));
}

TEST_CASE("What starts a kernel changes its launch and nothing else", "[kernel/parts]") {
  struct Case {
    LaunchProtocol protocol;
    double launch_s;
  };
  const KernelModel model = kernel_model_of(find_gpu("h200").value()).value();
  const Layer layer = load_layer(R"({"type": "relu", "input": [1, 8, 8, 8]})");
  const KernelPlan graph =
      *plan_kernel(layer, count(layer), Engine::fp32, model, CacheState::warm).value();
  const double rest_s = graph.expected_time_s() - part(graph, Limiter::launch);
  for (const auto& [protocol, launch_s] :
       {Case{LaunchProtocol::kernel, 1e-6}, Case{LaunchProtocol::graph, 1.15e-6},
        Case{LaunchProtocol::stream, 1.15e-6 + 6.26e-6},
        Case{LaunchProtocol::eager, 23e-6 - rest_s}}) {
    INFO(name_of(protocol));
    const KernelPlan plan = launched(graph, model, {protocol, 23e-6});
    CHECK(is_sum_of_parts(plan));
    CHECK(limiter_is_largest(plan));
    CHECK(part(plan, Limiter::launch) == Approx(launch_s));
    CHECK(plan.expected_time_s() == Approx(rest_s + launch_s));
  }
  // A kernel that outlasts the host's work waits for nothing.
  const KernelPlan eager = launched(graph, model, {LaunchProtocol::eager, 1e-6});
  CHECK(eager.expected_time_s() == graph.expected_time_s());
  // Where there are no graphs, the next kernel follows when the host has submitted it.
  const KernelModel submitted = kernel_model_of(find_gpu("arc-pro-b60").value()).value();
  const KernelPlan small =
      launched(*plan_kernel(layer, count(layer), Engine::fp32, submitted, CacheState::warm).value(),
               submitted, {LaunchProtocol::graph});
  CHECK(is_sum_of_parts(small));
  CHECK(small.expected_time_s() == Approx(31e-6));
}
