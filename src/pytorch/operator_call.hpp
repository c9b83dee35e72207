#pragma once

// One operator that launched kernels, as the rules that turn it into layers see it.

#include <string_view>
#include <vector>

#include "pytorch/operator_arguments.hpp"
#include "roofline/spec.hpp"

namespace roofline {

struct Caller {
  std::string_view name;
  const OperatorArguments* arguments = nullptr;
};

struct OperatorCall {
  std::string_view name;  ///< "aten::cudnn_convolution"
  const OperatorArguments* arguments = nullptr;
  std::vector<Caller> callers;  ///< the ranges that it ran in, innermost first
  bool is_tf32 = false;         ///< its kernels' names say that fp32 went through TF32 units
  bool sums_in_fp16 = false;    ///< and these that fp16 products were added up in fp16
  /// Element type of lists of tensors, for which the trace has none.
  std::optional<DataType> list_type;
  /// Elements of each list of tensors where the trace has no shapes of them, as an estimate.
  std::optional<std::uint64_t> list_elements;

  /// What the operator was called with whose gradient this is; known of look-ups.
  const OperatorArguments* forward = nullptr;
  /// What the result's sizes may be, where the rule needs them and the trace tells.
  std::vector<Sizes> results = {};

  const Caller* caller(std::string_view wanted) const {
    for (const Caller& each : callers)
      if (each.name == wanted) return &each;
    return nullptr;
  }
};

/// The layers that an operator stands for: none where the rule does not fit its arguments; several
/// where it computes several passes.
using Rule = std::vector<LayerSpec> (*)(const OperatorCall&);

struct NamedRule {
  std::string_view name;  ///< of the operator, without "aten::" and the "_" of the in-place variant
  Rule rule;
};

/// The rule of an operator; null where there is none.
Rule find_rule(std::string_view operator_name);

/// An operator without a rule that fits, as a layer of kind `other` that reads each of its operands
/// once (results are recorded only where they are operands, and written in place where no operand
/// but one is large). None where a type is unknown.
std::vector<LayerSpec> operand_traffic(const OperatorCall& call);

/// A kernel for lists of tensors (multi_tensor_apply) that no operator launched, as optimizers of
/// others than PyTorch do: how many lists it has stands in its name. None for other kernels.
std::vector<LayerSpec> list_kernel(std::string_view kernel, std::uint64_t elements, DataType type);

/// "aten::add_" without namespace and in-place mark: "add".
std::string_view base_name(std::string_view operator_name);

}  // namespace roofline
