#include <algorithm>
#include <unordered_map>
#include <utility>

#include "load/json.hpp"
#include "load/kernel_list.hpp"
#include "load/layer_check.hpp"
#include "load/layer_files.hpp"
#include "load/whole_input.hpp"
#include "profilers/engine_files.hpp"
#include "profilers/engine_layer.hpp"
#include "profilers/engine_tensor.hpp"
#include "profilers/formats.hpp"
#include "profilers/profiling_cost.hpp"

namespace roofline {
namespace {

std::string head_of(const std::string& file) try {
  return std::string(open_stream(file)->peek(head_byte));
} catch (const InputError&) {
  return "";  // whoever opens it as an input says what is wrong with it
}

std::string microseconds(double time_s) {
  std::string text = std::to_string(time_s * 1e6);
  text.resize(text.find('.') + 2);
  return text + " us";
}

/// Times by name; where several layers have one name, in the profile's order.
class TimesByName {
 public:
  explicit TimesByName(const EngineProfile& profile) {
    for (const LayerTime& layer : profile.layers) times_[layer.name].push_back(layer.time_s);
    for (auto& [name, times] : times_) std::reverse(times.begin(), times.end());
  }

  std::optional<double> take(const std::string& name) {
    const auto found = times_.find(name);
    if (found == times_.end() || found->second.empty()) return std::nullopt;
    const double time_s = found->second.back();
    found->second.pop_back();
    return time_s;
  }

  /// Names that nothing took, of layers that took time.
  std::vector<std::string> rest() const {
    std::vector<std::string> names;
    for (const auto& [name, times] : times_)
      if (!times.empty() && times.back() > 0) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::unordered_map<std::string, std::vector<double>> times_;
};

/// The file's name without folder and endings.
std::string name_of_engine(const std::string& source) {
  std::string name = source.substr(source.find_last_of('/') + 1);
  for (const std::string_view ending : {".gz", ".json", ".graph", ".engine", ".onnx"})
    if (name.size() > ending.size() && name.ends_with(ending))
      name.resize(name.size() - ending.size());
  return name;
}

class EngineReader : public Reader {
 public:
  EngineReader(std::unique_ptr<ByteStream> stream, std::span<const std::string> other_inputs)
      : stream_(std::move(stream)), others_(other_inputs.begin(), other_inputs.end()) {}

  std::optional<Expected<Item>> next() override {
    if (!stream_) return std::nullopt;
    const std::unique_ptr<ByteStream> stream = std::move(stream_);
    try {
      return Expected<Item>(fixed_item(read(*stream)));
    } catch (const InputError& error) {
      return Expected<Item>(error);
    }
  }

 private:
  std::shared_ptr<const NetworkSpec> read(ByteStream& stream) {
    const JsonDocument document(stream.read_rest(), {stream.name()});
    const Value root = document.root();
    const Value list = root.at("Layers");
    if (!list.is_array()) list.fail_expected("an array of layers");
    auto spec = std::make_shared<NetworkSpec>();
    spec->source = stream.name();
    spec->name = name_of_engine(stream.name());
    std::optional<EngineProfile> profile = find_profile(list);
    if (profile)
      add_measured(list, *profile, *spec);
    else
      add_layers(list, *spec);
    spec->batch = batch_of(list);
    spec->batch_is_fixed = true;
    if (spec->layers.empty()) list.fail("expected layers that run, got none");
    return spec;
  }

  /// The first size of the first tensor that a layer reads.
  static std::optional<std::uint64_t> batch_of(const Value& list) {
    for (const Value layer : list) {
      if (!layer.is_object()) continue;
      for (const EngineTensor& input : read_engine_tensors(layer, "Inputs"))
        if (input.sizes.size() >= 2 && input.sizes.front() > 0) return input.sizes.front();
    }
    return std::nullopt;
  }

  /// The one of its own name, or else the one among the inputs that knows most of the layers.
  std::optional<EngineProfile> find_profile(const Value& list) const {
    if (const std::string file = profile_beside(list.origin().source); !file.empty())
      return read_engine_profile(file);
    std::optional<EngineProfile> best;
    std::size_t most = 0;
    for (const std::string& file : others_) {
      if (file == list.origin().source || !looks_like_engine_profile(head_of(file))) continue;
      EngineProfile profile = read_engine_profile(file);
      TimesByName times(profile);
      std::size_t known = 0;
      for (const Value layer : list) known += times.take(name_of_layer(layer)) ? 1U : 0U;
      if (known <= most || 2 * known < list.size()) continue;
      most = known;
      best = std::move(profile);
    }
    return best;
  }

  /// Without detail the engine lists its layers' names alone.
  static std::string name_of_layer(const Value& layer) {
    if (layer.is_string())
      layer.fail(
          "expected a layer's description, got its name alone: build the engine with "
          "trtexec --profilingVerbosity=detailed");
    if (!layer.is_object()) layer.fail_expected("a layer's description");
    if (!layer.contains("Name")) layer.fail("expected Name, got none");
    return layer.at("Name").text();
  }

  static std::variant<LayerSpec, NotModelled> checked_layer(const Value& layer) {
    auto own = read_engine_layer(layer);
    if (const auto* good = std::get_if<LayerSpec>(&own))
      if (const std::optional<std::string> reason = refusal(*good)) return NotModelled{*reason, ""};
    return own;
  }

  static void add_layer(const Value& layer, LayerSpec own, const std::string& name,
                        NetworkSpec& spec) {
    own.name = name;
    own.place = layer.place();
    spec.layers.push_back(std::move(own));
  }

  static void add_layers(const Value& list, NetworkSpec& spec) {
    for (const Value layer : list) {
      const std::string name = name_of_layer(layer);
      auto own = checked_layer(layer);
      if (auto* good = std::get_if<LayerSpec>(&own)) add_layer(layer, std::move(*good), name, spec);
    }
  }

  void add_measured(const Value& list, EngineProfile& profile, NetworkSpec& spec) {
    TraceSummary summary;
    summary.recorder = "TensorRT";
    summary.times_hold_launches = true;
    summary.kernels = KernelSource::inference_engine;
    summary.gpu.name = profile.device;
    summary.latency_s = profile.latency_s;
    for (const LayerTime& layer : profile.layers) summary.span_s += layer.time_s;
    if (profile.latency_s) note_cost(profile, summary);
    TimesByName times(profile);
    UnmodelledList unmodelled;
    std::size_t unknown = 0;
    for (const Value layer : list) {
      const std::string name = name_of_layer(layer);
      const std::optional<double> time_s = times.take(name);
      unknown += time_s ? 0U : 1U;
      if (time_s.value_or(0) <= 0) continue;  // constants, and copies that turned out to be none
      ++summary.launches;
      summary.kernel_s += *time_s;
      auto own = checked_layer(layer);
      if (auto* good = std::get_if<LayerSpec>(&own)) {
        good->measured = Measured{*time_s, std::nullopt, profile.device};
        summary.layers_s += *time_s;
        add_layer(layer, std::move(*good), name, spec);
      } else {
        const NotModelled& none = std::get<NotModelled>(own);
        unmodelled.add(name, none.shapes, none.reason, *time_s);
      }
    }
    summary.busy_s = summary.kernel_s;
    summary.unmodelled = unmodelled.items(1);
    note_names(unknown, times.rest(), profile, summary);
    spec.summary = std::make_shared<const TraceSummary>(std::move(summary));
  }

  static void note_cost(EngineProfile& profile, TraceSummary& summary) {
    const double cost_s = take_off_profiling_cost(profile.layers, *profile.latency_s);
    if (cost_s <= 0) return;
    summary.notes.push_back("the layers' times sum to " + microseconds(summary.span_s) +
                            ", a run takes " + microseconds(*profile.latency_s) +
                            ": timing each layer cost " + microseconds(cost_s) +
                            ", which are taken off");
    summary.span_s = *profile.latency_s;
  }

  static void note_names(std::size_t unknown, const std::vector<std::string>& rest,
                         const EngineProfile& profile, TraceSummary& summary) {
    if (unknown > 0)
      summary.notes.push_back(std::to_string(unknown) + " layers have no time in " +
                              profile.source);
    if (!rest.empty())
      summary.notes.push_back(std::to_string(rest.size()) + " times of " + profile.source +
                              " belong to no layer, the first to \"" + rest.front() + "\"");
  }

  std::unique_ptr<ByteStream> stream_;  ///< null once it is read
  std::vector<std::string> others_;
};

class EmptyReader : public Reader {
 public:
  std::optional<Expected<Item>> next() override { return std::nullopt; }
};

}  // namespace

std::unique_ptr<Reader> open_engine(std::unique_ptr<ByteStream> stream,
                                    std::span<const std::string> other_inputs) {
  return std::make_unique<EngineReader>(std::move(stream), other_inputs);
}

std::unique_ptr<Reader> open_engine_profile(std::unique_ptr<ByteStream> stream,
                                            std::span<const std::string> other_inputs) {
  const std::string beside = layers_beside(stream->name());
  const bool is_given =
      std::find(other_inputs.begin(), other_inputs.end(), beside) != other_inputs.end();
  if (!beside.empty() && !is_given) return open_engine(open_stream(beside), other_inputs);
  const bool has_layers = is_given || std::any_of(other_inputs.begin(), other_inputs.end(),
                                                  [](const std::string& file) {
                                                    return looks_like_engine_layers(head_of(file));
                                                  });
  if (!has_layers)
    throw InputError(stream->name(), "",
                     "expected the engine's layers beside their times: give the file of trtexec "
                     "--exportLayerInfo too");
  return std::make_unique<EmptyReader>();
}

std::unique_ptr<Reader> open_engine_companion(std::unique_ptr<ByteStream> stream,
                                              std::span<const std::string> other_inputs) {
  if (other_inputs.size() <= 1)
    throw InputError(
        stream->name(), "",
        "expected an engine's layers, got what TensorRT says of its build or its runs: "
        "give the file of trtexec --exportLayerInfo, beside which this one is read");
  return std::make_unique<EmptyReader>();
}

}  // namespace roofline
