// The largest batch that fits and the best one, against arithmetic by hand and every batch tried.

#include "load/loading.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/settings_table.hpp"

namespace {

using namespace roofline;

const std::string linear =
    R"({"name": "net", "layers": [{"type": "linear", "in_features": 1000, "out_features": 1000}]})";
const std::string convolutions =
    R"({"name": "net", "layers": [
        {"input": [3, 32, 32], "out_channels": 16, "kernel_size": 3}, {"type": "batch_norm"},
        {"type": "relu"}, {"type": "max_pool", "kernel_size": 2},
        {"out_channels": 32, "kernel_size": 3}, {"type": "relu"}, {"type": "global_avg_pool"},
        {"type": "flatten"}, {"type": "linear", "out_features": 10}]})";

Context context_of(std::optional<std::uint64_t> memory_byte, const AnalysisOptions& options = {}) {
  Gpu gpu = find_gpu("t4").value();
  gpu.memory_byte = memory_byte;
  return make_context(std::move(gpu), options).value();
}

Network network_at(const std::string& text, std::uint64_t batch) {
  return load_text(text, at_batch(batch));
}

std::uint64_t found(BatchGoal goal, const std::string& text, const Context& context) {
  return find_batch(
             goal,
             [&](std::uint64_t batch) -> Expected<Network> { return network_at(text, batch); },
             context)
      .value();
}

std::string failure(const std::string& text, const Context& context) {
  const auto batch = find_batch(
      BatchGoal::max,
      [&](std::uint64_t each) -> Expected<Network> { return network_at(text, each); }, context);
  return batch ? "found " + std::to_string(*batch) : batch.error().what();
}

std::uint64_t needed_byte(const std::string& text, std::uint64_t batch, const Context& context) {
  return *needed_memory_byte(evaluate(network_at(text, batch), context).value());
}

}  // namespace

TEST_CASE("The largest batch of a layer is that of the arithmetic", "[results/batch_search]") {
  // In fp32 4 MB of weights, and an image 4 kB in and 4 kB out; driver and libraries have 0.5 GB:
  // (1e10 - 5e8 - 4e6) / 8000 = 1187000. Of less than 4 GB they have an eighth.
  CHECK(found(BatchGoal::max, linear, context_of(10'000'000'000)) == 1'187'000);
  CHECK(found(BatchGoal::max, linear, context_of(9'999'999'999)) == 1'186'999);
  CHECK(found(BatchGoal::max, linear, context_of(10'000'007'999)) == 1'187'000);
  CHECK(found(BatchGoal::max, linear, context_of(1'000'000'000)) == 108'875);
  CHECK(found(BatchGoal::max, linear, context_of(4'580'572)) == 1);
  Gpu amd = find_gpu("mi300x").value();
  CHECK(reserved_memory_byte(amd) == 1'000'000'000);
}

TEST_CASE("The largest batch fits and the next does not", "[results/batch_search]") {
  for (const bool training : {false, true})
    for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam})
      for (const std::uint64_t memory_byte :
           std::initializer_list<std::uint64_t>{1'100'000, 1'300'000, 3'333'333, 12'345'678}) {
        AnalysisOptions options;
        options.training = training;
        options.optimizer = optimizer;
        const Context context = context_of(memory_byte, options);
        INFO(training << ' ' << name_of(optimizer) << ' ' << memory_byte);
        std::uint64_t largest = 0;
        const std::uint64_t free_byte = memory_byte - reserved_memory_byte(context.gpu);
        while (needed_byte(convolutions, largest + 1, context) <= free_byte) ++largest;
        REQUIRE(largest > 0);
        CHECK(found(BatchGoal::max, convolutions, context) == largest);
      }
}

TEST_CASE("The best batch is the smallest that is nearly as fast an image as any",
          "[results/batch_search]") {
  const Context context = context_of(500'000'000);
  const std::uint64_t largest = found(BatchGoal::max, convolutions, context);
  const std::uint64_t best = found(BatchGoal::best, convolutions, context);
  const auto image_s = [&](std::uint64_t batch) {
    return evaluate(network_at(convolutions, batch), context).value().total.time_s /
           static_cast<double>(batch);
  };
  double least_s = image_s(largest);
  for (std::uint64_t batch = 1; batch < largest; batch *= 2)
    least_s = std::min(least_s, image_s(batch));
  CHECK(best < largest);
  CHECK((best & (best - 1)) == 0);  // a power of two
  CHECK(image_s(best) <= 1.05 * least_s);
  CHECK(image_s(best / 2) > 1.05 * least_s);
}

TEST_CASE("A claim of nearly the best holds up to the best", "[results/batch_search]") {
  struct TimedBatch {
    std::uint64_t batch;
    double time_per_image_s;
    bool fits;
  };
  const auto of = [](const std::vector<TimedBatch>& batches) {
    SettingsTable table;
    for (const TimedBatch& each : batches) {
      SettingRow& row = table.rows.emplace_back();
      row.batch = each.batch;
      row.time_per_image_s = each.time_per_image_s;
      row.fits = each.fits;
    }
    find_best_batch(table);
    return table.best ? std::to_string(*table.rows[*table.near_best_from].batch) + " to " +
                            std::to_string(*table.rows[*table.best].batch)
                      : "none";
  };
  CHECK(of({{1, 10, true}, {2, 1.04, true}, {4, 1, true}}) == "2 to 4");
  CHECK(of({{1, 1.02, true}, {2, 2, true}, {4, 1, true}}) == "4 to 4");
  CHECK(of({{1, 1.05, true}, {2, 1, true}, {4, 0.5, false}}) == "1 to 2");
  CHECK(of({{1, 1, true}, {2, 1, true}}) == "1 to 1");
  CHECK(of({{1, 1, false}}) == "none");
  CHECK(of({}) == "none");
}

TEST_CASE("Where there is no batch, why", "[results/batch_search]") {
  CHECK(failure(linear, context_of(3'500'000)) ==
        "conv.json: does not fit: a single image needs 4.00 MB, Tesla T4 has 3.06 MB beside 0.43 "
        "MB for its driver and libraries");
  CHECK(
      failure(linear, context_of(std::nullopt)) ==
      "Tesla T4 states no memory_gb, which a batch has to fit: give it in a GPU file of your own");
  CHECK(
      failure(R"({"type": "matmul", "batch": 3, "m": 8, "n": 8, "k": 8})", context_of(1'000'000)) ==
      "conv.json: expected layers that grow with the batch, got some that need the same memory "
      "at any");
  CHECK(failure(R"({"type": "relu", "input": [8], "dtype": "bf16"})", context_of(1'000'000)) ==
        "conv.json: layer \"relu0\" is in bf16, for which Tesla T4 has no peak; it has fp64, fp32, "
        "fp16, fp16_tensor, int8, int4");
}

TEST_CASE("The largest batch in a time is the last one that takes no longer",
          "[results/batch_search]") {
  const Context context = context_of(16'000'000'000);
  const auto network = [](std::uint64_t batch) -> Expected<Network> {
    return network_at(convolutions, batch);
  };
  const auto time_s = [&](std::uint64_t batch) {
    return evaluate(network_at(convolutions, batch), context).value().total.time_s;
  };
  for (const std::uint64_t batch : {5U, 64U, 1000U}) {
    INFO(batch);
    const std::uint64_t found = find_batch(BatchGoal::max, network, context, time_s(batch)).value();
    CHECK(time_s(found) <= time_s(batch));
    CHECK(time_s(found + 1) > time_s(batch));
    CHECK(found >= batch);
  }
  CHECK(find_batch(BatchGoal::max, network, context, time_s(1) / 2).value() == 1);
}
