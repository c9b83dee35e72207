#include "report/stated.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace roofline {
namespace {

std::string list(std::span<const std::uint64_t> numbers) {
  std::string text = "[";
  for (const std::uint64_t number : numbers) {
    if (text.size() > 1) text += ',';
    append_count(text, number);
  }
  return text += ']';
}

void write_operand(JsonWriter& w, const OperandSpec& operand) {
  const JsonText sizes{list(operand.sizes)};
  if (operand.is_parameter) {
    w.begin_object();
    if (operand.whole)
      w.member("shape", sizes).member("parameter", true);
    else
      w.member("parameter", sizes);
    if (operand.parameters) w.member("parameters", *operand.parameters);
    w.end_object();
  } else if (operand.sizes.empty()) {
    w.value(operand.layer);
  } else if (!operand.layer.empty()) {
    w.begin_object().member("layer", operand.layer).member("shape", sizes).end_object();
  } else if (operand.whole) {
    w.begin_object().member("shape", sizes).end_object();
  } else {
    w.value(sizes);
  }
}

template <class Write>
Cell json_text(const Write& write) {
  constexpr std::size_t usual_byte = 320;
  JsonText json;
  json.text.reserve(usual_byte);
  JsonWriter writer(json.text, false);
  write(writer);
  return json;
}

Cell operand_list(const std::vector<OperandSpec>& operands) {
  if (operands.empty()) return {};
  return json_text([&](JsonWriter& w) {
    w.begin_array();
    for (const OperandSpec& operand : operands) write_operand(w, operand);
    w.end_array();
  });
}

struct FieldValue {
  const LayerSpec& spec;

  Cell operator()(const TextField& field) const {
    const auto text = field.get(spec);
    return text ? Cell(*text) : Cell();
  }
  Cell operator()(const ChoiceField& field) const {
    const auto chosen = field.get(spec);
    return chosen ? cell(field.names[*chosen]) : Cell();
  }
  Cell operator()(const CountField& field) const { return cell(spec.*field.member); }
  Cell operator()(const FlagField& field) const { return spec.*field.member ? Cell(true) : Cell(); }
  Cell operator()(const SecondsField& field) const { return cell((*spec.measured).*field.member); }
  Cell operator()(const AxesField& field) const {
    const AxesSpec& axes = spec.*field.member;
    if (axes.numbers.empty()) return {};
    return axes.is_list ? Cell(JsonText{list(axes.numbers)}) : Cell(axes.numbers.front());
  }
  Cell operator()(const AxisField& field) const { return cell(spec.*field.axes.*field.member); }
  Cell operator()(const SizesField& field) const {
    const std::vector<std::uint64_t>& sizes = spec.*field.member;
    return sizes.empty() ? Cell() : Cell(JsonText{list(sizes)});
  }
  Cell operator()(const OperandField& field) const {
    const std::optional<OperandSpec>& operand = spec.*field.member;
    if (!operand) return {};
    return json_text([&](JsonWriter& w) { write_operand(w, *operand); });
  }
  Cell operator()(const OperandsField& field) const { return operand_list(spec.*field.member); }
  Cell operator()(const KindField&) const {
    const std::string_view name = info(spec.kind).name;
    if (!spec.rank) return cell(name);
    return std::string(name) + std::to_string(*spec.rank) + "d";
  }
  Cell operator()(const DataTypeField&) const {
    const DataTypesSpec& types = spec.dtypes;
    return types.input && !types.weight && !types.output ? cell(name_of(*types.input)) : Cell();
  }
  Cell operator()(const DataTypesField&) const {
    const DataTypesSpec& types = spec.dtypes;
    if (!types.weight && !types.output) return {};
    return json_text([&](JsonWriter& w) {
      w.begin_object();
      if (types.input) w.member("input", cell(name_of(*types.input)));
      if (types.weight) w.member("weight", cell(name_of(*types.weight)));
      if (types.output) w.member("output", cell(name_of(*types.output)));
      w.end_object();
    });
  }
  Cell operator()(const MappingField&) const {
    if (!spec.mapping) return {};
    const KernelMapping& mapping = *spec.mapping;
    return json_text([&](JsonWriter& w) {
      w.begin_object();
      if (mapping.algorithm) w.member("algorithm", cell(name_of(*mapping.algorithm)));
      if (mapping.tile) w.member("tile", JsonText{list(*mapping.tile)});
      for (const MappingNumber& number : mapping_numbers)
        if (const auto& value = mapping.*number.member) w.member(number.key, *value);
      w.end_object();
    });
  }
};

bool is_known(const Cell& value) { return !std::holds_alternative<std::monostate>(value); }

/// A row's layer, standing alone. A time is that of the row's GPU, whichever its source meant.
LayerSpec layer_of(const Row& row) {
  LayerSpec spec = stated(row.layer.layer);
  if (spec.measured->is_known() && spec.measured->gpu.empty())
    spec.measured.change([&](Measured& measured) { measured.gpu = row.gpu; });
  return spec;
}

}  // namespace

Cell field_value(const LayerField& field, const LayerSpec& layer) {
  return std::visit(FieldValue{layer}, field.member);
}

void write_layer(JsonWriter& writer, const LayerSpec& layer) {
  writer.begin_object();
  for (const LayerField& field : layer_fields()) {
    if (!field.is_written() || !field.taken(layer.kind)) continue;
    if (const Cell value = field_value(field, layer); is_known(value))
      writer.member(field.key, value);
  }
  writer.end_object();
}

Cell stated_layer(const Row& row) {
  if (!is_input_kind(row.layer.layer.kind) || row.layer.layer.of_run) return {};
  LayerSpec spec = layer_of(row);
  if (!row.in_stream) {
    const std::vector<OperandSpec*> operands = operands_of(spec);
    const std::vector<std::string>& names = row.layer.input_from;
    for (std::size_t i = 0; i < std::min(operands.size(), names.size()); ++i)
      operands[i]->layer = names[i];
    // The report says of which pass its rows are.
    if (row.layer.trains_norm) spec.batch_statistics = false;
  }
  return json_text([&](JsonWriter& w) { write_layer(w, spec); });
}

std::string layer_columns() {
  std::string columns;
  for (const LayerField& field : layer_fields())
    if (field.is_written())
      columns +=
          (columns.empty() ? "" : ",") + std::string(layer_path) + "_" + std::string(field.key);
  return columns;
}

void append_layer_cells(std::string& csv, const Row& row, bool raw) {
  const bool is_input = is_input_kind(row.layer.layer.kind) && !row.layer.layer.of_run;
  const LayerSpec spec = is_input ? layer_of(row) : LayerSpec();
  bool first = true;
  for (const LayerField& field : layer_fields()) {
    if (!field.is_written()) continue;
    if (!first) csv += ',';
    first = false;
    if (is_input && field.taken(spec.kind)) append_csv(csv, field_value(field, spec), raw);
  }
}

Cell stated_input(const Layer& layer) {
  const std::vector<OperandSpec> operands = stated_operands(layer);
  if (!takes(layer.kind, "inputs")) return JsonText{list(operands.front().sizes)};
  return json_text([&](JsonWriter& w) {
    w.begin_array();
    for (const OperandSpec& operand : operands)
      if (operand.is_parameter)
        write_operand(w, operand);
      else
        w.value(JsonText{list(operand.sizes)});
    w.end_array();
  });
}

Cell stated_producers(const LayerResult& row) {
  const std::vector<std::string>& names = row.input_from;
  if (!takes(row.layer.kind, "inputs"))
    return text_or_null(names.empty() ? std::string() : names.front());
  if (std::all_of(names.begin(), names.end(), [](const auto& name) { return name.empty(); }))
    return {};
  return json_text([&](JsonWriter& w) {
    w.begin_array();
    for (const std::string& name : names) w.value(text_or_null(name));
    w.end_array();
  });
}

Cell stated_output(const Layer& layer) {
  return JsonText{list(stated_sizes(layer.output, info(layer.kind).features))};
}

}  // namespace roofline
