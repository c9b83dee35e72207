#pragma once

// Checks of what a caller of the library asks for. An enumeration's variable may hold any number of
// its underlying type, and a table that such a number indexes ends before it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/text.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/error.hpp"
#include "roofline/gpu.hpp"
#include "roofline/network.hpp"

namespace roofline {

template <Enumeration E>
constexpr bool is_enumerator(E e) {
  return index_of(e) < count_of<E>;
}

template <Enumeration E>
std::string expected_enumerator(E found) {
  const std::size_t last = index_of(enumerators<E>.back());
  return concat("expected an enumerator from 0 to ", last, ", got ", index_of(found));
}

/// `member`: its name for the caller, "AnalysisOptions::cache". Throws InputError.
template <Enumeration E>
void check_enumerator(std::string_view member, E e) {
  if (!is_enumerator(e)) throw InputError(concat(member, ": ", expected_enumerator(e)));
}
template <Enumeration E>
void check_enumerator(std::string_view member, const std::optional<E>& e) {
  if (e) check_enumerator(member, *e);
}

/// "tile: expected integers >= 1, got 0"; empty for a mapping that a file may state.
std::string wrong_in_mapping(const KernelMapping& mapping);

// All throw InputError.

/// `type`: of a network under autocast.
void check_autocast(std::string_view member, DataType type);

/// The Gpu as its file's reader checks it: numbers, names and power modes.
void check_gpu(const Gpu& gpu);
void check_defaults(const LayerDefaults& defaults);

}  // namespace roofline
