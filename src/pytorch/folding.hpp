#pragma once

// Equal layers as one row, with the mean of their times, and rows that ran one after the other.

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
  /// The row of layers that have this one's name and differ in nothing that makes a layer another.
  std::size_t row_of(LayerSpec spec);
  /// `kernel`: the main one of a contraction, by its full name.
  void add(std::size_t row, double time_s, std::string_view kernel = {});
  const LayerSpec& layer(std::size_t row) const { return rows_[row].spec; }
  bool empty() const { return rows_.empty(); }
  double time_s() const;
  /// Makes one row, of sizes in the middle, of what runs with other sizes in every step.
  void join_changing(std::size_t steps);
  /// Moves what runs in half of the steps or fewer to work without a layer: one of each step would
  /// be held against the bound of a whole run in a part of its time.
  void move_rare(std::size_t steps, UnmodelledList& unmodelled);
  /// The layers of one step, in the order of their first run: as many copies as a step runs, each
  /// with the mean time. Names are unique. `row_names`: set to the layer's name of each row, empty
  /// for one that never ran or was joined to another.
  std::vector<LayerSpec> layers(std::size_t steps, std::vector<std::string>& row_names) &&;

 private:
  struct Row {
    LayerSpec spec;
    double time_s = 0;
    std::size_t runs = 0;
  };

  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> by_key_;
};

/// Elementwise operators that ran one after the other, each reading what the one before it wrote:
/// what a compiler makes one kernel of.
class ChainList {
 public:
  /// The next operator, whose one layer is that row. Without addresses in a trace, an operator is
  /// taken to read what was written last where it reads a tensor of those sizes.
  void add(std::size_t row, const LayerSpec& layer, const Arguments& arguments);
  /// Other work comes next.
  void end();
  /// Chains of two layers and more in a step, in a fixed order. `names`: of the rows.
  std::vector<ElementwiseChain> items(const std::vector<std::string>& names, std::size_t steps);

 private:
  std::vector<std::size_t> open_;  ///< rows of the chain that may go on
  Sizes written_;                  ///< what the last of them wrote
  std::map<std::vector<std::size_t>, std::size_t> runs_;
};

}  // namespace roofline
