#pragma once

// Names that the user of a model recognises.

#include <string>
#include <vector>

#include "onnx/emitter.hpp"

namespace roofline::onnx_graph {

/// One name a layer, each unique: that of the module that it comes from (`layer1.0.conv1`, from a
/// node's path, the names of its weights or what the exporter notes beside it), with the operator
/// where the module has several layers; without any, the node's own name.
std::vector<std::string> layer_names(const std::vector<Draft>& drafts);

/// The module that a layer comes from; empty where nothing tells.
std::string module_of(const Draft& draft);

}  // namespace roofline::onnx_graph
