#pragma once

// How inference fails: with the field that is wrong. infer() catches this and gives it its place.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "roofline/infer.hpp"

namespace roofline {

struct FieldFailure {
  FieldError error;
};

[[noreturn]] inline void fail(Field field, std::string message,
                              std::vector<std::size_t> index = {}) {
  throw FieldFailure{{field, std::move(index), std::move(message)}};
}

/// The layer as a whole is wrong.
[[noreturn]] inline void fail_layer(std::string message) {
  throw FieldFailure{{std::nullopt, {}, std::move(message)}};
}

[[noreturn]] inline void fail_missing(Field field, const std::string& expected) {
  fail(field, "expected " + expected + ", got nothing");
}

/// A thing with several spellings is given once.
[[noreturn]] inline void fail_twice(Field field, const std::string& other) {
  fail(field, "expected one spelling, got this and " + other);
}

inline std::string name_text(Field field) { return std::string(field_name(field)); }

}  // namespace roofline
