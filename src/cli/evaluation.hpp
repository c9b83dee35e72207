#pragma once

// What evaluating a part of the inputs gives: everything that is written or kept of it, in the
// order of the input.

#include <functional>
#include <string>
#include <vector>

#include "report/row_stream.hpp"
#include "roofline/error.hpp"
#include "roofline/report.hpp"

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

/// Records that become one result of a report, in one setting on one GPU.
struct SlotRecords {
  RecordResult all;
  std::string source;
  std::string name;
};

struct Evaluation {
  std::string input;               ///< whose records it holds; empty without any
  std::vector<RenderedRows> rows;  ///< of each format of rows, in the order of Needs::rows
  std::vector<Message> messages;
  bool failed = false;               ///< some of it could not be evaluated
  bool evaluated = false;            ///< some of it could
  std::vector<InputError> errors;    ///< for the report
  std::vector<Evaluated> results;    ///< likewise
  std::vector<KernelTable> kernels;  ///< likewise
  std::vector<SlotRecords> records;  ///< likewise, by slot; empty without any
  std::vector<Network> networks;     ///< for the layer file
  std::uint64_t copies = 0;          ///< layers that "repeat" added to records
  std::size_t items = 0;             ///< how many things were evaluated
  bool ends_input = false;           ///< nothing more of the input follows
};

/// What gives some of it, on whatever thread.
using Part = std::function<Evaluation()>;
/// Takes a part that comes before what is handed on or returned after it.
using HandOn = std::function<void(Part)>;

}  // namespace roofline
