#include "report/advice.hpp"

#include <fmt/format.h>

#include "report/text.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr double least_gain = 1.05;

void set_batch(Layer& layer, std::uint64_t factor) {
  for (Operand& operand : layer.inputs)
    if (!operand.is_parameter) operand.shape.batch *= factor;
  layer.output.batch *= factor;
}

class Advisor {
 public:
  Advisor(const LayerResult& row, const Gpu& gpu, const AnalysisOptions& options)
      : row_(row), gpu_(gpu), model_(kernel_model_of(gpu)), options_(options) {}

  std::string lines() {
    batch();
    channels();
    library_mapping();
    half_precision();
    fusion();
    return text_;
  }

 private:
  double time_of(const Layer& layer, Engine engine) const {
    try {
      const auto plan = plan_kernel(layer, count(layer), engine, model_, options_.cache);
      return plan ? plan->expected_time_s : 0;
    } catch (const std::runtime_error&) {  // too large, or a mapping that cannot run
      return 0;
    }
  }

  void add(const std::string& change, double new_time_s, const std::string& unit) {
    const double old_time_s = row_.kernel->expected_time_s;
    if (new_time_s <= 0 || old_time_s < least_gain * new_time_s) return;
    text_ += fmt::format("  {:<44} {} {}, x{:.2f} faster\n", change, duration(new_time_s), unit,
                         old_time_s / new_time_s);
  }

  void batch() {
    constexpr std::uint64_t factor = 8;
    Layer layer = row_.layer;
    set_batch(layer, factor);
    add(fmt::format("batch {} in place of {}", layer.output.batch, row_.layer.output.batch),
        time_of(layer, row_.engine) / factor,
        fmt::format("for a batch of {}", row_.layer.output.batch));
  }

  /// Channels at the next multiple of what tensor cores load at once.
  void channels() {
    constexpr std::uint64_t multiple = 8;
    Layer layer = row_.layer;
    if (info(layer.kind).family != KindFamily::contraction || layer.groups != 1) return;
    const auto rounded = [](std::uint64_t n) { return (n + multiple - 1) / multiple * multiple; };
    std::uint64_t& in = layer.inputs.front().shape.channels;
    std::uint64_t& out = layer.output.channels;
    const std::string change =
        fmt::format("channels {} -> {} as {} -> {}", in, out, rounded(in), rounded(out));
    in = rounded(in);
    out = rounded(out);
    if (in == row_.layer.inputs.front().shape.channels && out == row_.layer.output.channels) return;
    add(change, time_of(layer, row_.engine), "in all");
  }

  void library_mapping() {
    Layer layer = row_.layer;
    if (layer.mapping == KernelMapping{}) return;
    layer.mapping = {};
    add("the library's own mapping", time_of(layer, row_.engine), "in all");
  }

  void half_precision() {
    Layer layer = row_.layer;
    if (size_byte(layer.dtypes.input) <= 2) return;
    layer.dtypes = {DataType::fp16, DataType::fp16, DataType::fp16};
    if (const auto engine = select_engine(layer, gpu_.peak_flop_per_s, options_.engine))
      add("fp16", time_of(layer, *engine), "in all");
  }

  void fusion() {
    const KindFamily family = info(row_.layer.kind).family;
    const bool fusable = row_.layer.kind == LayerKind::batch_norm ||
                         row_.layer.kind == LayerKind::add || family == KindFamily::activation;
    if (fusable && row_.layer.pass == Pass::fwd)
      text_ += "  fused into the layer before it (--fuse epilogue)  next to nothing\n";
  }

  const LayerResult& row_;
  const Gpu& gpu_;
  KernelModel model_;
  const AnalysisOptions& options_;
  std::string text_;
};

}  // namespace

std::string advice(const LayerResult& row, const Gpu& gpu, const AnalysisOptions& options) {
  return Advisor(row, gpu, options).lines();
}

}  // namespace roofline
