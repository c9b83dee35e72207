#include "kernel/measured_errors.hpp"

#include <algorithm>

#include "roofline/gpu.hpp"

namespace roofline {
namespace {

bool applies(const std::vector<std::string>& names, UncertaintyBasis basis, const Gpu& gpu) {
  const auto has = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  switch (basis) {
    case UncertaintyBasis::measured: return has(gpu.name);
    case UncertaintyBasis::architecture:
      if (const auto architecture = stated_architecture(gpu);
          architecture && has(name_of(*architecture)))
        return true;
      return has(gpu.compute_capability);
    case UncertaintyBasis::datasheet: return true;
  }
  return false;
}

template <class Errors>
void sort_by_basis(std::vector<Errors>& list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const Errors& a, const Errors& b) { return a.basis < b.basis; });
}

}  // namespace

MeasuredErrors errors_of(const Gpu& gpu, const MeasuredErrors& all) {
  MeasuredErrors kept = all;
  std::erase_if(kept.layers, [&](const LayerErrors& errors) {
    return !applies(errors.applies_to, errors.basis, gpu);
  });
  sort_by_basis(kept.layers);
  sort_by_basis(kept.totals);
  return kept;
}

}  // namespace roofline
