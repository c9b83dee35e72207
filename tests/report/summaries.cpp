// Views, points and sweeps, on results made by hand.

#include "catch.hpp"
#include "results/selection.hpp"
#include "results/steps.hpp"
#include "roofline/report.hpp"
#include "roofline/settings_table.hpp"

namespace {

using namespace roofline;

LayerResult row(const std::string& name, LayerKind kind, double time_s, std::uint64_t flops = 1) {
  LayerResult result;
  result.layer.name = name;
  result.layer.kind = kind;
  result.layer.inputs.resize(1);
  result.layer.inputs.front().shape.channels = flops;
  result.counts.flops = flops;
  result.kernel.emplace().part_s[Limiter::math] = time_s;
  result.point.roofline_time_s = time_s / 2;
  return result;
}

Result network_result(const std::string& gpu, std::vector<LayerResult> rows, double tdp_w = 100,
                      std::uint64_t batch = 1) {
  Result result;
  result.setting.source = result.setting.network = result.setting.label = "net";
  result.setting.gpu = gpu;
  result.setting.batch = batch;
  result.setting.tdp_w = tdp_w;
  result.layers = std::move(rows);
  sum_up(result);
  return result;
}

std::string viewed(const RowFilter& view) {
  const Result result =
      network_result("g", {row("a", LayerKind::conv, 2, 9), row("b", LayerKind::relu, 5, 1),
                           row("c", LayerKind::conv, 3, 5)});
  std::string names;
  for (const std::size_t i : select(result, view).rows) names += result.layers[i].layer.name;
  return names;
}

}  // namespace

TEST_CASE("Rows are sorted and cut as asked", "[report/summaries]") {
  CHECK(viewed({}) == "abc");
  CHECK(viewed({.sort = SortBy::time, .top = {}, .cover_share = {}, .by = {}}) == "bca");
  CHECK(viewed({.sort = SortBy::flops, .top = {}, .cover_share = {}, .by = {}}) == "acb");
  CHECK(viewed({.sort = {}, .top = 1, .cover_share = {}, .by = {}}) == "b");
  CHECK(viewed({.sort = {}, .top = {}, .cover_share = 0.8, .by = {}}) == "bc");
  CHECK(viewed({.sort = SortBy::flops, .top = 2, .cover_share = {}, .by = {}}) == "ac");
}

TEST_CASE("Types in order of their time", "[report/summaries]") {
  const std::vector<TypeRow> types =
      network_result("g", {row("a", LayerKind::relu, 4), row("b", LayerKind::conv, 3),
                           row("c", LayerKind::conv, 3)})
          .types;
  REQUIRE(types.size() == 2);
  CHECK(types[0].kind == LayerKind::conv);
  CHECK(types[0].rows == 2);
  CHECK(types[0].time_share == Approx(0.6));
  CHECK(types[1].total.roofline_time_s == Approx(2));
}

TEST_CASE("A speed-up is over the first row", "[report/summaries]") {
  const std::vector<Result> results{network_result("slow", {row("a", LayerKind::conv, 2)}, 100),
                                    network_result("fast", {row("a", LayerKind::conv, 1)}, 300)};
  const std::vector<SettingsTable> tables = points_of(settings_of(results, {}), false);
  REQUIRE(tables.size() == 1);
  const std::vector<SettingRow>& rows = tables.front().rows;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].speedup == Approx(1));
  CHECK(rows[1].speedup == Approx(2));
}

TEST_CASE("A network on two GPUs is a table of two points", "[report/summaries]") {
  const std::vector<Result> results{
      network_result("x", {row("a", LayerKind::conv, 2), row("view", LayerKind::flatten, 0),
                           row("b", LayerKind::relu, 1)}),
      network_result("y", {row("a", LayerKind::conv, 1), row("view", LayerKind::flatten, 0),
                           row("b", LayerKind::relu, 1)})};
  const std::vector<SettingsTable> networks = points_of(settings_of(results, {}), false);
  REQUIRE(networks.size() == 1);
  REQUIRE(networks[0].rows.size() == 2);
  CHECK(networks[0].work == "net");
  CHECK(networks[0].rows[0].batch == 1);
  CHECK(networks[0].rows[1].speedup == Approx(1.5));
  CHECK(networks[0].rows[0].roofline_time_s == Approx(1.5));
  const std::vector<Result> one{results[0]};
  CHECK(points_of(settings_of(one, {}), false).empty());
}

TEST_CASE("A sweep names the best batch, and from where on time grows as the batch",
          "[report/summaries]") {
  const auto at = [](std::uint64_t batch, double conv_s, std::uint64_t weight_byte = 1) {
    Result result = network_result("g", {row("a", LayerKind::conv, conv_s)}, 100, batch);
    result.memory = Memory{};
    result.memory->weight_byte = weight_byte;
    result.setting.gpu_memory_byte = 10;
    return result;
  };
  // An image: 1, 0.55, 0.5, 0.52 and, too large for the memory, 0.3 s.
  const auto swept = [](const std::vector<Result>& results) {
    return sweeps_of(settings_of(results, {}));
  };
  const std::vector<SettingsTable> sweeps =
      swept({at(1, 1), at(4, 2), at(2, 1.1), at(8, 4.16), at(16, 4.8, 11)});
  REQUIRE(sweeps.size() == 1);
  const std::vector<SettingRow>& rows = sweeps[0].rows;
  REQUIRE(rows.size() == 5);
  CHECK(rows[1].batch == 2);
  CHECK(*rows[1].time_per_image_s == Approx(0.55));
  CHECK(*rows[2].images_per_s == Approx(2));
  CHECK(rows[3].fits == true);
  CHECK(rows[4].fits == false);
  CHECK(rows[*sweeps[0].best].batch == 4);
  CHECK(rows[*sweeps[0].near_best_from].batch == 4);
  // 0.52 is within 5 % of 0.5.
  CHECK(swept({at(1, 1), at(2, 1.04), at(4, 2)})[0].near_best_from == 1);
  CHECK(swept({at(1, 1)}).empty());
}

TEST_CASE("A selection changes no sum", "[report/summaries]") {
  const Result result = network_result(
      "g",
      {row("a", LayerKind::relu, 4), row("b", LayerKind::conv, 3), row("c", LayerKind::conv, 3)});
  RowFilter view;
  view.top = 1;
  const Selection selection = select(result, view);
  CHECK(selection.rows == std::vector<std::size_t>{0});
  CHECK(select_types(result, view).rows == std::vector<std::size_t>{0});
  CHECK(result.types[0].time_share == Approx(0.6));  // both convolutions
  // Equal layers fold in tables, and are ranked by their sum.
  CHECK(selection.groups == std::vector<std::vector<std::size_t>>{{1, 2}});
  CHECK(selection.all_groups == 2);
}
