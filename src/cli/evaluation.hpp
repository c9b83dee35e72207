#pragma once

// The work that a command line asks for, as steps that each may fail without stopping the others.

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "roofline/network.hpp"

namespace roofline {

class Evaluation {
 public:
  /// Takes each finished result; NDJSON alone is written as it is computed, anything else at the
  /// end.
  explicit Evaluation(const Options& options);

  bool has_next() const { return !steps_.empty(); }
  /// Does one piece of the work. Throws InputError where an input cannot be evaluated; has_next()
  /// then tells whether there is more.
  void step();
  /// Records that an input failed, and says so on standard error.
  void fail(const InputError& error);
  /// Writes what was asked for. Returns the exit code.
  int finish();

 private:
  using Step = std::function<void()>;
  struct Stream;

  void prepend(std::vector<Step> steps);
  void resolve(const std::string& word);
  void open(const InputSource& source);
  void load(const std::string& text, const std::string& name, const LayerDefaults& defaults);
  void start_stream(const InputSource& source, std::unique_ptr<LayerReader> records);
  void read_record(const std::shared_ptr<Stream>& stream);
  void end_stream(const std::shared_ptr<Stream>& stream);
  void add(Result result);
  std::string explanation() const;

  const Options* options_;
  bool streaming_;
  std::vector<Gpu> gpus_;
  std::deque<Step> steps_;
  std::vector<Result> results_;
  std::vector<InputError> errors_;
};

}  // namespace roofline
