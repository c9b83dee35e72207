#pragma once

// The sizes of a program under the batch and the dimensions that are asked for.

#include <map>
#include <string>
#include <vector>

#include "load/json.hpp"
#include "load/recording.hpp"
#include "pytorch/program_tensor.hpp"
#include "roofline/infer.hpp"

namespace roofline {

class ProgramSizes {
 public:
  /// `program`: the root of model.json. `inputs`: the names of what a caller gives. Throws
  /// InputError where a size asked for is outside the range that the program states.
  ProgramSizes(const Value& program, const std::vector<std::string>& inputs,
               const LayerDefaults& defaults);

  /// {"as_int": 3} or {"as_expr": {"expr_str": "Symbol('s77')"}}. Throws InputError.
  std::int64_t number(const Value& size) const;
  Sizes sizes(const Value& list) const;
  /// None where the batch is a symbol, or the one that the program states.
  const BatchChange& batch_change() const { return change_; }
  std::uint64_t batch() const { return batch_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void read_symbols(const Value& program, const LayerDefaults& defaults);
  void set_batch(const Value& tensor, std::uint64_t wanted);
  void set(const std::string& symbol, double value);

  struct Range {
    double least = 0;
    double most = 0;
  };
  std::string source_;
  std::map<std::string, Range> ranges_;
  std::map<std::string, double> symbols_;
  BatchChange change_;
  std::uint64_t batch_ = 1;
  std::vector<std::string> notes_;
};

}  // namespace roofline
