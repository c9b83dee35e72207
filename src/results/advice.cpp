#include "roofline/advice.hpp"

#include "results/alternatives.hpp"

namespace roofline {
namespace {

constexpr double least_gain = 1.05;

class Advisor {
 public:
  Advisor(const LayerResult& row, const Result& result, const Context& context)
      : row_(row), result_(result), context_(context), alternatives_(result, context) {}

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
  void add(std::string change, std::optional<double> new_time_s) {
    const double old_time_s = row_.kernel->expected_time_s;
    if (!new_time_s || *new_time_s <= 0 || old_time_s < least_gain * *new_time_s) return;
    found_.push_back({std::move(change), new_time_s, old_time_s / *new_time_s});
  }

  void batch() {
    constexpr std::uint64_t factor = 8;
    if (!has_batch_of_samples(row_, result_)) return;
    const std::uint64_t batch = row_.layer.output.batch;
    add("batch " + std::to_string(factor * batch) + " in place of " + std::to_string(batch) +
            ", for as much work",
        alternatives_.at_batch_s(row_, factor));
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
      add(change, alternatives_.time_s(layer, row_.engine));
  }

  void library_mapping() {
    Layer layer = row_.layer;
    if (layer.mapping == KernelMapping{}) return;
    layer.mapping = {};
    add("the library's own mapping", alternatives_.time_s(layer, row_.engine));
  }

  void half_precision() {
    if (may_be_half(row_, result_))
      add(changes_layout_in_half(row_) ? "fp16 with channels last" : "fp16",
          alternatives_.in_type_s(row_, DataType::fp16));
  }

  void vector_units() {
    if (const auto engine = other_engine(row_.layer, context_.gpu.peak_flop_per_s, row_.engine))
      add("on the vector units, not the tensor cores", alternatives_.time_s(row_.layer, *engine));
  }

  void fusion() {
    const bool is_one_value = elements(row_.layer.output) == 1;
    if (is_pointwise(row_.layer.kind) && row_.layer.pass == Pass::fwd && !is_one_value)
      found_.push_back({"fused into the layer before it", std::nullopt, 0});
  }

  const LayerResult& row_;
  const Result& result_;
  const Context& context_;
  Alternatives alternatives_;
  std::vector<Advice> found_;
};

}  // namespace

std::vector<Advice> advise(const LayerResult& row, const Result& result, const Context& context) {
  return row.kernel ? Advisor(row, result, context).all() : std::vector<Advice>{};
}

}  // namespace roofline
