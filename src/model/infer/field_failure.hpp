#pragma once

// How inference fails: with the field that is wrong. infer() catches this and gives it its place.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/infer.hpp"

namespace roofline {

struct FieldFailure {
  FieldError error;
};

/// A field is named by its key in layer files (model/layer_fields.hpp).
[[noreturn]] inline void fail(std::string_view field, std::string message,
                              std::vector<std::size_t> index = {}) {
  throw FieldFailure{{std::string(field), std::move(index), std::move(message)}};
}

/// The layer as a whole is wrong.
[[noreturn]] inline void fail_layer(std::string message) {
  throw FieldFailure{{"", {}, std::move(message)}};
}

[[noreturn]] inline void fail_missing(std::string_view field, const std::string& expected) {
  fail(field, "expected " + expected + ", got nothing");
}

/// A thing with several spellings is given once.
[[noreturn]] inline void fail_twice(std::string_view field, std::string_view other) {
  fail(field, "expected one spelling, got this and " + std::string(other));
}

/// More than the limits of inputs allow.
[[noreturn]] inline void fail_limit(std::string_view field, const std::string& expected) {
  throw FieldFailure{{std::string(field), {}, beyond_limit(expected), Remedy::limits}};
}

}  // namespace roofline
