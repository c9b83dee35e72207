// Occupancy by NVIDIA's published rules, worked by hand, and kernel mappings that users state.

#include <cmath>

#include "kernel/machine.hpp"
#include "kernel/resolved_model.hpp"
#include "load/loading.hpp"
#include "roofline/catalogue.hpp"

namespace {

using namespace roofline;

KernelPlan plan_of(const std::string& mapping, const std::string& gpu_name = "v100") {
  const Layer layer = load_layer(R"({"input": [3, 256, 256], "out_channels": 64, "kernel_size": 5,
                                     "padding": 2, "kernel": )" +
                                 mapping + "}");
  const KernelModel model = kernel_model_of(find_gpu(gpu_name).value()).value();
  return *plan_kernel(layer, count(layer), Engine::fp32, model, CacheState::warm).value();
}

std::string message_of_mapping(const std::string& mapping) {
  return message_of([&] {
    const Layer layer = load_layer(R"({"name": "c", "input": [64, 56, 56], "out_channels": 64,
                                       "kernel_size": 3, "padding": 1, "kernel": )" +
                                   mapping + "}");
    analyze({{"net", "net.json"}, {layer}}, find_gpu("v100").value(), {});
  });
}

}  // namespace

TEST_CASE("Resident blocks an SM", "[kernel/mapping]") {
  struct Case {
    const char* gpu;
    BlockResources block;
    std::uint32_t blocks;
    double share;
  };
  const std::vector<Case> table{
      // 64 registers x 32 lanes = 2,048 a warp: 32 warps, four blocks of eight.
      {"v100", {256, 64, 0}, 4, 0.5},
      // 2,048 threads are the most.
      {"v100", {256, 32, 0}, 8, 1.0},
      // 32 KiB of 96.
      {"v100", {128, 32, 32 * 1024}, 3, 3 * 128 / 2048.0},
      // 32 blocks are the most; Turing has 16 blocks and 1,024 threads.
      {"v100", {32, 32, 0}, 32, 0.5},
      {"t4", {32, 32, 0}, 16, 0.5},
      {"t4", {256, 32, 0}, 4, 1.0},
      // From Ampere on 1 KiB more a block: 41 of 164 KiB, 76 + 1 of 228 KiB.
      {"a100", {128, 32, 40 * 1024}, 4, 4 * 128 / 2048.0},
      {"h100", {128, 32, 75 * 1024}, 3, 3 * 128 / 2048.0},
      // 168 registers: 5,376 a warp, 12 warps.
      {"h100", {384, 168, 1024}, 1, 384 / 2048.0},
  };
  for (const Case& each : table) {
    INFO(each.gpu << ' ' << each.block.threads << ' ' << each.block.registers);
    const Occupancy found = occupancy(
        kernel_model_of(find_gpu(each.gpu).value()).value().resolved().machine.sm, each.block);
    CHECK(found.blocks == each.blocks);
    CHECK(found.share == Approx(each.share));
  }
}

TEST_CASE("An AMD part that states no limits has 40 wavefronts of 64", "[kernel/mapping]") {
  const Gpu gpu = load_gpu(R"({"name": "G", "architecture": "CDNA2", "peak_tflops": {"fp32": 22.6},
                               "bandwidth_gb_per_s": 1638.4})",
                           "g.json")
                      .value();
  const SmLimits sm = kernel_model_of(gpu).value().resolved().machine.sm;
  // 256 KiB of registers: 32 of 4 byte by 64 lanes leave 32 wavefronts, four of which are 256
  // threads. With 16, all 40.
  CHECK(occupancy(sm, {256, 32, 0}).blocks == 8);
  CHECK(occupancy(sm, {256, 32, 0}).share == Approx(32 / 40.0));
  CHECK(occupancy(sm, {256, 16, 0}).blocks == 10);
}

TEST_CASE("The notebook's convolution with a mapping of its own", "[kernel/mapping]") {
  const KernelPlan plan = plan_of(R"({"tile": [128, 64, 8], "threads": 128})");
  CHECK(plan.algorithm == Algorithm::implicit_gemm);
  CHECK(plan.blocks == 256 * 256 / 128);
  CHECK(plan.split_k == 1);
  CHECK(plan.shared_memory_byte == 2 * (128 + 64) * 8 * 4);
  // 104 registers: 3,328 a warp, 19 of them, in fours 16: four blocks of four warps.
  CHECK(plan.registers == 104);
  CHECK(plan.resident_blocks_per_sm == 4);
  CHECK(plan.waves == Approx(512 / (80.0 * 4)));
  // 3 x 25 = 75 products fill ten steps of eight.
  CHECK(plan.tile_utilization == Approx(75 / 80.0));
  CHECK(plan_of(R"({"tile": [128, 64, 8], "split_k": 4})").blocks == 4 * 512);
}

TEST_CASE("A hand-written kernel is bound by what it reads from shared memory",
          "[kernel/mapping]") {
  // 16 x 16 outputs of as many threads: two words an FMA, 128 byte a clock: 16 of 64 FMA a clock.
  // 75 products in five steps of 16 are 80: 65,536 x 64 x 80 / (16 x 80 SMs x 1.53 GHz).
  const double read_s = 171.34e-6;
  const KernelPlan single = plan_of(R"({"tile": [16, 16, 16], "threads": 256})");
  CHECK(single.expected_time_s() > read_s);
  CHECK(single.expected_time_s() < 1.06 * read_s);
  // Four outputs a thread in a square: half the reads. Sixteen: a quarter, no longer the bound.
  const KernelPlan four = plan_of(R"({"tile": [32, 32, 16], "threads": 256})");
  CHECK(four.expected_time_s() > read_s / 2);
  CHECK(four.expected_time_s() < 1.15 * read_s / 2);
  CHECK(plan_of(R"({"tile": [64, 64, 16], "threads": 256})").expected_time_s() < 0.9 * read_s / 2);
  // Started by nothing but itself.
  CHECK(single.part_s[static_cast<std::size_t>(Limiter::launch)] == Approx(1.15e-6));
}

TEST_CASE("A warp that a block does not fill takes the time of a full one", "[kernel/mapping]") {
  // Four warps, of which 100 threads leave 28 lanes idle.
  const auto arithmetic_s = [](const char* threads) {
    const KernelPlan plan = plan_of(
        std::string(R"({"tile": [128, 64, 8], "registers": 104, "threads": )") + threads + '}');
    const auto part_s = [&](Limiter limiter) {
      return plan.part_s[static_cast<std::size_t>(limiter)];
    };
    // As if nothing went through DRAM beside: of sqrt(kernel^2 + DRAM^2) each has its square.
    const double kernel_s =
        plan.expected_time_s() - part_s(Limiter::launch) - part_s(Limiter::dram);
    const double own = std::sqrt(kernel_s / (kernel_s + part_s(Limiter::dram)));
    return (part_s(Limiter::math) + part_s(Limiter::instructions)) / own;
  };
  CHECK(arithmetic_s("100") == Approx(1.28 * arithmetic_s("128")));
}

TEST_CASE("Threads and registers that a tile leaves out, by what multiplies", "[kernel/mapping]") {
  struct Case {
    const char* dtype;
    Engine engine;
    std::uint64_t threads;
    std::uint64_t registers;
  };
  // 16,384 results, 64 a thread and on tensor cores 128, of 64 bits in two registers each; and 40.
  for (const Case& each :
       {Case{"fp32", Engine::fp32, 256, 104}, Case{"fp16", Engine::fp16_tensor, 128, 168},
        Case{"fp64", Engine::fp64, 256, 168}}) {
    INFO(each.dtype);
    const Layer layer =
        load_layer(R"({"type": "matmul", "m": 512, "n": 512, "k": 512, "dtype": ")" +
                   std::string(each.dtype) + R"(", "kernel": {"tile": [128, 128, 8]}})");
    const KernelPlan plan =
        *plan_kernel(layer, count(layer), each.engine,
                     kernel_model_of(find_gpu("v100").value()).value(), CacheState::warm)
             .value();
    CHECK(plan.threads == each.threads);
    CHECK(plan.registers == each.registers);
  }
}

TEST_CASE("An engine pads an image's three channels to four", "[kernel/mapping]") {
  Layer layer = load_layer(R"({"input": [32, 3, 224, 224], "out_channels": 64, "kernel_size": 7,
                               "stride": 2, "padding": 3, "dtype": "fp16",
                               "kernel": {"tile": [128, 64, 32]}})");
  layer.kernels = KernelSource::inference_engine;
  const KernelPlan plan =
      *plan_kernel(layer, count(layer), Engine::fp16_tensor,
                   kernel_model_of(find_gpu("a100").value()).value(), CacheState::warm)
           .value();
  // 3 x 49 products in place of 4 x 49, which fill seven steps of 32.
  CHECK(plan.tile_utilization == Approx(147 / 224.0));
}

TEST_CASE("Bytes from L2 are of operands and results that exist", "[kernel/mapping]") {
  // 512 tiles of 128 outputs read the weights each, one tile column the image's products once.
  CHECK(plan_of(R"({"tile": [128, 64, 8]})").l2_byte ==
        Approx((65536 + 512 * 64) * 75 * 4 + 65536 * 64 * 4));
  // A last tile of 16 in 48 rows fetches no others.
  CHECK(plan_of(R"({"tile": [128, 48, 8]})").l2_byte ==
        Approx((2 * 65536 + 512 * 64) * 75 * 4 + 65536 * 64 * 4));
  // Each of four shares of the sum is written.
  CHECK(plan_of(R"({"tile": [128, 64, 8], "split_k": 4})").l2_byte ==
        Approx((65536 + 512 * 64) * 75 * 4 + 4 * 65536 * 64 * 4));
}

TEST_CASE("A direct convolution loads the patch under its outputs once", "[kernel/mapping]") {
  // A square of 4 x 4 outputs under a 5 x 5 window: 8 x 8 pixels in place of 16 x 25 operands.
  const KernelPlan plan = plan_of(R"({"algorithm": "direct", "tile": [16, 16, 75], "stages": 1})");
  CHECK(plan.l2_byte == Approx((65536 * 4 * 64 / 400.0 + 4096 * 64) * 75 * 4 + 65536 * 64 * 4));
  CHECK(plan.shared_memory_byte == std::uint64_t{(64 * 3 + 16 * 75) * 4});
  CHECK(message_of_mapping(R"({"algorithm": "direct"})") ==
        "net.json: layer \"c\": expected a tile [m, n, k] beside \"direct\", which no library has, "
        "got none");
}

TEST_CASE("The patch under 16 outputs, by window", "[kernel/mapping]") {
  struct Case {
    const char* layer;
    double outputs;
    double taps;
    double pixels;  ///< of a patch
  };
  for (const Case& each : {
           // 4 x 4 outputs, two apart: (3 x 2 + 3)^2. Taps two apart: (3 + 2 x 2 + 1)^2.
           Case{R"("input": [3, 64, 64], "kernel_size": 3, "padding": 1, "stride": 2)", 1024, 9,
                81},
           Case{R"("input": [3, 64, 64], "kernel_size": 3, "padding": 2, "dilation": 2)", 4096, 9,
                64},
           // An image of two columns: 8 x 2 outputs.
           Case{R"("input": [3, 64, 2], "kernel_size": 3, "padding": 1)", 128, 9, 10 * 4},
           // What lies between the outputs is not loaded.
           Case{R"("input": [3, 64, 64], "kernel_size": 1, "stride": 2)", 1024, 1, 16},
       }) {
    INFO(each.layer);
    const Layer layer = load_layer(R"({"out_channels": 64, "kernel": {"algorithm": "direct",
                                       "tile": [16, 16, 3], "stages": 1}, )" +
                                   std::string(each.layer) + "}");
    const KernelPlan plan =
        *plan_kernel(layer, count(layer), Engine::fp32,
                     kernel_model_of(find_gpu("v100").value()).value(), CacheState::warm)
             .value();
    // Four columns of tiles load each patch, each row of tiles all weights.
    const double blocks = each.outputs / 16;
    CHECK(plan.l2_byte == Approx(4 * (4 * blocks * each.pixels * 3 + blocks * 64 * 3 * each.taps +
                                      each.outputs * 64)));
    CHECK(plan.shared_memory_byte ==
          static_cast<std::uint64_t>((each.pixels / each.taps + 16) * 3 * 4 + 0.5));
  }
}

TEST_CASE("A plan outlives the network that stated its algorithm", "[kernel/mapping]") {
  std::optional<Result> kept;
  {
    LayerDefaults stated;
    stated.mapping.algorithm = Algorithm::gemm;
    const Network network = load_network(*find_network("resnet18"), "resnet18", stated).value();
    const Result result = analyze(network, find_gpu("v100").value(), {});
    kept = result;
  }
  std::uint64_t stated = 0;
  for (const LayerResult& row : kept->layers) {
    if (!row.kernel) continue;
    REQUIRE(parse<Algorithm>(name_of(row.kernel->algorithm)) == row.kernel->algorithm);
    if (name_of(row.kernel->algorithm) == "gemm") ++stated;
  }
  CHECK(stated == 21);  // 20 convolutions and the classifier
}

TEST_CASE("Mappings may state some algorithms", "[kernel/mapping]") {
  CHECK(may_be_stated(Algorithm::fft_tiled));
  CHECK(!may_be_stated(Algorithm::softmax_warp));
}

TEST_CASE("A mapping that cannot run says which limit and by how much", "[kernel/mapping]") {
  const std::string head =
      "net.json: layer \"c\": expected a mapping that Tesla V100 SXM2 16GB can run, got ";
  CHECK(message_of_mapping(R"({"tile": [256, 256, 64], "stages": 4})") ==
        head + "524288 bytes of shared memory a block where it has 98304: 425984 too many");
  CHECK(message_of_mapping(R"({"tile": [128, 128, 8], "threads": 2048})") ==
        head + "2048 threads a block where it has 1024: 1024 too many");
  CHECK(message_of_mapping(R"({"tile": [128, 128, 8], "registers": 300})") ==
        head + "300 registers a thread where it has 255: 45 too many");
  CHECK(message_of_mapping(R"({"tile": [128, 64, 8], "shared_memory_byte": 1024})") ==
        "net.json: layer \"c\": expected at least 12288 bytes of shared memory a block, which the "
        "stated tile's stages hold, got 1024");
  CHECK(message_of_mapping(R"({"algorithm": "gemv"})") ==
        "net.json: layer \"c\": expected an algorithm that Tesla V100 SXM2 16GB has for this "
        "layer, got \"gemv\"");
  CHECK(message_of_mapping(R"({"split_k": 2})") ==
        "net.json: layer \"c\": expected a tile [m, n, k] beside the rest of the mapping, got "
        "none");
}

TEST_CASE("Plans are sane on every GPU", "[kernel/mapping]") {
  for (const Gpu& gpu : all_gpus())
    for (const char* name : {"resnet18", "mobilenet_v2", "convnext_tiny", "r3d_18", "unet"})
      for (const DataType dtype : {DataType::fp32, DataType::fp16, DataType::int8})
        for (const CacheState cache : {CacheState::warm, CacheState::cold}) {
          LayerDefaults defaults;
          defaults.dtype = dtype;
          AnalysisOptions options;
          options.training = dtype != DataType::int8;
          options.cache = cache;
          const Network network = load_network(*find_network(name), name, defaults).value();
          if (!select_engine(network.layers.front(), gpu.peak_flop_per_s, options.engine)) continue;
          INFO(gpu.name << ' ' << name << ' ' << name_of(dtype));
          const Result result = analyze(network, gpu, options);
          for (const LayerResult& row : result.layers) {
            if (!row.kernel) continue;
            const KernelPlan& plan = *row.kernel;
            INFO(row.layer.name << ' ' << name_of(row.layer.pass));
            const bool sane = plan.part_s[static_cast<std::size_t>(Limiter::launch)] > 0 &&
                              plan.expected_time_s() < 1000 && plan.limiter_share() >= 0 &&
                              plan.limiter_share() <= 1 && plan.tile_utilization > 0 &&
                              plan.tile_utilization <= 1.0001 && plan.dram_read_byte >= 0 &&
                              plan.dram_write_byte >= 0;
            CHECK(sane);
          }
        }
}

TEST_CASE("Cold caches cost time, larger batches too", "[kernel/mapping]") {
  const Gpu gpu = find_gpu("h200").value();
  double last_s = 0;
  for (const std::uint64_t batch : {1U, 4U, 16U, 64U, 256U}) {
    const Network network =
        load_network(*find_network("resnet50"), "resnet50", at_batch(batch)).value();
    AnalysisOptions cold;
    cold.cache = CacheState::cold;
    const double warm_s = *analyze(network, gpu, {}).total.expected_time_s;
    CHECK(*analyze(network, gpu, cold).total.expected_time_s > warm_s);
    CHECK(warm_s > last_s);
    last_s = warm_s;
  }
}

TEST_CASE("The workspace of a kernel, by hand", "[kernel/mapping]") {
  const auto workspace = [](const std::string& layer, Engine engine) {
    const Layer each = load_layer(layer);
    const KernelModel model = kernel_model_of(find_gpu("v100").value()).value();
    return plan_kernel(each, count(each), engine, model, CacheState::warm).value()->workspace_byte;
  };
  const auto conv = [](const std::string& rest) {
    return R"({"input": [64, 56, 56], "out_channels": 64, "kernel_size": 3, "padding": 1)" + rest +
           "}";
  };
  CHECK(workspace(conv(R"(, "kernel": {"tile": [128, 64, 8]})"), Engine::fp32) == 0);
  // Four sums in fp32 of each of 56 x 56 x 64 results.
  CHECK(workspace(conv(R"(, "kernel": {"tile": [128, 64, 8], "split_k": 4})"), Engine::fp32) ==
        4 * 4 * 56 * 56 * 64);
  // 36 points in fp32 of each 4 x 4 outputs, for 64 channels in and 64 out, and of the weights.
  CHECK(workspace(conv(R"(, "kernel": {"algorithm": "winograd_4x4_nonfused"})"), Engine::fp32) ==
        4 * 36 * (14 * 14 * (64 + 64) + 64 * 64));
  // Images of NCHW turned round for tensor cores, and the result back, with the weights.
  CHECK(workspace(conv(R"(, "dtype": "fp16", "layout": "nchw",
                            "kernel": {"tile": [128, 64, 32], "split_k": 1})"),
                  Engine::fp16_tensor) == 2 * (2 * 56 * 56 * 64 + 9 * 64 * 64));
}
