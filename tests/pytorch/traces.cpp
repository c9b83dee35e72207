// Traces of real runs: what PyTorch 2.11 recorded on an H200 (tests/traces/README.md).

#include <algorithm>
#include <map>
#include <tuple>

#include "catch.hpp"
#include "model/recording.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace {

std::shared_ptr<const NetworkSpec> read_recorded(const std::string& name) {
  const std::string path = std::string(ROOFLINE_SOURCE_FOLDER "/tests/traces/") + name;
  auto item = *open_input(path).value()->next();
  return item.value().spec({}).value();
}

/// A convolution by all that its counts depend on; the passes and copies of each are counted.
using Convolution = std::tuple<std::uint64_t, std::uint64_t, Axes, std::uint64_t, Axes, Axes, Axes,
                               std::uint64_t, DataType, Pass>;

void add(std::map<Convolution, int>& counts, const Layer& layer, Pass pass) {
  const Shape& in = layer.inputs.front().shape;
  const Window& window = *layer.window;
  ++counts[{in.batch, in.channels, in.spatial, layer.output.channels, window.kernel, window.stride,
            window.pad_begin, layer.groups, layer.dtypes.input, pass}];
}

std::map<Convolution, int> convolutions_of(const NetworkSpec& spec) {
  std::map<Convolution, int> counts;
  for (const Layer& layer : infer(spec, {}).value().layers)
    if (layer.kind == LayerKind::conv) add(counts, layer, layer.pass);
  return counts;
}

/// The built-in network's convolutions; in training the first needs no gradient of its input.
std::map<Convolution, int> built_in_convolutions(const std::string& name, bool training) {
  LayerDefaults defaults;
  defaults.dtype = DataType::fp16;
  defaults.batch_override = 32;
  std::map<Convolution, int> counts;
  bool first = true;
  for (const Layer& layer : load_network(*find_network(name), name, defaults).value().layers) {
    if (layer.kind != LayerKind::conv) continue;
    add(counts, layer, Pass::fwd);
    if (training) add(counts, layer, Pass::wgrad);
    if (training && !first) add(counts, layer, Pass::dgrad);
    first = false;
  }
  return counts;
}

int sum(const std::map<Convolution, int>& counts, Pass pass) {
  int found = 0;
  for (const auto& [convolution, count] : counts)
    found += std::get<Pass>(convolution) == pass ? count : 0;
  return found;
}

double time_of(const NetworkSpec& spec, LayerKind kind) {
  double time_s = 0;
  for (const LayerSpec& layer : spec.layers)
    if (layer.kind == kind)
      time_s += *layer.measured->warm_s * static_cast<double>(layer.repeat.value_or(1));
  return time_s;
}

}  // namespace

TEST_CASE("The convolutions of a trace are those of the network's own file", "[pytorch/traces]") {
  const auto eager = convolutions_of(*read_recorded("resnet18.fwd.fp16.b32.pt.trace.json.gz"));
  CHECK(eager == built_in_convolutions("resnet18", false));
  CHECK(sum(eager, Pass::fwd) == 20);

  const auto compiled =
      convolutions_of(*read_recorded("resnet18.compiled.fp16.b32.pt.trace.json.gz"));
  CHECK(compiled == eager);

  const auto training =
      convolutions_of(*read_recorded("mobilenet_v2.training.amp.b32.pt.trace.json.gz"));
  CHECK(training == built_in_convolutions("mobilenet_v2", true));
  CHECK(sum(training, Pass::fwd) == 52);
  CHECK(sum(training, Pass::dgrad) == 51);
  CHECK(sum(training, Pass::wgrad) == 52);
}

// PyTorch's own batch norm casts its half-precision statistics by a copy. The sum of the kernels
// named batch_norm or direct_copy, 20 + 20 + 20 of them, from the trace with a line of Python.
TEST_CASE("A batch norm's cast of its statistics is work of the batch norm", "[pytorch/traces]") {
  const auto spec = read_recorded("resnet18.fwd.fp16.b32.pt.trace.json.gz");
  CHECK(time_of(*spec, LayerKind::copy) == 0);
  CHECK(time_of(*spec, LayerKind::batch_norm) == Approx(230.525e-6).epsilon(1e-5));
}

// Sums of the kernels' durations, counted from the traces with a few lines of Python.
TEST_CASE("A trace's times, all of them", "[pytorch/traces]") {
  struct Recorded {
    std::string name;
    std::size_t steps;
    double launches;
    double kernel_s;
    double span_s;
    double conv_s;
    double explained_share;
  };
  const std::vector<Recorded> all{
      {"resnet18.fwd.fp16.b32.pt.trace.json.gz", 1, 116, 856.948e-6, 2413.472e-6, 394.8e-6, 1},
      {"resnet18.compiled.fp16.b32.pt.trace.json.gz", 1, 47, 550.778e-6, 1647.370e-6, 392.9e-6, 1},
      {"mobilenet_v2.training.amp.b32.pt.trace.json.gz", 1, 896, 4860.590e-6, 18798.433e-6,
       1759.7e-6, 1},
      {"resnet50.fwd.fp16.b32.3steps.json.gz", 3, 289, 2241.242e-6, 5007.545e-6, 798.9e-6, 1}};
  for (const Recorded& expected : all) {
    INFO(expected.name);
    const auto spec = read_recorded(expected.name);
    REQUIRE(spec->summary);
    const TraceSummary& summary = *spec->summary;
    CHECK(summary.recorder == Recorder::pytorch_profiler);
    CHECK(summary.gpu.name == "NVIDIA H200");
    CHECK(summary.steps == expected.steps);
    CHECK(summary.launches == Approx(expected.launches));
    CHECK(summary.kernel_s == Approx(expected.kernel_s).epsilon(1e-5));
    CHECK(summary.span_s == Approx(expected.span_s).epsilon(1e-5));
    CHECK(summary.busy_s <= summary.kernel_s * (1 + 1e-9));
    CHECK(summary.busy_s > 0.99 * summary.kernel_s);
    CHECK(summary.explained_share() == Approx(expected.explained_share).epsilon(1e-3));
    CHECK(time_of(*spec, LayerKind::conv) == Approx(expected.conv_s).epsilon(1e-3));
    double layers_s = 0;
    for (const LayerSpec& layer : spec->layers) {
      layers_s += *layer.measured->warm_s * static_cast<double>(layer.repeat.value_or(1));
      CHECK(layer.measured->gpu == "NVIDIA H200");
    }
    CHECK(layers_s == Approx(summary.layers_s));
    double unmodelled_s = 0;
    for (const UnmodelledWork& work : summary.unmodelled) unmodelled_s += work.time_s;
    CHECK(layers_s + unmodelled_s == Approx(summary.kernel_s));
  }
}

// The first kernel normalises one tensor of 32 x 64 x 112 x 112 in place with four vectors of 64;
// the second reads that tensor and writes the pooled one, 32 x 64 x 56 x 56.
TEST_CASE("What torch.compile fused counts by its operands", "[pytorch/traces]") {
  const auto spec = read_recorded("resnet18.compiled.fp16.b32.pt.trace.json.gz");
  CHECK(spec->summary->unmodelled.empty());
  struct Case {
    std::string name;
    std::uint64_t total_byte;
    double measured_s;
  };
  constexpr std::uint64_t image = 32 * 64 * 112 * 112;
  const std::vector<Case> table{
      {"triton_poi_fused__native_batch_norm_legit_no_training_relu_0 32x64x112x112",
       2 * (2 * image + 4 * 64), 31.52e-6},
      {"triton_poi_fused__native_batch_norm_legit_no_training_max_pool2d_with_indices_relu_1 "
       "32x64x112x112",
       2 * (image + image / 4 + 1), 20.42e-6}};
  const Network network = infer(*spec, {}).value();
  for (const Case& each : table) {
    INFO(each.name);
    const auto found = std::find_if(network.layers.begin(), network.layers.end(),
                                    [&](const Layer& layer) { return layer.name == each.name; });
    REQUIRE(found != network.layers.end());
    CHECK(found->kind == LayerKind::other);
    CHECK(count(*found).bytes.total == each.total_byte);
    CHECK(*found->measured->warm_s == Approx(each.measured_s).epsilon(1e-3));
  }
}

TEST_CASE("Layers of a trace have names that are recognised, each once", "[pytorch/traces]") {
  const auto spec = read_recorded("mobilenet_v2.training.amp.b32.pt.trace.json.gz");
  std::vector<std::string> names;
  for (const LayerSpec& layer : spec->layers) names.push_back(*layer.name);
  for (const std::string wanted :
       {"conv2d 32x3x224x224 to 32 k3 s2", "conv2d 32x32x112x112 to 32 k3 g32 dgrad",
        "conv2d 32x1280x7x7 to 1000 k1", "batch_norm training 32x32x112x112",
        "relu6 32x96x112x112 dgrad", "linear 32x1280 to 1000", "linear 32x1280 to 1000 wgrad",
        "add 32x24x56x56", "global_avg_pool 32x1280x7x7", "copy 32x3x224x224 fp32 to fp16"}) {
    INFO(wanted);
    const bool expected = wanted != "conv2d 32x1280x7x7 to 1000 k1";  // a linear layer has none
    CHECK((std::find(names.begin(), names.end(), wanted) != names.end()) == expected);
  }
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}
