#pragma once

// Names of kernels as people read them. A C++ kernel's name is its signature, which may hold
// thousands of characters, and what tells it from others is anywhere in it.

#include <string>
#include <string_view>

namespace roofline {

/// Without namespaces, types of results and lists of arguments, but with template arguments:
/// "void at::native::elementwise_kernel<4, at::native::AddFunctor<float>>(int)" as
/// "elementwise_kernel<4, AddFunctor<float>>".
std::string short_signature(std::string_view name);

}  // namespace roofline
