#pragma once

// The rules by what the operators do; a new operator is one row in one of these tables.

#include <span>

#include "pytorch/operator_call.hpp"

namespace roofline {

std::span<const NamedRule> convolution_rules();
std::span<const NamedRule> product_rules();
std::span<const NamedRule> function_rules();
std::span<const NamedRule> norm_rules();
std::span<const NamedRule> pool_rules();
std::span<const NamedRule> movement_rules();
std::span<const NamedRule> list_rules();
/// Of operators outside of "aten::".
std::span<const NamedRule> custom_product_rules();
std::span<const NamedRule> custom_norm_rules();
std::span<const NamedRule> custom_rules();

}  // namespace roofline
