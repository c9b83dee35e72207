// GPU files with one thing wrong, and GPUs that cannot run what is asked.

#include <cstdlib>

#include "load/loading.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

using namespace roofline;

namespace {

/// A good GPU file with these keys in place of, or beside, its own.
std::string gpu(const std::string& more) {
  return R"({"name": "X", "peak_tflops": {"fp32": 10}, "bandwidth_gb_per_s": 500)" +
         (more.empty() ? "" : ", " + more) + "}";
}

std::string message_on(const std::string& gpu_name, const std::string& layer,
                       EngineChoice engine = EngineChoice::automatic) {
  AnalysisOptions options;
  options.engine = engine;
  return message_of([&] { analyze(load_text(layer), find_gpu(gpu_name).value(), options); });
}

}  // namespace

TEST_CASE("A wrong GPU file says what is wrong with it", "[load/bad_gpus]") {
  CHECK(message_of([] { load_gpu(gpu(""), "x.json").value(); }) == "");
  const std::vector<BadInput> table{
      {"{", "x.json:1:2: expected more JSON, got the end of the text"},
      {"[]", "expected an object, got []"},
      {"{}", "/name: expected the GPU's name, got nothing"},
      {R"({"name": "X", "bandwidth_gb_per_s": 500})",
       "/peak_tflops: expected peaks such as {\"fp32\": 15.7}, got nothing"},
      {R"({"name": "X", "peak_tflops": {"fp32": 10}})",
       "/bandwidth_gb_per_s: expected a number > 0, got nothing"},
      {R"({"name": "X", "peak_tflops": {}, "bandwidth_gb_per_s": 500})",
       "/peak_tflops: expected at least one peak, got {}"},
      {R"({"name": "X", "aliases": ["All"], "peak_tflops": {"fp32": 10}, "bandwidth_gb_per_s": 500})",
       "/aliases: expected the name of one GPU, got \"all\", which stands for every one"},
      {R"({"name": "X", "peak_tflops": 15.7, "bandwidth_gb_per_s": 500})",
       "/peak_tflops: expected an object, got 15.7"},
      {R"({"name": "X", "peak_tflops": {"fp32": -10}, "bandwidth_gb_per_s": 500})",
       "/peak_tflops/fp32: expected a number > 0, got -10"},
      {R"({"name": "X", "peak_tflops": {"fp32": 0}, "bandwidth_gb_per_s": 500})",
       "/peak_tflops/fp32: expected a number > 0, got 0"},
      {R"({"name": "X", "peak_tflops": {"fp32": null}, "bandwidth_gb_per_s": 500})",
       "/peak_tflops/fp32: expected a number > 0, got null"},
      {R"({"name": "X", "peak_tflops": {"fp16_tensors": 10}, "bandwidth_gb_per_s": 500})",
       "/peak_tflops/fp16_tensors: expected a key of the engines, got \"fp16_tensors\"; did you "
       "mean \"fp16_tensor\"?"},
      {R"({"name": "X", "peak_tflops": {"fp32": 10}, "bandwidth_gb_per_s": "900"})",
       "/bandwidth_gb_per_s: expected a number > 0, got \"900\""},
      {gpu(R"("sm_counts": 80)"),
       "/sm_counts: expected a key of a GPU, got \"sm_counts\"; did you mean \"sm_count\"?"},
      {R"({"name": "X", "fp32_tflops": 10, "bandwidth_gb_per_s": 500})",
       "/fp32_tflops: expected a key of a GPU such as \"peak_tflops\": {\"fp32\": 15.7}, got "
       "\"fp32_tflops\""},
      {gpu(R"("bandwidth_gbs": 500)"),
       "/bandwidth_gbs: expected a key of a GPU such as \"bandwidth_gb_per_s\": 900, got "
       "\"bandwidth_gbs\""},
      {gpu(R"("price": 9000)"), "/price: expected a key of a GPU, got \"price\""},
      {gpu(R"("sm_count": -80)"), "/sm_count: expected an integer >= 1, got -80"},
      {gpu(R"("sm_count": 4294967296)"),
       "/sm_count: expected an integer from 1 to 4294967295, got 4294967296"},
      {gpu(R"("warp_size": 33554432)"),
       "/warp_size: expected an integer from 1 to 1024, got 33554432"},
      {gpu(R"("tdp_w": true)"), "/tdp_w: expected a number > 0, got true"},
      {gpu(R"("aliases": "x")"), "/aliases: expected an array of strings, got \"x\""},
      {gpu(R"("aliases": ["x", 1])"), "/aliases/1: expected a string, got 1"},
      {gpu(R"("power_modes": {"30W": 30})"),
       "/power_modes: expected a list of power modes, got {\"30W\":30}"},
      {gpu(R"("power_modes": [{"set": ["sms=8"]}])"),
       "/power_modes/0/name: expected a name such as 30W, got nothing"},
      {gpu(R"("power_modes": [{"name": "30W", "clock": 612}])"),
       "/power_modes/0/clock: expected a key of a power mode, got \"clock\""},
      {gpu(R"("power_modes": [{"name": "30W", "set": ["sms=few"]}])"),
       "/power_modes: 30W: expected a number with its unit or a factor, such as sms=160, x1.5 or "
       "+10%, got \"few\""},
      {gpu(R"("sources": {})"), "/sources: expected a list of sources, got {}"},
      {gpu(R"("sources": [{"date": "2020"}])"), "/sources/0/title: expected a title, got nothing"},
      {gpu(R"("sustained": {"bandwidth_gb_per_s": 400})"),
       "/sustained/source: expected who measured this, on what, got nothing"},
      {gpu(R"("vendor": "A", "vendor": "B")"),
       "/vendor: expected each key once, got this one twice"},
  };
  for (const BadInput& bad : table) {
    INFO(bad.text);
    const bool has_position = bad.message.starts_with("x.json:");
    CHECK(message_of([&] { load_gpu(bad.text, "x.json").value(); }) ==
          (has_position ? "" : "x.json: ") + bad.message);
  }
}

TEST_CASE("A misspelt required key is named", "[load/bad_gpus]") {
  CHECK(message_of([] {
          load_gpu(R"({"name": "X", "peak_tflops": {"fp32": 1}, "bandwith_gb_per_s": 1})", "x.json")
              .value();
        }) ==
        "x.json: /bandwith_gb_per_s: expected a key of a GPU, got \"bandwith_gb_per_s\"; did you "
        "mean \"bandwidth_gb_per_s\"?");
}

TEST_CASE("A GPU's counts are whole and its rates finite", "[load/bad_gpus]") {
  const auto fails = [](const std::string& text) {
    INFO(text);
    CHECK(message_of([&] { load_gpu(text, "x.json").value(); }) != "");
  };
  fails(gpu(R"("sm_count": 0.3)"));
  fails(gpu(R"("sm_count": 80.5)"));
  fails(gpu(R"("sm_count": 1e30)"));
  fails(gpu(R"("memory_gb": 1e30)"));
  fails(R"({"name": "X", "peak_tflops": {"fp32": 1e308}, "bandwidth_gb_per_s": 500})");
  fails(R"({"name": "X", "peak_tflops": {"fp32": 1}, "bandwidth_gb_per_s": 1e308})");
}

TEST_CASE("A GPU without a peak for the type lists the peaks it has", "[load/bad_gpus]") {
  const std::string conv =
      R"("name": "c", "input": [8, 8, 8], "out_channels": 8, "kernel_size": 3)";
  CHECK(message_on("p100", "{" + conv + R"(, "dtype": "int8"})") ==
        "conv.json: layer \"c\" is in int8, for which Tesla P100 SXM2 16GB has no peak; it has "
        "fp64, fp32, fp16");
  CHECK(message_on("v100", "{" + conv + R"(, "dtype": "bf16"})") ==
        "conv.json: layer \"c\" is in bf16, for which Tesla V100 SXM2 16GB has no peak; it has "
        "fp64, fp32, fp16, fp16_tensor, dp4a");
  CHECK(message_on("v100", "{" + conv + "}", EngineChoice::tensor) ==
        "conv.json: layer \"c\" is in fp32, for which Tesla V100 SXM2 16GB has no peak on tensor "
        "cores; it has fp64, fp32, fp16, fp16_tensor, dp4a");
}

TEST_CASE("An unknown GPU comes with the nearest names", "[load/bad_gpus]") {
  CHECK(gpu_message("RX 7900 XT") == "unknown GPU \"RX 7900 XT\"; did you mean rx7900xtx?");
  CHECK(gpu_message("A2") == "unknown GPU \"A2\"");
  CHECK(gpu_message("alll") == "unknown GPU \"alll\"; did you mean all?");
  CHECK(gpu_message("hoper") == "unknown GPU \"hoper\"; did you mean hopper?");
  CHECK(gpu_message("abacus") == "unknown GPU \"abacus\"");
  CHECK(gpu_message("") == "unknown GPU \"\"");
}
