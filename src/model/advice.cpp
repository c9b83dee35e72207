#include "roofline/advice.hpp"

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
  Advisor(const LayerResult& row, const Result& result, const Context& context)
      : row_(row),
        context_(context),
        model_(kernel_model_for(context, result.bounds.main_engine)) {}

  std::vector<Advice> all() {
    batch();
    channels();
    library_mapping();
    half_precision();
    vector_units();
    fusion();
    return std::move(found_);
  }

 private:
  std::optional<double> time_of(const Layer& layer, Engine engine) const {
    try {
      const auto plan = plan_kernel(layer, count(layer), engine, model_, context_.options.cache);
      const bool runs = plan && *plan;  // not a mapping that cannot
      return runs ? std::optional((*plan)->expected_time_s) : std::nullopt;
    } catch (const OverflowError&) {
      return std::nullopt;
    }
  }

  void add(std::string change, std::optional<double> new_time_s) {
    const double old_time_s = row_.kernel->expected_time_s;
    if (!new_time_s || *new_time_s <= 0 || old_time_s < least_gain * *new_time_s) return;
    found_.push_back({std::move(change), new_time_s, old_time_s / *new_time_s});
  }

  void batch() {
    constexpr std::uint64_t factor = 8;
    Layer layer = row_.layer;
    set_batch(layer, factor);
    auto time = time_of(layer, row_.engine);
    if (time) *time /= static_cast<double>(factor);
    add("batch " + std::to_string(layer.output.batch) + " in place of " +
            std::to_string(row_.layer.output.batch) + ", for as many images",
        time);
  }

  /// Channels at the next multiple of what tensor cores load at once.
  void channels() {
    constexpr std::uint64_t multiple = 8;
    Layer layer = row_.layer;
    if (info(layer.kind).family != KindFamily::contraction || layer.groups != 1) return;
    const auto rounded = [](std::uint64_t n) { return (n + multiple - 1) / multiple * multiple; };
    std::uint64_t& in = layer.inputs.front().shape.channels;
    std::uint64_t& out = layer.output.channels;
    const std::string change = "channels " + std::to_string(in) + " -> " + std::to_string(out) +
                               " as " + std::to_string(rounded(in)) + " -> " +
                               std::to_string(rounded(out));
    in = rounded(in);
    out = rounded(out);
    if (in != row_.layer.inputs.front().shape.channels || out != row_.layer.output.channels)
      add(change, time_of(layer, row_.engine));
  }

  void library_mapping() {
    Layer layer = row_.layer;
    if (layer.mapping == KernelMapping{}) return;
    layer.mapping = {};
    add("the library's own mapping", time_of(layer, row_.engine));
  }

  void half_precision() {
    Layer layer = row_.layer;
    if (info(layer.dtypes.input).bits <= 16) return;
    layer.dtypes = {DataType::fp16, DataType::fp16, DataType::fp16};
    const auto engine = select_engine(layer, context_.gpu.peak_flop_per_s, context_.options.engine);
    if (engine) add("fp16", time_of(layer, *engine));
  }

  void vector_units() {
    if (const auto engine = other_engine(row_.layer, context_.gpu.peak_flop_per_s, row_.engine))
      add("on the vector units (engine: vector)", time_of(row_.layer, *engine));
  }

  void fusion() {
    if (is_pointwise(row_.layer.kind) && row_.layer.pass == Pass::fwd)
      found_.push_back({"fused into the layer before it (fusion: epilogue)", std::nullopt, 0});
  }

  const LayerResult& row_;
  const Context& context_;
  const KernelModel& model_;
  std::vector<Advice> found_;
};

}  // namespace

std::vector<Advice> advise(const LayerResult& row, const Result& result, const Context& context) {
  return row.kernel ? Advisor(row, result, context).all() : std::vector<Advice>{};
}

}  // namespace roofline
