#include "cli/batches.hpp"

#include <charconv>

#include "cli/required.hpp"
#include "roofline/enumeration.hpp"

namespace roofline {
namespace {

constexpr std::size_t most_batches = 1000;

std::uint64_t parse_batch(const std::string& word) {
  std::uint64_t batch = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, batch);
  if (error != std::errc() || stop != end || batch == 0)
    throw UsageError("--batch: expected integers >= 1 such as 1,8,64, max or best, got \"" + word +
                     "\"");
  return batch;
}

/// Appends what stands between the last two of `batches` and `end`, both in step.
void fill_in(std::vector<std::uint64_t>& batches, std::uint64_t end) {
  if (batches.size() < 2)
    throw UsageError("--batch: expected two numbers before \"...\", such as 1,2,4,...,1024");
  const std::uint64_t before = batches[batches.size() - 2];
  const std::uint64_t last = batches.back();
  if (last <= before) throw UsageError("--batch: expected rising numbers before \"...\"");
  if (end <= last)
    throw UsageError("--batch: expected a number above " + std::to_string(last) +
                     " after \"...\", got " + std::to_string(end));
  const std::uint64_t factor = last / before;
  // The third number decides between adding and multiplying where 1,2 could be either.
  const bool multiplies = last % before == 0 &&
                          (batches.size() < 3 || (before % factor == 0 &&
                                                  before / factor == batches[batches.size() - 3]));
  const std::uint64_t step = last - before;
  const auto has_next = [&](std::uint64_t number) {
    return multiplies ? number <= (end - 1) / factor : number < end - step;
  };
  for (std::uint64_t next = last; has_next(next);) {
    next = multiplies ? next * factor : next + step;
    if (batches.size() == most_batches)
      throw UsageError("--batch: expected at most " + std::to_string(most_batches) +
                       " numbers, got more up to " + std::to_string(end));
    batches.push_back(next);
  }
}

}  // namespace

Batches parse_batches(const std::vector<std::string>& words) {
  Batches batches;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const auto goal = parse<BatchGoal>(words[i])) {
      batches.goals.push_back(*goal);
      continue;
    }
    if (words[i] != "...") {
      batches.numbers.push_back(parse_batch(words[i]));
      continue;
    }
    if (i + 1 == words.size()) throw UsageError("--batch: expected a number after \"...\"");
    fill_in(batches.numbers, parse_batch(words[i + 1]));
  }
  return batches;
}

}  // namespace roofline
