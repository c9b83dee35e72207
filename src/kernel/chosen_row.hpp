#pragma once

#include <type_traits>

#include "kernel/choices.hpp"
#include "kernel/constants.hpp"
#include "kernel/derivation.hpp"
#include "kernel/formula.hpp"

namespace roofline {

/// Explains which row of the library's file chose the kernel. `row` is one of the constants'.
template <class Number>
void name_row(const ChoiceRow& row, const ModelConstants& constants, Eval<Number>& eval) {
  if constexpr (std::is_same_v<Number, double>) return;
  const auto number = static_cast<double>(&row - constants.choices.rows.data() + 1);
  eval.named(chosen_row, number, "", "roofline kernels: ", name_of(row.kernel), ", ",
             constants.origins[row.origin]);
}

}  // namespace roofline
