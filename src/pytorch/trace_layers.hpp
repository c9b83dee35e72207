#pragma once

// The layers of a recording: what its operators' kernels did, folded, with the work that no layer
// stands for.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "pytorch/chains.hpp"
#include "pytorch/folding.hpp"
#include "pytorch/links.hpp"
#include "pytorch/lookup_pairs.hpp"
#include "pytorch/operator_call.hpp"
#include "pytorch/parameter_lists.hpp"
#include "pytorch/result_sizes.hpp"
#include "pytorch/unmodelled.hpp"

namespace roofline {

class TraceLayers {
 public:
  TraceLayers(const Recording& recording, const Links& links);

  /// Activities of one device inside the steps, without transfers, in the order of their starts.
  void add(const std::vector<std::uint32_t>& activities);

  /// After all activities of so many steps.
  void finish(std::size_t steps);

  FoldedLayers& layers() { return layers_; }
  ChainList& chains() { return chains_; }
  UnmodelledList& unmodelled() { return unmodelled_; }
  std::size_t halved_operators() const { return halved_operators_; }
  double layout_s() const { return layout_s_; }
  std::size_t unknown_strides() const { return unknown_strides_; }
  /// Operators counted by their operands whose kernels multiply matrices.
  const std::set<std::string>& products() const { return products_; }

 private:
  const std::string& name_of_activity(std::uint32_t index) const;
  const std::string& name_of_operator(std::uint32_t index) const;

  /// fp16 or bf16: what two-byte elements are where only their size is known.
  DataType more_common_half();
  void add_alone(std::uint32_t index);
  double duration_s(std::uint32_t index) const;
  OperatorCall call_of(std::uint32_t op, const std::vector<std::uint32_t>& work);

  /// Where the trace holds no strides or no shapes of a list.
  std::vector<Sizes> results_of(std::uint32_t op, const OperatorCall& call);
  static bool is_convolution(std::string_view name) { return name.ends_with("_convolution"); }

  /// What a call's layers depend on; calls that agree in it have the same layers.
  std::vector<std::uint32_t> key_of(std::uint32_t op, const OperatorCall& call) const;
  std::vector<std::size_t> rows_of(const OperatorCall& call);

  /// Whose layer the activity's work is: the operator that launched it, but a batch norm's own cast
  /// of its statistics is work of the batch norm, as it is where batch norms are measured alone.
  std::uint32_t layer_operator(std::uint32_t activity) const;

  /// The kernels that one run of an operator launched, in the order of their starts.
  void add_operator(const std::vector<std::uint32_t>& work);
  bool multiplies_matrices(const std::vector<std::uint32_t>& work) const;
  bool is_contraction(std::size_t row) const;

  /// A recording may lack kernels, where the profiler's buffers ran full.
  bool only_fills(const std::vector<std::uint32_t>& work) const;
  double data_gradient_s(const std::vector<std::uint32_t>& work, double time_s);

  /// Ranges that are no operators have no arguments: there the kernels say more.
  void add_unmodelled(const OperatorCall& call, const std::vector<std::uint32_t>& work,
                      const std::string& reason = "");
  static bool lacks_list_shapes(const OperatorArguments& arguments);
  static std::string reason_of(const OperatorCall& call);

  const Recording& recording_;
  const Links& links_;
  ArgumentCache arguments_;
  ResultSizes results_{recording_, arguments_};
  std::unordered_map<std::uint32_t, std::uint32_t> lookups_ = pair_lookups(recording_, arguments_);
  std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> rows_by_call_;
  ParameterLists parameters_;
  FoldedLayers layers_;
  ChainList chains_;
  UnmodelledList unmodelled_;
  std::size_t halved_operators_ = 0;
  double layout_s_ = 0;
  std::size_t unknown_strides_ = 0;
  std::set<std::string> products_;
  bool has_half_ = false;
  DataType half_ = DataType::fp16;
};

}  // namespace roofline
