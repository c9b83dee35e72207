// What no run of a whole network can be faster than.

#include "load/embedded.hpp"
#include "load/loading.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/report.hpp"

namespace {

using namespace roofline;

/// fp32 peak 100 TFLOP/s, 1 TB/s, an L2 of 524,288 bytes.
Gpu small_cache(const std::string& more = R"(, "l2_mib": 0.5)") {
  return load_gpu(R"({"name": "a", "peak_tflops": {"fp32": 100}, "bandwidth_gb_per_s": 1000)" +
                      more + "}",
                  "gpu.json")
      .value();
}

/// Its tensors have 1,048,576 bytes, its weights 16,384 and its result 256.
const std::string three_layers = R"({"name": "net", "layers": [
    {"input": [64, 64, 64], "out_channels": 64, "kernel_size": 1},
    {"type": "relu"}, {"type": "global_avg_pool"}]})";

NetworkBounds bounds_of(const std::string& text, const Gpu& gpu, CacheState cache,
                        double* expected_s = nullptr) {
  AnalysisOptions options;
  options.cache = cache;
  const Result result = analyze(load_text(text), gpu, options);
  REQUIRE(result.bounds.network);
  if (expected_s != nullptr) *expected_s = result.total.expected_time_s.value();
  return *result.bounds.network;
}

std::string chain(const std::string& layers) {
  return R"({"name": "net", "dtype": "fp16", "layers": [)" + layers + "]}";
}

}  // namespace

TEST_CASE("The bounds of three layers are those of hand arithmetic", "[results/sums]") {
  const NetworkBounds warm = bounds_of(three_layers, small_cache(), CacheState::warm);
  // FLOP: 2 x 64 x 64 x 4096, a ReLU and a sum of 64 x 4096 each.
  CHECK(warm.compute_bound_s == Approx((33'554'432 + 262'144 + 262'144) / 1e14).epsilon(1e-4));
  // Weights, input and result, less what the cache holds: 16,384 + 1,048,576 + 256 - 524,288.
  CHECK(warm.fused_bound_s.value() == Approx(540'928e-12));
  // What each layer reads and writes, each less 524,288: 540,672 + 524,288; 524,288 twice; 524,288.
  CHECK(warm.cached_bound_s.value() == Approx((1'064'960 + 1'048'576 + 524'288) * 1e-12));
  // Nothing is left of an earlier run.
  const NetworkBounds cold = bounds_of(three_layers, small_cache(), CacheState::cold);
  CHECK(cold.fused_bound_s.value() == Approx(1'065'216e-12));
  CHECK(cold.cached_bound_s.value() == Approx(warm.cached_bound_s.value()));
  // Half a MiB of L3 more and the tensors fit.
  const Gpu two_caches = small_cache(R"(, "l2_mib": 0.5, "l3_mib": 0.5)");
  const NetworkBounds all = bounds_of(three_layers, two_caches, CacheState::warm);
  CHECK(all.cached_bound_s.value() == Approx(warm.compute_bound_s));
}

TEST_CASE("A cache whose size nobody states bounds nothing", "[results/sums]") {
  const NetworkBounds bounds = bounds_of(three_layers, small_cache(""), CacheState::warm);
  CHECK_FALSE(bounds.fused_bound_s);
  CHECK_FALSE(bounds.cached_bound_s);
  CHECK(bounds.compute_bound_s > 0);
}

TEST_CASE("Layers that read nothing of each other are no network", "[results/sums]") {
  const std::string relu = R"({"type": "relu", "input": [64, 64, 64]})";
  const auto has_bounds = [](const std::string& text) {
    return analyze(load_text(text), small_cache()).bounds.network.has_value();
  };
  CHECK_FALSE(has_bounds(relu));
  CHECK_FALSE(has_bounds("[" + relu + ", " + relu + "]"));
  CHECK(has_bounds("[" + relu + R"(, {"type": "relu"}])"));
}

TEST_CASE("What a look-up may touch is in no bound of its network", "[results/sums]") {
  // All of 65,536 positions may name one row; the ReLU writes 65,536 x 64 numbers, 16,777,216
  // bytes, of what its operand and its result have beyond the cache 2 x 16,252,928.
  const NetworkBounds bounds = bounds_of(R"({"layers": [{"type": "embedding", "input": [1, 65536],
      "num_embeddings": 1000000, "embedding_dim": 64}, {"type": "relu"}]})",
                                         small_cache(), CacheState::cold);
  CHECK(bounds.fused_bound_s.value() == Approx(16'777'216e-12));
  CHECK(bounds.cached_bound_s.value() == Approx(2 * 16'252'928e-12));
}

TEST_CASE("Weights that do not fit together are not found in cache", "[results/sums]") {
  // Six matrices of 33.6 MB; the L2 of an L4 has 50.3 MB.
  const std::string matrix = R"({"type": "linear", "in_features": 4096, "out_features": 4096})";
  std::string layers = matrix;
  for (int i = 1; i < 6; ++i) layers += ", " + matrix;
  const Gpu l4 = Catalogue().find("l4").value();
  double expected_s = 0;
  const NetworkBounds warm = bounds_of(chain(layers), l4, CacheState::warm, &expected_s);
  CHECK(expected_s < warm.fused_bound_s.value());
  CHECK(warm.expected_below == BelowBound::in_l2);
  const NetworkBounds cold = bounds_of(chain(layers), l4, CacheState::cold, &expected_s);
  CHECK(expected_s >= cold.cached_bound_s.value());
  CHECK_FALSE(cold.expected_below);
}

TEST_CASE("No network is expected below its bounds but for Winograd and FFT", "[results/sums]") {
  const Catalogue catalogue;
  std::size_t below = 0;
  for (const char* gpu_name : {"v100", "t4", "l4", "a100", "h200", "mi300x"})
    for (const CacheState cache : {CacheState::warm, CacheState::cold}) {
      AnalysisOptions options;
      options.cache = cache;
      const Context context = make_context(catalogue.find(gpu_name).value(), options).value();
      for (const EmbeddedFile& file : embedded_networks())
        for (const DataType dtype : {DataType::fp32, DataType::fp16})
          for (const std::uint64_t batch : {1U, 16U, 128U}) {
            LayerDefaults defaults = at_batch(batch);
            defaults.dtype = dtype;
            const Network network =
                load_network(file.text, std::string(file.name), defaults).value();
            const Result result = evaluate(network, context).value();
            const auto& bounds = result.bounds.network;
            if (!bounds) continue;
            INFO(file.name << " on " << gpu_name << ", " << name_of(dtype) << ", batch " << batch
                           << ", " << name_of(cache));
            CHECK(bounds->compute_bound_s <= bounds->fused_bound_s.value());
            CHECK(bounds->fused_bound_s.value() <= bounds->cached_bound_s.value());
            CHECK(bounds->cached_bound_s.value() <= result.total.roofline_time_s);
            CHECK(bounds->expected_below.value_or(BelowBound::fewer_macs) ==
                  BelowBound::fewer_macs);
            if (bounds->expected_below) ++below;
          }
    }
  CHECK(below > 0);  // of Winograd, on V100 for one
}

TEST_CASE("A network fits beside what the driver keeps", "[results/sums]") {
  Result result;
  result.setting.gpu_memory_byte = 16'000'000'000;
  result.setting.reserved_memory_byte = 500'000'000;
  result.memory.emplace().weight_byte = 15'500'000'000;
  CHECK(fits(result) == true);
  result.memory->weight_byte += 1;
  CHECK(fits(result) == false);
}
