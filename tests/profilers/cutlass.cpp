// Tables of CUTLASS' profiler: its columns, as cutlass_profiler --output=FILE writes them.

#include "catch.hpp"
#include "load/record_reading.hpp"

using namespace roofline;

TEST_CASE("CUTLASS' profiler: kinds, types and times of convolutions", "[profilers/cutlass]") {
  const Records records = read_path(ROOFLINE_SOURCE_FOLDER "/tests/profilers/conv.a100.cutlass.csv",
                                    ROOFLINE_SOURCE_FOLDER "/tests/profilers");
  CHECK(records.errors ==
        std::vector<std::string>{"conv.a100.cutlass.csv:6: Status: expected success, got "
                                 "\"not_supported\""});
  REQUIRE(records.layers.size() == 3);
  const Layer& fprop = records.layers[0];
  CHECK(fprop.pass == Pass::fwd);
  CHECK(fprop.inputs[0].shape == Shape{8, 64, {1, 56, 56}, 2});
  CHECK(fprop.output == Shape{8, 128, {1, 28, 28}, 2});
  CHECK(fprop.dtypes.input == DataType::fp16);
  CHECK(fprop.layout == Layout::nhwc);
  CHECK(fprop.fp16_accumulate);
  // The faster of two kernels counts.
  CHECK(*fprop.measured->warm_s == Approx(15.3e-6));
  CHECK(fprop.measured->kernel == "cutlass_tensorop_h16816fprop_optimized_128x64_32x3_nhwc");
  CHECK(fprop.measured->other_kernels ==
        "cutlass_tensorop_h16816fprop_optimized_256x128_32x3_nhwc 0.0204 ms");
  const Layer& dgrad = records.layers[1];
  CHECK(dgrad.pass == Pass::dgrad);
  CHECK(dgrad.dtypes.input == DataType::bf16);
  CHECK(dgrad.dtypes.output == DataType::fp32);
  CHECK_FALSE(dgrad.fp16_accumulate);
  const Layer& wgrad = records.layers[2];
  CHECK(wgrad.pass == Pass::wgrad);
  CHECK(wgrad.window->dilation == Axes{1, 2, 2});
  CHECK(wgrad.dtypes.weight == DataType::tf32);
}

TEST_CASE("CUTLASS' profiler: products", "[profilers/cutlass]") {
  const std::string header =
      "Problem,Provider,OperationKind,Operation,Disposition,Status,gemm_kind,m,n,k,A,B,C,"
      "batch_count,accum,Runtime\n";
  const auto row = [](const std::string& types, const std::string& time) {
    return "1,CUTLASS,gemm,x,passed,success,universal,64,32,16," + types + ",3,f32," + time + "\n";
  };
  const Records records = read_records(
      "x.csv", header + row("f16:column,f16:row,f32:column", "1.5") +
                   row("fe4m3:row,fe4m3:column,bf16:row", "2") + row("f16,f17:row,f16:row", "1"));
  REQUIRE(records.layers.size() == 2);
  CHECK(records.layers[0].kind == LayerKind::matmul);
  CHECK(records.layers[0].output == Shape{3, 32, {1, 1, 64}, 1});
  CHECK(records.layers[0].inputs[0].shape.channels == 16);
  CHECK(records.layers[0].dtypes.output == DataType::fp32);
  CHECK(*records.layers[0].measured->warm_s == Approx(1.5e-3));
  CHECK(records.layers[1].dtypes.input == DataType::fp8);
  CHECK(records.errors ==
        std::vector<std::string>{"x.csv:4: B: expected a type and a layout, as f16:nhwc, got "
                                 "\"f17:row\""});
}
