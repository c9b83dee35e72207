// Operators in several nodes: what is put together again, and what only looks like it.

#include <bit>

#include "catch.hpp"
#include "model/layer_kind.hpp"
#include "onnx/onnx_bytes.hpp"
#include "onnx/onnx_reading.hpp"

using namespace roofline;
using namespace onnx_bytes;

namespace {

/// A learned tensor of floats, whose values the file leaves out.
std::string learned_tensor(const std::string& name, const std::vector<std::int64_t>& sizes) {
  std::string bytes;
  for (const std::int64_t size : sizes) bytes += integer(1, static_cast<std::uint64_t>(size));
  return text(5, bytes + integer(2, 1) + text(8, name));
}

/// A number.
std::string scalar(const std::string& name, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  std::string raw;
  for (int byte = 0; byte < 4; ++byte) raw += static_cast<char>(bits >> (8 * byte) & 0xFFU);
  return text(5, integer(2, 1) + text(8, name) + text(9, raw));
}

std::string made(const std::string& op, const Names& inputs, const std::string& output,
                 const std::string& attributes = "") {
  return text(1, node(op, inputs, {output}, attributes));
}

std::string numbers_attribute(const std::string& name, const std::vector<std::int64_t>& values) {
  std::string bytes = text(1, name);
  for (const std::int64_t value : values) bytes += integer(8, static_cast<std::uint64_t>(value));
  return text(5, bytes + integer(20, 7));
}

Network graph_network(const std::string& graph) {
  const TemporaryFolder folder;
  return infer_onnx(folder.write("m.onnx", model(graph + output("y"))));
}

/// Kinds of the layers, in order: "conv relu".
std::string kinds_of(const Network& network) {
  std::string kinds;
  for (const Layer& layer : network.layers)
    kinds += (kinds.empty() ? "" : " ") + std::string(info(layer.kind).name);
  return kinds;
}

/// x clip(x + shift, 0, most) / 6.
std::string hard_swish(float shift, float most) {
  return made("Add", {"x", "shift"}, "a") + made("Clip", {"a", "zero", "most"}, "c") +
         made("Mul", {"x", "c"}, "m") + made("Div", {"m", "six"}, "y") + input("x", {2, 8, 4, 4}) +
         scalar("shift", shift) + scalar("zero", 0) + scalar("most", most) + scalar("six", 6);
}

/// x [4, 32] over the root of the mean of its squares, less its mean where it is a layer norm, as
/// "n".
std::string normalised(bool subtracts_mean) {
  const std::string axes = numbers_attribute("axes", {-1});
  const std::string value = subtracts_mean ? "d" : "x";
  return (subtracts_mean ? made("ReduceMean", {"x"}, "mean", axes) + made("Sub", {"x", "mean"}, "d")
                         : "") +
         made("Mul", {value, value}, "s") + made("ReduceMean", {"s"}, "v", axes) +
         made("Add", {"v", "eps"}, "e") + made("Sqrt", {"e"}, "r") +
         made("Div", {value, "r"}, "n") + input("x", {4, 32}) + scalar("eps", 1e-5F);
}

/// x [1, 8, 4, 4] with zeros around, and a convolution of 3 x 3 with a padding of its own.
Network padded(const std::vector<std::int64_t>& around, const std::string& mode,
               std::int64_t own_padding, std::int64_t channels, const std::string& more = "") {
  const std::string attribute = text(5, text(1, "mode") + text(4, mode) + integer(20, 3));
  return graph_network(made("Pad", {"x", "pads"}, "p", attribute) +
                       made("Conv", {"p", "w"}, "y",
                            numbers_attribute("pads", std::vector<std::int64_t>(4, own_padding))) +
                       more + constant("pads", around) + learned_tensor("w", {8, channels, 3, 3}) +
                       input("x", {1, 8, 4, 4}));
}

const std::vector<std::int64_t> one_around{0, 0, 1, 1, 0, 0, 1, 1};

}  // namespace

TEST_CASE("A hard swish has its numbers, within a hundredth", "[onnx/patterns]") {
  CHECK(kinds_of(graph_network(hard_swish(3, 6))) == "hardswish");
  CHECK(kinds_of(graph_network(hard_swish(3.02F, 6))) == "hardswish");
  CHECK(kinds_of(graph_network(hard_swish(4, 6))).find("hardswish") == std::string::npos);
  CHECK(kinds_of(graph_network(hard_swish(3, 7))).find("hardswish") == std::string::npos);
  // 6 / x is no factor x.
  CHECK(kinds_of(graph_network(made("Add", {"x", "three"}, "a") +
                               made("Clip", {"a", "zero", "six"}, "c") +
                               made("Div", {"six", "x"}, "d") + made("Mul", {"d", "c"}, "y") +
                               input("x", {2, 8, 4, 4}) + scalar("three", 3) + scalar("zero", 0) +
                               scalar("six", 6)))
            .find("hardswish") == std::string::npos);
}

TEST_CASE("A part that something else reads stays a layer", "[onnx/patterns]") {
  const std::string swish = made("Sigmoid", {"x"}, "s") + made("Mul", {"x", "s"}, "y");
  const std::string x = input("x", {2, 8, 4, 4});
  CHECK(kinds_of(graph_network(swish + x)) == "silu");
  CHECK(kinds_of(graph_network(swish + made("Relu", {"s"}, "z") + x + output("z"))) ==
        "sigmoid mul relu");
}

TEST_CASE("A norm takes the vectors after it, past a cast", "[onnx/patterns]") {
  const std::string learned = learned_tensor("g", {32}) + learned_tensor("b", {32});
  const std::string scale_and_shift = made("Mul", {"n", "g"}, "m") + made("Add", {"m", "b"}, "y");
  const Network whole = graph_network(normalised(true) + scale_and_shift + learned);
  CHECK(kinds_of(whole) == "layer_norm");
  CHECK(count(whole.layers[0]).params == 2 * 32);
  const Network cast =
      graph_network(normalised(true) + made("Cast", {"n"}, "c", attribute("to", 1)) +
                    made("Mul", {"c", "g"}, "m") + made("Add", {"m", "b"}, "y") + learned);
  CHECK(kinds_of(cast) == "layer_norm");
  CHECK(count(cast.layers[0]).params == 2 * 32);
  // An RMS norm has no shift, and one number is no vector.
  const Network rms = graph_network(normalised(false) + scale_and_shift + learned);
  CHECK(kinds_of(rms) == "rms_norm add");
  CHECK(count(rms.layers[0]).params == 32);
  const Network scaled =
      graph_network(normalised(true) + made("Mul", {"n", "g"}, "y") + learned_tensor("g", {1}));
  CHECK(count(scaled.layers[0]).params == 0);
  CHECK(scaled.layers.size() == 2);
}

TEST_CASE("A vector that changes the shape is no bias", "[onnx/patterns]") {
  const auto product = [](const std::vector<std::int64_t>& bias) {
    return graph_network(made("MatMul", {"x", "w"}, "m") + made("Add", {"m", "b"}, "y") +
                         input("x", {4, 8}) + learned_tensor("w", {8, 16}) +
                         learned_tensor("b", bias));
  };
  CHECK(kinds_of(product({16})) == "linear");
  CHECK(count(product({16}).layers[0]).params == 8 * 16 + 16);
  CHECK(kinds_of(product({1, 1, 16})) == "linear add");
}

TEST_CASE("Zeros around an image are the convolution's, added to its own", "[onnx/patterns]") {
  const Network joined = padded(one_around, "constant", 1, 8);
  CHECK(kinds_of(joined) == "conv");
  const Layer& conv = joined.layers[0];
  CHECK(conv.inputs.front().shape.spatial[1] == 4);
  CHECK(conv.window->pad_begin[1] == 2);
  CHECK(conv.window->pad_end[2] == 2);
  CHECK(conv.output.spatial[2] == 4 + 2 * 2 - 3 + 1);
}

TEST_CASE("Other padding is a layer of its own", "[onnx/patterns]") {
  struct Case {
    const char* why;
    Network network;
  };
  const Case cases[] = {
      {"it mirrors the image", padded(one_around, "reflect", 0, 8)},
      {"another layer reads it",
       padded(one_around, "constant", 0, 8, made("Relu", {"p"}, "z") + output("z"))},
      {"it adds channels", padded({0, 1, 0, 0, 0, 0, 0, 0}, "constant", 0, 9)},
  };
  for (const Case& each : cases) {
    INFO(each.why);
    REQUIRE(each.network.layers.size() >= 2);
    const Layer& conv = each.network.layers[1];
    CHECK(conv.kind == LayerKind::conv);
    CHECK(conv.inputs.front().producer == 0);
    CHECK(conv.window->pad_begin[1] == 0);
  }
}
