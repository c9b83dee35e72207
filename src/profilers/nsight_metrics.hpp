#pragma once

// Metrics of Nsight Compute, of one launch, and what they say of FLOP and bytes.

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "roofline/kernel_recording.hpp"

namespace roofline {

class NsightMetrics {
 public:
  /// Cells that hold no number, such as "no data", are left out; the others are kept in bytes,
  /// seconds, hertz and plain counts.
  void set(std::string_view name, std::string_view unit, std::string_view value);

  std::optional<double> find(std::string_view name) const;
  /// Of the launch in seconds; none where it was not recorded.
  std::optional<double> time_s() const;
  std::optional<double> occupancy() const;
  std::optional<double> registers() const;
  /// `compute_capability`: "9.0". FLOP are absent where tensor cores worked and no metric says how
  /// much.
  KernelCounters counters(std::string_view compute_capability) const;
  /// What the driver says of the GPU.
  RecordedGpu gpu() const;

 private:
  std::optional<double> first_of(std::initializer_list<std::string_view> names) const;
  std::optional<double> total(const std::string& metric) const;
  std::optional<double> instructions(std::string_view operation) const;
  std::optional<double> vector_flop(std::string_view letter, double per_instruction) const;
  std::optional<double> operations(std::string_view operands) const;
  void add_tensor_flop(EnumArray<Engine, std::optional<double>>& flop) const;
  bool has_uncounted_tensor_work() const;

  std::map<std::string, double, std::less<>> values_;
  std::string device_;
};

}  // namespace roofline
