#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/architecture.hpp"
#include "kernel/dense/gemm.hpp"
#include "model/text.hpp"
#include "roofline/error.hpp"
#include "roofline/kernel.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

/// Share of the boost clock under the power limit. Memory and leakage take a part of the power; the
/// rest bounds arithmetic, whose power falls faster than the clock, down to a floor.
double power_clock_share(double tdp_w, double joule_per_flop, double peak_flop_per_s,
                         const PartConstants& part) {
  if (tdp_w <= 0 || joule_per_flop <= 0) return 1;
  const double left = part.arithmetic_power_share * tdp_w /
                      (joule_per_flop * peak_flop_per_s * part.power_load_share);
  const double exponent = part.clock_power_exponent;
  return std::min(
      {1.0, std::pow(left, exponent), left * std::pow(part.clock_floor_share, 1 - 1 / exponent)});
}

/// Sets the constants of the engine's class; factors of this GPU are multiplied into math_share.
void set_constants(EngineModel& model, const ModelConstants& constants) {
  const EngineClass engine_class = facts_of(model.engine).engine_class;
  const PartConstants& part = constants.values.part;
  model.constants = &constants.values.dense[engine_class];
  model.features = constants.features[engine_class];
  if (model.engine != Engine::fp32)
    for (const LibraryFeature transform : {LibraryFeature::winograd, LibraryFeature::winograd_wgrad,
                                           LibraryFeature::fft, LibraryFeature::fft_tiled_fwd})
      model.features[transform] = false;
  model.math_share = model.constants->math_share;
  model.math_origin = origin_of(constants, model.constants->math_share);
  const auto scale = [&](const double& factor, const char* why) {
    if (factor == 1) return;
    model.math_share *= factor;
    model.math_origin +=
        ", x " + number_text(factor) + ' ' + why + " (" + origin_of(constants, factor) + ')';
  };
  scale(part.clock_share, "for clocks under load");
  scale(part.library_share, "for another vendor's library");
  model.built_math_share = model.math_share;
  model.built_math_origin = model.math_origin;
  if (model.engine == Engine::int8 || model.engine == Engine::int4)
    scale(part.int8_share, "for integers");
}

/// Dynamic energy; on tensor cores proportional to the operands' width.
double joule_per_flop(const PartConstants& part, Engine engine) {
  if (!is_tensor_engine(engine)) return part.vector_joule_per_flop;
  const bool integers = engine == Engine::int8 || engine == Engine::int4;
  return part.tensor_joule_per_flop * facts_of(engine).operand_byte / 2 *
         (integers ? part.integer_joule_share : 1);
}

/// GeForce tensor cores run at half rate with fp32 sums, which leaves twice the time for loads.
double load_share_of(const EngineRates& peaks, Engine engine) {
  const EngineFacts facts = facts_of(engine);
  if (facts.engine_class != EngineClass::tensor || facts.operand_byte != 2) return 1;
  const std::optional<double> full = peaks[Engine::fp16_tensor_fp16_accumulate];
  return full ? std::min(1.0, peaks[engine].value_or(*full) / *full) : 1;
}

EngineModel engine_model_of(const Gpu& gpu, const Machine& machine, Engine engine, double peak) {
  EngineModel model;
  model.engine = engine;
  model.rate_flop_per_s = peak;
  set_constants(model, *gpu.constants);
  if (gpu.kernel.math_share) {
    model.math_share = model.built_math_share = *gpu.kernel.math_share;
    model.math_origin = model.built_math_origin = stated_origin;
  }
  if (gpu.kernel.launch_s) model.start_share = 0;  // all of it is stated
  model.load_share = load_share_of(gpu.peak_flop_per_s, engine);
  const PartConstants& part = gpu.constants->values.part;
  const double clock_share =
      power_clock_share(machine.tdp_w, joule_per_flop(part, engine), peak, part);
  model.peak_flop_per_s = peak * clock_share;
  model.peak_origin = datasheet_origin;
  if (clock_share < 1)
    model.peak_origin += ", x " + number_text(clock_share) + " for the clock under " +
                         number_text(machine.tdp_w) + " W (assumed)";
  return model;
}

bool holds_for(const LayerErrors& errors, const Gpu& gpu,
               const std::optional<Architecture>& architecture) {
  if (errors.basis == UncertaintyBasis::datasheet) return true;
  const auto names = [&errors](std::string_view name) {
    return std::ranges::find(errors.applies_to, name) != errors.applies_to.end();
  };
  if (errors.basis == UncertaintyBasis::measured) return names(gpu.name);
  return (architecture && names(name_of(*architecture))) || names(gpu.compute_capability);
}

/// The errors that hold for the GPU; few of all do.
std::shared_ptr<const FoundErrors> errors_of(const Gpu& gpu) {
  return std::make_shared<const FoundErrors>(
      std::shared_ptr<const MeasuredErrors>(gpu.constants, &gpu.constants->errors),
      [&, architecture = stated_architecture(gpu)](const LayerErrors& each) {
        return holds_for(each, gpu, architecture);
      });
}

std::optional<Engine> dense_engine_of(DataType type, const EngineRates& peaks) {
  Layer layer;
  layer.dtypes = {type, type, type};
  return select_engine(layer, peaks, EngineChoice::automatic);
}

}  // namespace

KernelModel::KernelModel(ResolvedModel resolved)
    : resolved_(std::make_shared<const ResolvedModel>(std::move(resolved))) {}

const std::string& KernelModel::gpu() const { return resolved_->gpu; }

const std::vector<std::string>& KernelModel::assumptions() const { return resolved_->assumptions; }

Expected<KernelModel> kernel_model_of(const Gpu& gpu) {
  if (gpu.constants == nullptr)
    return InputError(gpu.name +
                      ": expected a GPU with constants of the kernel model, as load_gpu "
                      "returns it, got none");
  ResolvedModel model;
  model.gpu = gpu.name;
  model.constants = gpu.constants;
  model.library = gpu.constants->choices.library;
  model.errors = errors_of(gpu);
  model.machine = machine_of(gpu, model.assumptions);
  model.memory = memory_system(gpu, *gpu.constants, model.assumptions);
  for (const Engine engine : enumerators<Engine>)
    if (const std::optional<double> peak = gpu.peak_flop_per_s[engine])
      model.engines[engine] = engine_model_of(gpu, model.machine, engine, *peak);
  for (const DataType type : enumerators<DataType>)
    model.dense_engine[type] = dense_engine_of(type, gpu.peak_flop_per_s);
  return KernelModel(std::move(model));
}

LibraryRelease library_of(const KernelModel& model) { return model.resolved().library; }

KernelModel with_library(const KernelModel& model, const LibraryRelease& library) {
  ResolvedModel other = model.resolved();
  if (library.library != other.library.library)
    throw InputError("expected a release of " + std::string(name_of(other.library.library)) +
                     ", the library of " + other.gpu + ", got " + library.text());
  other.library = library;
  return KernelModel(std::move(other));
}

std::optional<OtherLibrary> other_library(const KernelModel& model) {
  const ResolvedModel& resolved = model.resolved();
  const LibraryRelease& used = resolved.library;
  Release before;  // the latest change up to the used release
  Release after;
  const auto note = [&](KernelLibrary library, const Release& since) {
    if (library != used.library || !since.is_stated()) return;
    if (since <= used.release)
      before = std::max(before, since);
    else
      after = after.is_stated() ? std::min(after, since) : since;
  };
  for (const ChoiceRow& row : resolved.constants->choices.rows) note(row.library, row.since);
  for (const Solver& solver : resolved.constants->solvers) note(used.library, solver.since);
  if (after.is_stated()) return OtherLibrary{{used.library, after}, after, false};
  if (!before.is_stated()) return std::nullopt;
  return OtherLibrary{{used.library, before.previous()}, before, true};
}

KernelModel with_sustained(const KernelModel& model, const EngineRates& peak_flop_per_s,
                           std::optional<double> bandwidth_byte_per_s) {
  ResolvedModel sustained = model.resolved();
  for (const Engine each : enumerators<Engine>) {
    const std::optional<double> rate_flop_per_s = peak_flop_per_s[each];
    if (!rate_flop_per_s || !sustained.engines[each]) continue;
    EngineModel& engine = *sustained.engines[each];
    engine.rate_flop_per_s = *rate_flop_per_s;
    engine.peak_flop_per_s = peak_for_rate(sustained, engine, *rate_flop_per_s);
    engine.peak_origin = std::string("scaled so that the best tile reaches the ") +
                         sustained_origin + " of " + number_text(*rate_flop_per_s) + " FLOP/s";
  }
  if (bandwidth_byte_per_s)
    sustained.memory = with_bandwidth(sustained.memory, *bandwidth_byte_per_s);
  return KernelModel(std::move(sustained));
}

}  // namespace roofline
