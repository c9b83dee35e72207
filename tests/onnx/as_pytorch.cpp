// ONNX models read as PyTorch runs them: what exporters fold or write in several nodes comes back.

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "model/layer_kind.hpp"
#include "onnx/onnx_bytes.hpp"
#include "onnx/onnx_reading.hpp"

// Names of a unity build's files may meet.
namespace as_pytorch_tests {

using namespace roofline;
using namespace onnx_bytes;

namespace {

std::string learned(const std::string& name, const std::vector<std::int64_t>& sizes) {
  return weights(name, sizes);
}

/// A constant of one element, whose value the file leaves out where it does not matter.
std::string scalar(const std::string& name) {
  return text(5, integer(2, 1) + text(8, name) + text(9, std::string("\0\0\x80\x3f", 4)));
}

std::string made(const std::string& op, const Names& inputs, const std::string& output,
                 const std::string& attributes = "") {
  return text(1, node(op, inputs, {output}, attributes));
}

Network network_of(const std::string& graph, bool as_pytorch_runs = true) {
  const TemporaryFolder folder;
  LayerDefaults defaults;
  defaults.as_pytorch_runs = as_pytorch_runs;
  return infer_onnx(folder.write("m.onnx", model(graph + output("y"))), defaults);
}

std::uint64_t sum_of(const Network& network, std::uint64_t Counts::*number) {
  std::uint64_t sum = 0;
  for (const Layer& layer : network.layers) sum += count(layer).*number;
  return sum;
}

/// Kinds of the layers, in order: "conv relu".
std::string kinds_of(const Network& network) {
  std::string kinds;
  for (const Layer& layer : network.layers)
    kinds += (kinds.empty() ? "" : " ") + std::string(info(layer.kind).name);
  return kinds;
}

const std::string image = input("x", {2, 8, 4, 4});
const std::string filter = learned("stem.weight", {8, 8, 1, 1});
const std::string norm_parameters =
    learned("gamma", {8}) + learned("beta", {8}) + learned("mean", {8}) + learned("var", {8});
const Names of_norm{"gamma", "beta", "mean", "var"};

std::string norm(const std::string& from, const std::string& to) {
  return made("BatchNormalization", {from, "gamma", "beta", "mean", "var"}, to);
}

/// q, k, v [2, 4, 16, 8]: scores of scaled operands, as PyTorch's exporters write them.
std::string scores(const std::string& queries, const std::string& keys) {
  return input("q", {2, 4, 16, 8}) + input("k", {2, 4, 16, 8}) + input("v", {2, 4, 16, 8}) +
         scalar("s") + made("Mul", {"q", "s"}, "qs") +
         made("Transpose", {"k"}, "kt", integers_attribute("perm", {0, 1, 3, 2})) +
         made("Mul", {"kt", "s"}, "kts") + made("MatMul", {queries, keys}, "scores");
}

}  // namespace

TEST_CASE("What an exporter folds or writes in pieces runs as PyTorch's operators",
          "[onnx/as_pytorch]") {
  struct Case {
    std::string what;
    std::string graph;
    std::string as_pytorch;
    std::string as_it_stands;
  };
  for (const auto& [what, graph, as_pytorch, as_it_stands] : {
           Case{"a bias that the exporter made up",
                image + filter + learned("onnx::Conv_7", {8}) +
                    made("Conv", {"x", "stem.weight", "onnx::Conv_7"}, "c") +
                    made("Relu", {"c"}, "y"),
                "conv batch_norm relu", "conv relu"},
           Case{"the module's own bias",
                image + filter + learned("stem.bias", {8}) +
                    made("Conv", {"x", "stem.weight", "stem.bias"}, "c") + made("Relu", {"c"}, "y"),
                "conv relu", "conv relu"},
           Case{"a function behind a convolution without a bias",
                image + filter + made("Conv", {"x", "stem.weight"}, "c") + made("Relu", {"c"}, "y"),
                "conv batch_norm relu", "conv relu"},
           Case{"a sum that a norm follows",
                image + filter + norm_parameters + made("Conv", {"x", "stem.weight"}, "c") +
                    made("Add", {"c", "x"}, "a") + norm("a", "y"),
                "conv add batch_norm", "conv add batch_norm"},
           Case{"a file that keeps its norms",
                image + filter + norm_parameters + made("Conv", {"x", "stem.weight"}, "c") +
                    norm("c", "n") + made("Conv", {"n", "stem.weight"}, "d") +
                    made("Relu", {"d"}, "y"),
                "conv batch_norm conv relu", "conv batch_norm conv relu"},
           Case{
               "weights that each run normalises",
               image + learned("stem.weight", {64, 8, 16}) + learned("gamma", {8}) +
                   learned("beta", {8}) + constant("axes", {0, 2}) +
                   constant("sizes", {64, 8, 4, 4}) +
                   made("ReduceMean", {"stem.weight"}, "mean",
                        integers_attribute("axes", {0, 2}) + attribute("keepdims", 0)) +
                   made("ReduceMean", {"stem.weight"}, "kept", integers_attribute("axes", {0, 2})) +
                   made("Sub", {"stem.weight", "kept"}, "less") +
                   made("Mul", {"less", "less"}, "square") +
                   made("ReduceMean", {"square"}, "var",
                        integers_attribute("axes", {0, 2}) + attribute("keepdims", 0)) +
                   made("BatchNormalization", {"stem.weight", "gamma", "beta", "mean", "var"},
                        "normed") +
                   made("Reshape", {"normed", "sizes"}, "filter") +
                   made("Conv", {"x", "filter"}, "c") + made("Relu", {"c"}, "y"),
               "batch_norm conv relu", "conv relu"},
           Case{"attention whose operands are both scaled",
                scores("qs", "kts") + made("Softmax", {"scores"}, "p") +
                    made("MatMul", {"p", "v"}, "y"),
                "attention", "mul copy mul matmul softmax matmul"},
           Case{"attention written by hand",
                scores("q", "kt") + made("Mul", {"scores", "s"}, "t") +
                    made("Softmax", {"t"}, "p") + made("MatMul", {"p", "v"}, "y"),
                "matmul elementwise softmax matmul", "matmul mul softmax matmul"},
           Case{"a permuted tensor in other sizes: a copy",
                input("x", {2, 8, 4, 4}) + constant("sizes", {2, 16, 8}) +
                    made("Transpose", {"x"}, "t", integers_attribute("perm", {0, 2, 3, 1})) +
                    made("Reshape", {"t", "sizes"}, "r") + made("Relu", {"r"}, "y"),
                "relu", "copy relu"},
           Case{"padding of one side",
                image + filter + learned("stem.bias", {8}) +
                    constant("pads", {0, 0, 0, 0, 0, 0, 1, 1}) + made("Pad", {"x", "pads"}, "p") +
                    made("Conv", {"p", "stem.weight", "stem.bias"}, "y"),
                "other copy conv", "conv"},
       }) {
    INFO(what);
    CHECK(kinds_of(network_of(graph)) == as_pytorch);
    CHECK(kinds_of(network_of(graph, false)) == as_it_stands);
  }
}

TEST_CASE("A norm that comes back has its parameters, and the convolution no bias",
          "[onnx/as_pytorch]") {
  const Network network = network_of(image + filter + learned("onnx::Conv_7", {8}) +
                                     made("Conv", {"x", "stem.weight", "onnx::Conv_7"}, "c") +
                                     made("Relu", {"c"}, "y"));
  CHECK(count(network.layers.at(0)).params == 8 * 8);
  CHECK(count(network.layers.at(1)).params == 2 * 8);
  CHECK(network.layers.at(1).inputs.front().producer == 0);
  CHECK(network.layers.at(2).inputs.front().producer == 1);
  CHECK(network.runs_as == RunsAs::pytorch_program);
  CHECK(network.batch == 2);
  CHECK(network.assumptions ==
        std::vector<std::string>{"read as PyTorch runs it, with 1 batch norm that an exporter had "
                                 "folded into convolutions"});
}

TEST_CASE("With its norms back, a network has the parameters that are published",
          "[onnx/as_pytorch]") {
  LayerDefaults defaults;
  defaults.as_pytorch_runs = true;
  for (const auto& [name, params, macs] :
       {std::tuple("resnet18.dynamo", 11'689'512U, 1'814'073'344U),
        std::tuple("resnet18.script", 11'689'512U, 1'814'073'344U),
        std::tuple("mobilenet_v2.script", 3'504'872U, 300'774'272U)}) {
    INFO(name);
    const Network network = infer_onnx(model_path(name), defaults);
    CHECK(sum_of(network, &Counts::params) == params);
    CHECK(sum_of(network, &Counts::macs) == macs);
  }
}

TEST_CASE("PyTorch's operators multiply as often as the nodes", "[onnx/as_pytorch]") {
  LayerDefaults defaults;
  defaults.as_pytorch_runs = true;
  for (const char* name : {"activations",
                           "attention_dynamo",
                           "attention_script",
                           "branches",
                           "convnext",
                           "deeplab",
                           "detection",
                           "efficientnet",
                           "four_bits",
                           "functions",
                           "moves",
                           "opset18",
                           "opset21",
                           "opset23",
                           "opset7",
                           "opset9",
                           "products",
                           "recurrent",
                           "streaming",
                           "swin",
                           "types",
                           "unet"}) {
    INFO(name);
    const Network network = infer_onnx(model_path(name), defaults);
    CHECK(network.runs_as == RunsAs::pytorch_program);
    CHECK(sum_of(network, &Counts::macs) == sum_of(infer_onnx(model_path(name)), &Counts::macs));
  }
}

TEST_CASE("A model with an operator that PyTorch lacks is read as it stands", "[onnx/as_pytorch]") {
  const std::string graph =
      image + made("LRN", {"x"}, "l", attribute("size", 3)) + made("Relu", {"l"}, "y");
  const Network network = network_of(graph);
  CHECK(kinds_of(network) == kinds_of(network_of(graph, false)));
  CHECK(network.runs_as == RunsAs::layers);
  CHECK(network.assumptions ==
        std::vector<std::string>{
            "ONNX does not tell all operators that PyTorch runs (node \"l\" (LRN): expected an "
            "operator that PyTorch has); torch.export.save(torch.export.export(model, (x,)), "
            "\"model.pt2\") does"});
}

}  // namespace as_pytorch_tests
