// Views, comparisons and sweeps, on results made by hand.

#include "catch.hpp"
#include "report/view.hpp"
#include "roofline/summary.hpp"

namespace {

using namespace roofline;

LayerResult row(const std::string& name, LayerKind kind, double time_s, std::uint64_t flops = 1) {
  LayerResult result;
  result.layer.name = name;
  result.layer.kind = kind;
  result.counts.flops = flops;
  result.expected_time_s = time_s;
  result.point.roofline_time_s = time_s / 2;
  return result;
}

Result network(const std::string& gpu, std::vector<LayerResult> rows, double tdp_w = 100,
               std::uint64_t batch = 1) {
  Result result;
  result.source = result.network = "net";
  result.gpu = gpu;
  result.batch = batch;
  result.tdp_w = tdp_w;
  result.layers = std::move(rows);
  for (const LayerResult& each : result.layers) add_to_total(result.total, each);
  for (LayerResult& each : result.layers) each.time_share = time_s(each) / time_s(result.total);
  return result;
}

std::string names_of(const Result& result) {
  std::string names;
  for (const LayerResult& each : result.layers) names += each.layer.name;
  return names;
}

std::string viewed(const View& view) {
  Result result = network("g", {row("a", LayerKind::conv, 2, 9), row("b", LayerKind::relu, 5, 1),
                                row("c", LayerKind::conv, 3, 5)});
  apply_view(result, view);
  return names_of(result);
}

}  // namespace

TEST_CASE("Rows are sorted and cut as asked", "[report/summaries]") {
  CHECK(viewed({}) == "abc");
  CHECK(viewed({.sort = SortBy::time, .top = {}, .cover_share = {}}) == "bca");
  CHECK(viewed({.sort = SortBy::flops, .top = {}, .cover_share = {}}) == "acb");
  CHECK(viewed({.sort = {}, .top = 1, .cover_share = {}}) == "b");
  CHECK(viewed({.sort = {}, .top = {}, .cover_share = 0.8}) == "bc");
  CHECK(viewed({.sort = SortBy::flops, .top = 2, .cover_share = {}}) == "ac");
}

TEST_CASE("Types in order of their time", "[report/summaries]") {
  const std::vector<TypeRow> types =
      by_type(network("g", {row("a", LayerKind::relu, 4), row("b", LayerKind::conv, 3),
                            row("c", LayerKind::conv, 3)}));
  REQUIRE(types.size() == 2);
  CHECK(types[0].kind == LayerKind::conv);
  CHECK(types[0].layers == 2);
  CHECK(types[0].time_share == Approx(0.6));
  CHECK(types[1].total.roofline_time_s == Approx(2));
}

TEST_CASE("The best per watt needs the fewest joules", "[report/summaries]") {
  // 2 s at 100 W are 200 J; 1 s at 300 W are 300 J.
  const std::vector<Result> results{network("slow", {row("a", LayerKind::conv, 2)}, 100),
                                    network("fast", {row("a", LayerKind::conv, 1)}, 300)};
  const std::vector<ComparisonRow> rows = compare(results, results);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].speedup == Approx(1));
  CHECK(rows[1].speedup == Approx(2));
  CHECK(*rows[0].energy_at_tdp_j == Approx(200));
  CHECK(*rows[1].energy_at_tdp_j == Approx(300));
  CHECK(rows[0].fewest_joules);
  CHECK_FALSE(rows[1].fewest_joules);
}

TEST_CASE("One network is compared layer by layer, then whole", "[report/summaries]") {
  const std::vector<Result> results{
      network("x", {row("a", LayerKind::conv, 2), row("view", LayerKind::flatten, 0),
                    row("b", LayerKind::relu, 1)}),
      network("y", {row("a", LayerKind::conv, 1), row("view", LayerKind::flatten, 0),
                    row("b", LayerKind::relu, 1)})};
  const std::vector<ComparisonRow> rows = compare(results, results);
  REQUIRE(rows.size() == 6);
  CHECK(rows[0].name == "a");
  CHECK(rows[2].name == "b");
  CHECK(rows[4].name == "net");
  CHECK(rows[5].speedup == Approx(1.5));
  CHECK(compare({results[0]}, {results[0]}).empty());
}

TEST_CASE("Growth turns linear where doubling the batch doubles the time", "[report/summaries]") {
  const auto at = [](std::uint64_t batch, double conv_s) {
    return network("g", {row("a", LayerKind::conv, conv_s), row("p", LayerKind::max_pool, 0.1)},
                   100, batch);
  };
  const std::vector<Sweep> sweeps = sweeps_of({at(1, 1), at(4, 2.1), at(2, 1), at(8, 4.2)});
  REQUIRE(sweeps.size() == 1);
  REQUIRE(sweeps[0].rows.size() == 4);
  CHECK(sweeps[0].rows[2].batch == 4);
  CHECK(sweeps[0].rows[2].conv_s == Approx(2.1));
  CHECK(sweeps[0].rows[2].pool_s == Approx(0.1));
  CHECK(sweeps[0].rows[2].total_s == Approx(2.2));
  CHECK(sweeps[0].linear_from == 2);
  CHECK(sweeps_of({at(1, 1)}).empty());
}
