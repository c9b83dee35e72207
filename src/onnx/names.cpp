// Names that a model's user knows: module scopes of PyTorch's dynamo exporter, paths of its script
// exporter and of tf2onnx, and names of weights.

#include <string_view>
#include <utility>

#include "model/text.hpp"
#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

/// layer1.0.conv1 of "layer1.0.conv1.weight". Names made up by exporters belong to no module.
std::string module_of_weight(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || name.find("::") != std::string::npos || name.front() == '/')
    return "";
  std::string last = name.substr(dot + 1);
  for (const std::string_view suffix : {"weight", "bias"}) {
    if (!last.ends_with(suffix)) continue;
    last.resize(last.size() - suffix.size());
    while (last.ends_with('_')) last.pop_back();
    return name.substr(0, dot) + (last.empty() ? "" : "." + last);
  }
  return "";
}

/// The last but one of "['', 'layer1', 'layer1.0', 'add']", PyTorch's list of scopes.
std::string module_of_scopes(const std::string& list) {
  std::string last;
  std::string last_but_one;
  std::size_t at = 0;
  while ((at = list.find('\'', at)) != std::string::npos) {
    const std::size_t end = list.find('\'', at + 1);
    if (end == std::string::npos) break;
    last_but_one = std::exchange(last, list.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return last_but_one;
}

/// "/layer1/layer1.0/conv1/Conv" is layer1.0.conv1: PyTorch's script exporter repeats lists' names.
std::string module_of_path(const std::string& path) {
  std::string module;
  std::string last;
  std::size_t at = 1;
  for (std::size_t end = path.find('/', at); end != std::string::npos;
       at = end + 1, end = path.find('/', at)) {
    const std::string part = path.substr(at, end - at);
    if (!last.empty() && part.starts_with(last + "."))
      module += part.substr(last.size());
    else
      add_item(module, part, ".");
    last = part;
  }
  return module;
}

/// The module of learned tensors that only this node reads.
std::string module_of_operands(const Node& node) {
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const Value* input = node.inputs[i];
    if (input == nullptr || input->learned == 0 || input->consumers.size() != 1) continue;
    if (std::string module = module_of_weight(input->name); !module.empty()) return module;
  }
  return "";
}

std::string operator_name(const Node& node) {
  const std::size_t domain = node.op.rfind("::");
  return domain == std::string::npos ? node.op : node.op.substr(domain + 2);
}

std::string label_of(const Draft& draft) {
  const KindInfo& kind = info(draft.spec->kind);
  return kind.named == Named::by_operator ? lower_case(operator_name(*draft.node))
                                          : std::string(kind.name);
}

LayerOrigin origin_of(const Draft& draft) {
  const Node& node = *draft.node;
  const bool has_scopes = node.origin != nullptr && !node.origin->scopes.empty();
  LayerOrigin origin{module_of_operands(node), label_of(draft), draft.spec->kind, draft.part};
  if (node.name.starts_with('/')) {
    origin.module = module_of_path(node.name);
  } else if (origin.module.empty() && has_scopes) {
    origin.module = module_of_scopes(node.origin->scopes);
  } else if (origin.module.empty() && !node.name.empty() && !node.name.starts_with("node_")) {
    origin.module = node.name;
    origin.is_own_name = true;
  }
  return origin;
}

/// "conv1" of "StatefulPartitionedCall/resnet50/conv1/Conv2D".
void shorten_own_names(std::vector<LayerOrigin>& origins) {
  const auto folder_of = [](const LayerOrigin& origin) {
    return origin.is_own_name ? origin.module.substr(0, origin.module.rfind('/') + 1)
                              : std::string();
  };
  std::optional<std::string> common;  // "StatefulPartitionedCall/resnet50/"
  for (const LayerOrigin& origin : origins) {
    const std::string folder = folder_of(origin);
    if (folder.empty()) continue;
    if (!common) common = folder;
    while (!folder.starts_with(*common)) {
      common->pop_back();
      common->resize(common->rfind('/') + 1);
    }
  }
  for (LayerOrigin& origin : origins) {
    const std::string folder = folder_of(origin);
    if (folder.empty()) continue;
    origin.module = folder.substr(folder == common ? 0 : common->size());
    origin.module.pop_back();
  }
}

}  // namespace

std::string module_of(const Draft& draft) { return origin_of(draft).module; }

std::vector<LayerOrigin> layer_origins(const std::vector<Draft>& drafts) {
  std::vector<LayerOrigin> origins;
  origins.reserve(drafts.size());
  for (const Draft& draft : drafts) origins.push_back(origin_of(draft));
  shorten_own_names(origins);
  return origins;
}

}  // namespace roofline::onnx_graph
