#pragma once

// From items of an input to the output. Threads may share an evaluator.

#include "cli/contexts.hpp"
#include "cli/nothing_ignored.hpp"
#include "report/row_stream.hpp"
#include "roofline/load.hpp"

namespace roofline {

struct Message {
  enum class Kind : std::uint8_t {
    plain,
    once,        ///< printed once a run
    assumption,  ///< printed once a run, and only the first few
  };
  std::string text;
  Kind kind = Kind::plain;
  std::string row_error = "";  ///< of a row: equal for equal errors of an input's rows
};

/// The result of one item, or of consecutive records.
struct ItemResult : Evaluated {
  /// Number of the records' stream, one for each setting on each GPU.
  std::optional<std::size_t> stream;
};

/// Everything to write or keep of a part of the inputs, in input order.
struct Evaluation {
  std::string input;               ///< of the records; empty without any
  std::vector<RenderedRows> rows;  ///< one for each of Needs::rows
  std::vector<Message> messages;
  bool failed = false;     ///< an item could not be evaluated
  bool evaluated = false;  ///< an item was evaluated
  std::vector<InputError> errors;
  std::vector<ItemResult> results;
  std::vector<KernelTable> kernels;
  std::vector<Network> networks;  ///< for the layer file
  std::uint64_t copies = 0;       ///< layers that "repeat" added to records
  std::size_t items = 0;          ///< number of items evaluated
  /// Options that a record obeyed (LayerOptions); absent without any record.
  std::optional<unsigned> obeyed;
  bool ends_input = false;  ///< the input ends here
};

/// Work of one thread: consecutive items of an input, then all that `reader` still holds.
struct Chunk {
  std::string input;
  std::vector<Expected<Item>> items;
  std::size_t first = 0;  ///< index in the input of the first good item
  std::shared_ptr<Reader> reader = nullptr;
  std::vector<std::string> notes = {};  ///< of an input whose items came in earlier chunks
  bool ends_input = false;
};

/// Receives results in input order.
using Submit = std::function<void(Evaluation)>;

class Evaluator {
 public:
  /// `times`, if given, restrict the evaluator to one thread.
  Evaluator(const Request& request, Contexts& contexts, MeasuredTimes* times)
      : request_(&request), contexts_(&contexts), times_(times), options_(request) {}

  std::size_t rows_a_record() const;
  /// Consumes the chunk.
  Evaluation evaluate(Chunk& chunk, const Submit& submit) const;

 private:
  class ItemEvaluator;
  void add(Expected<Item>& item, std::size_t index, Evaluation& all, const Submit& submit) const;

  const Request* request_;
  Contexts* contexts_;
  MeasuredTimes* times_;
  LayerOptions options_;
};

/// The current exception as an error of this input or record alone. Rethrows wrong usage and failed
/// output, which end the run.
InputError caught_error(const std::string& input, std::optional<std::size_t> line);

}  // namespace roofline
