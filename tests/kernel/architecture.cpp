// Which architecture a GPU's file is taken to have.

#include "kernel/architecture.hpp"

#include "catch.hpp"
#include "kernel/machine.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/gpu.hpp"

namespace {

using namespace roofline;

Gpu part(const std::string& vendor, const std::string& architecture,
         const std::string& capability) {
  Gpu gpu;
  gpu.vendor = vendor;
  gpu.architecture = architecture;
  gpu.compute_capability = capability;
  return gpu;
}

}  // namespace

TEST_CASE("Compute capability, else the name, tells the architecture", "[kernel/architecture]") {
  struct Case {
    const char* name;
    const char* capability;
    std::optional<Architecture> architecture;
  };
  const std::vector<Case> table{
      {"", "3.7", Architecture::kepler},
      {"", "6.1", Architecture::pascal},
      {"", "7.2", Architecture::volta},
      {"", "8.6", Architecture::ampere},
      {"", "8.9", Architecture::ada},
      {"", "12.0", Architecture::blackwell},
      {"Volta", "9.0", Architecture::hopper},
      {"Ada Lovelace", "", Architecture::ada},
      {"hopper", "", Architecture::hopper},
      {"CDNA3", "gfx942", Architecture::cdna},
      {"cdna 2", "", Architecture::cdna},
      {"Vega 20", "", Architecture::gcn},
      {"RDNA3", "", Architecture::rdna},
      {"Xe-HPC", "", Architecture::xe},
      {"Adagio", "", std::nullopt},
      {"Foo", "", std::nullopt},
      {"", "", std::nullopt},
      {"Fermi", "2.0", std::nullopt},
      {"", "7.0.0", std::nullopt},
      {"", "99999999999", std::nullopt},
  };
  for (const Case& each : table) {
    INFO(each.name << ' ' << each.capability);
    CHECK(stated_architecture(part("NVIDIA", each.name, each.capability)) == each.architecture);
  }
}

TEST_CASE("An architecture nobody knows is the newest that was measured", "[kernel/architecture]") {
  CHECK(architecture_of(part("", "Foo", "")) == Architecture::hopper);
  CHECK(architecture_of(part("AMD", "UDNA", "")) == Architecture::cdna);
}

// NVIDIA, "Tesla P100" whitepaper: an SM of GP100 has two processing blocks of 32 lanes.
TEST_CASE("An SM of GP100 has half the schedulers of other Pascal parts", "[kernel/architecture]") {
  const auto machine = [](const char* gpu) {
    std::vector<std::string> assumptions;
    return machine_of(find_gpu(gpu).value(), assumptions);
  };
  CHECK(machine("p100").sm.schedulers == 2);
  CHECK(machine("p100").issue_share == 0.5);
  CHECK(machine("p4").sm.schedulers == 4);
  CHECK(machine("p4").issue_share == 1);
}

TEST_CASE("Every part of the catalogue has a known architecture of its vendor",
          "[kernel/architecture]") {
  for (const Gpu& gpu : all_gpus()) {
    INFO(gpu.name);
    const std::optional<Architecture> architecture = stated_architecture(gpu);
    REQUIRE(architecture);
    CHECK(info(*architecture).vendor == gpu.vendor);
    CHECK(gpu.architecture.rfind(info(*architecture).name, 0) == 0);
  }
}
