// The formula of each family of kernels, on a GPU whose numbers are round: 100 SMs at 1 GHz, so
// that 100 clocks of one SM take 1 ns over all, and every expected time can be worked out by hand.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "catch.hpp"
#include "kernel/constants.hpp"
#include "kernel/machine.hpp"
#include "load/kernel_model.hpp"
#include "load/loading.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/gpu.hpp"
#include "roofline/kernel.hpp"

namespace {

using namespace roofline;

constexpr double us = 1e-6;

using Constants = std::vector<std::pair<std::string_view, double>>;

/// Every number in the simplest form of its formula but for rates, which are too high to matter, a
/// launch of 3 us, and those stated.
std::shared_ptr<const ModelConstants> constants_with(const Constants& stated) {
  auto constants = std::make_shared<ModelConstants>();
  constants->name = "round";
  constants->origins = {"round numbers"};
  constants->notes.resize(constant_fields().size());
  const Gpu any = find_gpu("h100").value();  // for the kernels that there are
  constants->choices = any.constants->choices;
  for (ChoiceRow& row : constants->choices.rows) row.origin = row.gpu = 0;
  constexpr double most_rate = 1e5;
  std::array<double, constant_member_count> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const ConstantMember& member = constant_members()[i];
    numbers[i] = member.simplest.value_or(most_rate);
    if (member.path == "launch/start_s") numbers[i] = 2 * us;
    if (member.path == "launch/gap_s") numbers[i] = 1 * us;
    if (member.path == "memory/l2_byte_per_clock_per_sm") numbers[i] = 100;
    if (member.path == "memory/l2_operand_byte_per_clock_per_sm") numbers[i] = 100;
  }
  for (const auto& [path, value] : stated) {
    const auto member = std::ranges::find(constant_members(), path, &ConstantMember::path);
    REQUIRE(member != constant_members().end());
    numbers[static_cast<std::size_t>(member - constant_members().begin())] = value;
  }
  constants->values = std::bit_cast<ConstantValues>(numbers);
  constants->tiles[TileList::vector_gemm] = {{128, 64, 8, 256, 2, 128}};
  constants->tiles[TileList::tensor_gemm] = constants->tiles[TileList::vector_gemm];
  return constants;
}

/// 12.8 TFLOP/s are 128 FLOP a clock and SM; 1 TB/s; an L2 that keeps up to 100 MB.
Gpu round_gpu(const Constants& stated) {
  Gpu gpu;
  gpu.name = "round";
  gpu.architecture = "Hopper";
  gpu.sm_count = 100;
  gpu.boost_clock_hz = 1e9;
  gpu.peak_flop_per_s[static_cast<std::size_t>(Engine::fp32)] = 12.8e12;
  gpu.bandwidth_byte_per_s = 1e12;
  gpu.l2_byte = 100'000'000;
  gpu.constants = constants_with(stated);
  return gpu;
}

struct Case {
  const char* what;
  const char* layer;
  Constants constants;
  CacheState cache;
  double expected_us;
};

}  // namespace

TEST_CASE("Expected times are those that a pocket calculator gives", "[kernel/by_hand]") {
  const CacheState warm = CacheState::warm, cold = CacheState::cold;
  const std::vector<Case> table{
      // 1e6 elements x 10 clocks / 1e11 clocks a second = 100 us; a chain of 75 round trips of 1 us
      // beside them: sqrt(100^2 + 75^2) = 125; a start of 5 and a launch of 3.
      {"arithmetic and a chain",
       R"({"type": "sigmoid", "input": [1, 1000, 1000]})",
       {{"streaming/exponential_clock", 10},
        {"streaming/vectorized/start_s", 5 * us},
        {"streaming/vectorized/round_trips", 75},
        {"memory/l2_latency_s", 1 * us}},
       warm,
       3 + 5 + 125},
      // 8 MB at half of 1 TB/s: 16 us; a chain of one round trip of 12 us: sqrt(16^2 + 12^2) = 20.
      {"device memory and a chain",
       R"({"type": "relu", "input": [1, 1000, 1000]})",
       {{"memory/dram_share", 0.5},
        {"memory/l2_latency_s", 12 * us},
        {"memory/dram_latency_s", 12 * us},
        {"streaming/vectorized/round_trips", 1}},
       cold,
       3 + 20},
      // 100 SMs keep 100 kB in flight, which answered in 1 us are 0.1 TB/s: 80 us for 8 MB, beside
      // 8 us at the memory's 1 TB/s.
      {"bytes in flight",
       R"({"type": "relu", "input": [1, 1000, 1000]})",
       {{"memory/dram_latency_s", 1 * us}, {"streaming/vectorized/in_flight_byte", 1000}},
       cold,
       3 + std::hypot(80, 8)},
      // 160 MB outgrow an L2 of 100 MB: all of it goes through device memory, at 1 TB/s.
      {"a working set beyond the L2",
       R"({"type": "relu", "input": [1, 20000, 1000]})",
       {},
       warm,
       3 + 160},
      // 8 MB from an L2 of 100 SMs x 2 byte a clock = 0.2 TB/s.
      {"the L2's rate",
       R"({"type": "relu", "input": [1, 1000, 1000]})",
       {{"memory/l2_byte_per_clock_per_sm", 2}, {"memory/l2_dram_ratio", 0.001}},
       warm,
       3 + 40},
      // Windows of 9 taps over 1e5 outputs: 1e5 x (20 + 9 x 10) clocks = 110 us.
      {"a max pool",
       R"({"type": "max_pool", "input": [1, 10, 200, 200], "kernel_size": 3, "stride": 2, "padding": 1})",
       {{"streaming/max_nchw/output_clock", 20}, {"streaming/max_nchw/tap_clock", 10}},
       warm,
       3 + 110},
      // 1000 rows of 512: a lane holds 16 elements, a round trip of 1 us each; 5 clocks an element.
      {"softmax",
       R"({"type": "softmax", "input": [1000, 512]})",
       {{"streaming/softmax_warp_elements", 1024},
        {"streaming/softmax_lane_round_trip", 1},
        {"memory/l2_latency_s", 1 * us},
        {"streaming/softmax_warp/element_clock", 2.34375}},
       warm,
       3 + 20},  // 512e3 x 2.34375 / 1e11 = 12 us; sqrt(16^2 + 12^2)
      // 1000 rows of 4096 in blocks: 4.096e6 elements of 1 clock, and 10240 clocks a row: 143.36
      // us.
      {"softmax of long rows",
       R"({"type": "softmax", "input": [1000, 4096]})",
       {{"streaming/softmax_warp_elements", 1024},
        {"streaming/softmax_row_clock", 10240},
        {"streaming/softmax_block/element_clock", 1}},
       warm,
       3 + 40.96 + 102.4},
      // Read three times, rows of 1 MB of which an SM has four at once: 400 MB of reads and a third
      // as much of writes stand between two reads, so that an L2 of 100 MB has nothing of them
      // left.
      {"softmax of rows that are read again",
       R"({"type": "softmax", "input": [1000, 262144]})",
       {{"streaming/softmax_warp_elements", 1024}, {"streaming/softmax_again", 2}},
       warm,
       3 + 4 * 1048.576},
      // Channels that lie apart: 500 positions are a block, whose thread each walks 200 channels
      // three times, a round trip of 1 us a channel, which the block's 400 KB do not find in L1.
      {"softmax over channels",
       R"({"type": "softmax", "input": [1, 200, 20, 25], "axis": 1})",
       {{"streaming/softmax_step_round_trip", 1}, {"memory/l2_latency_s", 1 * us}},
       warm,
       3 + 600},
      // Two kernels: one fills 121e3 places, 484 KB at the 10 TB/s of L2, and 1e5 are copied, which
      // find theirs in three axes at 10 clocks each.
      {"a constant pad",
       R"({"type": "pad", "input": [1, 10, 100, 100], "output": [1, 10, 110, 110],
           "mode": "constant"})",
       {{"streaming/indexed/element_clock", 10}},
       warm,
       3 + 0.0484 + 3 + 30},
      // Five kernels: the same copy, and a slice on each side: of 100 and of 110 rows of 5 columns
      // and columns of 5 rows in 10 planes, 5500 places at 30 clocks.
      {"a circular pad",
       R"({"type": "pad", "input": [1, 10, 100, 100], "output": [1, 10, 110, 110],
           "mode": "circular"})",
       {{"streaming/indexed/element_clock", 10}},
       warm,
       5 * 3 + 30 + 4 * 1.65},
      // 10 planes of 128 x 128 places, two axes at 10 clocks each.
      {"a reflection",
       R"({"type": "pad", "input": [1, 10, 126, 126], "output": [1, 10, 128, 128],
           "mode": "reflect"})",
       {{"streaming/pad/element_clock", 10}},
       warm,
       3 + 32.768},
      // The same, in half the clocks.
      {"replicas",
       R"({"type": "pad", "input": [1, 10, 126, 126], "output": [1, 10, 128, 128],
           "mode": "replicate"})",
       {{"streaming/pad/element_clock", 10}, {"streaming/pad_replica_share", 0.5}},
       warm,
       3 + 16.384},
      // 1e6 results at 10 clocks; halves of two images lie apart.
      {"a gated linear unit",
       R"({"type": "glu", "input": [2, 100, 100, 100]})",
       {{"streaming/glu/element_clock", 10}},
       warm,
       3 + 100},
      // A hundred tiles of 128 x 64, one on each SM: 100 steps of 2 x 128 x 64 x 8 FLOP at 128 a
      // clock are 102.4 us, then 128 x 64 x 4 byte at 100 a clock: 0.32768 us.
      {"a matrix product of one wave",
       R"({"type": "matmul", "m": 1280, "n": 640, "k": 800})",
       {{"dense/vector/library_start_s", 2 * us}},
       warm,
       3 + 2 + 102.4 + 0.32768},
      // 300 tiles: two a SM at once by their registers, so a full wave of 200 and one of 100.
      {"a matrix product of two waves",
       R"({"type": "matmul", "m": 1280, "n": 1920, "k": 800})",
       {},
       warm,
       3 + 3 * (102.4 + 0.32768)},
      // The same tiles store 128 x 64 x 4 byte at 1 a clock: 32.768 us.
      {"a matrix product of the library, whose blocks store slowly",
       R"({"type": "matmul", "m": 1280, "n": 640, "k": 800})",
       {{"dense/vector/library_store_byte_per_clk_per_sm", 1}},
       warm,
       3 + 102.4 + 32.768},
      // 2 x 500 tiles in waves of 200: the second row of tiles fetches 32,000 x 800 x 4 byte again,
      // more than the L2 keeps, at 0.05 TB/s: 2048 us, where the tiles take 1027. Beside it
      // 135.9872
      // MB of operands and results.
      {"a matrix product that fetches its columns again",
       R"({"type": "matmul", "m": 256, "n": 32000, "k": 800})",
       {{"dense/vector/again_share", 0.05}},
       warm,
       3 + std::hypot(2048, 135.9872)},
      // Steps of one block alone take 2 us each where their latency is 2000 clocks.
      {"a matrix product that waits",
       R"({"type": "matmul", "m": 1280, "n": 640, "k": 800})",
       {{"dense/vector/step_latency_clk", 2000}, {"dense/vector/block_latency_clk", 5000}},
       warm,
       3 + 100 * 2 + 5},
      // 4 heads x 2 x 2 pairs of tiles of 128 x 128 scores, each 2 x (64 + 64) FLOP at half of the
      // peak: 10.48576 us, and a clock a score: 2.62144 us; 8 blocks on 100 SMs: x 12.5.
      {"attention",
       R"({"type": "attention", "inputs": [[1, 4, 256, 64], [1, 4, 256, 64], [1, 4, 256, 64]]})",
       {{"attention/forward/vector_share", 0.5}, {"attention/forward/score_clock", 1}},
       warm,
       3 + 12.5 * (10.48576 + 2.62144)},
      // The diagonal and what lies under it: 3 of 4 pairs.
      {"causal attention",
       R"({"type": "attention", "inputs": [[1, 4, 256, 64], [1, 4, 256, 64], [1, 4, 256, 64]], "causal": true})",
       {{"attention/forward/vector_share", 0.5}, {"attention/forward/score_clock", 1}},
       warm,
       3 + 12.5 * 0.75 * (10.48576 + 2.62144)},
      // Backward 3 products of the features of a key and 2 of a value's, in three kernels.
      {"attention's gradients",
       R"({"type": "attention", "inputs": [[1, 4, 256, 64], [1, 4, 256, 64], [1, 4, 256, 64]],
           "pass": "dgrad"})",
       {{"attention/backward/vector_share", 0.5}},
       warm,
       3 * 3 + 12.5 * 10.48576 * 2.5},
      // A thousand rows, each a block of 1000 clocks.
      {"an embedding",
       R"({"type": "embedding", "input": [1000], "num_embeddings": 5000, "embedding_dim": 64})",
       {{"streaming/block_clock", 1000}},
       warm,
       3 + 10},
      // 100 channels of images of 4,096: 40.96 us; 8 steps of 512 elements are 4 round trips of
      // 7.68 us: sqrt(40.96^2 + 30.72^2) = 51.2.
      {"a batch norm in NCHW",
       R"({"type": "batch_norm", "input": [2, 50, 64, 64]})",
       {{"streaming/norm_nchw/element_clock", 10}, {"memory/l2_latency_s", 7.68 * us}},
       warm,
       3 + 51.2},
      // 50 channels leave every second SM without a block.
      {"a batch norm of few channels",
       R"({"type": "batch_norm", "input": [1, 50, 64, 64]})",
       {{"streaming/norm_nchw/element_clock", 10}},
       warm,
       3 + 2 * 20.48},
      // 1e6 outputs of 9 taps: 10 clocks a tap, 20 an output and 5 a row of the window.
      {"a depthwise convolution in NCHW",
       R"({"c": 100, "h": 102, "w": 102, "k": 100, "r": 3, "s": 3, "groups": 100})",
       {{"grouped/nchw_forward/mac_clock", 10},
        {"grouped/nchw_forward/output_clock", 20},
        {"grouped/nchw_row_clock", 5}},
       warm,
       3 + 10 * (9 * 10 + 20 + 3 * 5)},
      // 1000 rows of 2048 elements, read as vectors of four: 5.12e5 loads of 10 clocks = 51.2 us.
      {"a sum over rows",
       R"({"type": "reduce", "input": [1000, 2048], "output": [1000, 1]})",
       {{"streaming/reduction/load_clock", 10}},
       warm,
       3 + 51.2},
  };
  for (const Case& each : table) {
    INFO(each.what);
    const Gpu gpu = round_gpu(each.constants);
    const Layer layer = load_layer(each.layer);
    const auto plan =
        plan_kernel(layer, count(layer), Engine::fp32, kernel_model_of(gpu).value(), each.cache)
            .value();
    REQUIRE(plan);
    CHECK(plan->expected_time_s() / us == Approx(each.expected_us).epsilon(1e-6));
  }
}

TEST_CASE("A board's power limit lowers the clock of all SMs together", "[kernel/by_hand]") {
  struct Row {
    double tdp_w;
    double floor;
    const char* rows;
    double product_us;
  };
  // 1,280 rows are a block of 102.4 us on each of 100 SMs and 0.32768 us of stores. 12.8 TFLOP/s of
  // 10 pJ want 128 W, and the clock falls with the root of what is left of them: 32 W leave half of
  // it. Below a floor of 0.8, which 0.64 of the power leave, it falls in proportion: 0.8 x 0.25 /
  // 0.64. 640 rows need half of the SMs, 768 rows 60: idle ones leave their power to the others.
  constexpr double block_us = 102.4, store_us = 0.32768;
  const std::vector<Row> table{{128, 0, "1280", block_us + store_us},
                               {32, 0, "1280", 2 * block_us + store_us},
                               {32, 0.8, "1280", 3.2 * block_us + store_us},
                               {32, 0, "640", block_us + store_us},
                               {32, 0, "768", 0.6 * (2 * block_us + store_us)}};
  for (const Row& row : table) {
    INFO(row.tdp_w << " W, floor " << row.floor << ", " << row.rows << " rows");
    Gpu gpu = round_gpu({{"part/vector_joule_per_flop", 1e-11},
                         {"part/clock_power_exponent", 0.5},
                         {"part/clock_floor_share", row.floor}});
    gpu.tdp_w = row.tdp_w;
    const Layer layer = load_layer(R"({"type": "matmul", "m": )" + std::string(row.rows) +
                                   R"(, "n": 640, "k": 800})");
    const auto plan = plan_kernel(layer, count(layer), Engine::fp32, kernel_model_of(gpu).value(),
                                  CacheState::warm)
                          .value();
    REQUIRE(plan);
    CHECK(plan->expected_time_s() / us == Approx(3 + row.product_us).epsilon(1e-6));
  }
}

// A solver's formula, and which of them takes a layer.
TEST_CASE("The time of a solver is what a pocket calculator gives", "[kernel/by_hand]") {
  struct SolverCase {
    const char* what;
    Solver solver;
    const char* layer;
    Constants constants;  ///< of the family, others by their path
    double expected_us;   ///< 0: it does not take the layer
  };
  Solver solver;
  solver.name = std::string("Mine");
  solver.algorithm = Algorithm::gemm;
  solver.runs.fill(true);
  solver.tiles = TileList::vector_gemm;
  const auto with = [&](const auto& change) {
    Solver other = solver;
    change(other);
    return other;
  };
  // 12,800 positions x 128 outputs x 64 inputs: 100 x 2 tiles of 8 steps, of which each takes
  // 2 x 128 x 64 x 8 FLOP at 128 a clock: 8.192 us a tile, two an SM. 9.863168 MB through the L2,
  // at 10 TB/s: sqrt(16.384^2 + 0.9863168^2).
  const char* pointwise =
      R"({"c": 64, "h": 128, "w": 100, "k": 128, "r": 1, "s": 1, "layout": "nchw"})";
  const double product_us = std::hypot(16.384, 0.9863168);
  const std::vector<SolverCase> table{
      {"waves of tiles beside memory",
       solver,
       pointwise,
       {{"start_s", 5 * us}},
       3 + 5 + product_us},
      // 8 steps of 2,000 clocks, and 1,000 at a block's ends: 17 us for both blocks of an SM, which
      // holds 512 threads.
      {"chains",
       solver,
       pointwise,
       {{"step_latency_clk", 2000}, {"block_latency_clk", 1000}},
       3 + std::hypot(17, 0.9863168)},
      // Eight steps on each side of a split: half the blocks' time for twice as many, no gain.
      {"a split that is not worth its sums",
       with([](Solver& s) { s.splits = true; }),
       pointwise,
       {},
       3 + product_us},
      // Input, weights and output, each read and written once, by kernels of their own.
      {"copies of all tensors",
       with([](Solver& s) { s.method = SolverMethod::copied; }),
       pointwise,
       {{"launch/solver_copy_s", 2 * us}},
       3 + product_us + 3 * (3 + 2) + 2 * 0.9863168},
      // F(2, 3) over 8 x 8 outputs: 16 tiles of 16 points, M = 4 x 16 x 100 images, N = 4 x 64,
      // K = 64: 50 x 4 tiles.
      {"Winograd",
       with([](Solver& s) {
         s.method = SolverMethod::winograd_2x3;
         s.algorithm = Algorithm::winograd_2x2_fused;
       }),
       R"({"n": 100, "c": 64, "h": 8, "w": 8, "k": 64, "r": 3, "s": 3, "pad_h": 1, "pad_w": 1,
           "layout": "nchw"})",
       {},
       3 + std::hypot(2 * 8.192, (2 * 409600 + 36864) * 4e-7)},
      {"other windows",
       with([](Solver& s) { s.runs[SolverWord::pointwise] = false; }),
       pointwise,
       {},
       0},
      {"sizes off its multiples",
       with([](Solver& s) {
         s.multiples = {3, 1, 1};
       }),
       pointwise,
       {},
       0},
      {"groups that it has not",
       with([](Solver& s) { s.runs[SolverWord::one_group] = false; }),
       pointwise,
       {},
       0},
  };
  for (const SolverCase& each : table) {
    INFO(each.what);
    std::vector<std::string> paths;
    Constants stated;
    for (const auto& [key, value] : each.constants)
      paths.push_back(key.find('/') == key.npos ? "solvers/gemm/" + std::string(key)
                                                : std::string(key));
    for (std::size_t i = 0; i < paths.size(); ++i)
      stated.emplace_back(paths[i], each.constants[i].second);
    Gpu gpu = round_gpu(stated);
    auto constants = std::make_shared<ModelConstants>(*gpu.constants);
    constants->solvers = {each.solver};
    gpu.constants = constants;
    const Layer layer = load_layer(each.layer);
    const auto plan = plan_kernel(layer, count(layer), Engine::fp32, kernel_model_of(gpu).value(),
                                  CacheState::warm)
                          .value();
    REQUIRE(plan);
    CHECK(*plan->solver == (each.expected_us > 0 ? "Mine" : ""));
    if (each.expected_us > 0)
      CHECK(plan->expected_time_s() / us == Approx(each.expected_us).epsilon(1e-6));
  }
}

TEST_CASE("What an SM holds follows from its warps, blocks, registers and shared memory",
          "[kernel/by_hand]") {
  struct Row {
    BlockResources block;
    std::uint32_t blocks;
    OccupancyLimit limit;
  };
  // 64 warps, 32 blocks, 65,536 registers over four schedulers, 98,304 byte in units of 256.
  const std::vector<Row> table{
      // 4 warps of 2,048 registers: 8 warps a scheduler, 32 in all.
      {{128, 64, 0}, 8, OccupancyLimit::registers},
      // 65 x 32 = 2,080 registers are given as 2,304: 7 warps a scheduler.
      {{128, 65, 0}, 7, OccupancyLimit::registers},
      // 33 x 32 = 1,056 are given as 1,280: 12 warps a scheduler.
      {{128, 33, 0}, 12, OccupancyLimit::registers},
      {{256, 32, 0}, 8, OccupancyLimit::warps},
      {{33, 16, 0}, 32, OccupancyLimit::warps},  // two warps a block
      {{32, 16, 0}, 32, OccupancyLimit::blocks},
      {{128, 32, 40'000}, 2, OccupancyLimit::shared_memory},  // 40,192 in units
      {{128, 32, 24'576}, 4, OccupancyLimit::shared_memory},
      {{1024, 255, 0}, 0, OccupancyLimit::registers},  // 2 of the 32 warps find room
      {{2048, 32, 0}, 0, OccupancyLimit::threads_per_block},
      {{128, 256, 0}, 0, OccupancyLimit::registers_per_thread},
      {{128, 32, 49'153}, 0, OccupancyLimit::shared_memory},
  };
  for (const Row& row : table) {
    INFO(row.block.threads << " threads, " << row.block.registers << " registers, "
                           << row.block.shared_byte << " byte");
    const Occupancy held = occupancy(SmLimits{}, row.block);
    CHECK(held.blocks == row.blocks);
    CHECK(held.limit == row.limit);
  }
  const Occupancy impossible = occupancy(SmLimits{}, {1024, 255, 0});
  CHECK(impossible.needed == 262'144);  // 32 warps of 255 x 32 = 8,160, given as 8,192
  CHECK(impossible.available == 65'536);
}
