#include "cli/batches.hpp"

#include <charconv>

#include "cli/required.hpp"

namespace roofline {
namespace {

constexpr std::size_t most_batches = 1000;

std::uint64_t parse_batch(const std::string& word) {
  std::uint64_t batch = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, batch);
  if (error != std::errc() || stop != end || batch == 0)
    throw UsageError("--batch: expected integers >= 1 such as 1,8,64, got \"" + word + "\"");
  return batch;
}

/// Appends what stands between the last two of `batches` and `end`, both in step.
void fill_in(std::vector<std::uint64_t>& batches, std::uint64_t end) {
  if (batches.size() < 2)
    throw UsageError("--batch: expected two numbers before \"...\", such as 1,2,4,...,1024");
  const std::uint64_t before = batches[batches.size() - 2];
  const std::uint64_t last = batches.back();
  // The third number decides between adding and multiplying where 1,2 could be either.
  const bool multiplies =
      last % before == 0 &&
      (batches.size() < 3 || batches[batches.size() - 3] * (last / before) == before);
  const std::uint64_t step = multiplies ? last / before : last - before;
  if (last <= before) throw UsageError("--batch: expected rising numbers before \"...\"");
  for (std::uint64_t next = last;;) {
    next = multiplies ? next * step : next + step;
    if (next >= end || batches.size() >= most_batches) break;
    batches.push_back(next);
  }
}

}  // namespace

std::vector<std::uint64_t> parse_batches(const std::vector<std::string>& words) {
  std::vector<std::uint64_t> batches;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "...") {
      batches.push_back(parse_batch(words[i]));
      continue;
    }
    if (i + 1 == words.size()) throw UsageError("--batch: expected a number after \"...\"");
    fill_in(batches, parse_batch(words[i + 1]));
  }
  return batches;
}

}  // namespace roofline
