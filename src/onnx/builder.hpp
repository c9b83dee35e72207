#pragma once

// A file's graph in order: functions and branches expanded, sizes inferred, constants folded.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "onnx/graph.hpp"
#include "onnx/model.hpp"
#include "roofline/network.hpp"

namespace roofline::onnx_graph {

/// A model's open sizes, and the command line's values for them.
class Dimensions {
 public:
  /// Throws InputError with all open sizes that are no batch and have no value.
  Dimensions(const Model& model, const LayerDefaults& defaults);

  std::uint64_t batch() const { return batch_; }
  const Sizes& input(const std::string& name) const { return inputs_.at(name); }
  bool has_input(const std::string& name) const { return inputs_.contains(name); }
  /// Sizes in the file; nullopt if one is unknown.
  std::optional<Sizes> stated(const ValueProto& value) const;
  /// Whether --batch replaces a batch that the file fixes; the file's sizes are then wrong.
  bool overrides_fixed_batch() const { return fixed_batch_ != 0; }
  /// A shape for the fixed batch, under --batch.
  Sizes rescaled(Sizes shape) const;
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void find_batch(const std::vector<const ValueProto*>& inputs, const LayerDefaults& defaults);
  void bind_inputs(const std::vector<const ValueProto*>& inputs);
  void note_unknown_names(const LayerDefaults& defaults);

  const Model& model_;
  std::map<std::string, std::int64_t> values_;  ///< by name
  std::set<std::string> names_;                 ///< open sizes of the inputs
  std::map<std::string, Sizes> inputs_;
  std::uint64_t batch_ = 1;
  std::int64_t fixed_batch_ = 0;  ///< the file's batch if --batch replaces it
  std::vector<std::string> notes_;
};

/// Throws InputError.
Graph build_graph(const Model& model, const Dimensions& dimensions);

}  // namespace roofline::onnx_graph
