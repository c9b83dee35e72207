// Recurrent layers (LSTM, GRU, RNN) as cuDNN runs them: one product of the input over all steps,
// then for each step a product of the state and a kernel that applies the gates, each waiting for
// the one before. The directions of a step run side by side, as one product with the columns of
// both. Backward the same chain runs in reverse; the gradient of the weights needs no chain.

#include <cstdint>
#include <utility>

#include "kernel/plans.hpp"
#include "model/recurrence.hpp"
#include "model/sizes.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

Layer part_of(const Layer& whole, LayerKind kind, std::uint64_t rows, std::uint64_t features,
              std::uint64_t columns) {
  Layer part;
  part.kind = kind;
  part.pass = whole.pass;
  part.dtypes = whole.dtypes;
  part.layout = whole.layout;
  // Compilers leave these layers to the library.
  part.kernels = whole.kernels == KernelSource::compiler ? KernelSource::library : whole.kernels;
  part.inputs = {Operand{{rows, features}}};
  part.output = {rows, columns};
  return part;
}

/// Adds up the kernels of a layer.
template <class Number>
class Chain {
 public:
  Chain(const PlanRequest& request, Eval<Number>& eval) : request_(request), eval_(eval) {}

  void add_product(const char* times_name, std::uint64_t times, std::uint64_t rows,
                   std::uint64_t features, std::uint64_t columns) {
    const Layer layer = part_of(request_.layer, LayerKind::linear, rows, features, columns);
    const Counts counts = count(layer);
    add(*dense_plan({layer, counts, request_.engine, request_.model, request_.cache}, eval_),
        times_name, times);
  }

  void add_gates(std::uint64_t times, std::uint64_t rows, std::uint64_t columns) {
    const Layer layer = part_of(request_.layer, LayerKind::sigmoid, rows, columns, columns);
    const Counts counts = count(layer);
    const PlanRequest gates{layer, counts, request_.engine, request_.model, CacheState::warm};
    const auto rates = machine_rates(request_.model.machine, eval_);
    add(throughput_plan(streaming_works(gates, rates, eval_), Number{}, rates, request_.model,
                        gates.cache, eval_),
        "steps", times);
  }

  KernelPlan plan() && {
    set_time(plan_, parts_, eval_);
    return std::move(plan_);
  }

 private:
  void add(const KernelPlan& part, const char* times_name, std::uint64_t times) {
    if (is_empty_) {
      plan_ = part;
      plan_.kernels = 0;
      plan_.l2_byte = plan_.dram_read_byte = plan_.dram_write_byte = 0;
      is_empty_ = false;
    }
    const auto count = static_cast<double>(times);
    const Number all = eval_.factor(times_name, count, "", "layer");
    for (const Limiter limiter : enumerators<Limiter>)
      parts_.add(limiter, Number(part.part_s[limiter]) * all);
    plan_.kernels = checked_add(plan_.kernels, checked_mul(part.kernels, times));
    plan_.l2_byte += part.l2_byte * count;
    plan_.dram_read_byte += part.dram_read_byte * count;
    plan_.dram_write_byte += part.dram_write_byte * count;
  }

  const PlanRequest& request_;
  Eval<Number>& eval_;
  KernelPlan plan_;
  bool is_empty_ = true;
  TimeParts<Number> parts_;
};

}  // namespace

template <class Number>
KernelPlan recurrent_plan(const PlanRequest& request, Eval<Number>& eval) {
  const Recurrence of = recurrence_of(request.layer);
  const std::uint64_t columns = checked_mul(of.directions, of.gates, of.state);
  const std::uint64_t rows = checked_mul(of.samples, of.steps);
  Chain<Number> chain(request, eval);
  chain.add_product("first layers", 1, rows, of.features, columns);
  if (of.layers > 1)
    chain.add_product("stacked layers", of.layers - 1, rows, checked_mul(of.directions, of.state),
                      columns);
  if (request.layer.pass == Pass::wgrad) {
    chain.add_product("layers", of.layers, rows, of.state, columns);
  } else {
    const std::uint64_t steps = checked_mul(of.steps, of.layers);
    chain.add_product("steps", steps, of.samples, of.state, columns);
    chain.add_gates(steps, of.samples, columns);
  }
  KernelPlan plan = std::move(chain).plan();
  plan.algorithm = Algorithm::recurrent_steps;
  plan.workspace_byte = stored_byte(checked_mul(rows, columns), request.layer.dtypes.output);
  return plan;
}

template KernelPlan recurrent_plan(const PlanRequest&, Planning&);
template KernelPlan recurrent_plan(const PlanRequest&, Explaining&);

}  // namespace roofline
