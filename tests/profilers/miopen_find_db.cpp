// MIOpen's find databases. Sizes are those that the keys state, as MIOpen's own source has them
// (conv::ProblemDescription::Serialize).

#include <algorithm>

#include "catch.hpp"
#include "load/record_reading.hpp"
#include "report/text.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace {

const std::string algorithm = ",0,miopenConvolutionFwdAlgoGEMM";

Records read_key(const std::string& key) {
  return read_records("a.fdb.txt", key + "=GemmFwdRest:1.5" + algorithm + "\n");
}

}  // namespace

TEST_CASE("A key of a find database is a layer", "[profilers/miopen_find_db]") {
  struct Case {
    std::string key;
    std::string input;
    std::string output;
    Pass pass;
    DataType type;
    Layout layout;
    std::uint64_t groups;
    std::uint64_t macs;
  };
  const std::vector<Case> cases{
      {"64-56-58-3x5-32-28-58-16-1x2-2x1-1x1-0-NCHW-FP32-F", "16x64x56x58", "16x32x28x58",
       Pass::fwd, DataType::fp32, Layout::nchw, 1, 16ULL * 32 * 28 * 58 * 64 * 15},
      // Gradients have the result's side first.
      {"32-28-58-3x5-64-56-58-16-1x2-2x1-1x1-0-NCHW-BF16-B", "16x64x56x58", "16x32x28x58",
       Pass::dgrad, DataType::bf16, Layout::nchw, 1, 16ULL * 32 * 28 * 58 * 64 * 15},
      {"1024-14-14-3x3-1024-14-14-32-1x1-1x1-1x1-0-NHWC-NHWC-NHWC-FP16-W_g32", "32x1024x14x14",
       "32x1024x14x14", Pass::wgrad, DataType::fp16, Layout::nhwc, 32,
       32ULL * 1024 * 14 * 14 * 32 * 9},
      {"64-1-112-112-1x3x3-128-1-56-56-8-0x1x1-1x2x2-1x1x1-0-NCDHW-FP16-F", "8x64x1x112x112",
       "8x128x1x56x56", Pass::fwd, DataType::fp16, Layout::nchw, 1, 8ULL * 128 * 56 * 56 * 64 * 9},
      {"16-9-9-3x3-8-5-5-2-0x0-1x1-2x2-1-NHWC-INT8INT8INT32-F", "2x16x9x9", "2x8x5x5", Pass::fwd,
       DataType::int8, Layout::nhwc, 1, 2ULL * 8 * 25 * 16 * 9},
      {"16-9-9-1x1-8-9-9-2-0x0-1x1-1x1-0-NCHW-BFP8-F", "2x16x9x9", "2x8x9x9", Pass::fwd,
       DataType::fp8, Layout::nchw, 1, 2ULL * 8 * 81 * 16},
  };
  for (const Case& each : cases) {
    INFO(each.key);
    const Records records = read_key(each.key);
    CHECK(records.errors.empty());
    REQUIRE(records.layers.size() == 1);
    const Layer& layer = records.layers.front();
    CHECK(layer.name == each.key);
    CHECK(shape_text(layer.inputs.front().shape) == each.input);
    CHECK(shape_text(layer.output) == each.output);
    CHECK(layer.pass == each.pass);
    CHECK(layer.dtypes.input == each.type);
    CHECK(layer.layout == each.layout);
    CHECK(layer.groups == each.groups);
    CHECK(count(layer).macs == each.macs);
    CHECK(*layer.measured->warm_s == Approx(1.5e-3));
  }
  CHECK(read_key(cases[4].key).layers.front().dtypes.output == DataType::int32);
  CHECK(read_key(cases[4].key).layers.front().bias);
}

TEST_CASE("Keys alone are layers without times", "[profilers/miopen_find_db]") {
  const Records records = read_records(
      "keys.txt",
      "64-75-75-3x3-64-75-75-64-1x1-1x1-1x1-0-NCHW-FP16-F\n8-9-9-1x1-8-9-9-2-0x0-1x1-1x1-0-NHWC-"
      "NHWC-NHWC-BF16-B_g8\n8-9-9-1x1-8-9-9\n");
  CHECK(records.errors ==
        std::vector<std::string>{
            "keys.txt:3: expected a key that begins with the 16 numbers of a 2-D convolution or "
            "the 22 of a 3-D one, as 64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP16-F, got "
            "\"8-9-9-1x1-8-9-9\""});
  REQUIRE(records.layers.size() == 2);
  CHECK(count(records.layers[0]).macs == 64ULL * 64 * 75 * 75 * 64 * 9);
  CHECK(records.layers[1].groups == 8);
  CHECK_FALSE(records.layers[0].measured->is_known());
  CHECK(records.networks[0].assumptions.empty());
}

TEST_CASE("The fastest solver that was timed is the layer's time", "[profilers/miopen_find_db]") {
  const std::string key = "8-9-9-1x1-8-9-9-2-0x0-1x1-1x1-0-NCHW-FP32-F=";
  const Records records =
      read_records("a.ufdb.txt", key + "ConvSlow:2.5" + algorithm + ";GemmFwd1x1_0_1:0.0" +
                                     algorithm + ";ConvFast:0.031232" + algorithm + "\r\n\n" + key +
                                     "GemmFwd1x1_0_1:0" + algorithm + "\n");
  CHECK(records.errors.empty());
  REQUIRE(records.layers.size() == 2);
  const Measured& measured = *records.layers[0].measured;
  CHECK(*measured.warm_s == Approx(31.232e-6));
  CHECK(measured.kernel == "ConvFast");
  CHECK(measured.other_kernels == "ConvSlow 2.5 ms");
  CHECK_FALSE(records.layers[1].measured->is_known());
  const std::vector<std::string> untimed{
      "times of 0, which nobody measured, are left out, although MIOpen takes the least time"};
  CHECK(records.networks[0].assumptions == untimed);
  CHECK(records.networks[1].assumptions == untimed);
}

TEST_CASE("A line of a find database that is wrong costs only itself",
          "[profilers/miopen_find_db]") {
  const std::string solvers = "=GemmFwdRest:1.5" + algorithm;
  const std::string start = "8-9-9-1x1-8-9-9-2-0x0-1x1-1x1-0-";
  struct Case {
    std::string line;
    std::string error;
  };
  const std::string wrong_solver =
      "expected solvers as name:ms,workspace,algorithm with ; between them, got ";
  const std::string wrong_numbers =
      "expected a key that begins with the 16 numbers of a 2-D convolution or the 22 of a 3-D one, "
      "as 64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP16-F, got ";
  const std::vector<Case> cases{
      {"# a comment", wrong_numbers + "\"# a comment\""},
      {"8-9-9-1x1-8-9-9-NCHW-FP32-F" + solvers, wrong_numbers + "\"8-9-9-1x1-8-9-9-NCHW-FP32-F\""},
      {"8-9-9-1y1-8-9-9-2-0x0-1x1-1x1-0-NCHW-FP32-F" + solvers,
       "expected whole numbers in the key, got \"1y1\""},
      {"99999999999999999999-9" + solvers,
       "expected whole numbers in the key, got \"99999999999999999999\""},
      {start + "NCHWc-FP32-F" + solvers,
       "expected NCHW, NHWC, NCDHW or NDHWC in the key, got \"NCHWc\""},
      {start + "NHWC-NCHW-NCHW-FP32-F" + solvers,
       "expected FP32, FP16, BF16, INT8, FP8 or another type in the key, got \"NCHW\""},
      {start + "NCHW-INT8x4-F" + solvers,
       "expected FP32, FP16, BF16, INT8, FP8 or another type in the key, got \"INT8x4\""},
      {start + "NCHW-INT32-F" + solvers,
       "expected FP32, FP16, BF16, INT8, FP8 or another type in the key, got \"INT32\""},
      {start + "NCHW-FP32-X" + solvers, "expected F, B or W as the pass in the key, got \"X\""},
      {start + "NCHW-FP16-F_ciFP8" + solvers,
       "expected _g and a number of groups at the key's end, got \"ciFP8\""},
      {start + "NCHW-FP16-F_g2x" + solvers,
       "expected _g and a number of groups at the key's end, got \"2x\""},
      {start + "NCHW-FP32-F", wrong_solver + "\"\""},
      {start + "NCHW-FP32-F=GemmFwdRest", wrong_solver + "\"GemmFwdRest\""},
      {start + "NCHW-FP32-F=GemmFwdRest:fast" + algorithm, wrong_solver + "\"fast\""},
      {start + "NCHW-FP32-F_g3" + solvers,
       "groups: expected a divisor of the 8 input channels, got 3"},
      {"8-9-9-1x1-8-9-8-2-0x0-1x1-1x1-0-NCHW-FP32-F" + solvers,
       "output/3: expected 9, the computed output width, got 8"},
  };
  for (const Case& each : cases) {
    INFO(each.line);
    const Records records =
        read_records("a.fdb.txt", start + "NCHW-FP32-F" + solvers + "\n" + each.line + "\n");
    CHECK(records.errors == std::vector<std::string>{"a.fdb.txt:2: " + each.error});
    CHECK(records.layers.size() == 1);
  }
  CHECK(read_records("a.fdb.txt", "").errors ==
        std::vector<std::string>{"a.fdb.txt: expected a layer a line, got an empty file"});
}

TEST_CASE("A find database is told by its content, whatever its name",
          "[profilers/miopen_find_db]") {
  const std::string line =
      "8-9-9-1x1-8-9-9-2-0x0-1x1-1x1-0-NCHW-FP32-F=GemmFwdRest:1.5" + algorithm + "\n";
  for (const std::string name : {"db.txt", "db", "x.HIP.3_2_0.ufdb.txt", "gfx90878.HIP.fdb.txt"}) {
    INFO(name);
    CHECK(read_records(name, line).layers.size() == 1);
  }
  CHECK(read_records("gfx90878.HIP.fdb.txt", line).networks.front().name == "gfx90878.HIP");
}

TEST_CASE("Both samples of MIOpen's databases are read whole", "[profilers/miopen_find_db]") {
  for (const std::string name : {"gfx90878.HIP.fdb.txt", "gfx942130.HIP.fdb.txt"}) {
    INFO(name);
    const std::string folder = std::string(ROOFLINE_SOURCE_FOLDER) + "/tests/tables";
    const Records records = read_path(folder + "/" + name, folder);
    CHECK(records.errors.empty());
    CHECK(records.layers.size() == 80);
    CHECK(std::ranges::all_of(records.layers, [](const Layer& layer) {
      return layer.measured->is_known() && !layer.measured->kernel.empty();
    }));
  }
}
