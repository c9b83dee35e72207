// Recurrent layers (LSTM, GRU, RNN) as cuDNN runs them. Each direction of each layer has a product
// of its input over all steps, and then a chain: at each step a product of the state and a kernel
// that applies the gates, each waiting for the one before. Chains of directions, and of stacked
// layers, run side by side on streams of their own. Backward the same chains run in reverse; the
// gradient of the weights needs no chain.
//
// One kernel runs all steps of a small state, and in 16 bits of some larger ones: it keeps the
// recurrent weights on the SMs as far as they fit.
//
// Measured on an H100 (PyTorch 2.11, cuDNN 9.19; states of 64 to 2048, 1 to 512 samples, 25 to 1000
// steps, one to four layers, one and two directions): kernels of a chain take 4 to 10 us a step
// with the gap after each; chains side by side take about as long as their kernels added up without
// gaps.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "kernel/kernel_sum.hpp"
#include "kernel/plans.hpp"
#include "model/recurrence.hpp"
#include "model/sizes.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

/// How the steps of a direction run.
enum class Steps : std::uint8_t {
  kernels,    ///< two kernels a step
  blocks,     ///< one kernel, whose blocks each have samples of their own and all weights
  all_blocks  ///< one kernel, whose blocks share the weights and wait for each other at each step
};

/// PyTorch asks cuDNN so: small states, and in fp16 one layer of one direction with sizes that suit
/// tensor cores, on GPUs of 98 SMs or more.
Steps steps_of(const Recurrence& of, const PlanRequest& request) {
  const Layer& layer = request.layer;
  const Machine& machine = request.model.machine;
  const bool is_plain = layer.kind == LayerKind::rnn;
  const std::uint64_t most_gated = layer.pass == Pass::fwd ? 192 : 128;
  const std::uint64_t most_state = is_plain ? 2 * most_gated : most_gated;
  if (!has_cudnn(machine) || request.engine == Engine::fp64) return Steps::kernels;
  if (of.state <= most_state) return Steps::blocks;
  const bool suits = of.layers == 1 && of.directions == 1 && of.state <= 1024 &&
                     of.state % 128 == 0 && of.features % 128 == 0 && of.samples % 8 == 0 &&
                     of.samples <= (is_plain && of.state >= 896 ? 95 : 128);
  const bool shares = suits && layer.dtypes.input == DataType::fp16 &&
                      layer.kind != LayerKind::gru && machine.sm_count >= 98;
  return shares ? Steps::all_blocks : Steps::kernels;
}

template <class Number>
class Chain : public KernelSum<Number> {
  using KernelSum<Number>::eval_;
  using KernelSum<Number>::parts_;
  using KernelSum<Number>::plan_;
  using KernelSum<Number>::request_;

 public:
  using KernelSum<Number>::KernelSum;

  /// `together`: chains side by side, whose weights L2 holds from step to step if all fit.
  void add_steps(const Recurrence& of, std::uint64_t together) {
    const std::uint64_t columns = checked_mul(of.gates, of.state);
    const std::uint64_t times = checked_mul(of.steps, of.layers, of.directions);
    const double weight_byte = static_cast<double>(checked_mul(
        together, stored_byte(checked_mul(columns, of.state), request_.layer.dtypes.weight)));
    const bool stays = weight_byte <= request_.model.memory.l2_kept_byte;
    const KernelPlan own =
        this->product(of.samples, of.state, columns, stays ? CacheState::warm : CacheState::cold);
    this->add(own, "steps of all directions and layers", times);
    const KernelPlan gates = gates_of(of.samples, columns);
    this->add(gates, "steps of all directions and layers", times);
    if (together > 1) hide_starts({own, gates}, times, together);
    if (stays) add_first_read(of);
  }

  /// The same in one kernel, whose blocks wait for each other as long as kernels do.
  void add_joined_steps(const Recurrence& of) {
    const std::uint64_t kernels = plan_.kernels;
    const Number launch_s = parts_[Limiter::launch];
    add_steps(of, 1);
    TimeParts<Number> joined;
    for (const Limiter limiter : enumerators<Limiter>)
      joined.add(limiter, limiter == Limiter::launch ? launch_s : parts_[limiter]);
    joined.add(Limiter::latency, parts_[Limiter::launch] - launch_s);
    parts_ = joined;
    plan_.kernels = kernels + 1;
  }

  /// Each step reads the recurrent weights: from where the block keeps them, or else from L2.
  void add_block_steps(const Recurrence& of) {
    const MemorySystem& memory = request_.model.memory;
    const Machine& machine = request_.model.machine;
    const auto rates = machine_rates(machine, eval_);
    const BlockOfSteps block = of_samples(of);
    const double sample_blocks = std::ceil(static_cast<double>(of.samples) / block.samples);
    const double busy = std::min(sample_blocks, machine.sm_count);
    const double weight_byte =
        static_cast<double>(checked_mul(of.gates, of.state, of.state)) * block.element_byte;
    const bool is_kept = weight_byte <= machine.sm.registers * register_byte;
    const Number read_byte =
        eval_.named("recurrent weights of a block", weight_byte, "byte", "layer");
    const Number own_s = read_byte / (block_byte_per_clock(weight_byte, machine) * rates.clock_hz);
    const Number l2_rate = l2_byte_per_s(memory, rates, eval_);
    const Number read_s = eval_.named(
        "weights read at a step",
        is_kept ? own_s : max({own_s, busy * read_byte / (shared_line_share * l2_rate)}), "s");
    const Number exchange_s = eval_.named(
        "exchange of the state", block.round_trips * eval_(memory.constants->l2_latency_s), "s");
    const std::uint64_t kernels = checked_mul(of.layers, of.directions);
    const Number steps = eval_.factor("steps of all directions and layers",
                                      static_cast<double>(checked_mul(of.steps, kernels)) *
                                          std::ceil(sample_blocks / machine.sm_count),
                                      "", "layer");
    parts_.add(Limiter::latency, steps * exchange_s);
    parts_.add(is_kept ? Limiter::instructions : Limiter::l2, steps * read_s);
    parts_.add(Limiter::launch,
               static_cast<double>(kernels) * eval_.sourced(memory.launch_s, memory.launch_origin));
    plan_.kernels = checked_add(plan_.kernels, kernels);
    if (!is_kept) plan_.l2_byte += value_of(steps) * busy * weight_byte;
    add_first_read(of);
  }

 private:
  /// With cold caches the recurrent weights come from memory once.
  void add_first_read(const Recurrence& of) {
    if (request_.cache == CacheState::warm) return;
    const auto weight_byte = static_cast<double>(
        stored_byte(checked_mul(of.layers, of.directions, of.gates, of.state, of.state),
                    request_.layer.dtypes.weight));
    const Number read_s = eval_.named("recurrent weights", weight_byte, "byte", "layer") /
                          dram_byte_per_s(request_.model.memory, eval_);
    parts_.add(Limiter::dram, read_s);
    plan_.dram_read_byte += weight_byte;
  }

  /// The share of a block in a kernel of all steps.
  struct BlockOfSteps {
    double samples = 1;
    double element_byte = 4;  ///< of weights
    double round_trips = 1;   ///< of a step's exchange of the state, as long as L2's
  };

  /// Tensor cores multiply eight samples at once, vector units one, in fp32.
  BlockOfSteps of_samples(const Recurrence& of) const {
    if (info(request_.layer.dtypes.input).bits != 16 || of.samples == 1) return {};
    return {8, 2, 3};
  }

  static constexpr double register_byte = 4;

  /// Shared memory's rate, or that of an SM's path to L2, which more weights come by.
  static double block_byte_per_clock(double weight_byte, const Machine& machine) {
    return weight_byte <= machine.sm.shared_byte ? 128 : 64;
  }

  /// All SMs read the same lines, which L2 serves at half its rate.
  static constexpr double shared_line_share = 0.5;
  /// A gates' kernel waits for the products, and for the cell's state.
  static constexpr double gates_round_trips = 2;

  /// The gates add the products of the input and of the state; their tensors are those of a sum.
  KernelPlan gates_of(std::uint64_t rows, std::uint64_t columns) {
    Layer layer = part_of(request_.layer, LayerKind::add, rows, columns, columns);
    layer.inputs.push_back(layer.inputs.front());
    const Counts counts = count(layer);
    const PlanRequest gates{layer, counts, request_.engine, request_.model, CacheState::warm};
    const auto rates = machine_rates(request_.model.machine, eval_);
    auto works = streaming_works(gates, rates, eval_);
    works.front().l2_round_trips = works.front().l2_round_trips + Number(gates_round_trips);
    return plan_of_works(works, Number{}, rates, request_.model, gates.cache, eval_);
  }

  /// While a chain waits between its kernels, kernels of the others run, and start beside them on
  /// idle SMs. No chain is faster than alone.
  void hide_starts(const std::array<KernelPlan, 2>& kernels, std::uint64_t times,
                   std::uint64_t together) {
    const MemorySystem& memory = request_.model.memory;
    double idle = 0;
    for (const KernelPlan& kernel : kernels)
      idle +=
          1 - std::min(1.0, static_cast<double>(kernel.blocks) / request_.model.machine.sm_count);
    const Number gap_s = eval_.sourced(memory.gap_s, memory.launch_origin);
    const Number start_s = eval_.sourced(memory.launch_s, memory.launch_origin) - gap_s;
    Number sum_s{};
    for (const Limiter limiter : enumerators<Limiter>) sum_s = sum_s + parts_[limiter];
    const Number all = static_cast<double>(times) * (2 * gap_s + idle * start_s);
    const Number hidden_s = eval_.named(
        "gaps and starts that other chains fill",
        min({all, sum_s - sum_s / static_cast<double>(together), parts_[Limiter::launch]}), "s");
    TimeParts<Number> left;
    for (const Limiter limiter : enumerators<Limiter>)
      left.add(limiter, limiter == Limiter::launch ? parts_[limiter] - hidden_s : parts_[limiter]);
    parts_ = left;
  }
};

template <class Number>
KernelPlan plan_by(Steps steps, const Recurrence& of, const PlanRequest& request,
                   Eval<Number>& eval) {
  const std::uint64_t columns = checked_mul(of.gates, of.state);
  const std::uint64_t rows = checked_mul(of.samples, of.steps);
  const std::uint64_t stacked = checked_mul(of.layers - 1, of.directions);
  Chain<Number> chain(request, eval);
  chain.add_product("directions", of.directions, rows, of.features, columns, request.cache);
  if (stacked > 0)
    chain.add_product("directions of stacked layers", stacked, rows,
                      checked_mul(of.directions, of.state), columns, request.cache);
  if (request.layer.pass == Pass::wgrad) {
    chain.add_product("directions and layers", checked_mul(of.layers, of.directions), rows,
                      of.state, columns, request.cache);
  } else {
    switch (steps) {
      case Steps::blocks: chain.add_block_steps(of); break;
      case Steps::all_blocks: chain.add_joined_steps(of); break;
      // Stacked layers of two directions wait for both.
      case Steps::kernels: chain.add_steps(of, of.directions > 1 ? of.directions : of.layers);
    }
  }
  KernelPlan plan = std::move(chain).plan();
  plan.algorithm = Algorithm::recurrent_steps;
  plan.workspace_byte =
      stored_byte(checked_mul(rows, columns, of.directions), request.layer.dtypes.output);
  return plan;
}

/// Blocks that do not keep their weights may take longer than kernels that share them.
Steps fastest_steps(const Recurrence& of, const PlanRequest& request) {
  const Steps own = steps_of(of, request);
  if (own != Steps::blocks || request.layer.pass == Pass::wgrad) return own;
  Planning eval;
  const auto time_s = [&](Steps steps) {
    return plan_by(steps, of, request, eval).expected_time_s();
  };
  return time_s(Steps::kernels) < time_s(own) ? Steps::kernels : own;
}

}  // namespace

template <class Number>
KernelPlan recurrent_plan(const PlanRequest& request, Eval<Number>& eval) {
  const Recurrence of = recurrence_of(request.layer);
  return plan_by(fastest_steps(of, request), of, request, eval);
}

template KernelPlan recurrent_plan(const PlanRequest&, Planning&);
template KernelPlan recurrent_plan(const PlanRequest&, Explaining&);

}  // namespace roofline
