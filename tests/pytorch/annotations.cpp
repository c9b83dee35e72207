// What servers of language models call their steps.

#include "catch.hpp"
#include "pytorch/operator_call.hpp"

using namespace roofline;

TEST_CASE("Annotations of servers say the lengths of a step", "[pytorch/annotations]") {
  struct Case {
    std::string annotation;
    std::vector<std::uint64_t> lengths;  ///< queries, keys, pairs
  };
  const std::vector<Case> cases{
      {"execute_6147_context_2(sq6144sk7144sqsq20971520sqsk23019520)_generation_3(sq3sk6144sqsq3"
       "sqsk6144)",
       {6147, 13288, 23025664 - (20971523 - 6147) / 2}},
      {"execute_context_1(888_788544)_generation_0(0)", {888, 888, 888 * 889 / 2}},
      {"execute_context_2(6144)_generation_3(3)", {6147, 0, 0}},
      {"step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]",
       {128, 131072, 262144 - 64}},
      {"step[DECODE bs=64]", {64, 0, 0}},
      {"decode[bs=32 tok=128 d=32 spec=3 sqsq=512 sqsk=262144 sk=65536]",
       {128, 65536, 262144 - 192}},
      {"prefill[bs=2 tok=14721 ctx=[7803, 6918]]", {14721, 0, 0}},
      {"forward", {}},
      {"step[", {}}};
  for (const Case& each : cases) {
    INFO(each.annotation);
    const auto lengths = sequence_lengths(each.annotation);
    REQUIRE(lengths.has_value() == !each.lengths.empty());
    if (lengths)
      CHECK(std::vector{lengths->queries, lengths->keys, lengths->pairs} == each.lengths);
  }
}
