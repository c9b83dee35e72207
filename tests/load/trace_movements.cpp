// Operators that pick or move data, by the bytes that they move: one kernel of 5 us under each.

#include "catch.hpp"
#include "load/trace_text.hpp"
#include "roofline/counts.hpp"

using namespace roofline;

TEST_CASE("Picking operators move what they pick and its 8-byte indices",
          "[load/trace_movements]") {
  struct Row {
    std::string operation;
    Arguments arguments;
    std::string name;
    std::uint64_t total_byte;  ///< by hand: picked + indices + written
  };
  const std::vector<Row> rows{
      {"aten::embedding",
       {"[[1000, 16], [4, 5], []]", R"(["float", "long int", "Scalar"])", R"(["", "", "-1"])"},
       "embedding 4x5x16",
       20 * 16 * 4 + 20 * 8 + 20 * 16 * 4},
      {"aten::embedding_dense_backward",
       {"[[4, 5, 16], [4, 5], []]", R"(["float", "long int", "Scalar"])", R"(["", "", "1000"])"},
       "embedding_dense_backward 4x5x16",
       20 * 16 * 4 + 20 * 8 + 20 * 16 * 4},
      {"aten::index_select",
       {"[[100, 16], [], [10]]", R"(["float", "Scalar", "long int"])", R"(["", "0", ""])"},
       "index_select 10x16",
       10 * 16 * 4 + 10 * 8 + 10 * 16 * 4},
      {"aten::index_select",
       {"[[100, 16], [], [10]]", R"(["c10::Half", "Scalar", "long int"])", R"(["", "-1", ""])"},
       "index_select 100x10",
       100 * 10 * 2 + 10 * 8 + 100 * 10 * 2},
      {"aten::gather",
       {"[[8, 100], [], [8, 1]]", R"(["float", "Scalar", "long int"])", R"(["", "1", ""])"},
       "gather 8x1",
       8 * 4 + 8 * 8 + 8 * 4},
      {"aten::nll_loss_forward",
       {"[[32, 1000], [32]]", R"(["float", "long int"])", R"(["", ""])"},
       "nll_loss_forward 32",
       32 * 4 + 32 * 8 + 4},
      {"aten::nll_loss_backward",
       {"[[], [32, 1000], [32]]", R"(["float", "float", "long int"])", R"(["", "", ""])"},
       "nll_loss_backward 32",
       32 * 4 + 32 * 8 + 32 * 4},
      {"aten::flip",
       {"[[2, 8, 4, 4], []]", R"(["float", "ScalarList"])", R"(["", "[3]"])"},
       "flip 2x8x4x4",
       2 * 256 * 4},
  };
  for (const Row& row : rows) {
    INFO(row.operation);
    const auto layers = trace_layers(TraceText()
                                         .operation(row.operation, 7, 100, 20, row.arguments)
                                         .kernel("some_kernel", 7, 110, 5)
                                         .text());
    REQUIRE(layers.size() == 1);
    CHECK(layers.front().name == row.name);
    CHECK(count(layers.front()).macs == 0);
    CHECK(count(layers.front()).bytes.total == row.total_byte);
  }
}
