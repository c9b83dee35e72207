#include "cli/errors.hpp"

#include <string_view>

namespace roofline {
namespace {

std::string_view hint_of(Remedy remedy) {
  switch (remedy) {
    case Remedy::none: break;
    case Remedy::gpu: return "--list-gpus lists all";
    case Remedy::network: return "--list-networks lists the networks";
    case Remedy::batches: return "--batch 1,2,4,...,64";
    case Remedy::dimensions: return "--dim NAME=VALUE";
    case Remedy::limits: return "--raise-limits 2 allows twice as much";
    case Remedy::ceilings: return "--peak-tflops and --bandwidth-gbs";
  }
  return "";
}

}  // namespace

InputError hinted(InputError error) {
  const std::string_view hint = hint_of(std::exchange(error.remedy, Remedy::none));
  if (hint.empty()) return error;
  return {error.source, error.where, error.message + " (" + std::string(hint) + ")"};
}

void raise(const InputError& error) {
  const InputError full = hinted(error);
  if (full.source.empty()) throw UsageError(full.what());
  throw full;
}

}  // namespace roofline
