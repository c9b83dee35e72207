#pragma once

// Measured times from a user's file, joined to layers by name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/network.hpp"

namespace roofline {

struct MeasuredTime {
  std::string name;
  double time_s = 0;
  std::string gpu{};  ///< measured on; empty if unknown
  std::optional<std::string> network{};
  std::optional<std::uint64_t> batch{};
  std::optional<Pass> pass{};
  std::optional<DataType> dtype{};
  mutable bool used = false;  ///< by any layer of the run
};

/// The seconds of "9.1ms"; nullopt unless a number with a unit of time.
std::optional<double> stated_time_s(std::string_view text);

class MeasuredTimes {
 public:
  /// CSV with a header or a JSON list: a name (or layer), and a time as measured_us, measured_ms,
  /// measured_time_s, time_ms, ns, us, ms or s; optionally network, batch, pass, dtype, gpu (else
  /// `gpu`). Throws InputError.
  MeasuredTimes(const std::string& path, const std::string& gpu, const InputLimits& limits = {});

  /// At least one time; one without a name is of the only layer.
  explicit MeasuredTimes(std::vector<MeasuredTime> times) : times_(std::move(times)) {}

  /// Joins times to layers by name and the row's other fields. Where no layer is called "step",
  /// that time is of a recording's whole step, without its recorder.
  void join(Network& network);
  /// Times of the command line that are of no layer, as an error; empty without any.
  std::string problem() const;
  /// Names of a file without a layer, layers without a time, and layers with several times. The
  /// last time counts.
  std::vector<std::string> notes() const;

 private:
  std::string unmatched() const;

  std::string path_;  ///< empty for one time
  std::vector<MeasuredTime> times_;
  std::vector<std::string> unmeasured_;  ///< layers
  std::vector<std::string> repeated_;    ///< layers
  std::vector<std::string> layers_;      ///< all names seen
};

}  // namespace roofline
