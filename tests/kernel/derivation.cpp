// Derivations can be redone: every expression, evaluated from its printed numbers, gives its value,
// and the parts at the end are those of the plan.

#include "kernel/derivation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "kernel/constants.hpp"
#include "model/generated_layers.hpp"
#include "results/explanation.hpp"
#include "roofline/catalogue.hpp"

namespace {

using namespace roofline;

/// The pocket calculator: + - x / ^, parentheses, max, min, ceil, floor, sqrt.
class Calculator {
 public:
  explicit Calculator(std::string text) : text_(std::move(text)) {}

  double result() {
    const double value = sum();
    REQUIRE(next_ == text_.size());
    return value;
  }

 private:
  void skip_spaces() {
    while (next_ < text_.size() && text_[next_] == ' ') ++next_;
  }
  bool take(char c) {
    skip_spaces();
    if (next_ >= text_.size() || text_[next_] != c) return false;
    ++next_;
    return true;
  }
  void require(char c) {
    INFO(text_ << " at " << next_);
    REQUIRE(take(c));
  }

  double sum() {
    double value = product();
    for (;;) {
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        return value;
    }
  }
  double product() {
    double value = power();
    for (;;) {
      if (take('x'))
        value *= power();
      else if (take('/'))
        value /= power();
      else
        return value;
    }
  }
  double power() {
    const double base = factor();
    return take('^') ? std::pow(base, factor()) : base;
  }
  double factor() {
    skip_spaces();
    if (take('(')) {
      const double value = sum();
      require(')');
      return value;
    }
    if (text_[next_] >= 'a' && text_[next_] <= 'z') return function();
    std::size_t length = 0;
    const double value = std::stod(text_.substr(next_), &length);
    next_ += length;
    return value;
  }
  double function() {
    const std::size_t open = text_.find('(', next_);
    const std::string name = text_.substr(next_, open - next_);
    next_ = open + 1;
    const double first = sum();
    if (name == "max" || name == "min") {
      double value = first;
      while (take(',')) value = name == "max" ? std::max(value, sum()) : std::min(value, sum());
      require(')');
      return value;
    }
    require(')');
    if (name == "ceil") return std::ceil(first);
    if (name == "floor") return std::floor(first);
    REQUIRE(name == "sqrt");
    return std::sqrt(first);
  }

  std::string text_;
  std::size_t next_ = 0;
};

/// Six digits leave up to 5e-6 of each number, through products of many and differences of times.
bool is_near(double evaluated, const DerivationStep& step, double expected_s) {
  const double scale = step.unit == "s" ? expected_s : step.unit.empty() ? 1 : 0;
  return std::fabs(evaluated - step.value) <= 1e-5 * std::fabs(step.value) + 1e-5 * scale;
}

void check_steps(const std::vector<DerivationStep>& steps, const KernelPlan& plan) {
  for (const DerivationStep& step : steps) {
    if (step.expression.empty()) {
      const bool has_origin = !step.origins.empty() && !step.origins.front().empty();
      if (!has_origin) FAIL_CHECK(step.quantity << " is given without an origin");
      continue;
    }
    const double evaluated = Calculator(step.expression).result();
    if (!is_near(evaluated, step, plan.expected_time_s()))
      FAIL_CHECK(step.quantity << " = " << step.expression << " = " << evaluated << ", not "
                               << step.value);
  }
}

/// The last steps: the parts, then the sum.
void check_parts(const std::vector<DerivationStep>& steps, const KernelPlan& plan) {
  std::map<std::string, double> values;
  for (const DerivationStep& step : steps) values[step.quantity] = step.value;
  for (const Limiter limiter : enumerators<Limiter>) {
    const auto found = values.find(std::string(name_of(limiter)));
    const double printed = found == values.end() ? 0 : found->second;
    if (printed != plan.part_s[limiter]) FAIL_CHECK(name_of(limiter));
  }
  REQUIRE(steps.back().quantity == "expected time");
  REQUIRE(steps.back().value == plan.expected_time_s());
  const double sum = Calculator(steps.back().expression).result();
  if (std::fabs(sum / plan.expected_time_s() - 1) > 5e-6) FAIL_CHECK("sum " << sum);
}

/// The algorithm of the plan, where there is one.
std::optional<Algorithm> check_derivation(const Layer& layer, Engine engine,
                                          const KernelModel& model, CacheState cache) {
  const Counts counts = count(layer);
  const auto plan = plan_kernel(layer, counts, engine, model, cache).value();
  const auto steps = derive_kernel(layer, counts, engine, model, cache).value();
  REQUIRE(plan.has_value() == !steps.empty());
  if (!plan) return std::nullopt;
  INFO(model.gpu() << ' ' << layer.name << ' ' << name_of(layer.pass) << ' '
                   << name_of(plan->algorithm));
  check_steps(steps, *plan);
  check_parts(steps, *plan);
  return plan->algorithm;
}

}  // namespace

TEST_CASE("Every derivation can be redone with a pocket calculator", "[kernel/derivation]") {
  std::set<Algorithm> met;
  for (const char* name : {"v100", "h200", "a100", "mi210", "t4", "gtx1080ti"}) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    for (const DataType dtype : {DataType::fp32, DataType::tf32, DataType::fp16})
      for (Layer layer : generated::layers(9, 12, dtype))
        for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
          if (!runs(layer, pass)) continue;
          layer.pass = pass;
          const auto engine = select_engine(layer, gpu.peak_flop_per_s, EngineChoice::automatic);
          if (!engine) continue;
          for (const CacheState cache : {CacheState::warm, CacheState::cold})
            if (const auto algorithm = check_derivation(layer, *engine, model, cache))
              met.insert(*algorithm);
          if (layer.kind != LayerKind::batch_norm || pass != Pass::fwd) continue;
          layer.batch_statistics = true;
          met.insert(*check_derivation(layer, *engine, model, CacheState::warm));
          layer.batch_statistics = false;
        }
  }
  const KernelModel h200 = kernel_model_of(find_gpu("h200").value()).value();
  for (const char* text :
       {R"("layout": "nchw", "input": [4, 64, 28, 28], "out_channels": 64, "groups": 64)",
        R"("input": [8, 464, 28, 28], "out_channels": 464, "groups": 2)"}) {
    const Layer layer = load_layer(
        std::string(R"({"type": "conv", "dtype": "fp16", "kernel_size": 3, "padding": 1, )") +
        text + "}");
    met.insert(*check_derivation(layer, Engine::fp16_tensor, h200, CacheState::warm));
  }
  for (
      const std::string text :
      {R"({"type": "softmax", "input": [4, 96, 28, 28], "axis": 1, "layout": "nhwc")",
       R"({"type": "softmax", "input": [4, 2048, 28, 28], "axis": 1, "layout": "nchw")",
       R"({"type": "softmax", "input": [4, 96, 7, 7], "axis": 1, "layout": "nchw")",
       R"({"type": "glu", "input": [4, 64, 28, 28])",
       R"({"type": "avg_pool3d", "input": [4, 64, 8, 28, 28], "kernel_size": 2)",
       R"({"type": "max_pool3d", "input": [4, 64, 8, 28, 28], "kernel_size": 2)",
       R"({"type": "pad", "input": [4, 64, 28, 28], "output": [4, 64, 30, 30], "mode": "constant")",
       R"({"type": "pad", "input": [4, 64, 28, 28], "output": [4, 64, 30, 30], "mode": "circular")",
       R"({"type": "pad", "input": [4, 64, 28, 28], "output": [4, 64, 30, 30], "mode": "reflect")",
       R"({"type": "pad", "input": [4, 64, 28, 28], "output": [4, 64, 30, 30],
            "mode": "replicate")"}) {
    const Layer layer = load_layer(text + R"(, "dtype": "fp16"})");
    met.insert(*check_derivation(layer, Engine::fp16, h200, CacheState::warm));
  }
  for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
    Layer deformed = load_layer(
        R"({"type": "deform_conv", "dtype": "fp16", "kernel_size": 3, "padding": 1,
            "inputs": [[8, 64, 28, 28], [8, 18, 28, 28]], "out_channels": 64, "groups": 2})");
    deformed.pass = pass;
    met.insert(*check_derivation(deformed, Engine::fp16_tensor, h200, CacheState::warm));
  }
  for (const Algorithm algorithm : enumerators<Algorithm>) {
    INFO(name_of(algorithm));
    CHECK(met.contains(algorithm));
  }
}

TEST_CASE("So can those of stated mappings and of measured ceilings", "[kernel/derivation]") {
  const Gpu gpu = find_gpu("h200").value();
  const KernelModel model =
      with_sustained(kernel_model_of(gpu).value(), gpu.sustained->peak_flop_per_s,
                     gpu.sustained->bandwidth_byte_per_s);
  for (const char* mapping :
       {R"({"algorithm": "winograd_2x2_fused"})", R"({"algorithm": "winograd_4x4_nonfused"})",
        R"({"algorithm": "fft"})", R"({"algorithm": "fft_tiled"})",
        R"({"tile": [128, 64, 8], "split_k": 4})", R"({"algorithm": "gemm"})",
        R"({"algorithm": "direct", "tile": [16, 16, 18]})",
        R"({"tile": [16, 16, 16], "threads": 256})"})
    for (const char* batch : {"1", "64"}) {
      INFO(mapping);
      const Layer layer = load_layer(R"({"batch": )" + std::string(batch) +
                                     R"(, "input": [64, 56, 56], "out_channels": 96,
                                         "kernel_size": 3, "padding": 1, "kernel": )" +
                                     mapping + "}");
      check_derivation(layer, Engine::fp32, model, CacheState::warm);
    }
}

TEST_CASE("The row that picked a kernel for one group is named", "[kernel/derivation]") {
  const Gpu gpu = find_gpu("h100").value();
  const KernelModel model = kernel_model_of(gpu).value();
  struct Picked {
    const char* kernel;  ///< empty: the fastest, which no row picks
    const char* layer;
    Engine engine;
  };
  const auto rows_named = [&](const Picked& picked, KernelSource kernels) {
    Layer layer = load_layer(picked.layer);
    layer.kernels = kernels;
    std::vector<std::string> names;
    for (const DerivationStep& step :
         derive_kernel(layer, count(layer), picked.engine, model, CacheState::warm).value()) {
      if (step.quantity != chosen_row) continue;
      const auto number = static_cast<std::size_t>(step.value);
      names.emplace_back(name_of(gpu.constants->choices.rows.at(number - 1).kernel));
      CHECK(step.origins.front().starts_with("roofline kernels: " + names.back() + ", "));
    }
    return names;
  };
  for (const Picked& picked :
       {Picked{"index_table", R"({"input": [8, 3, 224, 224], "out_channels": 64, "kernel_size": 7,
            "stride": 2, "padding": 3, "dtype": "fp16", "pass": "dgrad"})",
               Engine::fp16_tensor},
        Picked{"half_scatter", R"({"input": [32, 3, 224, 224], "out_channels": 768,
            "kernel_size": 14, "stride": 14, "dtype": "fp16", "pass": "dgrad"})",
               Engine::fp16_tensor},
        Picked{"vector_direct", R"({"input": [64, 6, 112, 112], "out_channels": 96,
            "kernel_size": 3, "padding": 1, "dtype": "fp16", "layout": "nhwc"})",
               Engine::fp16_tensor},
        Picked{"vector_fallback", R"({"input": [2, 192, 56, 56], "out_channels": 192,
            "kernel_size": 7, "padding": 3, "dtype": "fp16", "pass": "wgrad"})",
               Engine::fp16_tensor},
        Picked{"image_scatter", R"({"type": "conv_transpose", "input": [64, 128, 1, 1],
            "out_channels": 512, "kernel_size": 4, "dtype": "tf32", "layout": "nchw"})",
               Engine::tf32},
        Picked{"image_scatter_wide", R"({"type": "conv_transpose", "input": [64, 100, 1, 1],
            "out_channels": 512, "kernel_size": 4, "dtype": "tf32", "layout": "nchw"})",
               Engine::tf32},
        Picked{"", R"({"input": [64, 64, 56, 56], "out_channels": 64, "kernel_size": 3,
            "padding": 1, "dtype": "fp16", "layout": "nhwc"})",
               Engine::fp16_tensor}}) {
    INFO(picked.layer);
    const std::string kernel = picked.kernel;
    CHECK(rows_named(picked, KernelSource::heuristic) ==
          (kernel.empty() ? std::vector<std::string>{} : std::vector{kernel}));
    CHECK(rows_named(picked, KernelSource::library).empty());
  }
}

TEST_CASE("The notebook's convolution, step by step", "[kernel/derivation]") {
  const Layer layer = load_layer(R"({"input": [3, 256, 256], "out_channels": 64,
      "kernel_size": 5, "padding": 2, "kernel": {"tile": [128, 64, 8], "threads": 128}})");
  const KernelModel model = kernel_model_of(find_gpu("v100").value()).value();
  const auto steps =
      derive_kernel(layer, count(layer), Engine::fp32, model, CacheState::warm).value();
  const auto step = [&](const std::string& quantity) {
    const auto found = std::find_if(steps.begin(), steps.end(), [&](const DerivationStep& each) {
      return each.quantity == quantity;
    });
    REQUIRE(found != steps.end());
    return *found;
  };
  using Origins = std::vector<std::string>;
  CHECK(step("peak").origins == Origins{"datasheet"});
  CHECK(step("practical share of the peak").origins ==
        Origins{"fitted to 272 DeepBench layers on a V100"});
  CHECK(step("m").origins == Origins{"images x output positions"});
  CHECK(step("tile m").origins == Origins{"stated"});
  CHECK(step("resident blocks an SM").origins == Origins{"limited by registers a block"});
  CHECK(step("time of a FLOP on an SM").expression == "80 / (1.57e+13 x 0.97)");
  CHECK(step("operands of a step").expression == "(128 + 64) x 8 x 4 x 1.55618e-11");
  CHECK(step("blocks").expression == "ceil(65536 / 128) x ceil(64 / 64)");
  CHECK(step("full waves").expression == "floor(512 / (80 x 4))");
  CHECK(step("steps of a block").expression == "ceil(75 / 8)");
}
