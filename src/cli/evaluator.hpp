#pragma once

// From things of an input to what is written of them. Several threads may use one evaluator.

#include <span>
#include <string>
#include <vector>

#include "cli/contexts.hpp"
#include "cli/evaluation.hpp"
#include "cli/options.hpp"
#include "load/measured_times.hpp"
#include "roofline/reader.hpp"

namespace roofline {

/// What the formats asked for need.
struct Needs {
  std::vector<const OutputFormat*> rows;  ///< of rows, rendered as they are computed
  bool report = false;
  bool layers = false;    ///< also of work that is evaluated in several ways
  bool networks = false;  ///< a layer file
  bool explained_networks = false;
};

/// What the options ask for.
Needs needs_of(const Options& options);

class Evaluator {
 public:
  /// `times`, where there are any, make it one for a single thread.
  Evaluator(const Options& options, Contexts& contexts, MeasuredTimes* times);

  /// Things that follow each other in an input, the first good one its `first`-th. Uses them up.
  Evaluation evaluate(std::span<Expected<Item>> items, const std::string& input, std::size_t first,
                      const HandOn& hand_on) const;
  /// All of an input.
  Evaluation evaluate(Reader& reader, const std::string& input, const HandOn& hand_on) const;
  /// The end of an input whose things were evaluated apart.
  Evaluation end(const Reader& reader) const;
  /// An input that cannot be read.
  Evaluation failure(const InputError& error) const;

 private:
  class Sum;
  Evaluation nothing() const;
  void add(Expected<Item>& item, const std::string& input, std::size_t index, Evaluation& all,
           const HandOn& hand_on) const;
  void add_settings(Item& item, std::size_t index, Sum& sum) const;
  /// In a setting whose batch each GPU has its own of.
  void add_goal(const Item& item, std::size_t index, std::size_t setting, Sum& sum) const;

  const Options* options_;
  Contexts* contexts_;
  MeasuredTimes* times_;
  Needs needs_;
};

/// What does not fit into memory: an input, or a record of it.
InputError too_large(const std::string& input, std::optional<std::size_t> line);

}  // namespace roofline
