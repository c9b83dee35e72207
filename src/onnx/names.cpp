// Names that the user of a model recognises, from what current exporters write: PyTorch's dynamo
// exporter (module scopes beside each node), its older script exporter and tf2onnx (paths as names
// of nodes), and the names of weights in all of them.

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "model/text.hpp"
#include "onnx/emitter.hpp"

namespace roofline::onnx_graph {
// Names that exporters make up are of no module.
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

namespace {

struct Hint {
  std::string module;        ///< its path in the network; empty for the top
  std::string label;         ///< what the layer is called within it
  bool is_own_name = false;  ///< the module is the node's own name: nothing is known but that
};

/// "/layer1/layer1.0/conv1/Conv", as PyTorch's script exporter names nodes, is of layer1.0.conv1:
/// each part repeats the container before it where that is a list.
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

/// The module whose learned tensors the node alone reads.
std::string module_of_operands(const Node& node) {
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const Value* input = node.inputs[i];
    if (input == nullptr || input->learned == 0 || input->consumers.size() != 1) continue;
    if (std::string module = module_of_weight(input->name); !module.empty()) return module;
  }
  return "";
}

/// Without its domain.
std::string operator_name(const Node& node) {
  const std::size_t domain = node.op.rfind("::");
  return domain == std::string::npos ? node.op : node.op.substr(domain + 2);
}

/// What the layer is: the operator where a kind stands for many.
std::string label_of(const Draft& draft) {
  std::string label(info(draft.spec->kind).name);
  switch (draft.spec->kind) {
    case LayerKind::copy:
    case LayerKind::other:
    case LayerKind::reduce:
    case LayerKind::elementwise: label = lower_case(operator_name(*draft.node));
    default: return label;
  }
}

Hint hint_of(const Draft& draft) {
  const Node& node = *draft.node;
  if (node.name.starts_with('/')) return {module_of_path(node.name), label_of(draft)};
  std::string module = module_of_operands(node);
  if (module.empty() && node.origin != nullptr && !node.origin->scopes.empty())
    return {module_of_scopes(node.origin->scopes), label_of(draft)};
  const bool is_made_up = node.name.empty() || node.name.starts_with("node_");
  if (!module.empty() || is_made_up) return {std::move(module), label_of(draft)};
  return {node.name, label_of(draft), true};
}

/// "StatefulPartitionedCall/resnet50/conv1/Conv2D" among others that begin and end alike: "conv1".
void shorten_own_names(std::vector<Hint>& hints) {
  const auto folder_of = [](const Hint& hint) {
    return hint.is_own_name ? hint.module.substr(0, hint.module.rfind('/') + 1) : std::string();
  };
  std::optional<std::string> common;  // "StatefulPartitionedCall/resnet50/"
  for (const Hint& hint : hints) {
    const std::string folder = folder_of(hint);
    if (folder.empty()) continue;
    if (!common) common = folder;
    while (!folder.starts_with(*common)) {
      common->pop_back();
      common->resize(common->rfind('/') + 1);
    }
  }
  for (Hint& hint : hints) {
    const std::string folder = folder_of(hint);
    if (folder.empty()) continue;
    hint.module = folder.substr(folder == common ? 0 : common->size());
    hint.module.pop_back();
  }
}

/// What is known of the layers of one module.
struct Module {
  std::size_t contractions = 0;
  std::string label;         ///< the first layer's
  bool has_labels = false;   ///< others have other labels
  bool has_modules = false;  ///< modules stand inside it
};

std::unordered_map<std::string, Module> modules_of(const std::vector<Draft>& drafts,
                                                   const std::vector<Hint>& hints) {
  std::unordered_map<std::string, Module> modules;
  for (std::size_t i = 0; i < hints.size(); ++i) {
    Module& own = modules[hints[i].module];
    if (own.label.empty()) own.label = hints[i].label;
    own.has_labels = own.has_labels || own.label != hints[i].label;
    if (info(drafts[i].spec->kind).family == KindFamily::contraction) ++own.contractions;
    const std::string& name = hints[i].module;
    constexpr int deepest_module = 64;
    std::size_t at = name.find_first_of("./");
    for (int depth = 0; at != std::string::npos && depth < deepest_module; ++depth) {
      modules[name.substr(0, at)].has_modules = true;
      at = name.find_first_of("./", at + 1);
    }
  }
  return modules;
}

/// The module's name alone for the layer that a reader would take for the module.
bool stands_for_module(const Draft& draft, const Module& module) {
  if (module.has_modules || !draft.part.empty()) return false;
  const bool is_contraction = info(draft.spec->kind).family == KindFamily::contraction;
  return !module.has_labels || (is_contraction && module.contractions == 1);
}

}  // namespace

std::string module_of(const Draft& draft) { return hint_of(draft).module; }

std::vector<std::string> layer_names(const std::vector<Draft>& drafts) {
  std::vector<Hint> hints;
  hints.reserve(drafts.size());
  for (const Draft& draft : drafts) hints.push_back(hint_of(draft));
  shorten_own_names(hints);
  const auto modules = modules_of(drafts, hints);
  std::vector<std::string> names;
  names.reserve(drafts.size());
  std::unordered_set<std::string_view> used;
  std::unordered_map<std::string, std::size_t> uses;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const Hint& hint = hints[i];
    const Module& module = modules.at(hint.module);
    const bool alone = !hint.module.empty() && stands_for_module(drafts[i], module);
    std::string wanted = hint.module;
    if (!drafts[i].part.empty())
      wanted = (hint.module.empty() ? hint.label : hint.module) + "." + drafts[i].part;
    else if (!alone)
      add_item(wanted, hint.label, hint.is_own_name ? "/" : ".");
    std::string& name = names.emplace_back(wanted);
    while (used.contains(name)) name = wanted + "_" + std::to_string(++uses[wanted]);
    used.insert(name);
  }
  return names;
}

}  // namespace roofline::onnx_graph
