#pragma once

// Where evaluated things go: NDJSON on standard output alone is written as it is computed, anything
// else is kept and written at the end.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace roofline {

class Results {
 public:
  /// `slots`: the settings times the GPUs.
  explicit Results(const Options& options, std::size_t gpus);

  /// The next thing of an input begins. What fails in several settings of one is said once.
  void begin_item() { failures_.clear(); }
  /// Evaluates a network, or a record of a stream, in one setting on one GPU: its slot.
  void add(const Network& network, std::size_t slot, const Context& context);
  /// An input, or a part of one, that cannot be evaluated. Says so on standard error.
  void fail(const InputError& error);
  /// What does not depend on the GPU: says what was assumed of an input, and keeps its layers
  /// where they are to be written to a file.
  void see(const Network& network);
  /// The records of the input, if it had any, become one result a slot.
  void end_input(const std::vector<Context>& contexts);
  /// Writes standard output and files. Throws UsageError, OutputError, OutputClosed.
  void write();

  int exit_code() const { return failed_ ? 1 : 0; }

 private:
  void add_record(const Network& record, std::size_t slot, const Context& context);
  void keep(Expected<Result> result, const Context& context);
  void keep_layers(const Network& network);
  void write_layer_file() const;
  /// Lines of NDJSON, in the order of the input.
  void add_lines(const std::string& lines);
  /// Whether output in that format is just those lines.
  bool is_stream(const OutputFormat& format) const;

  const Options* options_;
  bool wants_lines_ = false;   ///< lines are asked for
  bool wants_report_ = false;  ///< a report is asked for
  bool streaming_ = false;     ///< lines alone, and they go to standard output at once
  std::string lines_;
  bool failed_ = false;
  std::set<std::string> failures_;
  std::vector<std::vector<RecordResult>> records_;  ///< of the present input, by slot
  std::string record_source_;
  std::string record_name_;
  std::vector<Evaluated> evaluated_;
  std::optional<Network> layers_;  ///< for the layer file
  std::vector<InputError> errors_;
  std::set<std::string> said_;
};

}  // namespace roofline
