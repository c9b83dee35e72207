#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <system_error>
#include <vector>

namespace roofline {

/// Calls `work(begin, end)` for consecutive ranges of 0..`count`, one per thread. Rethrows the
/// exception of the first failing range, so the first failure if ranges stop there.
template <class Work>
void in_parallel(std::size_t count, std::size_t threads, const Work& work) {
  threads = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(count, 1));
  if (threads == 1) return work(std::size_t{0}, count);
  std::vector<std::future<void>> parts;
  for (std::size_t part = 0; part < threads; ++part) {
    const auto do_part = [&work, begin = count * part / threads,
                          end = count * (part + 1) / threads] { work(begin, end); };
    try {
      parts.push_back(std::async(part == 0 ? std::launch::deferred : std::launch::async, do_part));
    } catch (const std::system_error&) {  // the system has no more threads: run on this one
      parts.push_back(std::async(std::launch::deferred, do_part));
    }
  }
  for (const std::future<void>& part : parts) part.wait();
  for (std::future<void>& part : parts) part.get();
}

}  // namespace roofline
