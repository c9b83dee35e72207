// What a program does with the installed library: a layer and a GPU of its own making, swept over
// batches, and a built-in network on a built-in GPU as JSON on standard output.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <roofline/roofline.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace roofline;

/// Says what is wrong. Returns the program's exit code.
int fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return 1;
}

/// 3x3 over 56x56, 64 to 64 channels.
NetworkSpec convolution(std::uint64_t batch) {
  LayerSpec layer;
  layer.name = "conv";
  layer.kind = LayerKind::conv;
  layer.batch = batch;
  layer.input = OperandSpec{.sizes = {64, 56, 56}, .layer = {}};
  layer.out_channels = 64;
  layer.kernel_size.numbers = {3};
  layer.padding.numbers = {1};
  NetworkSpec network;
  network.name = "one convolution";
  network.source = "main.cpp";
  network.layers = {layer};
  return network;
}

/// A part that nobody sells: 10 TFLOP/s and 1 TB/s, with a V100's kernels.
Expected<Gpu> own_gpu() {
  Expected<Gpu> gpu = find_gpu("v100");
  if (!gpu) return gpu;
  gpu->name = "a part of our own";
  gpu->peak_flop_per_s = {};
  gpu->peak_flop_per_s[static_cast<std::size_t>(Engine::fp32)] = 10e12;
  gpu->bandwidth_byte_per_s = 1e12;
  return gpu;
}

bool is_about(double value, double expected) {
  return std::abs(value - expected) <= 1e-12 * expected;
}

/// The convolution at batches 1 to 64: its counts and bounds are those worked out by hand.
std::string wrong_in_sweep() {
  const Expected<Gpu> gpu = own_gpu();
  if (!gpu) return gpu.error().what();
  const Expected<Context> context = make_context(*gpu, {});
  if (!context) return context.error().what();
  std::vector<Result> results;
  for (std::uint64_t batch = 1; batch <= 64; batch *= 2) {
    const Expected<Network> network = infer(convolution(batch), {});
    if (!network) return network.error().what();
    Expected<Result> result = evaluate(*network, *context);
    if (!result) return result.error().what();
    const std::uint64_t macs = batch * 56 * 56 * 64 * 64 * 9;
    const std::uint64_t bytes = 4 * (2 * batch * 64 * 56 * 56 + 64 * 64 * 9);
    if (result->total.macs != macs) return "MACs of batch " + std::to_string(batch);
    if (result->total.bytes.total != bytes) return "bytes of batch " + std::to_string(batch);
    // 2 x MACs over the bytes: 131 and more FLOP a byte, above the ridge of 10.
    if (!is_about(result->total.roofline_time_s, 2 * static_cast<double>(macs) / 10e12))
      return "bound of batch " + std::to_string(batch);
    results.push_back(*std::move(result));
  }
  const std::vector<SettingsTable> sweeps = sweeps_of(settings_of(results, {}));
  if (sweeps.size() != 1 || sweeps.front().rows.size() != 7) return "the sweep";
  return "";
}

/// What cannot be is said, not thrown.
std::string wrong_in_errors() {
  NetworkSpec spec = convolution(1);
  spec.layers.front().kernel_size.numbers = {0};
  const Expected<Network> network = infer(spec, {});
  if (network) return "a kernel of 0 was taken";
  if (find_gpu("no such part")) return "a GPU that is none was found";
  return "";
}

}  // namespace

int main() {
  for (const std::string& wrong : {wrong_in_sweep(), wrong_in_errors()})
    if (!wrong.empty()) return fail(wrong);
  const Expected<Gpu> gpu = find_gpu("a100");
  if (!gpu) return fail(gpu.error().what());
  const Expected<Context> context = make_context(*gpu, {});
  if (!context) return fail(context.error().what());
  const Expected<Network> network = load_network(*find_network("resnet18"), "resnet18", {});
  if (!network) return fail(network.error().what());
  Expected<Result> result = evaluate(*network, *context);
  if (!result) return fail(result.error().what());
  const auto report = make_report({{*std::move(result), &*context}}, {}, {});
  if (!report) return fail(report.error().what());
  const Expected<std::string> json = find_output_format("json")->render(**report, {});
  if (!json) return fail(json.error().what());
  std::fputs(json->c_str(), stdout);
}
