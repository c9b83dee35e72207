#include "model/infer/attention.hpp"

#include "model/infer/field_failure.hpp"

namespace roofline {
namespace {

void check_equal(std::uint64_t got, std::uint64_t expected, const std::string& what,
                 std::size_t operand) {
  if (got == expected) return;
  fail("inputs",
       "expected " + std::to_string(expected) + " " + what + ", got " + std::to_string(got),
       {operand});
}

}  // namespace

void infer_attention(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  layer.inputs = infer_operands(spec.inputs, "inputs", spec, scope, 2);
  if (layer.inputs.size() != 3)
    fail("inputs",
         "expected three operands, queries, keys and values, each [N, heads, length, features], "
         "got " +
             std::to_string(layer.inputs.size()));
  for (std::size_t i = 0; i < 3; ++i)
    if (layer.inputs[i].shape.spatial_rank != 2)
      fail("inputs", "expected [N, heads, length, features], got " + to_text(layer.inputs[i].shape),
           {i});
  const Heads query = heads_of(layer.inputs[0].shape);
  const Heads key = heads_of(layer.inputs[1].shape);
  const Heads value = heads_of(layer.inputs[2].shape);
  check_equal(key.batch, query.batch, "in the batch, as the queries have", 1);
  check_equal(value.batch, query.batch, "in the batch, as the queries have", 2);
  check_equal(key.features, query.features, "features a key, as the queries have", 1);
  check_equal(value.heads, key.heads, "heads, as the keys have", 2);
  check_equal(value.length, key.length, "values, one a key", 2);
  if (query.heads % key.heads != 0)
    fail("inputs",
         "expected a number of heads that divides the queries' " + std::to_string(query.heads) +
             ", got " + std::to_string(key.heads),
         {1});
  layer.output = layer.inputs[0].shape;
  layer.output.channels = value.features;
}

}  // namespace roofline
