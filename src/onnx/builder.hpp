#pragma once

// From a file's graph to one that runs: nodes in order, functions and branches written out, sizes
// worked out, constants folded away.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "onnx/graph.hpp"
#include "onnx/model.hpp"
#include "roofline/network.hpp"

namespace roofline::onnx_graph {

/// The sizes that a model leaves open, and what the command line says about them.
class Dimensions {
 public:
  /// Throws InputError where an input has an open size that is no batch and has no value: the error
  /// lists all of them.
  Dimensions(const Model& model, const LayerDefaults& defaults);

  std::uint64_t batch() const { return batch_; }
  /// The sizes of a graph's input.
  const Sizes& input(const std::string& name) const { return inputs_.at(name); }
  bool has_input(const std::string& name) const { return inputs_.contains(name); }
  /// Sizes that the file states of any tensor; none where one of them is not known.
  std::optional<Sizes> stated(const ValueProto& value) const;
  /// By how much --batch multiplies a batch that the file fixes: sizes that the file stores for a
  /// tensor are not right then.
  bool overrides_fixed_batch() const { return fixed_batch_ != 0; }
  /// A shape written for the fixed batch, under --batch.
  Sizes rescaled(Sizes shape) const;
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void find_batch(const std::vector<const ValueProto*>& inputs, const LayerDefaults& defaults);
  void bind_inputs(const std::vector<const ValueProto*>& inputs);
  void note_unknown_names(const LayerDefaults& defaults);

  const Model& model_;
  std::map<std::string, std::int64_t> values_;  ///< sizes by name
  std::set<std::string> names_;                 ///< open sizes of the inputs
  std::map<std::string, Sizes> inputs_;
  std::uint64_t batch_ = 1;
  std::int64_t fixed_batch_ = 0;  ///< the file's batch, where --batch replaces it
  std::vector<std::string> notes_;
};

/// The model's graph under these dimensions. Throws InputError.
Graph build_graph(const Model& model, const Dimensions& dimensions);

}  // namespace roofline::onnx_graph
