#pragma once

// A layer that runs as several kernels, one after the other.

#include <cstdint>
#include <utility>

#include "kernel/plans.hpp"
#include "model/sizes.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

/// A layer of the kernels that a whole one runs as.
inline Layer part_of(const Layer& whole, LayerKind kind, std::uint64_t rows, std::uint64_t features,
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

/// Adds up kernels. The plan's tile and blocks are the first one's.
template <class Number>
class KernelSum {
 public:
  KernelSum(const PlanRequest& request, Eval<Number>& eval) : request_(request), eval_(eval) {}

  KernelPlan product(std::uint64_t rows, std::uint64_t features, std::uint64_t columns,
                     CacheState cache) {
    const Layer layer = part_of(request_.layer, LayerKind::linear, rows, features, columns);
    const Counts counts = count(layer);
    return *dense_plan({layer, counts, request_.engine, request_.model, cache}, eval_);
  }

  void add_product(const char* times_name, std::uint64_t times, std::uint64_t rows,
                   std::uint64_t features, std::uint64_t columns, CacheState cache) {
    add(product(rows, features, columns, cache), times_name, times);
  }

  /// A kernel whose operands the one before left in L2.
  void add_work(const KernelWork<Number>& work, const MachineRates<Number>& rates,
                const char* times_name, std::uint64_t times) {
    add(plan_of_works({work}, Number{}, rates, request_.model, CacheState::warm, eval_), times_name,
        times);
  }

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

  KernelPlan plan() && {
    set_time(plan_, parts_, eval_);
    return std::move(plan_);
  }

 protected:
  const PlanRequest& request_;
  Eval<Number>& eval_;
  KernelPlan plan_;
  TimeParts<Number> parts_;

 private:
  bool is_empty_ = true;
};

}  // namespace roofline
