#pragma once

// FBGEMM's look-ups in many tables at once.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pytorch/operator_call.hpp"

namespace roofline {

/// "fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function".
bool is_lookup(std::string_view operator_name);
/// "torch::autograd::CppNode<SplitLookupFunction_rowwise_adagrad_Op>".
bool is_lookup_backward(std::string_view operator_name);

/// How many results a look-up has: one for each table and row of the batch.
std::optional<std::uint64_t> bags_of_lookup(const OperatorArguments& arguments);

/// Each index reads a row, none of them more than the tables hold; the rows of a bag are added up.
std::vector<LayerSpec> lookup(const OperatorCall& call);
/// Reads the gradient and the indices; reads and writes the rows.
std::vector<LayerSpec> lookup_backward(const OperatorCall& call);

}  // namespace roofline
