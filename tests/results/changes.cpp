// What the ratio of the times on two GPUs is made of, by hand arithmetic.

#include "results/changes.hpp"

#include "catch.hpp"
#include "roofline/report.hpp"

using namespace roofline;

namespace {

LayerResult row(const std::string& name, double roofline_s, double expected_s, double measured_s) {
  LayerResult layer;
  layer.layer.name = name;
  layer.point.roofline_time_s = roofline_s;
  layer.kernel.emplace().part_s[Limiter::math] = expected_s;
  layer.measured_time_s = measured_s;
  return layer;
}

Result result(const std::string& gpu, std::vector<LayerResult> rows) {
  Result result;
  result.setting.gpu = gpu;
  result.layers = std::move(rows);
  result.measured.summary = MeasuredSummary();
  return result;
}

}  // namespace

TEST_CASE("The ratio on two GPUs is of the hardware, of good kernels and of the library",
          "[results/changes]") {
  const Result before = result("A", {row("a", 2, 3, 6), row("b", 1, 5, 4)});
  const Result after = result("B", {row("a", 1, 2, 3), row("b", 2, 4, 8)});
  const ChangeGroup changed = changes_between(before, after).changed;
  REQUIRE(changed.work.size() == 2);
  const Change& b = changed.work[0];  // changed by 4 s, a by 3 s
  const Change& a = changed.work[1];
  REQUIRE(a.split);
  // 3 / 6 = (1 / 2) x ((2 / 3) / (1 / 2)) x ((3 / 6) / (2 / 3))
  CHECK(a.split->hardware == Approx(0.5));
  CHECK(a.split->kernels == Approx(4.0 / 3));
  CHECK(a.split->library == Approx(0.75));
  REQUIRE(b.split);
  CHECK(b.split->hardware == Approx(2));
  CHECK(b.split->kernels == Approx(0.4));
  CHECK(b.split->library == Approx(2.5));
  // Sums: bounds 3 and 3, expected 8 and 6, measured 10 and 11.
  REQUIRE(changed.split);
  CHECK(changed.split->hardware == Approx(1));
  CHECK(changed.split->kernels == Approx(0.75));
  CHECK(changed.split->library == Approx(1.1 / 0.75));
}

TEST_CASE("Nothing is split on one GPU, or where a layer has no expected time",
          "[results/changes]") {
  const Result before = result("A", {row("a", 2, 3, 6), row("b", 1, 5, 4)});
  Result after = result("A", {row("a", 1, 2, 3), row("b", 2, 4, 8)});
  CHECK_FALSE(changes_between(before, after).changed.split);
  CHECK_FALSE(changes_between(before, after).changed.work[0].split);
  after.setting.gpu = "B";
  after.layers[1].kernel.reset();
  const ChangeGroup changed = changes_between(before, after).changed;
  CHECK_FALSE(changed.split);
  CHECK_FALSE(changed.work[0].split);
  CHECK(changed.work[1].split);
}
