// The order in which layers are measured where there is no time for all.

#include "results/farthest_point_order.hpp"

#include "catch.hpp"
#include "load/loading.hpp"

namespace {

using namespace roofline;

std::vector<Layer> copies_of(const std::vector<int>& elements) {
  std::vector<Layer> layers;
  for (const int each : elements)
    layers.push_back(load_layer(R"({"type": "relu", "input": [1, )" + std::to_string(each) + "]}"));
  return layers;
}

using Order = std::vector<std::size_t>;

}  // namespace

TEST_CASE("The middle comes first, then what is farthest from all before",
          "[results/farthest_point_order]") {
  // Powers of two at 4, 20, 5, 10, 11: their mean is 10.
  const std::vector<Layer> layers = copies_of({1 << 4, 1 << 20, 1 << 5, 1 << 10, 1 << 11});
  CHECK(farthest_point_order(layers, 5) == Order{3, 1, 0, 2, 4});
  CHECK(farthest_point_order(layers, 2) == Order{3, 1});
  CHECK(farthest_point_order(layers, 9).size() == 5);
  CHECK(farthest_point_order({}, 3).empty());
}

TEST_CASE("Of layers that tell as much the first is taken", "[results/farthest_point_order]") {
  CHECK(farthest_point_order(copies_of({64, 64, 64}), 3) == Order{0, 1, 2});
}
