#include "load/trace/busy_time.hpp"

#include <algorithm>
#include <array>

#include "load/trace/kernel_names.hpp"
#include "load/trace/operator_call.hpp"

namespace roofline {
namespace {

/// What an activity does, the least useful first.
enum class ActivitySort : std::uint8_t { copy, collective, kernel };
constexpr std::size_t sorts = 3;

ActivitySort sort_of(const Recording& recording, const Links& links, std::uint32_t index) {
  const std::string& name = recording.texts.at(recording.activities[index].name);
  if (is_link_copy(name)) return ActivitySort::copy;
  const std::uint32_t op = links.origins[index].operator_index;
  const bool is_between_gpus =
      is_collective(name) ||
      (op != no_index && is_collective(recording.texts.at(recording.operators[op].name)));
  return is_between_gpus ? ActivitySort::collective : ActivitySort::kernel;
}

/// Time in which at least one of a set of intervals runs, which come in the order of their starts.
class CoveredTime {
 public:
  void add(double start_us, double end_us) {
    if (is_first_ || start_us > last_us_) last_us_ = start_us;
    is_first_ = false;
    covered_us_ += std::max(0.0, end_us - last_us_);
    last_us_ = std::max(last_us_, end_us);
  }
  double covered_us() const { return covered_us_; }
  double last_us() const { return last_us_; }

 private:
  bool is_first_ = true;
  double last_us_ = 0;
  double covered_us_ = 0;
};

}  // namespace

BusyTime busy_time(const Recording& recording, const Links& links,
                   const std::vector<std::uint32_t>& activities) {
  BusyTime time;
  if (activities.empty()) return time;
  // Of each sort together with the more useful ones: what a less useful one adds, it ran alone.
  std::array<CoveredTime, sorts> covered;
  for (const std::uint32_t index : activities) {
    const GpuActivity& activity = recording.activities[index];
    time.kernel_us += activity.duration_us;
    const auto sort = static_cast<std::size_t>(sort_of(recording, links, index));
    for (std::size_t i = 0; i <= sort; ++i) covered[i].add(activity.start_us, activity.end_us());
  }
  time.busy_us = covered[0].covered_us();
  time.copies_alone_us = std::max(0.0, covered[0].covered_us() - covered[1].covered_us());
  time.collectives_alone_us = std::max(0.0, covered[1].covered_us() - covered[2].covered_us());
  time.span_us = covered[0].last_us() - recording.activities[activities.front()].start_us;
  return time;
}

}  // namespace roofline
