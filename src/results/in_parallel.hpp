#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace roofline {

/// Does `work(begin, end)` of all numbers from 0 to `count` on at most so many threads, each of
/// which has as many numbers that follow each other. Throws what the first of these ranges threw
/// that threw anything, so that where a range stops at its first failure it is the first of all.
template <class Work>
void in_parallel(std::size_t count, std::size_t threads, const Work& work) {
  threads = std::min(threads, count);
  if (threads <= 1) return work(std::size_t{0}, count);
  std::vector<std::exception_ptr> failures(threads);
  const auto do_part = [&](std::size_t part) {
    try {
      work(count * part / threads, count * (part + 1) / threads);
    } catch (...) {
      failures[part] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(threads - 1);
    std::size_t part = 1;
    try {
      for (; part < threads; ++part) others.emplace_back(do_part, part);
    } catch (const std::system_error&) {
      // The system gives no more threads: this one does their parts.
    }
    do_part(0);
    for (; part < threads; ++part) do_part(part);
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace roofline
