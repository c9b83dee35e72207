// GPUs selected by maker, architecture, memory, power and bandwidth.

#include "model/gpu_selection.hpp"

#include "catch.hpp"
#include "roofline/error.hpp"

namespace {

using namespace roofline;

Gpu gpu_of(const std::string& name, const std::string& vendor, const std::string& architecture,
           std::optional<std::uint64_t> gigabytes, std::optional<double> tdp_w,
           double gigabyte_per_s) {
  Gpu gpu;
  gpu.name = name;
  gpu.vendor = vendor;
  gpu.architecture = architecture;
  if (gigabytes) gpu.memory_byte = *gigabytes * 1'000'000'000;
  gpu.tdp_w = tdp_w;
  gpu.bandwidth_byte_per_s = gigabyte_per_s * 1e9;
  return gpu;
}

std::vector<Gpu> some_gpus() {
  return {gpu_of("a", "NVIDIA", "Ampere", 80, 400, 2000), gpu_of("b", "NVIDIA", "Ada", 24, 72, 300),
          gpu_of("c", "AMD", "CDNA3", 192, 750, 5300),
          gpu_of("d", "Intel", "Xe-HPC", 48, std::nullopt, 3276.8),
          gpu_of("e", "", "", std::nullopt, 300, 900)};
}

/// The names of those that a word selects; "-" for no selection.
std::string selected(const std::string& word) {
  const auto gpus = selected_gpus(word, some_gpus());
  if (!gpus) return "-";
  std::string names;
  for (const Gpu& gpu : *gpus) names += gpu.name;
  return names;
}

std::string failure(const std::string& word) {
  try {
    return "selects " + selected(word);
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("A word selects GPUs by what they are", "[model/gpu_selection]") {
  const std::pair<const char*, const char*> table[] = {
      {"all", "abcde"},
      {"ALL", "abcde"},
      {"nvidia", "ab"},
      {"NVIDIA", "ab"},
      {"amd", "c"},
      {"intel", "d"},
      {"ampere", "a"},
      {"xe-hpc", "d"},
      {">=48GB", "acd"},
      {">48GB", "ac"},
      {"<=24gb", "b"},
      {"<24GB", ""},
      {"=48GB", "d"},
      {"nvidia>=48GB", "a"},
      {"all<=400W", "abe"},
      {"nvidia>=24GB<80GB", "b"},
      {">=48GB<=400W", "a"},
      {">3000GB/s", "cd"},
      {"amd>=192GB<=750w", "c"},
      {"v100", "-"},
      {"hopper", "-"},
  };
  for (const auto& [word, names] : table) {
    INFO(word);
    if (*names == '\0')
      CHECK(failure(word) ==
            "expected limits that some GPU meets, got \"" + std::string(word) + "\"");
    else
      CHECK(selected(word) == names);
  }
}

TEST_CASE("A selection that cannot be read says what was expected", "[model/gpu_selection]") {
  const auto limits = [](const std::string& word, const std::string& found) {
    return "expected limits such as >=48GB, <=300W or >1000GB/s in \"" + word + "\", got \"" +
           found + "\"";
  };
  CHECK(failure(">=48") == limits(">=48", ">=48"));
  CHECK(failure("nvidia>=GB") == limits("nvidia>=GB", ">=GB"));
  CHECK(failure("all>=1GB<") == limits("all>=1GB<", "<"));
  CHECK(failure("all=>1GB") == limits("all=>1GB", "=>1GB"));
  CHECK(failure("all>=1 GB") == limits("all>=1 GB", ">=1 GB"));
  CHECK(failure("nvdia>=1GB") ==
        "expected all, a maker or an architecture before the limits of \"nvdia>=1GB\", got "
        "\"nvdia\"");
}
