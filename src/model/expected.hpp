#pragma once

// The border of the library: what is thrown within is returned as a value.

#include <type_traits>

#include "roofline/error.hpp"

namespace roofline {

template <class Make>
Expected<std::invoke_result_t<const Make&>> expected(const Make& make) {
  try {
    return make();
  } catch (const InputError& error) {
    return error;
  }
}

}  // namespace roofline
