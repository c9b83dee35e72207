// What PyTorch's exporter notes beside the nodes of a model, and what of that is no hint.

#include <algorithm>

#include "catch.hpp"
#include "onnx/onnx_bytes.hpp"
#include "onnx/onnx_reading.hpp"

// Names of a unity build's files may meet.
namespace pytorch_notes {

using namespace roofline;
using namespace onnx_bytes;

namespace {

std::string note(const std::string& key, const std::string& value) {
  return text(9, text(1, "pkg.torch.onnx." + key) + text(2, value));
}

/// The operator of PyTorch's that a node is of, as torch.fx prints it.
std::string of_operator(const std::string& name, const std::string& op,
                        const std::string& arguments, const std::string& module = "") {
  return note("fx_node", "%" + name + " : [num_users=1] = call_function[target=torch.ops.aten." +
                             op + "](args = (" + arguments + "), kwargs = {})") +
         note("name_scopes", "['', '" + module + "', '" + name + "']");
}

/// A learned tensor.
std::string weight(const std::string& name, const std::vector<std::int64_t>& sizes) {
  std::string bytes;
  for (const std::int64_t size : sizes) bytes += integer(1, static_cast<std::uint64_t>(size));
  return text(5, bytes + integer(2, 1) + text(8, name));
}

/// x [2, 8, 4, 4] through a convolution that holds a batch norm, and SiLU in two nodes.
std::string folded_model(const std::string& norm_arguments, const std::string& silu) {
  return model(text(1, node("Conv", {"x", "stem.conv.weight"}, {"getitem"},
                            of_operator("norm", "_native_batch_norm_legit_no_training.default",
                                        norm_arguments, "stem.bn"))) +
               text(1, node("Sigmoid", {"getitem"}, {"val_1"}, silu)) +
               text(1, node("Mul", {"getitem", "val_1"}, {"silu"}, silu)) +
               input("x", {2, 8, 4, 4}) + weight("stem.conv.weight", {16, 8, 1, 1}) +
               output("silu"));
}
const std::string norm_arguments =
    "%conv2d, %p_stem_bn_weight, %p_stem_bn_bias, %b_mean, %b_var, 0.1, 1e-05";
const std::string silu = of_operator("silu", "silu.default", "%getitem", "stem.act");

Network network_of(const std::string& bytes, bool as_pytorch_runs = true) {
  const TemporaryFolder folder;
  LayerDefaults defaults;
  defaults.as_pytorch_runs = as_pytorch_runs;
  return infer_onnx(folder.write("m.onnx", bytes), defaults);
}

std::vector<std::string> layers_of(const Network& network) {
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) names.push_back(layer.name);
  return names;
}

std::string untold_because(const std::string& reason) {
  return "ONNX does not say which operators PyTorch runs, such as batch norms that are folded into "
         "convolutions" +
         (reason.empty() ? "" : " (" + reason + ")") +
         "; torch.export.save(torch.export.export(model, (x,)), \"model.pt2\") does";
}

}  // namespace

TEST_CASE("Operators that the exporter folded or wrote in pieces are whole",
          "[onnx/pytorch_notes]") {
  const Network network = network_of(folded_model(norm_arguments, silu));
  CHECK(layers_of(network) ==
        std::vector<std::string>{"stem.conv", "stem.bn (folded by the exporter)", "stem.act"});
  CHECK(network.layers[0].kind == LayerKind::conv);
  CHECK(count(network.layers[0]).params == 16 * 8);
  CHECK(network.layers[1].kind == LayerKind::batch_norm);
  CHECK(count(network.layers[1]).params == 2 * 16);
  CHECK(network.layers[1].inputs.front().producer == 0);
  CHECK(network.layers[2].kind == LayerKind::silu);
  CHECK(network.layers[2].inputs.front().producer == 1);
  CHECK(network.batch == 2);
  CHECK(network.assumptions.empty());
}

TEST_CASE("Where PyTorch does not run the model, the file is what runs", "[onnx/pytorch_notes]") {
  const Network network = network_of(folded_model(norm_arguments, silu), false);
  CHECK(layers_of(network) == std::vector<std::string>{"stem.conv", "stem.act"});
  CHECK(network.assumptions.empty());
}

TEST_CASE("A model without notes says what ONNX cannot tell", "[onnx/pytorch_notes]") {
  const std::string bytes = model_of("Relu", {"x"}, {1});
  CHECK(network_of(bytes).assumptions == std::vector<std::string>{untold_because("")});
  CHECK(network_of(bytes, false).assumptions.empty());
}

TEST_CASE("Notes are hints", "[onnx/pytorch_notes]") {
  // Whatever is noted, the model is read, as a program or as the graph stands.
  const std::vector<std::string> texts{
      "",
      "%",
      "%a : call_function[target=",
      "%a : call_function[target=torch.ops.aten.relu.default](args = (",
      "%a : call_function[target=torch.ops.aten.relu.default](args = (%b, %c, [[[), kwargs",
      "%a : call_function[target=torch.ops.aten.cat.default](args = ([%x, %y, None, 3], 7))",
      "%a : call_function[target=torch.ops.aten.permute.default](args = (%x, [9, 9])",
      "%a : call_function[target=torch.ops.aten.linear.default](args = (%x, %p_w, %p_b))",
      "%a : call_function[target=torch.ops.aten.view.default](args = (%p_x, [1])",
      "%a : call_function[target=torch.ops.nobody.knows.default](args = (%x,), kwargs = {})",
      std::string(100000, '%'),
  };
  for (const std::string& each : texts) {
    INFO(each.substr(0, 100));
    for (const std::string op : {"Relu", "Transpose", "Split", "Conv"}) {
      const Names inputs = op == "Conv" ? Names{"x", "w"} : Names{"x"};
      const Network network =
          network_of(model(text(1, node(op, inputs, {"t"}, note("fx_node", each))) +
                           text(1, node("Relu", {"t"}, {"y"}, silu)) + input("x", {1, 8, 4, 4}) +
                           weight("w", {8, 8, 1, 1}) + output("y")));
      CHECK_FALSE(network.layers.empty());
    }
  }
  const std::string wrong =
      model(text(1, node("Relu", {"x"}, {"t"}, of_operator("t", "permute.default", "%x, [3, 1]"))) +
            text(1, node("Relu", {"t"}, {"y"}, of_operator("y", "relu.default", "%t"))) +
            input("x", {1, 8, 4, 4}) + output("y"));
  CHECK(network_of(wrong).assumptions ==
        std::vector<std::string>{untold_because("node \"t\" (aten.permute): expected one of 4 "
                                                "axes, got none")});
  const std::string partly =
      model(text(1, node("Relu", {"x"}, {"t"})) +
            text(1, node("Relu", {"t"}, {"y"}, of_operator("y", "relu.default", "%t"))) +
            input("x", {1, 8, 4, 4}) + output("y"));
  CHECK(network_of(partly).assumptions ==
        std::vector<std::string>{untold_because("expected a note of what gives \"t\", got none")});
  CHECK(network_of(partly).layers.size() == 2);
}

}  // namespace pytorch_notes
