// Attention of ONNX and of ONNX Runtime, and its products with weights of few bits, counted by
// hand.

#include "catch.hpp"
#include "onnx/onnx_bytes.hpp"
#include "onnx/onnx_reading.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;
using namespace onnx_bytes;

namespace {

const std::string microsoft = text(7, "com.microsoft");

std::vector<Layer> layers_of(const std::string& one_node, const std::string& tensors,
                             const Names& outputs) {
  const TemporaryFolder folder;
  std::string graph = text(1, one_node) + tensors;
  for (const std::string& name : outputs) graph += output(name);
  return infer_onnx(folder.write("m.onnx", model(graph, "", 23))).layers;
}

std::string tensors_of(const Names& names, const std::vector<std::int64_t>& sizes) {
  std::string bytes;
  for (const std::string& name : names) bytes += input(name, sizes);
  return bytes;
}

}  // namespace

TEST_CASE("Keys and values that are kept are written", "[onnx/attention]") {
  const std::string attention =
      node("Attention", {"q", "k", "v", "", "pk", "pv"}, {"y", "keys", "values"});
  const std::string tensors =
      tensors_of({"q", "k", "v"}, {1, 8, 1, 64}) + tensors_of({"pk", "pv"}, {1, 8, 127, 64});
  const std::uint64_t row = 8 * 64;  // of one position
  const std::uint64_t macs = 8 * 128 * (64 + 64);
  const std::uint64_t attended_byte = 4 * (row + 2 * 128 * row + row);
  const auto alone = layers_of(attention, tensors, {"y"});
  REQUIRE(alone.size() == 1);
  CHECK(count(alone[0]).macs == macs);
  CHECK(count(alone[0]).bytes.total == attended_byte);
  const auto kept = layers_of(attention, tensors, {"y", "keys", "values"});
  REQUIRE(kept.size() == 3);
  for (const std::size_t i : {0U, 1U}) {
    CHECK(kept[i].kind == LayerKind::concat);
    CHECK(count(kept[i]).bytes.total == 4 * (127 * row + row + 128 * row));
  }
  CHECK(count(kept[2]).macs == macs);
  CHECK(count(kept[2]).bytes.total == attended_byte);
  CHECK(kept[2].inputs[1].producer == std::size_t{0});
  CHECK(kept[2].inputs[2].producer == std::size_t{1});
}

TEST_CASE("A query sees the keys up to its own place, counted from the first", "[onnx/attention]") {
  const auto layers =
      layers_of(node("Attention", {"q", "k", "v"}, {"y"}, attribute("is_causal", 1)),
                input("q", {1, 1, 4, 64}) + tensors_of({"k", "v"}, {1, 1, 64, 64}), {"y"});
  CHECK(count(layers.at(0)).macs == (1 + 2 + 3 + 4) * (64 + 64));
}

TEST_CASE("Attention of several heads, as ONNX Runtime states it", "[onnx/attention]") {
  struct Row {
    Names names;
    std::string tensors;
    std::string attributes;
    std::uint64_t macs;
    bool masked;
    bool causal;
  };
  const std::string two_heads = attribute("num_heads", 2);
  const std::string four_heads = attribute("num_heads", 4) + attribute("kv_num_heads", 2);
  const std::string q = input("q", {1, 4, 16});
  const std::string kv = tensors_of({"k", "v"}, {1, 4, 16});
  const std::string multi = "MultiHeadAttention";
  const std::string grouped = "GroupQueryAttention";
  const std::vector<std::pair<std::string, Row>> rows{
      {multi, {{"q", "k", "v"}, q + kv, two_heads, 2 * 4 * 4 * (8 + 8), false, false}},
      {multi,
       {{"q", "k", "v", "", "", "", "pk", "pv"},
        q + kv + tensors_of({"pk", "pv"}, {1, 2, 6, 8}),
        two_heads,
        2 * 4 * (6 + 4) * (8 + 8),
        false,
        false}},
      // Keys and values of an encoder, each head by itself, some of them padding.
      {multi,
       {{"q", "k", "v", "", "m"},
        q + tensors_of({"k", "v"}, {1, 2, 7, 8}) + input("m", {1, 7}, of_int32),
        two_heads,
        2 * 4 * 7 * (8 + 8),
        true,
        false}},
      // All three in one tensor, or keys and values.
      {multi, {{"q"}, input("q", {1, 4, 2, 3, 8}), two_heads, 2 * 4 * 4 * (8 + 8), false, false}},
      {multi,
       {{"q", "k"}, q + input("k", {1, 7, 2, 2, 8}), two_heads, 2 * 4 * 7 * (8 + 8), false, false}},
      // One query after nine positions: it sees ten keys.
      {grouped,
       {{"q", "k", "v", "pk", "pv"},
        input("q", {1, 1, 32}) + tensors_of({"k", "v"}, {1, 1, 16}) +
            tensors_of({"pk", "pv"}, {1, 2, 9, 8}),
        four_heads,
        4 * 10 * (8 + 8),
        false,
        true}},
      // Four queries: they see 1, 2, 3 and 4 keys.
      {grouped, {{"q"}, input("q", {1, 4, 64}), four_heads, 4 * 10 * (8 + 8), false, true}},
  };
  for (const auto& [op, row] : rows) {
    const auto layers =
        layers_of(node(op, row.names, {"y"}, row.attributes + microsoft), row.tensors, {"y"});
    REQUIRE(layers.size() == 1);
    CHECK(layers[0].kind == LayerKind::attention);
    CHECK(count(layers[0]).macs == row.macs);
    CHECK(layers[0].masked == row.masked);
    CHECK(layers[0].causal == row.causal);
  }
}

TEST_CASE("Keys that are kept are written by head", "[onnx/attention]") {
  const auto layers =
      layers_of(node("MultiHeadAttention", {"q", "k", "v", "b"}, {"y", "keys"},
                     attribute("num_heads", 2) + microsoft),
                tensors_of({"q", "k", "v"}, {1, 4, 16}) + weights("b", {48}), {"y", "keys"});
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].kind == LayerKind::copy);
  CHECK(count(layers[0]).bytes.total == 2 * 64 * 4);
  CHECK(layers[1].kind == LayerKind::attention);
  CHECK(count(layers[2]).params == 48);
}

TEST_CASE("A product with weights of four bits", "[onnx/attention]") {
  const std::string product =
      node("MatMulNBits", {"x", "w", "s"}, {"y"},
           attribute("K", 4096) + attribute("N", 1024) + attribute("bits", 4) +
               attribute("block_size", 32) + microsoft);
  const auto layers = layers_of(product,
                                input("x", {1, 1, 4096}) + weights("w", {1024, 128, 16}, of_uint8) +
                                    weights("s", {1024 * 128}),
                                {"y"});
  REQUIRE(layers.size() == 1);
  CHECK(count(layers[0]).macs == 4'194'304);
  CHECK(count(layers[0]).params == 4'194'304);
  CHECK(count(layers[0]).bytes.weight == 4'194'304 / 2);
}
