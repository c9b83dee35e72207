#include "profilers/engine_tensor.hpp"

#include <limits>

namespace roofline {

std::optional<DataType> type_of_format(std::string_view format) {
  struct Mark {
    std::string_view text;
    DataType type;
  };
  // TensorRT 8 writes the type into a sentence, TensorRT 10 by itself. Booleans and 64-bit integers
  // stand for their size.
  constexpr Mark marks[] = {
      {"BF16", DataType::bf16},   {"BFloat16", DataType::bf16}, {"FP16", DataType::fp16},
      {"Half", DataType::fp16},   {"FP32", DataType::fp32},     {"Float", DataType::fp32},
      {"FP8", DataType::fp8},     {"Int8", DataType::int8},     {"INT8", DataType::int8},
      {"UInt8", DataType::int8},  {"Bool", DataType::int8},     {"BOOL", DataType::int8},
      {"Int32", DataType::int32}, {"INT32", DataType::int32},   {"Int64", DataType::fp64},
      {"INT64", DataType::fp64}};
  for (const Mark& mark : marks)
    if (format.find(mark.text) != std::string_view::npos) return mark.type;
  return std::nullopt;
}

std::optional<Layout> layout_of_format(std::string_view format) {
  const auto mentions = [&](std::string_view words) { return format.find(words) != format.npos; };
  if (mentions("vectorized")) return Layout::blocked;
  if (mentions("Channel major")) return Layout::nhwc;
  if (mentions("Row major")) return Layout::nchw;
  return std::nullopt;
}

std::vector<EngineTensor> read_engine_tensors(const Value& layer, std::string_view member) {
  std::vector<EngineTensor> tensors;
  if (!layer.contains(member)) return tensors;
  const Value list = layer.at(member);
  if (!list.is_array()) list.fail_expected("an array of tensors");
  for (const Value entry : list) {
    if (!entry.is_object()) entry.fail_expected("a tensor");
    EngineTensor tensor;
    for (const std::string_view key : {"Format/Datatype", "Datatype"})
      if (entry.contains(key) && !tensor.type) {
        tensor.type = type_of_format(entry.at(key).text());
        tensor.layout = layout_of_format(entry.at(key).text());
      }
    if (entry.contains("Dimensions")) {
      const Value sizes = entry.at("Dimensions");
      if (!sizes.is_array()) sizes.fail_expected("an array of sizes");
      for (const Value size : sizes) tensor.sizes.push_back(size.integer(0));
      if (element_count(tensor.sizes) == std::numeric_limits<std::uint64_t>::max())
        sizes.fail("expected sizes whose product is below 2^64, got " + text_of(tensor));
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::string text_of(const EngineTensor& tensor) {
  std::string text = tensor.type ? std::string(name_of(*tensor.type)) : "";
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i)
    text += (i > 0 ? "x" : text.empty() ? "" : " ") + std::to_string(tensor.sizes[i]);
  return text;
}

}  // namespace roofline
