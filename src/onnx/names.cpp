#include "onnx/names.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace roofline::onnx_graph {
namespace {

struct Hint {
  std::string module;        ///< of the network; empty for its top
  std::string label;         ///< what the layer is called within it
  bool is_own_name = false;  ///< the module is the node's own name: nothing is known but that
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
  });
  return text;
}

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// "/layer1/layer1.0/conv1/Conv", as PyTorch's first exporter names nodes: each part repeats the
/// container before it where that is a list.
std::string module_of_path(const std::string& path) {
  std::vector<std::string> parts = split(path.substr(1), '/');
  parts.pop_back();
  std::string module;
  std::string last;
  for (const std::string& part : parts) {
    if (!last.empty() && part.starts_with(last + "."))
      module += part.substr(last.size());
    else
      module += (module.empty() ? "" : ".") + part;
    last = part;
  }
  return module;
}

/// "layer1.0.conv1.weight" is of module layer1.0.conv1; names that exporters make up are of none.
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

/// The last but one of "['', 'layer1', 'layer1.0', 'add']".
std::string module_of_scopes(const std::string& list) {
  std::vector<std::string> scopes;
  std::size_t at = 0;
  while ((at = list.find('\'', at)) != std::string::npos) {
    const std::size_t end = list.find('\'', at + 1);
    if (end == std::string::npos) break;
    scopes.push_back(list.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return scopes.size() < 2 ? std::string() : scopes[scopes.size() - 2];
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

bool is_made_up_node(const std::string& name) {
  return name.empty() || name.starts_with("node_") || is_digits(name);
}

/// What the layer is: the operator where a kind stands for many.
std::string label_of(const Draft& draft) {
  std::string label(info(draft.spec->kind).name);
  switch (draft.spec->kind) {
    case LayerKind::copy:
    case LayerKind::other:
    case LayerKind::reduce:
    case LayerKind::elementwise: label = lower(draft.node->op);
    default: return label;
  }
}

Hint hint_of(const Draft& draft) {
  const Node& node = *draft.node;
  Hint hint{"", label_of(draft)};
  if (node.name.starts_with('/')) {
    hint.module = module_of_path(node.name);
    return hint;
  }
  hint.module = module_of_operands(node);
  if (!hint.module.empty()) return hint;
  if (const std::string scopes = node.origin != nullptr ? node.origin->scopes : "";
      !scopes.empty()) {
    hint.module = module_of_scopes(scopes);
    return hint;
  }
  if (is_made_up_node(node.name)) return hint;
  hint.module = node.name;
  hint.is_own_name = true;
  return hint;
}

/// "StatefulPartitionedCall/resnet50/conv1/Conv2D" among others that begin and end alike:
/// "conv1".
void shorten_own_names(std::vector<Hint>& hints) {
  std::vector<std::string> common;
  bool is_first = true;
  for (const Hint& hint : hints) {
    if (!hint.is_own_name || hint.module.find('/') == std::string::npos) continue;
    std::vector<std::string> parts = split(hint.module, '/');
    parts.pop_back();
    if (is_first) common = parts;
    is_first = false;
    const auto [end, other] =
        std::mismatch(common.begin(), common.end(), parts.begin(), parts.end());
    static_cast<void>(other);
    common.erase(end, common.end());
  }
  for (Hint& hint : hints) {
    if (!hint.is_own_name) continue;
    std::vector<std::string> parts = split(hint.module, '/');
    if (parts.size() < 2) continue;
    if (parts.size() - 1 > common.size())
      parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(common.size()));
    if (parts.size() > 1) parts.pop_back();
    hint.module.clear();
    for (const std::string& part : parts) hint.module += (hint.module.empty() ? "" : "/") + part;
  }
}

std::string joined(const Hint& hint) {
  if (hint.module.empty()) return hint.label;
  return hint.module + (hint.is_own_name ? "/" : ".") + hint.label;
}

/// What is known of the layers of one module.
struct Module {
  std::size_t contractions = 0;
  std::string label;         ///< of the first
  bool has_labels = false;   ///< there are others
  bool has_modules = false;  ///< inside it
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
  std::unordered_set<std::string_view> taken;  // of names
  std::unordered_map<std::string, std::size_t> uses;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const Hint& hint = hints[i];
    const Module& module = modules.at(hint.module);
    const bool alone = !hint.module.empty() && stands_for_module(drafts[i], module);
    std::string wanted = alone ? hint.module : joined(hint);
    if (!drafts[i].part.empty())
      wanted = (hint.module.empty() ? hint.label : hint.module) + "." + drafts[i].part;
    std::string& name = names.emplace_back(wanted);
    while (taken.contains(name)) name = wanted + "_" + std::to_string(++uses[wanted]);
    taken.insert(name);
  }
  return names;
}

}  // namespace roofline::onnx_graph
