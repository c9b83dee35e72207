// libFuzzer's entry points. `roofline_fuzz --target=csv [libFuzzer's options] corpus seeds`; the
// targets are those of targets.cpp.

#include <cstdlib>
#include <iostream>

#include "mutations.hpp"
#include "targets.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const FuzzTarget* chosen = nullptr;

[[noreturn]] void fail_without_target() {
  std::cerr << "expected --target=NAME, one of:";
  for (const FuzzTarget& target : fuzz_targets()) std::cerr << ' ' << target.name;
  std::cerr << '\n';
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view option = "--target=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (!argument.starts_with(option)) continue;
    for (const FuzzTarget& target : fuzz_targets())
      if (target.name == argument.substr(option.size())) chosen = &target;
  }
  if (chosen == nullptr) fail_without_target();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}

/// Half of the changes are libFuzzer's own, half extreme numbers in place of what stood there.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  Randomness random(seed);
  if (random() % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::string changed =
      chosen->is_protobuf ? with_extreme_varint(input, random) : with_extreme_number(input, random);
  if (changed == input || changed.size() > most) return LLVMFuzzerMutate(data, size, most);
  changed.copy(reinterpret_cast<char*>(data), changed.size());
  return changed.size();
}
