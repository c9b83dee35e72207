// Operators that pick or move data, by the bytes that they move: one kernel of 5 us under each.

#include "catch.hpp"
#include "pytorch/trace_text.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

TEST_CASE("Strides say how the operands of a copy or a function lie to each other",
          "[pytorch/trace_movements]") {
  struct Row {
    std::string operation;
    std::string sizes;
    std::string strides;
    std::optional<Access> access;
    std::optional<Layout> layout = {};  ///< of the result, where the operand has the other one
  };
  const std::vector<Row> rows{
      {"aten::copy_", "[[8, 16], [8, 16]]", "[[16, 1], [16, 1]]", std::nullopt},
      {"aten::copy_", "[[8, 16], [8, 16]]", "[[16, 1], [1, 8]]", Access::transposed},
      // Heads and positions change places: features stay innermost.
      {"aten::copy_", "[[2, 4, 3, 64], [2, 4, 3, 64]]", "[[768, 192, 64, 1], [768, 64, 256, 1]]",
       Access::strided},
      // Both with channels innermost: alike, whatever the order of the axes.
      {"aten::copy_", "[[2, 4, 3, 3], [2, 4, 3, 3]]", "[[36, 1, 12, 4], [36, 1, 12, 4]]",
       std::nullopt},
      {"aten::copy_", "[[2, 4, 3, 5], [2, 4, 3, 5]]", "[[60, 15, 5, 1], [60, 1, 20, 4]]",
       Access::transposed, Layout::nchw},
      {"aten::copy_", "[[2, 4, 3, 5], [2, 4, 3, 5]]", "[[60, 1, 20, 4], [60, 15, 5, 1]]",
       Access::transposed, Layout::nhwc},
      // Rows and columns of each channel change places: both are in NCHW or neither.
      {"aten::copy_", "[[2, 4, 3, 5], [2, 4, 3, 5]]", "[[60, 15, 5, 1], [60, 15, 1, 3]]",
       Access::transposed},
      {"aten::copy_", "[[8, 16], [8, 16]]", "[[16, 1], [32, 1]]", Access::strided},
      {"aten::add", "[[8, 16], [8, 16]]", "[[16, 1], [1, 8]]", Access::transposed},
      {"aten::add", "[[8, 16], [8, 16]]", "[[1, 8], [1, 8]]", std::nullopt},
      {"aten::neg", "[[8, 16], []]", "[[32, 1], []]", Access::strided},
      {"aten::neg", "[[8, 16], []]", "[]", std::nullopt},
  };
  for (const Row& row : rows) {
    INFO(row.operation << ' ' << row.sizes << ' ' << row.strides);
    const RecordedArguments arguments{row.sizes, R"(["float", "float"])", R"(["", ""])",
                                      row.strides};
    const auto layers = trace_layers(TraceText()
                                         .operation(row.operation, 7, 100, 20, arguments)
                                         .kernel("some_kernel", 7, 110, 5)
                                         .text());
    REQUIRE(layers.size() == 1);
    CHECK(layers.front().access == row.access);
    CHECK(layers.front().layout == row.layout);
  }
}

TEST_CASE("Operators' names and arguments say what a kernel's time depends on",
          "[pytorch/trace_movements]") {
  const auto layer = [](const std::string& operation, const RecordedArguments& arguments) {
    const auto layers = trace_layers(TraceText()
                                         .operation(operation, 7, 100, 20, arguments)
                                         .kernel("some_kernel", 7, 110, 5)
                                         .text());
    REQUIRE(layers.size() == 1);
    return layers.front();
  };
  const std::string heads = "[2, 4, 64, 32]";
  const std::string three = heads + ", " + heads + ", " + heads;
  const Layer flash = layer(
      "aten::_scaled_dot_product_flash_attention",
      {"[" + three + ", [], []]", R"(["c10::Half", "c10::Half", "c10::Half", "Scalar", "Scalar"])",
       R"(["", "", "", "0.", "True"])"});
  CHECK(flash.backend == AttentionBackend::flash);
  CHECK(flash.causal);
  CHECK(!flash.masked);
  const Layer masked = layer("aten::_scaled_dot_product_efficient_attention",
                             {"[" + three + ", [2, 4, 64, 64], []]",
                              R"(["c10::Half", "c10::Half", "c10::Half", "c10::Half", "Scalar"])",
                              R"(["", "", "", "", "False"])"});
  CHECK(masked.backend == AttentionBackend::efficient);
  CHECK(masked.masked);
  const Layer upsample = layer("aten::upsample_bilinear2d",
                               {"[[1, 3, 8, 8], [], []]", R"(["float", "ScalarList", "Scalar"])",
                                R"(["", "[16, 16]", "False"])"});
  CHECK(upsample.interpolation == Interpolation::bilinear);
  const Layer norm =
      layer("aten::native_batch_norm",
            {"[[2, 8, 4, 4], [8], [8], [8], [8], []]",
             R"(["float", "float", "float", "float", "float", "Scalar"])",
             R"(["", "", "", "", "", "True"])", "[[128, 1, 32, 8], [1], [1], [1], [1], []]"});
  CHECK(norm.batch_statistics);
  CHECK(norm.layout == Layout::nhwc);
}

TEST_CASE("Picking operators move what they pick and its 8-byte indices",
          "[pytorch/trace_movements]") {
  struct Row {
    std::string operation;
    RecordedArguments arguments;
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
      {"aten::_embedding_bag_dense_backward",
       {"[[2, 16], [20], [20]]", R"(["float", "long int", "long int"])", R"(["", "", ""])"},
       "_embedding_bag_dense_backward 2x16",
       2 * 16 * 4 + 20 * 8 + 20 * 16 * 4},
      // Look-ups read a row of 16 for each of 20 indices; 2 bags, once with the end of the last.
      {"aten::_embedding_bag",
       {"[[1000, 16], [20], [2], [], [], [], [], []]",
        R"(["float", "long int", "long int", "Scalar", "Scalar", "Scalar", "", "Scalar"])",
        R"(["", "", "", "False", "0", "False", "", "False"])"},
       "_embedding_bag 20x16",
       20 * 16 * 4 + 20 * 8 + 2 * 8 + 2 * 16 * 4},
      {"aten::_embedding_bag",
       {"[[1000, 16], [20], [3], [], [], [], [20], []]",
        R"(["float", "long int", "long int", "Scalar", "Scalar", "Scalar", "float", "Scalar"])",
        R"(["", "", "", "False", "0", "False", "", "True"])"},
       "_embedding_bag 20x16",
       20 * 16 * 4 + 20 * 8 + 3 * 8 + 20 * 4 + 2 * 16 * 4},
      {"aten::index_add_",
       {"[[1000, 16], [], [20], [20, 16], []]",
        R"(["float", "Scalar", "long int", "float", "Scalar"])", R"(["", "0", "", "", "1"])"},
       "index_add 20x16",
       20 * 16 * 4 + 20 * 8 + 20 * 16 * 4 + 20 * 16 * 4},
      {"aten::index_copy_",
       {"[[100, 1000], [], [20], [100, 20]]", R"(["float", "Scalar", "long int", "float"])",
        R"(["", "1", "", ""])"},
       "index_copy 100x20",
       100 * 20 * 4 + 20 * 8 + 100 * 20 * 4},
      {"aten::index_fill_",
       {"[[1000, 16], [], [20], []]", R"(["float", "Scalar", "long int", "Scalar"])",
        R"(["", "0", "", "0"])"},
       "index_fill 20",
       20 * 8 + 20 * 16 * 4},
      {"aten::scatter_add_",
       {"[[1000, 16], [], [20, 16], [20, 16]]", R"(["float", "Scalar", "long int", "float"])",
        R"(["", "0", "", ""])"},
       "scatter_add 20x16",
       20 * 16 * 4 + 20 * 16 * 8 + 20 * 16 * 4 + 20 * 16 * 4},
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

// Made after a recommender on A100s (HolisticTraceAnalysis): two tables of 40 and 60 rows of 16, 30
// indices, 4 bags for each table. The gradient reads the bags', and reads and writes 30 rows.
TEST_CASE("FBGEMM's look-ups count the rows of their indices", "[pytorch/trace_movements]") {
  const std::string names =
      R"("float", "c10::Half", "float", "float", "int", "long", "int", )"
      R"("Scalar", "Scalar", "long", "Scalar", "long", "long", "Scalar", "", )"
      R"("", "int", "Scalar", "Scalar", "Scalar", "float")";
  for (const std::string total_d : {"32", ""}) {  // without values: 1,600 elements in 100 rows
    const RecordedArguments forward{
        "[[0], [1600], [0], [0], [2], [2], [3], [], [], [3], [], [30], [9], [], [], [], [0], [], "
        "[], [], [100]]",
        "[" + names + "]", R"(["", "", "", "", "", "", "", ")" + total_d + R"("])"};
    const std::string optimizer = "rowwise_adagrad";
    const auto layers = trace_layers(
        TraceText()
            .operation("fbgemm::split_embedding_codegen_lookup_" + optimizer + "_function", 1, 0, 9,
                       forward)
            .kernel("k", 1, 5, 1)
            .operation("torch::autograd::CppNode<SplitLookupFunction_" + optimizer + "_Op>", 2, 20,
                       9, {"[[4, 32]]", R"(["float"])", R"([""])"})
            .kernel("k", 2, 25, 1)
            .operation("torch::autograd::CppNode<SplitLookupFunction_" + optimizer + "_Op>", 3, 40,
                       9, {"[[30, 16]]", R"(["float"])", R"([""])"})
            .kernel("k", 3, 45, 1)
            .text());
    REQUIRE(layers.size() == 3);
    CHECK(count(layers[0]).bytes.total == 30 * 16 * 2 + 30 * 8 + 9 * 8 + 8 * 16 * 4);
    CHECK(count(layers[1]).bytes.total == 4 * 32 * 4 + 2 * 30 * 16 * 2 + 30 * 8);
    // As many elements as the gradient before it: of the one look-up, too, with rows of 8.
    CHECK(count(layers[2]).bytes.total == 30 * 16 * 4 + 2 * 30 * 8 * 2 + 30 * 8);
  }
}
