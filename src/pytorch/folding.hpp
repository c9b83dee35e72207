#pragma once

// Joins equal layers in a row with their mean time, and chains of elementwise rows.

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "load/recording.hpp"
#include "pytorch/operator_call.hpp"
#include "roofline/recording.hpp"
#include "roofline/spec.hpp"

namespace roofline {

class FoldedLayers {
 public:
  /// The row of all layers with this name and content.
  std::size_t row_of(LayerSpec spec);
  /// `kernel`: full name of the main kernel of a contraction. `transforms_s`: part of the time, of
  /// kernels that only transform operands.
  void add(std::size_t row, double time_s, std::string_view kernel = {}, double transforms_s = 0);
  const LayerSpec& layer(std::size_t row) const { return rows_[row].spec; }
  bool empty() const { return rows_.empty(); }
  double time_s() const;
  /// Joins work whose sizes change every step into a row of median sizes.
  void join_changing(std::size_t steps);
  /// A rare layer's share of a step would be compared with a whole run's bound.
  void move_rare(std::size_t steps, UnmodelledList& unmodelled);
  /// Layers of one step with unique names. `row_names` gets each row's layer name, empty for rows
  /// that never ran or were joined.
  std::vector<LayerSpec> layers(std::size_t steps, std::vector<std::string>& row_names,
                                std::vector<LayerTransforms>& transforms) &&;

 private:
  struct Row {
    LayerSpec spec;
    double time_s = 0;
    std::size_t runs = 0;
    double transforms_s = 0;
  };

  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> by_key_;
};

/// Consecutive elementwise operators that read each other's results: a compiler would fuse them.
class ChainList {
 public:
  /// Traces have no addresses: an operator is assumed to read the last result if it reads a tensor
  /// of those sizes.
  void add(std::size_t row, const LayerSpec& layer, const Arguments& arguments);
  void end();
  /// Chains of at least two layers in a step, in a fixed order. `names`: of the rows.
  std::vector<ElementwiseChain> items(const std::vector<std::string>& names, std::size_t steps);

 private:
  std::vector<std::size_t> open_;  ///< rows of the open chain
  Sizes written_;                  ///< the last row's result
  std::map<std::vector<std::size_t>, std::size_t> runs_;
};

}  // namespace roofline
