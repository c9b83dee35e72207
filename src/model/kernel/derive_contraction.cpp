// The derivation of dense contractions.

#include <algorithm>

#include "model/kernel/constant_fields.hpp"
#include "model/kernel/derive.hpp"

namespace roofline {
namespace {

/// Writes the steps of one kernel.
class ContractionDerivation {
 public:
  ContractionDerivation(const ContractionKernel& kernel, const ResolvedModel& model,
                        const EngineModel& engine, CacheState cache)
      : kernel_(kernel),
        dense_(kernel.dense),
        gemm_(kernel.dense.gemm),
        time_(kernel.time),
        c_(engine.constants),
        model_(model),
        engine_(engine),
        cache_(cache) {}

  std::vector<DerivationStep> steps() {
    flop();
    if (dense_.tiled)
      tiled();
    else
      streamed();
    further_kernels();
    memory();
    copies_and_launches();
    out_.parts(parts_of<ExplainedParts>(kernel_), plan_of(kernel_, model_.machine));
    return out_.take();
  }

 private:
  const std::string& origin(double DenseConstants::*constant) const {
    return origin_of(*model_.constants, engine_.set->*constant);
  }

  void flop() {
    const double flop = kernel_.x.useful_flop;
    out_.given("FLOP", flop, "FLOP", "counted");
    out_.given("peak", engine_.peak_flop_per_s, "FLOP/s", engine_.peak_origin);
    out_.given("sustained share of the peak", c_.math_share, "", engine_.math_origin);
    out_.step("FLOP at the sustained rate",
              expression(flop, " / (", engine_.peak_flop_per_s, Times{c_.math_share}, ")"),
              time_.flop_s, seconds);
  }

  void tiled() {
    product();
    blocks();
    rates();
    step();
    block();
    waves();
    out_.step("arithmetic, spread over all SMs",
              expression(gemm_.schedule.blocks, " x ", gemm_.schedule.steps, " / ",
                         gemm_.work.sm_count, " x ", gemm_.cost.math_s),
              spread_steps(gemm_) * gemm_.cost.math_s, seconds);
  }

  void product() {
    const GemmWork& work = gemm_.work;
    out_.given("m", work.m, "", work.m_is);
    out_.given("n", work.n, "", work.n_is);
    out_.given("k", work.k, "", work.k_is);
    if (work.count != 1) out_.given("products", work.count, "", "of one shape");
    if (work.k_runs != 1) out_.given("runs of k", work.k_runs, "", "taps, each in whole steps");
    const char* chosen = dense_.stated ? "stated" : "the fastest that the library has";
    out_.given("tile m", gemm_.tile.m, "", chosen);
    out_.given("tile n", gemm_.tile.n, "", chosen);
    out_.given("tile k", gemm_.tile.k, "", chosen);
    if (gemm_.split != 1) out_.given("split-K", gemm_.split, "", chosen);
    out_.given("resident blocks an SM", resident_blocks(gemm_), "",
               expression("limited by ", name_of(gemm_.occupancy.limit)));
  }

  void blocks() {
    const GemmWork& work = gemm_.work;
    const TileKernel& tile = gemm_.tile;
    const Schedule& s = gemm_.schedule;
    const double resident = resident_blocks(gemm_);
    out_.step("blocks",
              expression("ceil(", work.m, " / ", tile.m, ") x ceil(", work.n, " / ", tile.n, ")",
                         Times{work.count}, Times{gemm_.split}),
              s.blocks, "");
    out_.given("SMs", work.sm_count, "", model_.machine.sm_origin);
    out_.step("full waves",
              expression("floor(", s.blocks, " / (", work.sm_count, Times{resident}, "))"),
              s.full_waves, "");
    const std::string placed = expression(s.full_waves, " x ", work.sm_count, Times{resident});
    out_.step("blocks an SM in the last wave",
              s.full_waves == 0
                  ? expression("ceil(", s.blocks, " / ", work.sm_count, ")")
                  : expression("ceil((", s.blocks, " - ", placed, ") / ", work.sm_count, ")"),
              s.last_blocks, "");
    out_.step("steps of a block", steps_text(), s.steps, "");
    const std::string asked = expression(work.m, " x ", work.n, " x ", work.k, Times{work.count});
    const std::string issued =
        expression(s.blocks, " x ", tile.m, " x ", tile.n, " x ", tile.k, " x ", s.steps);
    out_.step("useful share of the arithmetic",
              expression("min(1, ", asked, " / (", issued, "))", Times{dense_.product_share}),
              gemm_.tile_utilization * dense_.product_share, "");
  }

  std::string steps_text() const {
    const GemmWork& work = gemm_.work;
    const std::string run =
        expression("ceil(", work.k, Over{work.k_runs}, " / ", gemm_.tile.k, ")");
    const std::string all = work.k_runs == 1 ? run : expression(work.k_runs, " x ", run);
    return gemm_.split == 1 ? all : expression("ceil(", all, " / ", gemm_.split, ")");
  }

  void rates() {
    const GemmWork& work = gemm_.work;
    const GemmRate& rate = work.rate;
    out_.step("arithmetic of an SM",
              expression(rate.peak_flop_per_s, " / ", work.sm_count, Times{rate.math_share},
                         Times{rate.role_share}, Times{rate.kernel_share}, Over{rate.flop_ratio}),
              1 / work.second_per_flop, "FLOP/s", engine_.math_origin);
    out_.step("operand loads on top",
              expression("1 + ", work.operand_element, " x (1 / ", gemm_.tile.m, " + 1 / ",
                         gemm_.tile.n, ")"),
              gemm_.cost.overhead, "", origin(&DenseConstants::operand_element));
    out_.given("clock", model_.machine.clock_hz, "clock/s", model_.machine.clock_origin);
    out_.step(
        "L2 for an SM",
        expression(model_.memory.l2_operand_byte_per_clock_per_sm, " x ", model_.machine.clock_hz),
        1 / work.second_per_l2_byte, "byte/s", model_.memory.l2_operand_origin);
  }

  void step() {
    const GemmWork& work = gemm_.work;
    const TileKernel& tile = gemm_.tile;
    const TileCost& cost = gemm_.cost;
    const double threads = std::min<double>(tile.threads, static_cast<double>(tile.m) * tile.n);
    out_.step("arithmetic of a step",
              expression("2 x ", tile.m, " x ", tile.n, " x ", tile.k, " / ",
                         1 / work.second_per_flop, Times{cost.overhead}),
              cost.math_s, seconds);
    out_.step("operands of a step",
              expression("(", tile.m, Times{work.patch_share}, " + ", tile.n, ") x ", tile.k,
                         Times{work.element_byte}, " / ", 1 / work.second_per_l2_byte),
              cost.l2_s, seconds);
    if (cost.shared_s > 0)
      out_.step("operands of a step from shared memory",
                expression("2 x sqrt(", tile.m, " x ", tile.n, " x ", threads, ") x ", tile.k,
                           Times{work.element_byte}, " / ", 1 / work.second_per_shared_byte),
                cost.shared_s, seconds,
                "rows and columns of each thread's outputs, 128 byte a clock");
    if (cost.gather_s > 0)
      out_.step(
          "operands of a step, one by one",
          expression(work.gather_n ? tile.n : tile.m, " x ", tile.k, " x ", work.second_per_gather),
          cost.gather_s, seconds, origin(&DenseConstants::gather_per_clk_per_sm));
    out_.step("step", maximum({cost.math_s, cost.l2_s, cost.gather_s, cost.shared_s}), cost.step_s,
              seconds);
    out_.step("step of a block alone",
              expression("max(", cost.math_s, " x max(1, ", work.schedulers, " / (", tile.threads,
                         " / 32)), ", cost.shared_s, ", ", work.step_latency_s, ")"),
              cost.serial_s, seconds, origin(&DenseConstants::step_latency_clk));
  }

  void block() {
    const GemmWork& work = gemm_.work;
    const TileKernel& tile = gemm_.tile;
    const TileCost& cost = gemm_.cost;
    const Schedule& s = gemm_.schedule;
    const double store_s = work.result_byte * work.second_per_l2_byte;
    out_.step("results of a block",
              expression(tile.m, " x ", tile.n, " x ", maximum({store_s, work.second_per_scatter})),
              cost.store_s, seconds, model_.memory.l2_operand_origin);
    out_.step("block", expression(s.steps, " x ", cost.step_s, " + ", cost.store_s), s.block_s,
              seconds);
    out_.step("block alone", expression(s.steps, " x ", cost.serial_s, " + ", work.block_latency_s),
              s.chain_s, seconds, origin(&DenseConstants::block_latency_clk));
  }

  void waves() {
    const Schedule& s = gemm_.schedule;
    if (s.full_waves > 0)
      out_.step("full wave",
                expression("max(", s.block_s, Times{resident_blocks(gemm_)}, ", ", s.chain_s, ")"),
                s.full_wave_s, seconds);
    if (s.last_blocks > 0)
      out_.step("last wave",
                expression("max(", s.block_s, Times{s.last_blocks}, ", ", s.chain_s, ")"),
                s.last_wave_s, seconds);
    if (gemm_.split > 1) split_sums();
    const std::string last = expression(Plus{s.last_wave_s}, Plus{s.partial_s}, Plus{s.reduce_s});
    out_.step("product",
              s.full_waves > 0 ? expression(s.full_waves, " x ", s.full_wave_s, last)
                               : expression(s.last_wave_s, Plus{s.partial_s}, Plus{s.reduce_s}),
              s.kernel_s, seconds);
  }

  void split_sums() {
    const GemmWork& work = gemm_.work;
    const Schedule& s = gemm_.schedule;
    out_.step("split-K sums through L2",
              expression("8 x ", work.m, " x ", work.n, Times{work.count}, " x ", gemm_.split,
                         " / (", 1 / work.second_per_l2_byte, " x ", work.sm_count, ")"),
              s.partial_s, seconds);
    out_.given("the kernel that adds them", s.reduce_s, seconds,
               origin(&DenseConstants::extra_kernel_s));
  }

  void streamed() {
    const VectorProduct& vector = dense_.vector;
    const Machine& machine = model_.machine;
    out_.given("SMs", machine.sm_count, "", machine.sm_origin);
    out_.given("clock", machine.clock_hz, "clock/s", machine.clock_origin);
    out_.step("operands through L2", through_l2(vector.byte), vector.l2_s, seconds,
              model_.memory.l2_operand_origin);
    out_.step("start of a block", expression(c_.block_latency_clk, " / ", machine.clock_hz),
              vector.start_s, seconds, origin(&DenseConstants::block_latency_clk));
  }

  std::string through_l2(double byte) const {
    return expression(byte, " / (", model_.memory.l2_operand_byte_per_clock_per_sm, " x ",
                      model_.machine.clock_hz, " x ", model_.machine.sm_count, ")");
  }

  /// Beside the product: zeros written first, transforms before and after.
  void further_kernels() {
    const Staging& staging = dense_.staging;
    if (dense_.clear_launch_s > 0) {
      out_.step("writing zeros", through_l2(kernel_.x.write_byte), dense_.clear_s, seconds,
                model_.memory.l2_operand_origin);
      out_.step("launch of the kernel that writes zeros", launch_text(c_.library_start_s),
                dense_.clear_launch_s, seconds, origin(&DenseConstants::library_start_s));
    }
    if (staging.workspace_byte > 0) transforms();
    out_.step("kernels",
              expression(product_s(), Plus{dense_.clear_s}, Plus{dense_.clear_launch_s},
                         Plus{staging.transform_s}, Plus{staging.image_s},
                         Plus{staging.further_launch_s}),
              dense_.kernel_s, seconds);
  }

  /// From one kernel to the next, and what this one's start and end take longer.
  std::string launch_text(double start_s) const {
    return expression(model_.memory.launch_s, Plus{start_s});
  }

  double product_s() const {
    if (!dense_.tiled) return dense_.vector.l2_s + dense_.vector.start_s;
    return std::max(gemm_.schedule.kernel_s, dense_.staging.product_memory_s);
  }

  void transforms() {
    const Staging& staging = dense_.staging;
    const Contraction& x = kernel_.x;
    const double in = x.in_channels, out = x.out_channels;
    out_.step("workspace",
              expression(staging.points, " x ", staging.point_byte, " x (", staging.tiles, " x (",
                         in, " + ", out, ") + ", in, " x ", out, ")"),
              staging.workspace_byte, "byte");
    out_.given(staging.in_l2 ? "rate of the workspace, in L2" : "rate of the workspace, in DRAM",
               staging.workspace_byte_per_s, "byte/s", model_.memory.l2_operand_origin);
    out_.step("workspace through the products",
              expression(staging.workspace_byte, " / ", staging.workspace_byte_per_s),
              staging.product_memory_s, seconds);
    out_.step("workspace through the transforms",
              expression(staging.workspace_byte, " / ", staging.workspace_byte_per_s,
                         Over{staging.transform_share}),
              staging.transform_s, seconds, origin(&DenseConstants::fft_share));
    out_.step(
        "image and weights through DRAM",
        expression("(", x.read_byte, " + ", x.write_byte, ") / ", model_.memory.dram_byte_per_s),
        staging.image_s, seconds);
    out_.given("launches of further kernels", staging.further_launch_s, seconds,
               origin(&DenseConstants::extra_kernel_s));
  }

  void memory() {
    const MemorySystem& memory = model_.memory;
    const Streams streams{kernel_.x.read_byte, kernel_.x.write_byte};
    derive_traffic(out_, streams, time_.traffic, memory, cache_, 0);
    derive_bandwidth(out_, memory);
    out_.step(
        "DRAM",
        expression(time_.dram_byte, " / ", memory.bandwidth_byte_per_s, Over{memory.dram_share}),
        time_.dram_s, seconds);
    const double kernel_s = dense_.kernel_s;
    const double longer_s = std::max(kernel_s, time_.dram_s);
    const double shorter_s = std::min(kernel_s, time_.dram_s);
    const double both_s = overlapped_s(kernel_s, time_.dram_s);
    out_.step("kernels and DRAM, overlapping",
              expression("sqrt(", kernel_s, "^2 + ", time_.dram_s, "^2)"), both_s, seconds);
    if (shorter_s > 0)
      out_.step("share of the shorter that shows",
                expression(shorter_s, " / (", longer_s, " + ", both_s, ")"),
                std::min(time_.kernel_weight, time_.dram_weight), "");
  }

  void copies_and_launches() {
    const Machine& machine = model_.machine;
    if (time_.copied_element > 0) {
      out_.step("copies between layouts",
                expression(time_.copied_element, " / (", c_.transpose_per_clk_per_sm, " x ",
                           machine.clock_hz, " x ", machine.sm_count, ")"),
                time_.copy_s, seconds, origin(&DenseConstants::transpose_per_clk_per_sm));
      out_.step("launches of the copies", expression("2 x (", launch_text(c_.extra_kernel_s), ")"),
                time_.copy_launch_s, seconds, origin(&DenseConstants::extra_kernel_s));
    }
    out_.step("first launch", launch_text(time_.first_start_s), time_.first_launch_s, seconds,
              model_.memory.launch_origin);
  }

  const ContractionKernel& kernel_;
  const DenseKernel& dense_;
  const GemmTime& gemm_;
  const ContractionTime& time_;
  const DenseConstants& c_;
  const ResolvedModel& model_;
  const EngineModel& engine_;
  CacheState cache_;
  DerivationWriter out_;
};

}  // namespace

std::vector<DerivationStep> derive(const ContractionKernel& kernel, const ResolvedModel& model,
                                   const EngineModel& engine, CacheState cache) {
  return ContractionDerivation(kernel, model, engine, cache).steps();
}

}  // namespace roofline
