// Fused attention: shapes, counts by hand, and its kernel's time against an H200.

#include <cmath>

#include "load/loading.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"
#include "roofline/roofline_point.hpp"

namespace {

using namespace roofline;

Layer attention(const std::string& inputs, const std::string& rest = "") {
  return load_layer(R"({"type": "attention", "inputs": )" + inputs + rest + "}");
}

}  // namespace

TEST_CASE("Attention counts two products forward and five backward", "[model/attention]") {
  struct Case {
    std::string inputs;
    std::string rest;
    std::uint64_t macs;
    std::uint64_t total_byte;
  };
  // 2 images, 4 heads, 8 queries, 16 keys, 32 features a key, 64 a value.
  const std::string sizes = "[[2, 4, 8, 32], [2, 4, 16, 32], [2, 4, 16, 64]]";
  const std::uint64_t read = 2 * 4 * (8 * 32 + 16 * 32 + 16 * 64);
  const std::uint64_t written = 2 * 4 * 8 * 64;
  const std::vector<Case> cases{
      {sizes, "", 2 * 4 * 8 * 16 * (32 + 64), 4 * (read + written)},
      {sizes, R"(, "pass": "dgrad")", 2 * 4 * 8 * 16 * (3 * 32 + 2 * 64), 4 * 2 * (read + written)},
      // Eight queries that end with the sixteen keys see 9, 10, ... 16 of them.
      {sizes, R"(, "causal": true)", 2 * 4 * 100 * (32 + 64), 4 * (read + written)},
      {"[[1, 1, 4, 8], [1, 1, 4, 8], [1, 1, 4, 8]]", R"(, "causal": true)", 10 * 16, 4 * 4 * 32},
      // Two queries come before the first of three keys and see none: 0, 0, 1, 2, 3.
      {"[[1, 1, 5, 8], [1, 1, 3, 8], [1, 1, 3, 8]]", R"(, "causal": true)", 6 * 16, 4 * 16 * 8},
      // Four heads of queries share each head of keys and values.
      {"[[1, 8, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8]]", "", 8 * 4 * 4 * 16,
       4 * (2 * 8 * 32 + 2 * 2 * 32)},
  };
  for (const Case& each : cases) {
    INFO(each.inputs << each.rest);
    const Counts counts = count(attention(each.inputs, each.rest));
    CHECK(counts.macs == each.macs);
    CHECK(counts.flops == 2 * each.macs);
    CHECK(counts.bytes.total == each.total_byte);
  }
}

TEST_CASE("Operands of attention must fit each other", "[model/attention]") {
  struct Case {
    std::string inputs;
    std::string message;
  };
  const std::vector<Case> cases{
      {"[[1, 2, 4, 8], [1, 2, 4, 8]]",
       "/inputs: expected three operands, queries, keys and values, each [N, heads, length, "
       "features], got 2"},
      {"[[1, 2, 4, 8], [1, 2, 4, 9], [1, 2, 4, 8]]",
       "/inputs/1: expected 8 features a key, as the queries have, got 9"},
      {"[[1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 5, 8]]",
       "/inputs/2: expected 4 values, one a key, got 5"},
      {"[[1, 3, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8]]",
       "/inputs/1: expected a number of heads that divides the queries' 3, got 2"},
  };
  for (const Case& each : cases)
    CHECK(message_of([&] { attention(each.inputs); }) == "conv.json: " + each.message);
}

// PyTorch 2.11 on one H200, 1 to 8,192 queries, 32 to 256 features, fp16, bf16 and fp32.
TEST_CASE("Attention takes what an H200 takes", "[model/attention]") {
  const Context context = make_context(find_gpu("h200").value(), {}).value();
  const auto reader =
      open_input(ROOFLINE_SOURCE_FOLDER "/tests/measured/h200_attention.ndjson").value();
  double error[2] = {0, 0};
  double rows[2] = {0, 0};
  while (const auto item = reader->next()) {
    const auto evaluated =
        evaluate_layers(infer(*item->value().spec({}).value(), {}).value(), context);
    const LayerResult& row = evaluated.value().front();
    const int is_backward = row.layer.pass == Pass::fwd ? 0 : 1;
    error[is_backward] += std::fabs(std::log(*row.expected_time_s() / *row.measured_time_s));
    rows[is_backward] += 1;
  }
  CHECK(rows[0] == 246);
  CHECK(rows[1] == 112);
  CHECK(std::exp(error[0] / rows[0]) < 1.10);
  CHECK(std::exp(error[1] / rows[1]) < 1.16);
}
