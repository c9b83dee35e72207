#pragma once

// Measured times that a user lists in a file beside the inputs, joined to layers by name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/network.hpp"

namespace roofline {

/// One row of such a file.
struct MeasuredTime {
  std::string name;
  double time_s = 0;
  std::string gpu;  ///< that it was measured on; empty where neither row nor caller says it
  std::optional<std::string> network;
  std::optional<std::uint64_t> batch;
  std::optional<Pass> pass;
  std::optional<DataType> dtype;
  mutable bool used = false;  ///< by any layer of the run
};

/// The seconds of "9.1ms"; none of what is no number with a unit of time.
std::optional<double> stated_time_s(std::string_view text);

class MeasuredTimes {
 public:
  /// CSV with a header, or JSON, a list of objects: a name, and a time as measured_us, measured_ms
  /// or measured_time_s (or us, ms, s alone); network, batch, pass and dtype where they matter, and
  /// the gpu, else `gpu`. Throws InputError.
  MeasuredTimes(const std::string& path, const std::string& gpu, const InputLimits& limits = {});

  /// One time, of the layer of that name; without a name, of the only layer that there is.
  MeasuredTimes(double time_s, const std::string& layer, const std::string& gpu);

  /// Gives each layer of that name, and of the rest that its row states, its measured time.
  void join(Network& network);
  /// Names that found no layer with the nearest, layers that found no time, and those that found
  /// several, of which the last counts; empty where each found its own.
  std::vector<std::string> notes() const;

 private:
  std::string path_;  ///< empty of one time
  std::vector<MeasuredTime> times_;
  std::vector<std::string> unmeasured_;  ///< layers
  std::vector<std::string> repeated_;    ///< layers
  std::vector<std::string> layers_;      ///< all names seen
};

}  // namespace roofline
