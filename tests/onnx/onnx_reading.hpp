#pragma once

// ONNX models of tests/onnx, read.

#include <memory>
#include <string>

#include "load/loading.hpp"
#include "temporary_folder.hpp"

inline std::string model_path(const std::string& name) {
  std::string path = ROOFLINE_SOURCE_FOLDER "/tests/onnx/";
  path += name;
  path += ".onnx";
  return path;
}

inline std::shared_ptr<const roofline::NetworkSpec> read_onnx(
    const std::string& path, const roofline::LayerDefaults& defaults = {}) {
  auto item = *roofline::open_input(path).value()->next();
  return item.value().spec(defaults).value();
}

inline roofline::Network infer_onnx(const std::string& path,
                                    const roofline::LayerDefaults& defaults = {}) {
  return roofline::infer(*read_onnx(path, defaults), defaults).value();
}
