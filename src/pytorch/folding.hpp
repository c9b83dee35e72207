#pragma once

// Equal layers as one, with the mean of their times.

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "roofline/spec.hpp"

namespace roofline {

class FoldedLayers {
 public:
  /// The row of layers that have this one's name and differ in nothing that makes a layer another.
  std::size_t row_of(LayerSpec spec);
  void add(std::size_t row, double time_s);
  const LayerSpec& layer(std::size_t row) const { return rows_[row].spec; }
  /// Of each row, its place among the layers; none of one that never ran or was joined to another.
  std::vector<std::optional<std::size_t>> places() const;

  bool empty() const { return rows_.empty(); }
  double time_s() const;
  /// Makes one row, of sizes in the middle, of what runs with other sizes in every step.
  void join_changing(std::size_t steps);
  /// Takes out what runs in half of the steps or fewer: a layer of each step would be held against
  /// the bound of a whole run in a part of its time.
  struct RareWork {
    std::string name;
    std::size_t runs = 0;
    double time_s = 0;
  };
  std::vector<RareWork> take_rare(std::size_t steps);
  /// The layers of one step, in the order of their first run: as many copies of each as a step
  /// runs, each with the mean time. Names are unique.
  std::vector<LayerSpec> layers(std::size_t steps) &&;

 private:
  struct Row {
    LayerSpec spec;
    double time_s = 0;
    std::size_t runs = 0;
  };

  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> by_key_;
};

}  // namespace roofline
