// What a caller of the library may ask for and cannot have: an error that says so, no signal and no
// exception.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "kernel/derivation.hpp"
#include "results/gate.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"
#include "results/selection.hpp"
#include "roofline/roofline.hpp"

using namespace roofline;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

LayerSpec convolution() {
  LayerSpec layer;
  layer.name = "conv";
  layer.kind = LayerKind::conv;
  layer.batch = 2;
  layer.input = OperandSpec{.sizes = {64, 56, 56}, .layer = {}};
  layer.out_channels = 64;
  layer.kernel_size.numbers = {3};
  return layer;
}

NetworkSpec network_of(LayerSpec layer) {
  NetworkSpec network;
  network.name = "net";
  network.source = "main.cpp";
  network.layers = {std::move(layer)};
  return network;
}

Gpu v100() { return find_gpu("v100").value(); }
Context context() { return make_context(v100(), {}).value(); }
Result result() {
  return evaluate(infer(network_of(convolution()), {}).value(), context()).value();
}

template <class T>
std::string said(const Expected<T>& expected) {
  return expected ? "(no error)" : expected.error().what();
}

template <Enumeration E>
constexpr E beyond = static_cast<E>(200);

}  // namespace

TEST_CASE("A context takes the GPUs that a file may state", "[model/misuse]") {
  struct Case {
    std::function<void(Gpu&)> change;
    std::string expected;
  };
  const std::string gpu = "Tesla V100 SXM2 16GB: ";
  const Case cases[] = {
      {[](Gpu& of) { of.warp_size = std::uint64_t{1} << 32; },
       gpu + "/warp_size: expected an integer from 1 to 1024, got 4294967296"},
      {[](Gpu& of) { of.warp_size = 0; }, gpu + "/warp_size: expected an integer >= 1, got 0"},
      {[](Gpu& of) { of.sm_count = 0; }, gpu + "/sm_count: expected an integer >= 1, got 0"},
      {[](Gpu& of) { of.sm_count = std::uint64_t{1} << 32; },
       gpu + "/sm_count: expected an integer from 1 to 4294967295, got 4294967296"},
      {[](Gpu& of) { of.bandwidth_byte_per_s = 0; },
       gpu + "/bandwidth_gb_per_s: expected a number > 0, got 0"},
      {[](Gpu& of) { of.bandwidth_byte_per_s = -1e9; },
       gpu + "/bandwidth_gb_per_s: expected a number > 0, got -1"},
      {[](Gpu& of) { of.bandwidth_byte_per_s = infinite; },
       gpu + "/bandwidth_gb_per_s: expected a number from 1e-30 to 1e30, got inf"},
      {[](Gpu& of) { of.bandwidth_byte_per_s = no_number; },
       gpu + "/bandwidth_gb_per_s: expected a number > 0, got nan"},
      {[](Gpu& of) { of.peak_flop_per_s = {}; },
       gpu + "/peak_tflops: expected at least one peak, got none"},
      {[](Gpu& of) { of.peak_flop_per_s[Engine::fp32] = 0; },
       gpu + "/peak_tflops/fp32: expected a number > 0, got 0"},
      {[](Gpu& of) { of.peak_flop_per_s[Engine::fp16_tensor] = no_number; },
       gpu + "/peak_tflops/fp16_tensor: expected a number > 0, got nan"},
      {[](Gpu& of) { of.boost_clock_hz = infinite; },
       gpu + "/boost_clock_mhz: expected a number from 1e-30 to 1e30, got inf"},
      {[](Gpu& of) { of.memory_byte = 0; },
       gpu + "/memory_gb: expected a size between 1 byte and 1e18 bytes, got 0"},
      {[](Gpu& of) { of.l2_byte = std::uint64_t{1} << 62; },
       gpu + "/l2_mib: expected a size between 1 byte and 1e18 bytes, got 4.39805e+12"},
      {[](Gpu& of) { of.kernel.math_share = 1.5; },
       gpu + "/kernel/math_share: expected a share from 0 to 1, got 1.5"},
      {[](Gpu& of) {
         of.sustained.emplace();
         of.sustained->bandwidth_byte_per_s = no_number;
       },
       gpu + "/sustained/bandwidth_gb_per_s: expected a number > 0, got nan"},
      {[](Gpu& of) { of.aliases = {"ALL"}; },
       gpu + "/aliases: expected the name of one GPU, got \"all\", which stands for every one"},
      {[](Gpu& of) { of.constants = nullptr; },
       gpu + "expected a GPU with constants of the kernel model, as load_gpu returns it, got none"},
  };
  for (const Case& each : cases) {
    Gpu changed = v100();
    each.change(changed);
    CHECK(said(make_context(changed, {})) == each.expected);
  }
}

TEST_CASE("A file of a GPU is checked by the same rules", "[model/misuse]") {
  const auto file = [](const std::string& field) {
    return said(load_gpu(
        R"({"name": "own", "peak_tflops": {"fp32": 1}, "bandwidth_gb_per_s": 1, )" + field + "}",
        "own.json"));
  };
  CHECK(file(R"("warp_size": 4294967296)") ==
        "own.json: /warp_size: expected an integer from 1 to 1024, got 4294967296");
  CHECK(file(R"("boost_clock_mhz": 1e40)") ==
        "own.json: /boost_clock_mhz: expected a number from 1e-30 to 1e30, got 1e+40");
  CHECK(file(R"("memory_gb": 1e10)") ==
        "own.json: /memory_gb: expected a size between 1 byte and 1e18 bytes, got 10000000000.0");
  CHECK(file(R"("kernel": {"math_share": 1.5})") ==
        "own.json: /kernel/math_share: expected a share from 0 to 1, got 1.5");
}

TEST_CASE("Options hold enumerators", "[model/misuse]") {
  const auto error_with = [](const std::function<void(AnalysisOptions&)>& change) {
    AnalysisOptions options;
    change(options);
    return said(make_context(v100(), options));
  };
  using Options = AnalysisOptions;
  CHECK(error_with([](Options& of) { of.framework = beyond<Framework>; }) ==
        "AnalysisOptions::framework: expected an enumerator from 0 to 3, got 200");
  CHECK(error_with([](Options& of) { of.engine = beyond<EngineChoice>; }) ==
        "AnalysisOptions::engine.convolutions: expected an enumerator from 0 to 4, got 200");
  CHECK(error_with([](Options& of) { of.cache = beyond<CacheState>; }) ==
        "AnalysisOptions::cache: expected an enumerator from 0 to 1, got 200");
  CHECK(error_with([](Options& of) { of.launch = beyond<LaunchProtocol>; }) ==
        "AnalysisOptions::launch: expected an enumerator from 0 to 3, got 200");
  CHECK(error_with([](Options& of) { of.optimizer = beyond<Optimizer>; }) ==
        "AnalysisOptions::optimizer: expected an enumerator from 0 to 2, got 200");
}

TEST_CASE("A network's layers and defaults hold what a file may state", "[model/misuse]") {
  const auto error_of = [](const std::function<void(LayerSpec&)>& change) {
    LayerSpec layer = convolution();
    change(layer);
    return said(infer(network_of(layer), {}));
  };
  CHECK(error_of([](LayerSpec& of) { of.kind = LayerKind::host_copy; }) ==
        "main.cpp: /type: expected a kind that a network may state, got host_copy");
  CHECK(error_of([](LayerSpec& of) { of.kind = beyond<LayerKind>; }) ==
        "main.cpp: /type: expected an enumerator from 0 to 49, got 200");
  CHECK(error_of([](LayerSpec& of) { of.pass = beyond<Pass>; }) ==
        "main.cpp: /pass: expected an enumerator from 0 to 2, got 200");
  CHECK(error_of([](LayerSpec& of) { of.layout = beyond<Layout>; }) ==
        "main.cpp: /layout: expected an enumerator from 0 to 2, got 200");
  CHECK(error_of([](LayerSpec& of) { of.dtypes.input = beyond<DataType>; }) ==
        "main.cpp: /dtype: expected an enumerator from 0 to 21, got 200");
  CHECK(error_of([](LayerSpec& of) { of.dtypes.weight = DataType::amp; }) ==
        "main.cpp: /dtype: expected a type of tensors, got amp");
  CHECK(error_of([](LayerSpec& of) { of.padding.rule = beyond<PaddingRule>; }) ==
        "main.cpp: /padding: expected an enumerator from 0 to 3, got 200");
  CHECK(error_of([](LayerSpec& of) { of.rank = 9; }) ==
        "main.cpp: /type: expected 1 to 3 axes, got 9");
  CHECK(error_of([](LayerSpec& of) { of.input->type = beyond<DataType>; }) ==
        "main.cpp: /input: expected an enumerator from 0 to 21, got 200");
  Measured no_time;
  no_time.warm_s = no_number;
  CHECK(error_of([&](LayerSpec& of) { of.measured = no_time; }) ==
        "main.cpp: /measured_us: expected a time >= 0, got nan");
  using Mapping = KernelMapping;
  const auto error_with = [&](const std::function<void(Mapping&)>& change) {
    Mapping mapping;
    change(mapping);
    return error_of([&](LayerSpec& of) { of.mapping = SharedValue<Mapping>(mapping); });
  };
  CHECK(error_with([](Mapping& of) { of.algorithm = beyond<Algorithm>; }) ==
        "main.cpp: /kernel: algorithm: expected an enumerator from 0 to 59, got 200");
  CHECK(error_with([](Mapping& of) {
          of.tile = {{64, 0, 8}};
        }) == "main.cpp: /kernel: tile: expected integers >= 1, got 0");
  CHECK(error_with([](Mapping& of) { of.split_k = 0; }) ==
        "main.cpp: /kernel: split_k: expected an integer >= 1, got 0");
  using Defaults = LayerDefaults;
  const auto error_under = [](const std::function<void(Defaults&)>& change) {
    Defaults defaults;
    change(defaults);
    return said(infer(network_of(convolution()), defaults));
  };
  for (const DataType type : {DataType::fp32, DataType::int8})
    CHECK(error_under([&](Defaults& of) { of.autocast = type; }) ==
          "LayerDefaults::autocast: expected amp or amp-bf16, got " + std::string(name_of(type)));
  CHECK(error_under([](Defaults& of) { of.autocast = beyond<DataType>; }) ==
        "LayerDefaults::autocast: expected an enumerator from 0 to 21, got 200");
  CHECK(error_under([](Defaults& of) { of.dtype = DataType::amp; }) ==
        "LayerDefaults::dtype: expected a type of operands, got amp");
  CHECK(error_under([](Defaults& of) { of.pass = beyond<Pass>; }) ==
        "LayerDefaults::pass: expected an enumerator from 0 to 2, got 200");
  CHECK(error_under([](Defaults& of) { of.batch_override = 0; }) ==
        "LayerDefaults::batch_override: expected an integer >= 1, got 0");
  CHECK(error_under([](Defaults& of) { of.mapping.stages = 0; }) ==
        "LayerDefaults::mapping: stages: expected an integer >= 1, got 0");
  NetworkSpec under = network_of(convolution());
  under.autocast = DataType::int8;
  CHECK(said(infer(under, {})) == "NetworkSpec::autocast: expected amp or amp-bf16, got int8");
  NetworkSpec unread = network_of(convolution());
  unread.layers.clear();
  unread.unread.count = 3;
  CHECK(said(infer(unread, {})) == "main.cpp: expected a function that reads 3 layers, got none");
}

TEST_CASE("A result without layers is an error at every step", "[model/misuse]") {
  Network empty = infer(network_of(convolution()), {}).value();
  empty.layers.clear();
  CHECK(said(evaluate(empty, context())) == "main.cpp: expected layers, got none");
  CHECK(said(render_layer_file(empty)) == "main.cpp: expected layers, got none");
  CHECK(said(join_records("main.cpp", "net", {}, context())) ==
        "main.cpp: expected layers, got none");
  CHECK(said(join_records("main.cpp", "net", {{}, {}}, context())) ==
        "main.cpp: expected layers, got none");
  CHECK(said(evaluate_layers(empty, context())) == "main.cpp: expected layers, got none");
}

TEST_CASE("A report needs contexts, recordings and enumerators", "[model/misuse]") {
  const Context context = ::context();
  CHECK(said(report_of({{result(), nullptr}}, {}, {})) ==
        "main.cpp: expected a result with the context that it was evaluated in, got none");
  ReportOptions options;
  options.filter.sort = beyond<SortBy>;
  CHECK(said(report_of({{result(), &context}}, {}, options)) ==
        "RowFilter::sort: expected an enumerator from 0 to 6, got 200");
  options.filter = {};
  options.filter.by = beyond<RowsBy>;
  CHECK(said(report_of({{result(), &context}}, {}, options)) ==
        "RowFilter::by: expected an enumerator from 0 to 2, got 200");
  CHECK(said(report_of({}, {}, {}, {KernelTable{}})) ==
        "expected kernels as place_kernels returns them, got none");
  CHECK(said(place_kernels(nullptr, &context)) == "expected a recording of kernels, got none");
  CHECK(report_of({}, {}, {}).has_value());
  std::vector<LayerResult> rows = result().layers;
  keep_leading(rows, {});
  CHECK(rows.size() == 1);
}

TEST_CASE("A format writes what there is to a sink", "[model/misuse]") {
  const Context context = ::context();
  const Report report = report_of({{result(), &context}}, {}, {}).value();
  for (const OutputFormat& format : output_formats()) {
    INFO(format.name);
    RenderStyle style;
    style.chart = beyond<ChartKind>;
    CHECK(said(format.render(report, style)) ==
          "RenderStyle::chart: expected an enumerator from 0 to 2, got 200");
    const std::optional<InputError> error = format.write(report, {}, nullptr);
    CHECK((error && error->message == "expected a sink for the output, got none"));
    CHECK(format.render(Report{}, {}).has_value());
  }
  CHECK(said(OutputFormat{}.render(report, {})) ==
        "expected one of output_formats(), got a format that writes nothing");
}

TEST_CASE("A gate, a batch and an item come from the functions that make them", "[model/misuse]") {
  const Context context = ::context();
  const Result evaluated = result();
  CHECK(said(check_gate({}, {&evaluated})) == "expected a gate as parse_gate returns it, got \"\"");
  Gate gate = parse_gate("expected_ms > 1").value();
  gate.comparison = "";
  CHECK(said(check_gate(gate, {&evaluated})) ==
        "expected a gate as parse_gate returns it, got \"expected_ms > 1\"");
  CHECK(said(find_batch(BatchGoal::max, {}, context)) ==
        "expected a function from a batch to a network, got none");
  CHECK(said(find_batch(beyond<BatchGoal>, {}, context)) ==
        "BatchGoal: expected an enumerator from 0 to 1, got 200");
  CHECK(said(Item{}.spec({})) == "expected an item of an input, got none");
}

TEST_CASE("A setting of a GPU is a number above 0", "[model/misuse]") {
  const auto error_of = [](const GpuSetting& setting) {
    return said(with_settings(v100(), {&setting, 1}));
  };
  CHECK(error_of({.text = "own", .name = "sms", .engine = {}, .value = no_number}) ==
        "sms: expected a number > 0, got nan");
  CHECK(error_of({.text = "own", .name = "bandwidth", .engine = {}, .value = -1}) ==
        "bandwidth: expected a number > 0, got -1");
  CHECK(error_of({.text = "own", .name = "peak", .engine = beyond<Engine>, .value = 1}) ==
        "GpuSetting::engine: expected an enumerator from 0 to 16, got 200");
}

TEST_CASE("A kernel is planned for an engine", "[model/misuse]") {
  const Context context = ::context();
  const LayerResult row = result().layers.front();
  const auto engine = beyond<Engine>;
  CHECK(said(plan_kernel(row.layer, row.counts, engine, context.kernel, CacheState::warm)) ==
        "expected an enumerator from 0 to 16, got 200");
  CHECK(said(derive_kernel(row.layer, row.counts, engine, context.kernel, CacheState::warm)) ==
        "expected an enumerator from 0 to 16, got 200");
}
