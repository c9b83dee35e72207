#pragma once

// What the library says is wrong, in the words of the command line.

#include <stdexcept>
#include <string>
#include <utility>

#include "roofline/error.hpp"

namespace roofline {

/// The command line asks for something that does not exist or does not fit together (exit code 2).
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The error with the option that would help.
InputError hinted(InputError error);

/// Throws UsageError for what was asked for, InputError for what is wrong with an input.
[[noreturn]] void raise(const InputError& error);

/// The value, else raises the error.
template <class T>
T unwrap(Expected<T> expected) {
  if (!expected) raise(expected.error());
  return *std::move(expected);
}

}  // namespace roofline
