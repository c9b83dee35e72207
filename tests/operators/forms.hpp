#pragma once

// One operator as every format states it: an ONNX model, a program of torch.export, a profiler's
// recording, an engine of TensorRT, and a layer file.

#include <array>
#include <bit>

#include "catch.hpp"
#include "load/loading.hpp"
#include "model/layer_fields.hpp"
#include "model/layer_kind.hpp"
#include "onnx/onnx_bytes.hpp"
#include "onnx/onnx_reading.hpp"
#include "pytorch/exported_program.hpp"
#include "pytorch/program_text.hpp"
#include "pytorch/trace_text.hpp"
#include "roofline/roofline_point.hpp"
#include "temporary_folder.hpp"

// Names of a unity build's files may meet.
namespace operator_forms {

using namespace roofline;

using Numbers = std::vector<std::int64_t>;

/// A type as ONNX, programs and recordings number and name it.
struct TypeNames {
  std::uint64_t onnx;
  int program;
  std::string recorded;
};
inline const TypeNames fp32{1, float_type, "float"};
inline const TypeNames fp16{10, half_type, "c10::Half"};
inline const TypeNames int64{7, long_type, "long int"};
inline const TypeNames boolean{9, 12, "bool"};

struct Tensor {
  std::string name;
  Numbers sizes;
  TypeNames type = fp32;
  bool is_parameter = false;
};
inline Tensor parameter(const std::string& name, const Numbers& sizes) {
  return {name, sizes, fp32, true};
}

/// By hand.
struct Expected {
  std::string kind;
  std::uint64_t macs = 0;
  std::uint64_t flops = 0;
  std::uint64_t params = 0;
  std::uint64_t byte = 0;
};

struct OnnxForm {
  std::string op = "";  ///< empty: none
  onnx_bytes::Names inputs = {};
  std::string attributes = "";
  std::uint64_t set = 17;
};

struct PytorchForm {
  std::string op = "";                      ///< empty: none
  std::vector<std::string> arguments = {};  ///< as ProgramText's; a list of tensors between blanks
  bool in_recordings = true;
};

struct Case {
  std::string name;
  std::vector<Tensor> tensors;
  Tensor result;
  OnnxForm onnx = {};
  PytorchForm pytorch = {};
  std::string layer = {};  ///< of a layer file; empty: none
  Expected expected = {};
};

inline ProgramText::Sizes texts_of(const Numbers& sizes) {
  ProgramText::Sizes texts;
  for (const std::int64_t size : sizes) texts.push_back(std::to_string(size));
  return texts;
}

inline std::vector<Layer> of_onnx(const Case& each, const LayerDefaults& defaults = {}) {
  using namespace onnx_bytes;
  std::string graph =
      text(1, node(each.onnx.op, each.onnx.inputs, {"result"}, each.onnx.attributes));
  for (const Tensor& tensor : each.tensors) {
    std::string shape, dims;
    for (const std::int64_t size : tensor.sizes) {
      const auto number = static_cast<std::uint64_t>(size);
      shape += text(1, integer(1, number));
      dims += integer(1, number);
    }
    graph += tensor.is_parameter
                 ? text(5, dims + integer(2, tensor.type.onnx) + text(8, tensor.name))
                 : text(11, text(1, tensor.name) +
                                text(2, text(1, integer(1, tensor.type.onnx) + text(2, shape))));
  }
  const TemporaryFolder folder;
  const std::string bytes = model(graph + output("result"), "", each.onnx.set);
  return infer_onnx(folder.write("m.onnx", bytes), defaults).layers;
}

inline std::vector<Layer> of_program(const Case& each) {
  ProgramText program;
  for (const Tensor& tensor : each.tensors)
    if (tensor.is_parameter)
      program.parameter(tensor.name, texts_of(tensor.sizes), tensor.type.program);
    else
      program.input(tensor.name, texts_of(tensor.sizes), tensor.type.program);
  program.node(each.pytorch.op, each.pytorch.arguments, "result", texts_of(each.result.sizes), "",
               each.result.type.program);
  const std::string bytes = zipped({{"net/models/model.json", program.text()}});
  const auto reader = whole<read_exported_programs>(text_stream("net.pt2", bytes));
  auto item = *reader->next();
  return infer(*item.value().spec({}).value(), {}).value().layers;
}

inline std::string list(const Numbers& numbers) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

/// "as_bool: true" as a recording writes it.
inline std::string recorded_value(const std::string& argument) {
  if (argument.starts_with("as_none")) return "";
  const std::string value = argument.substr(argument.find(':') + 2);
  return value == "true" ? "True" : value == "false" ? "False" : value;
}

inline void add(std::string& text, const std::string& item) {
  text += (text.empty() ? "" : ", ") + item;
}

inline std::vector<Layer> of_recording(const Case& each) {
  std::string sizes, types, values;
  for (const std::string& argument : each.pytorch.arguments) {
    std::string own = "[]", type, value;
    if (argument.starts_with("as_tensors")) {
      type = "TensorList";
      std::string all;
      for (const Tensor& tensor : each.tensors) add(all, list(tensor.sizes));
      own = "[" + all + "]";
    } else if (argument.starts_with("as_")) {
      value = recorded_value(argument);
    } else {
      const Tensor& tensor = *std::ranges::find(each.tensors, argument, &Tensor::name);
      own = list(tensor.sizes);
      type = tensor.type.recorded;
    }
    add(sizes, own);
    add(types, "\"" + type + "\"");
    add(values, "\"" + value + "\"");
  }
  const bool is_own = each.pytorch.op.find("::") == std::string::npos;
  const std::string called = (is_own ? "aten::" : "") + each.pytorch.op;
  return trace_layers(
      TraceText()
          .operation(called, 7, 100, 20, {"[" + sizes + "]", "[" + types + "]", "[" + values + "]"})
          .kernel("kernel<float>", 7, 110, 5)
          .text());
}

inline std::string floats(const std::string& name, const std::vector<float>& values) {
  using namespace onnx_bytes;
  std::string bytes = text(1, name) + integer(20, 6);
  for (const float value : values) {
    const auto bits = std::bit_cast<std::array<char, 4>>(value);
    bytes += number(7 << 3 | 5) + std::string(bits.begin(), bits.end());
  }
  return text(5, bytes);
}

/// The layer of an engine; `members`: of its description, beside its tensors.
inline std::vector<Layer> of_engine(const Case& each, const std::string& type,
                                    const std::string& members) {
  const auto tensor = [](const Tensor& stated) {
    const std::string format = stated.type.onnx == boolean.onnx ? "Bool" : "Row major linear FP32";
    return R"({"Name": ")" + stated.name + R"(", "Dimensions": )" + list(stated.sizes) +
           R"(, "Format/Datatype": ")" + format + "\"}";
  };
  std::string inputs;
  for (const Tensor& stated : each.tensors)
    if (!stated.is_parameter) add(inputs, tensor(stated));
  const TemporaryFolder folder;
  const std::string path =
      folder.write("net.json", R"({"Layers": [{"Name": "layer", "LayerType": ")" + type +
                                   R"(", "Inputs": [)" + inputs + R"(], "Outputs": [)" +
                                   tensor(each.result) + "]" + members + "}], \"Bindings\": []}");
  auto item = *open_input(path).value()->next();
  return infer(*item.value().spec({}).value(), {}).value().layers;
}

/// The expected time of the layer alone, as a layer file would state it.
inline double expected_s(const Layer& layer) {
  NetworkSpec alone;
  alone.layers = {stated(layer)};
  alone.layers.front().measured = {};
  const Result result = analyze(infer(alone, {}).value(), find_gpu("a100").value());
  return *result.layers.front().expected_time_s();
}

inline void check(const Case& each, const std::vector<Layer>& layers,
                  std::optional<double>& time_s) {
  REQUIRE(!layers.empty());
  Counts all;
  double expected = 0;
  for (const Layer& layer : layers) {
    const Counts counts = count(layer);
    all.macs += counts.macs;
    all.flops += counts.flops;
    all.params += counts.params;
    all.bytes.total += counts.bytes.total;
    expected += expected_s(layer);
  }
  CHECK(info(layers.back().kind).name == each.expected.kind);
  CHECK(all.macs == each.expected.macs);
  CHECK(all.flops == each.expected.flops);
  CHECK(all.params == each.expected.params);
  CHECK(all.bytes.total == each.expected.byte);
  if (time_s) CHECK(expected == Approx(*time_s));
  time_s = expected;
}

}  // namespace operator_forms
