#pragma once

// From things of an input to what is written of them. Several threads may use one evaluator.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/contexts.hpp"
#include "cli/request.hpp"
#include "report/row_stream.hpp"
#include "roofline/load.hpp"

namespace roofline {

/// A line for the user on standard error.
struct Message {
  enum class Kind : std::uint8_t {
    plain,
    once,        ///< said once a run
    assumption,  ///< said once a run, and only as long as they are few
  };
  std::string text;
  Kind kind = Kind::plain;
};

/// A result of one thing of an input, or of records that follow each other.
struct ItemResult : Evaluated {
  /// Of records: the number of their stream, one for each setting on each GPU. A stream's results
  /// become one.
  std::optional<std::size_t> stream;
};

/// What evaluating a part of the inputs gives, in their order: all that is written or kept of it.
struct Evaluation {
  std::string input;               ///< the one its records are from; empty without any
  std::vector<RenderedRows> rows;  ///< one for each of Needs::rows
  std::vector<Message> messages;
  bool failed = false;               ///< some of it could not be evaluated
  bool evaluated = false;            ///< some of it could
  std::vector<InputError> errors;    ///< for the report
  std::vector<ItemResult> results;   ///< for the report
  std::vector<KernelTable> kernels;  ///< for the report
  std::vector<Network> networks;     ///< for the layer file
  std::uint64_t copies = 0;          ///< layers that "repeat" added to records
  std::size_t items = 0;             ///< how many things were evaluated
  bool ends_input = false;           ///< nothing more of the input follows
};

/// What one thread evaluates of an input at a time: things that follow each other in it, or with
/// `reader` all that this still holds.
struct Piece {
  std::string input;
  std::vector<Expected<Item>> items;
  std::size_t first = 0;  ///< the first good item is the input's `first`-th
  std::shared_ptr<Reader> reader = nullptr;
  std::vector<std::string> notes = {};  ///< of an input whose things were evaluated before
  bool ends_input = false;
};

/// Takes what comes before that which is submitted or returned after it.
using Submit = std::function<void(Evaluation)>;

class Evaluator {
 public:
  /// `times`, where there are any, make it one for a single thread.
  Evaluator(const Request& request, Contexts& contexts, MeasuredTimes* times)
      : request_(&request), contexts_(&contexts), times_(times) {}

  /// In how many settings, on how many GPUs a record is evaluated.
  std::size_t rows_a_record() const;
  /// Uses the piece up.
  Evaluation evaluate(Piece& piece, const Submit& submit) const;

 private:
  class ItemEvaluator;
  void add(Expected<Item>& item, std::size_t index, Evaluation& all, const Submit& submit) const;

  const Request* request_;
  Contexts* contexts_;
  MeasuredTimes* times_;
};

/// Within a handler: what was thrown, whatever it is, as the error of that input or of a record of
/// it, for it costs nothing else. Throws again what ends the run: wrong usage, failed output.
InputError caught_error(const std::string& input, std::optional<std::size_t> line);

}  // namespace roofline
