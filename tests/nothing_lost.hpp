#pragma once

// Whether each layer of an input is in what was read of it, or named: for tests and fuzz targets.

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "onnx/builder.hpp"
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

/// Products and convolutions among the nodes of an ONNX model that depend on its input.
inline std::size_t products_in(const roofline::onnx_graph::Model& model,
                               const roofline::LayerDefaults& defaults) {
  using namespace roofline::onnx_graph;
  const Graph graph = build_graph(model, Dimensions(model, defaults));
  return static_cast<std::size_t>(
      std::count_if(graph.order.begin(), graph.order.end(), [](const Node* node) {
        return node->domain.empty() && (node->op == "Conv" || node->op == "ConvTranspose" ||
                                        node->op == "MatMul" || node->op == "Gemm");
      }));
}

/// What of an input is neither in the spec nor named by it; empty where nothing is.
/// `listed`: how many layers the input lists, where it lists layers. `products`: how many of them
/// are products, where it has other nodes beside.
inline std::string what_is_lost(const roofline::NetworkSpec& spec,
                                std::optional<std::size_t> listed = std::nullopt,
                                std::size_t products = 0) {
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
      if (work.reason != "a time of no layer of the engine")
        found += static_cast<std::size_t>(work.launches);
    }
    if (differ(layers_s, spec.summary->layers_s)) return "time of kernels that layers stand for";
    if (differ(time_s, spec.summary->kernel_s)) return "time of kernels";
  }
  if (listed && found != *listed) return "layers that are neither read nor named";
  std::size_t made = noted_left_out(spec.assumptions);
  for (std::size_t i = 0; i < spec.unread.count; ++i) {
    const LayerKind kind = spec.unread.read(i).kind;
    if (info(kind).family == KindFamily::contraction || kind == LayerKind::other) ++made;
  }
  return made < products ? "products of the graph" : "";
}
