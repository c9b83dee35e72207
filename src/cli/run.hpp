#pragma once

// One run: its inputs evaluated in order, and what receives the results: row formats are written at
// once, all else at the end.

#include "cli/evaluator.hpp"
#include "cli/output.hpp"

namespace roofline {

/// Returns the exit code. Throws OutputClosed, UsageError, InputError, OutputError.
int run(const Request& request);

/// Evaluates on several threads. `use` gets the results in input order, one thread at a time.
/// Rethrows the first failure in input order and uses nothing after it.
void evaluate_in_order(std::span<const Expected<std::string>> inputs, const Request& request,
                       const Evaluator& evaluator, const Submit& use);

/// Fits the GPU's kernel model to measured layers and writes the GPU's file. Returns the exit code.
/// Throws UsageError, InputError, OutputError.
int calibrate_inputs(const Request& request);

/// Prints a Python script that times layers with PyTorch for `roofline calibrate`: those of the
/// inputs as they are, or else of the built-in networks and configs/calibration in several types
/// and passes. Returns the exit code. Throws as calibrate_inputs does.
int write_measuring_script(const Request& request);

class Results {
 public:
  /// `files` must outlive this.
  Results(const Request& request, std::map<std::string, OutputFile>& files);
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  /// Prints the part's messages. Throws UsageError, OutputError, OutputClosed.
  void take(Evaluation part);
  /// Throws as take does.
  void write();

  /// Prints what the gates found. Returns the exit code.
  int finish() const;

 private:
  struct Stream {
    const Context* context = nullptr;
    std::string network;
    std::vector<std::vector<LayerResult>> rows;  ///< in pieces
    std::optional<Total> total;                  ///< of all rows, where only some are kept
    std::optional<InputError> error;
  };

  void say(const Message& message);
  /// Counts an error that an earlier row of this input has; false for the first.
  bool is_repeated(const Message& message);
  void say_repeated();
  void count_copies(const Evaluation& part);
  void take_rows(const std::vector<RenderedRows>& rows);
  void print(std::string_view text);
  void write_rows(const OutputFormat& format, std::string_view text);
  void take_result(ItemResult result);
  void take_leading(Stream& stream, const std::string& source, std::vector<LayerResult> rows);
  /// Joins the input's records into one result for each stream.
  void join_streams(const std::string& input);
  void keep_layers(Network network);
  void write_to(const Output& output, std::string_view text);
  void write_layers(Output::What what, std::string_view text);
  void end_layer_file();
  void end(const Output& output, const Report& report);
  void check_unread(const std::vector<Gpu>& gpus) const;
  void check_gates(const Report& report);

  const Request* request_;
  std::vector<RowStream> rows_;  ///< one for each of Needs::rows
  std::map<std::string, OutputFile>* files_;
  bool is_closed_ = false;  ///< the reader of standard output is gone
  bool failed_ = false;
  bool evaluated_any_ = false;
  std::optional<unsigned> obeyed_;  ///< by the present input's records
  std::uint64_t copies_ = 0;        ///< layers that "repeat" added to the present input's records
  std::set<std::string> assumed_;
  std::set<std::string> said_once_;
  struct RowError {
    std::string place;                ///< of the first: "x.csv:3: "
    std::vector<std::string> others;  ///< lines of rows with an equal error, the first few
    std::size_t count = 0;            ///< of all others
  };
  std::map<std::string, RowError> row_errors_;  ///< of the present input
  std::map<std::size_t, Stream> streams_;       ///< of the present input, by number
  std::vector<Evaluated> evaluated_;
  std::vector<KernelTable> kernels_;
  std::optional<Network> layers_;  ///< for a layer file of one network
  bool has_layers_ = false;        ///< the layer file is not empty
  std::vector<InputError> errors_;
  std::vector<std::string> gate_lines_;  ///< findings of --fail-if
  std::optional<int> gate_code_;         ///< set once everything is evaluated
};

}  // namespace roofline
