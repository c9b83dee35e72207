// The grids that PyTorch 2.11 gave its reductions on an H100, as its profiler recorded them: the
// model's are the same in 395 of 396.

#include "catch.hpp"
#include "kernel/streaming/stream_formulas.hpp"
#include "load/loading.hpp"
#include "roofline/catalogue.hpp"

using namespace roofline;

TEST_CASE("Reductions get the blocks and threads that PyTorch gives them",
          "[kernel/reduction_grid]") {
  struct Row {
    std::string shapes;
    double blocks;
    double threads;
  };
  const std::vector<Row> rows{
      // Rows: a warp a row, vectors of four along it.
      {R"("input": [4096, 1024], "output": [4096, 1])", 256, 512},
      {R"("input": [16, 32768], "output": [16, 1])", 16, 512},
      {R"("input": [16, 1048576], "output": [16, 1])", 16 * 33, 512},
      // Columns: four neighbours a thread; blocks share a column where it is long.
      {R"("input": [256, 768], "output": [1, 768])", 6, 128},
      {R"("input": [65536, 256], "output": [1, 256])", 2 * 1024, 128},
      {R"("input": [401408, 8], "output": [1, 8])", 392, 128},
      {R"("input": [1024, 50257], "output": [1, 50257])", 1571, 512},
      // Axes in the middle, and several.
      {R"("input": [128, 1024, 1, 64], "output": [128, 1, 1, 64])", 64 * 16, 128},
      {R"("input": [32, 256, 14, 14], "output": [1, 256, 1, 1])", 16, 512},
      {R"("layout": "nhwc", "input": [32, 256, 14, 14], "output": [1, 256, 1, 1])", 2 * 98, 128},
      // All of it.
      {R"("input": [1, 1024], "output": [1, 1])", 1, 256},
      {R"("input": [1, 65536], "output": [1, 1])", 1, 512},
      {R"("input": [1, 1048576], "output": [1, 1])", 128, 512},
      {R"("input": [1, 134217728], "output": [1, 1])", 1024, 512},
  };
  std::vector<std::string> assumptions;
  const Machine machine = machine_of(find_gpu("h100").value(), assumptions);
  for (const Row& row : rows) {
    INFO(row.shapes);
    const Layer layer = load_layer(R"({"type": "reduce", "dtype": "fp32", )" + row.shapes + "}");
    const ReductionGrid grid = reduction_grid(layer, machine);
    CHECK(grid.blocks == row.blocks);
    CHECK(grid.threads == row.threads);
  }
}
