// --compare: two measured inputs held against each other.

#include "catch.hpp"
#include "cli/process.hpp"

TEST_CASE("Changes between two measurements, the largest first", "[cli/compare]") {
  const TemporaryFolder folder;
  const std::string layer =
      R"(", "type": "conv", "input": [64, 56, 56], "out_channels": 64, "kernel_size": 3)";
  const auto layers = [&](const std::vector<std::pair<std::string, int>>& measured_us) {
    std::string text;
    for (const auto& [name, time] : measured_us)
      text += (text.empty() ? R"([{"name": ")" : R"(, {"name": ")") + name + layer +
              R"(, "measured_us": )" + std::to_string(time) + "}";
    return text + "]";
  };
  folder.write("before.json", layers({{"a", 100}, {"b", 200}, {"gone", 50}}));
  folder.write("after.json", layers({{"a", 130}, {"b", 150}, {"new", 70}, {"more", 70}}));
  // Of the two in common: 300 us before, 280 us after; 150 / 200 = 0.75, 280 / 300 = 0.93.
  CHECK(run(folder, "roofline before.json after.json --gpu v100 --compare").out ==
        R"(measured: before before on Tesla V100 SXM2 16GB, after after on Tesla V100 SXM2 16GB

layer  pass    before     after     change  ratio
b      fwd   200.0 us  150.0 us  -50.00 us  x0.75
a      fwd   100.0 us  130.0 us  +30.00 us  x1.30
total        300.0 us  280.0 us  -20.00 us  x0.93
measured in one of them only: 1 before, 2 after
)");
  CHECK(run(folder, "roofline before.json after.json --gpu v100 --compare --top 1").out ==
        R"(measured: before before on Tesla V100 SXM2 16GB, after after on Tesla V100 SXM2 16GB

layer  pass    before     after     change  ratio
b      fwd   200.0 us  150.0 us  -50.00 us  x0.75
total        300.0 us  280.0 us  -20.00 us  x0.93
1 of 2 layers; the total is of all
measured in one of them only: 1 before, 2 after
)");
}
