// The derivation of kernels whose time is that of the resource which takes longest.

#include "model/kernel/constant_fields.hpp"
#include "model/kernel/derive.hpp"

namespace roofline {
namespace {

/// Writes the steps of one kernel.
class ThroughputDerivation {
 public:
  ThroughputDerivation(const ThroughputKernel& kernel, const Counts& counts,
                       const ResolvedModel& model, Engine engine, CacheState cache)
      : kernel_(kernel),
        work_(kernel.work),
        time_(kernel.time),
        counts_(counts),
        model_(model),
        engine_(engine),
        cache_(cache) {}

  std::vector<DerivationStep> steps() {
    flop();
    compute();
    derive_traffic(out_, work_.streams, time_.traffic, model_.memory, cache_, work_.reread_l2_byte);
    l2();
    dram();
    out_.step("longest", maximum({time_.compute_s, time_.l2_s, time_.dram_s}), time_.bound_s,
              seconds);
    chain();
    out_.step("launches", expression(work_.kernels, " x ", model_.memory.launch_s), time_.launch_s,
              seconds, model_.memory.launch_origin);
    out_.parts(parts_of<ExplainedParts>(kernel_), plan_of(kernel_, model_.machine));
    return out_.take();
  }

 private:
  /// Of the kernel's own constants.
  std::string_view origin() const { return origin_of(*model_.constants, *work_.constant); }

  void flop() {
    const std::optional<EngineModel>& engine = engine_model(model_, engine_);
    if (time_.flop_s == 0 || !engine) return;
    out_.given("FLOP", static_cast<double>(counts_.flops), "FLOP", "counted");
    out_.given("peak", engine->peak_flop_per_s, "FLOP/s", engine->peak_origin);
    out_.step("FLOP at the sustained rate",
              expression(static_cast<double>(counts_.flops), " / (", engine->peak_flop_per_s, " x ",
                         engine->constants.math_share, ")"),
              time_.flop_s, seconds, engine->math_origin);
  }

  void compute() {
    const Machine& machine = model_.machine;
    out_.step("SM clocks a second, all SMs",
              expression(machine.sm_count, " x ", machine.clock_hz, Times{machine.issue_share}),
              machine.issue_clock_per_s, "clock/s", machine.clock_origin);
    for (const Term& term : work_.clocks)
      out_.given(std::string("clocks: ") + term.what, term.count, "", "layer");
    if (work_.flop > 0) {
      out_.given("FLOP of whole tiles", work_.flop, "FLOP", "layer");
      out_.given("rate of the kernel's arithmetic", work_.flop_per_s, "FLOP/s", origin());
    }
    out_.step("instructions issued", issue_text(), time_.issue_s, seconds, origin());
    if (work_.idle > 1)
      out_.given("whole waves / waves", work_.idle, "", "blocks of the kernel and SMs");
    if (work_.busy < 1) out_.given("share of SMs with a block", work_.busy, "", "blocks and SMs");
    if (work_.filled < 1)
      out_.given("share of rates that few blocks reach", work_.filled, "", "blocks and SMs");
    out_.step("compute", compute_text(), time_.compute_s, seconds, origin());
  }

  std::string issue_text() const {
    std::string clocks =
        expression("(", expression_of(work_.clocks), ") / ", model_.machine.issue_clock_per_s);
    const std::string flop = expression(work_.flop, " / ", work_.flop_per_s);
    if (work_.flop == 0) return clocks;
    return work_.clocks.total() == 0 ? flop : clocks + " + " + flop;
  }

  std::string compute_text() const {
    std::string text =
        expression(time_.issue_s, Times{work_.idle}, Over{work_.busy}, Over{work_.filled});
    if (work_.floor_s.total() > 0)
      text = expression("max(", text, ", ", expression_of(work_.floor_s), ")");
    if (work_.serial_s.total() > 0) text += " + " + expression_of(work_.serial_s);
    return text;
  }

  void l2() {
    const MemorySystem& memory = model_.memory;
    const Machine& machine = model_.machine;
    const double requested = time_.traffic.l2_byte - time_.traffic.dram_read_byte;
    out_.step("L2 rate",
              expression("max(", memory.l2_byte_per_clock_per_sm, " x ", machine.sm_count, " x ",
                         machine.clock_hz, ", ", memory.l2_least_byte_per_s, ")"),
              memory.l2_byte_per_s, "byte/s", memory.l2_origin);
    out_.step(
        "L2 at full rate",
        expression("max(", requested, " / ", memory.l2_byte_per_s, ", ", work_.streams.write_byte,
                   " / ", memory.l2_byte_per_s, Over{memory.l2_write_share}, ")"),
        time_.l2_request_s, seconds, memory.l2_origin);
    if (time_.l2_fed < 1 || time_.dram_fed < 1)
      out_.given("bytes in flight", work_.in_flight_byte, "byte", origin());
    fed("share of the L2's rate that they fill", memory.l2_latency_s, memory.l2_byte_per_s,
        time_.l2_fed);
    out_.step("L2", l2_text(), time_.l2_s, seconds, origin());
  }

  /// The share of a rate that the bytes in flight fill.
  void fed(const char* quantity, double latency_s, double byte_per_s, double share) {
    if (share < 1)
      out_.step(quantity,
                expression(work_.in_flight_byte, " / (", latency_s, " x ", byte_per_s, ")"), share,
                "", origin());
  }

  std::string l2_text() const {
    std::string requests = expression(time_.l2_request_s, Times{work_.moves}, Over{time_.l2_fed},
                                      Over{work_.busy}, Over{work_.filled});
    if (work_.fetch_byte == 0) return requests;
    return expression("max(", requests, ", ", work_.fetch_byte, " / ", work_.fetch_byte_per_s, ")");
  }

  void dram() {
    const MemorySystem& memory = model_.memory;
    derive_bandwidth(out_, memory);
    fed("share of DRAM's rate that the bytes in flight fill", memory.dram_latency_s,
        memory.dram_byte_per_s, time_.dram_fed);
    out_.step(
        "DRAM",
        expression(time_.dram_byte, " / ", memory.bandwidth_byte_per_s, Over{memory.dram_share},
                   Times{work_.moves}, Over{time_.dram_fed}, Over{work_.filled}),
        time_.dram_s, seconds, origin());
  }

  void chain() {
    const MemorySystem& memory = model_.memory;
    out_.given("share of a round trip to DRAM", time_.far_share, "", memory.latency_origin);
    out_.step("round trip",
              expression(memory.l2_latency_s, " + ", time_.far_share, " x (", memory.dram_latency_s,
                         " - ", memory.l2_latency_s, ")"),
              time_.round_trip_s, seconds, memory.latency_origin);
    out_.step("chain", chain_text(), time_.chain_s, seconds, origin());
    out_.step("longest and chain",
              expression("sqrt(", time_.bound_s, "^2 + ", time_.chain_s, "^2)"), time_.busy_s,
              seconds);
  }

  std::string chain_text() const {
    std::string text = expression("(", expression_of(work_.rounds), ") x ", time_.round_trip_s);
    if (work_.steps.total() > 0)
      text += expression(" + (", expression_of(work_.steps), ") x ", model_.memory.l2_latency_s);
    if (work_.copy_clocks.total() > 0)
      text += expression(" + (", expression_of(work_.copy_clocks), ") / ",
                         model_.machine.issue_clock_per_s);
    return text;
  }

  const ThroughputKernel& kernel_;
  const ThroughputWork& work_;
  const ThroughputTime& time_;
  const Counts& counts_;
  const ResolvedModel& model_;
  Engine engine_;
  CacheState cache_;
  DerivationWriter out_;
};

}  // namespace

std::vector<DerivationStep> derive(const ThroughputKernel& kernel, const Counts& counts,
                                   const ResolvedModel& model, Engine engine, CacheState cache) {
  return ThroughputDerivation(kernel, counts, model, engine, cache).steps();
}

void derive_bandwidth(DerivationWriter& out, const MemorySystem& memory) {
  out.given("bandwidth", memory.bandwidth_byte_per_s, "byte/s", memory.bandwidth_origin);
  out.given("sustained share of the bandwidth", memory.dram_share, "", memory.share_origin);
}

void derive_traffic(DerivationWriter& out, const Streams& streams, const Traffic& traffic,
                    const MemorySystem& memory, CacheState cache, double reread_l2_byte) {
  out.given("bytes read, once", streams.read_byte, "byte", "layer");
  out.given("bytes written, once", streams.write_byte, "byte", "layer");
  if (reread_l2_byte > 0)
    out.given("bytes read again through L2", reread_l2_byte, "byte", "kernel");
  const double total = streams.read_byte + streams.write_byte;
  if (cache == CacheState::warm)
    out.step("share not found in L2",
             expression("1 - max(0, min(1, (", memory.l2_lost_byte, " - ", total, ") / (",
                        memory.l2_lost_byte, " - ", memory.l2_kept_byte, ")))"),
             traffic.missed_share, "", memory.kept_origin);
  out.step("bytes of DRAM",
           expression("(", streams.read_byte, " + ", streams.write_byte, ")",
                      Times{traffic.missed_share}),
           timed_dram_byte(streams, traffic, cache), "byte");
  out.step("requests to L2",
           expression(streams.read_byte, " + ", streams.write_byte, Plus{reread_l2_byte}),
           traffic.l2_byte - traffic.dram_read_byte, "byte");
}

}  // namespace roofline
