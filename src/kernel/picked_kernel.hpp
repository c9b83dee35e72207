#pragma once

// Kernels that a library's heuristic picks for convolutions of one group in place of the fastest,
// by rows of its file.

#include <optional>

#include "kernel/choices.hpp"
#include "kernel/formula.hpp"
#include "kernel/plans.hpp"

namespace roofline {

/// The first row that takes the layer; null where the heuristic knows the fastest kernels.
const ChoiceRow* picked_row(const PlanRequest& request);

/// The layer as its kernel runs it: with the kernel's mapping and layout.
struct PickedLayer {
  Layer layer;
  Problem problem;
  Engine engine = Engine::fp32;

  PlanRequest request(const PlanRequest& asked) const {
    PlanRequest own{layer, asked.counts, engine, asked.model, asked.cache, problem};
    own.problem.layer = &layer;
    return own;
  }
};

/// nullopt for a row whose kernels are those that are searched for vector units.
std::optional<PickedLayer> picked_layer(const PlanRequest& request, const ChoiceRow& row);

/// Time that the row's kernel takes beside that of the fastest one.
template <class Number>
Number beside_picked_s(const PlanRequest& request, const ChoiceRow& row, Eval<Number>& eval) {
  const TensorConstants& constants = request.model.constants->values.tensor_kernels;
  const Problem& problem = request.problem;
  switch (row.kernel) {
    case LibraryKernel::index_table:
      return eval.summand("list of an image's places",
                          problem.input_positions * eval(constants.index_table_s), "s");
    case LibraryKernel::half_scatter:
      return eval.summand("additions to results of 16 bits",
                          problem.out_positions() * problem.taps * problem.in_channels *
                              problem.out_channels * eval(constants.half_add_s),
                          "s");
    default: return Number{};
  }
}

}  // namespace roofline
