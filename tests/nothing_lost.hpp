#pragma once

// Whether each layer of an input is in what was read of it, or named: for tests and fuzz targets.

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "onnx/graph.hpp"
#include "roofline/spec.hpp"

/// How many the notes say are left out: "3 layers left out: ...", "left out 2 nodes that ...",
/// "..., left out: 4".
inline std::size_t noted_left_out(const std::vector<std::string>& notes) {
  static const std::regex counted(
      R"((\d+) layers? left out|left out (\d+) nodes?|left out: (\d+)(?=,|$))");
  std::size_t count = 0;
  for (const std::string& note : notes)
    for (std::sregex_iterator at(note.begin(), note.end(), counted), end; at != end; ++at)
      for (std::size_t group = 1; group <= 3; ++group)
        if ((*at)[group].matched) count += std::stoul((*at)[group]);
  return count;
}

/// Lines of a stream of records, each of which is a record.
inline std::size_t record_lines(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.find_first_not_of(" \t\r") != line.npos) ++count;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return count;
}

/// Commands of MIOpenDriver in a text that differ, each of which is a layer at least.
inline std::size_t driver_commands(const std::string& text) {
  static const std::regex command(R"(MIOpenDriver[ \t]+(conv[^\n]*))");
  std::set<std::string> commands;
  for (std::sregex_iterator at(text.begin(), text.end(), command), end; at != end; ++at) {
    const std::string own = (*at)[1];
    commands.insert(own.substr(0, own.find_last_not_of(" \t\r\v\f") + 1));
  }
  return commands.size();
}

/// How many rows that could not be read messages stand for: "...; left out with 3 more rows that
/// cannot be read".
inline std::size_t bad_rows(const std::vector<std::string>& errors) {
  static const std::regex more(R"(; left out with (\d+) more rows? that cannot be read$)");
  std::size_t count = errors.size();
  for (const std::string& error : errors)
    if (std::smatch match; std::regex_search(error, match, more)) count += std::stoul(match[1]);
  return count;
}

/// Launches of a table that are in the recording, or in its notes.
inline std::size_t launches_of(const roofline::KernelRecording& recording) {
  std::size_t count = noted_left_out(recording.notes);
  for (const roofline::RecordedKernel& kernel : recording.kernels) count += kernel.launches;
  return count;
}

/// Nodes of an ONNX model that depend on its input and are layers each.
struct LayerNodes {
  std::size_t products = 0;  ///< convolutions, attention and recurrent ones among them
  std::size_t windows_and_norms = 0;
};

inline LayerNodes layer_nodes(const roofline::onnx_graph::Model& model,
                              const roofline::LayerDefaults& defaults) {
  using namespace roofline::onnx_graph;
  static const std::set<std::string> products{"Conv", "ConvTranspose", "MatMul", "Gemm",
                                              "GRU",  "LSTM",          "RNN",    "Attention"};
  static const std::set<std::string> windows_and_norms{"AveragePool",
                                                       "LpPool",
                                                       "MaxPool",
                                                       "GlobalAveragePool",
                                                       "GlobalLpPool",
                                                       "GlobalMaxPool",
                                                       "BatchNormalization",
                                                       "GroupNormalization",
                                                       "InstanceNormalization",
                                                       "LayerNormalization",
                                                       "RMSNormalization"};
  const Graph graph = build_graph(model, Dimensions(model, defaults));
  LayerNodes nodes;
  for (const Node* node : graph.order) {
    if (!node->domain.empty()) continue;
    nodes.products += products.count(std::string(node->op));
    nodes.windows_and_norms += windows_and_norms.count(std::string(node->op));
  }
  return nodes;
}

/// What of an input is neither in the spec nor named by it; empty where nothing is.
/// `listed`: how many layers the input lists, where it lists layers. `nodes`: how many of them are
/// of a sort, where it has other nodes beside.
inline std::string what_is_lost(const roofline::NetworkSpec& spec,
                                std::optional<std::size_t> listed = std::nullopt,
                                const LayerNodes& nodes = {}) {
  using namespace roofline;
  std::size_t found = spec.layer_count() + noted_left_out(spec.assumptions);
  double time_s = 0;
  double layers_s = 0;
  for (const LayerSpec& layer : spec.layers)
    if (layer.measured->warm_s)
      layers_s += *layer.measured->warm_s * static_cast<double>(layer.repeat.value_or(1));
  const auto differ = [](double a, double b) { return std::abs(a - b) > 1e-6 * std::max(a, b); };
  if (spec.summary) {
    time_s = spec.summary->layers_s;
    for (const Transfer& transfer : spec.summary->transfers) time_s += transfer.time_s;
    for (const UnmodelledWork& work : spec.summary->unmodelled) {
      time_s += work.time_s;
      if (work.reason != "a time that no layer of the engine has")
        found += static_cast<std::size_t>(work.launches);
    }
    if (differ(layers_s, spec.summary->layers_s)) return "time of kernels that layers stand for";
    if (differ(time_s, spec.summary->kernel_s)) return "time of kernels";
  }
  if (listed && found != *listed) return "layers that are neither read nor named";
  const std::size_t noted = noted_left_out(spec.assumptions);
  LayerNodes made{noted, noted};
  const auto add = [&made](LayerKind kind) {
    const KindFamily family = info(kind).family;
    const bool is_unknown = kind == LayerKind::other;
    if (is_unknown || multiplies(kind)) ++made.products;
    if (is_unknown || family == KindFamily::pool || family == KindFamily::norm ||
        kind == LayerKind::reduce)
      ++made.windows_and_norms;
  };
  for (const LayerSpec& layer : spec.layers) add(layer.kind);
  for (std::size_t i = 0; i < spec.unread.count; ++i) add(spec.unread.read(i).kind);
  if (made.products < nodes.products) return "products of the graph";
  return made.windows_and_norms < nodes.windows_and_norms ? "windows or norms of the graph" : "";
}
