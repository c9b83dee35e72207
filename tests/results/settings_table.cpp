// The same work in several ways: what an image takes, costs and needs; from which batch on compute
// binds.

#include "load/loading.hpp"
#include "results/selection.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/report.hpp"

namespace {

using namespace roofline;

/// fp32 peak 10 TFLOP/s, 1 TB/s: a ridge of 10 FLOP/B. 360 W.
Gpu plain_gpu(const std::string& name) {
  return load_gpu(R"({"name": ")" + name + R"(", "peak_tflops": {"fp32": 10},
                      "bandwidth_gb_per_s": 1000, "memory_gb": 1, "tdp_w": 360})",
                  "gpu.json")
      .value();
}

const std::string one_conv =
    R"({"name": "net", "layers": [{"type": "linear", "in_features": 1000, "out_features": 1000}]})";

Result at(const Gpu& gpu, std::uint64_t batch, const AnalysisOptions& options = {}) {
  return analyze(load_text(one_conv, at_batch(batch)), gpu, options);
}

}  // namespace

TEST_CASE("The crossover batch is the first that compute binds", "[results/settings_table]") {
  const Gpu gpu = plain_gpu("a");
  // 2e6 b FLOP over 4 x (1e6 + 2000 b) bytes is 10 FLOP/B where 2e6 b = 4e7 + 8e4 b: b = 20.83.
  CHECK(crossover_batch(at(gpu, 1).layers.front()) == 21);
  CHECK(crossover_batch(at(gpu, 64).layers.front()) == 21);
  CHECK(at(gpu, 20).layers.front().point.bound == Bound::memory);
  CHECK(at(gpu, 21).layers.front().point.bound == Bound::compute);
  const auto crossover = [&](const std::string& text) {
    return crossover_batch(analyze(load_text(text), gpu).layers.front());
  };
  CHECK(crossover(R"({"type": "relu", "input": [64, 8, 8]})") == std::nullopt);
  CHECK(crossover(R"({"type": "flatten", "input": [64, 8, 8]})") == std::nullopt);
  // Products of matrices: their number changes nothing.
  CHECK(crossover(R"({"type": "matmul", "m": 8, "n": 8, "k": 8})") == std::nullopt);
  CHECK(crossover(R"({"type": "matmul", "m": 512, "n": 512, "k": 512})") == 1);
}

TEST_CASE("The crossover agrees with trying every batch", "[results/settings_table]") {
  const Gpu gpu = plain_gpu("a");
  for (const char* layer :
       {R"({"input": [64, 7, 7], "out_channels": 512, "kernel_size": 3})",
        R"({"input": [512, 7, 7], "out_channels": 16, "kernel_size": 1})",
        R"({"type": "linear", "in_features": 100, "out_features": 4000, "bias": true})"}) {
    INFO(layer);
    std::optional<std::uint64_t> first;
    for (std::uint64_t batch = 1; batch <= 200 && !first; ++batch)
      if (analyze(load_text(layer, at_batch(batch)), gpu).layers.front().point.bound ==
          Bound::compute)
        first = batch;
    CHECK(crossover_batch(analyze(load_text(layer, at_batch(7)), gpu).layers.front()) == first);
  }
}

TEST_CASE("Points say what an image takes and costs", "[results/settings_table]") {
  const Gpu a = plain_gpu("a");
  const Gpu b = plain_gpu("b");
  const std::vector<Result> results{at(a, 1), at(b, 1), at(a, 64), at(b, 64), at(a, 64)};
  const std::vector<SettingsTable> tables = points_of(settings_of(results, {{"b", 7.2}}), true);
  REQUIRE(tables.size() == 1);
  const std::vector<SettingRow>& points = tables.front().rows;
  REQUIRE(points.size() == 4);  // the repeat is left out
  CHECK(points[1].gpu == "a");  // by GPU, then by batch
  CHECK(*points[1].batch == 64);
  const double image_s = points[1].time_s / 64;
  CHECK(*points[1].time_per_image_s == Approx(image_s));
  CHECK(*points[1].images_per_s == Approx(1 / image_s));
  CHECK(points[1].speedup == Approx(points[0].time_s / image_s));
  CHECK_FALSE(points[1].cost_per_million_images);
  // 7.2 an hour is 0.002 a second.
  CHECK(*points[3].cost_per_million_images == Approx(0.002 * 1e6 * image_s));
  CHECK(tables.front().best == 1);
  CHECK(tables.front().cheapest == 3);
}

TEST_CASE("Rates and costs of a language model are of tokens", "[results/settings_table]") {
  // 2 sequences of 8 tokens, each 4 heads of 16 features.
  const std::string causal = R"({"name": "lm", "batch": 2, "layers": [
      {"name": "q", "type": "linear", "input": [16, 64], "out_features": 64},
      {"type": "attention", "causal": true, "inputs": [{"layer": "q", "shape": [2, 4, 8, 16]},
       {"layer": "q", "shape": [2, 4, 8, 16]}, {"layer": "q", "shape": [2, 4, 8, 16]}]}]})";
  // Looks up its tokens and attends to all of them.
  const std::string embedded = R"({"name": "encoder", "batch": 2, "layers": [
      {"name": "e", "type": "embedding", "input": [2, 8], "num_embeddings": 99, "embedding_dim": 64},
      {"type": "attention", "inputs": [{"layer": "e", "shape": [2, 4, 8, 16]},
       {"layer": "e", "shape": [2, 4, 8, 16]}, {"layer": "e", "shape": [2, 4, 8, 16]}]}]})";
  for (const std::string& text : {causal, embedded}) {
    INFO(text);
    const Result result = analyze(load_text(text), plain_gpu("a"));
    CHECK(result.setting.tokens == 16);
    const SettingsTable table =
        points_of(settings_of({result}, {{"a", 7.2}}), true, SortBy::cost).front();
    const SettingRow& row = table.rows.front();
    CHECK_FALSE(row.images_per_s);
    CHECK(*row.tokens_per_s == Approx(16 / row.time_s));
    // 7.2 an hour is 0.002 a second.
    CHECK(*row.cost_per_million_tokens == Approx(0.002 * 1e6 * row.time_s / 16));
    CHECK_FALSE(row.cost_per_million_images);
    CHECK(ranked_quantity(row, SortBy::cost) == row.cost_per_million_tokens);
    CHECK(table.cheapest == 0);
  }
  CHECK_FALSE(at(plain_gpu("a"), 1).setting.tokens);
}

TEST_CASE("A ranking has the best first and what does not fit last", "[results/settings_table]") {
  const auto gpu_of = [](const std::string& name, double bandwidth_gb_per_s, double tdp_w,
                         std::uint64_t memory_byte) {
    Gpu gpu = plain_gpu(name);
    gpu.bandwidth_byte_per_s = bandwidth_gb_per_s * 1e9;
    gpu.tdp_w = tdp_w;
    gpu.memory_byte = memory_byte;
    return gpu;
  };
  // 4 MB of weights and 8 kB an image: "small" has room for none.
  const std::vector<Result> results{
      at(gpu_of("slow", 200, 50, 1'000'000'000), 1), at(gpu_of("small", 4000, 100, 1'000'000), 1),
      at(gpu_of("fast", 2000, 800, 1'000'000'000), 1), at(gpu_of("fair", 900, 300, 80'000'000), 1),
      at(gpu_of("fair again", 900, 300, 16'000'000), 1)};
  const auto order = [&](SortBy by) {
    std::string names;
    const SettingsTable table =
        points_of(settings_of(results, {{"fair", 1}, {"fast", 10}}), true, by).front();
    for (const SettingRow& point : table.rows) names += point.gpu + "; ";
    CHECK(table.ranked_by == by);
    return names;
  };
  CHECK(order(SortBy::time) == "fast; fair; fair again; slow; small; ");
  CHECK(order(SortBy::cost) == "fair; fast; fair again; slow; small; ");

  const auto rows = [&](const RowFilter& view) {
    const SettingsTable table = points_of(settings_of(results, {}), false, SortBy::time).front();
    const Selection selection = select(table, view);
    std::string names;
    for (const auto& group : selection.groups) names += table.rows[group.front()].gpu + "; ";
    return names + std::to_string(table.rows.size() - selection.all_groups) + " of " +
           std::to_string(selection.all_groups);
  };
  CHECK(rows({}) == "fast; fair; fair again; slow; 1 of 4");
  RowFilter view;
  view.top = 2;
  CHECK(rows(view) == "fast; fair; 1 of 4");
  view = {};
  view.all = true;
  CHECK(rows(view) == "fast; fair; fair again; slow; small; 0 of 5");
}

TEST_CASE("A single GPU is ranked, too, and a screen has so many rows",
          "[results/settings_table]") {
  const std::vector<Result> one{at(plain_gpu("a"), 1)};
  CHECK(points_of(settings_of(one, {}), false).empty());
  CHECK(points_of(settings_of(one, {}), false, SortBy::time).size() == 1);
  std::vector<Result> many;
  for (std::uint64_t batch = 1; batch <= 30; ++batch) many.push_back(at(plain_gpu("a"), batch));
  const Selection selection =
      select(points_of(settings_of(many, {}), false, SortBy::time).front(), RowFilter{});
  CHECK(selection.rows.size() == 30);
  CHECK(selection.main_groups.size() == 24);
  RowFilter view;
  view.all = true;
  CHECK(select(points_of(settings_of(many, {}), false, SortBy::time).front(), view)
            .main_groups.size() == 30);
}

TEST_CASE("What does not fit is never best", "[results/settings_table]") {
  Gpu gpu = plain_gpu("a");
  gpu.memory_byte = 5'000'000;  // 4 MB of weights, 8 kB an image
  const std::vector<Result> results{at(gpu, 1), at(gpu, 1024)};
  const std::vector<SettingsTable> tables = points_of(settings_of(results, {}), false);
  CHECK(tables.front().rows[1].fits == false);
  CHECK(tables.front().best == 0);
}

TEST_CASE("An optimiser keeps numbers of each weight", "[results/settings_table]") {
  const Gpu gpu = plain_gpu("a");
  const auto needed = [&](Optimizer optimizer) {
    AnalysisOptions options;
    options.training = true;
    options.optimizer = optimizer;
    return *needed_memory_byte(at(gpu, 1, options));
  };
  CHECK(needed(Optimizer::momentum) == needed(Optimizer::sgd) + 4'000'000);
  CHECK(needed(Optimizer::adam) == needed(Optimizer::sgd) + 8'000'000);
}
