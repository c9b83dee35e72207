#pragma once

// The inputs in pieces of work, evaluated on several threads, whose results are used in the order
// of the pieces. All threads do the same: each takes the next piece, which one of them at a time
// reads, evaluates it, and uses its result when the results of all pieces before it are used. So no
// result waits for input that is yet to come, and no more than a piece a thread is in memory.

#include <cstddef>
#include <span>
#include <string>

#include "cli/evaluator.hpp"

namespace roofline {

/// `use` is called by one thread at a time. Throws what the first piece or its use threw that threw
/// anything; nothing after it is used.
void evaluate_in_order(std::span<const Expected<std::string>> inputs, const Options& options,
                       const Evaluator& evaluator, std::size_t jobs, const Submit& use);

}  // namespace roofline
