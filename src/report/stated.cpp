#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/as_run.hpp"
#include "model/layer_kind.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "report/fields.hpp"
#include "results/report.hpp"

namespace roofline {
namespace {

void write_stated(JsonWriter& w, std::initializer_list<JsonMember> members) {
  for (const auto& [name, value] : members)
    if (is_known(value)) w.member(name, value);
}

/// The shortest form: a name, a list of sizes, or an object.
void write_operand(JsonWriter& w, const OperandSpec& operand) {
  const Cell sizes = JsonValue::of<write_counts>(operand.sizes);
  const bool learned = operand.is_parameter;
  if (!learned && !operand.type && operand.sizes.empty()) {
    w.value(operand.layer);
  } else if (!learned && operand.layer.empty() && !operand.whole && !operand.type) {
    w.value(sizes);
  } else {
    w.begin_object();
    write_stated(w, {{"layer", learned ? Cell() : text_or_null(operand.layer)},
                     {learned && !operand.whole ? "parameter" : "shape", sizes},
                     {"parameter", learned && operand.whole ? Cell(true) : Cell()},
                     {"parameters", learned ? Cell(operand.parameters) : Cell()},
                     {"dtype", operand.type}});
    w.end_object();
  }
}

void write_operands(JsonWriter& w, const std::vector<OperandSpec>& operands) {
  w.begin_array();
  for (const OperandSpec& operand : operands) write_operand(w, operand);
  w.end_array();
}

void write_data_types(JsonWriter& w, const DataTypesSpec& types) {
  w.begin_object();
  write_stated(w, {{"input", types.input}, {"weight", types.weight}, {"output", types.output}});
  w.end_object();
}

void write_mapping(JsonWriter& w, const KernelMapping& mapping) {
  w.begin_object();
  write_stated(w, {{"algorithm", mapping.algorithm},
                   {"tile", mapping.tile ? JsonValue::of<write_counts>(*mapping.tile) : Cell()}});
  for (const MappingNumber& number : mapping_numbers)
    write_stated(w, {{number.key, mapping.*number.member}});
  w.end_object();
}

void write_id(JsonWriter& w, const std::string& text) { w.json(text); }

/// "conv3d", with static lifetime.
std::string_view name_with_rank(LayerKind kind, std::uint8_t rank) {
  thread_local std::set<std::string> names;
  return *names.insert(std::string(info(kind).name) + std::to_string(rank) + "d").first;
}

struct FieldValue {
  const LayerSpec& spec;

  Cell operator()(const TextField& field) const { return field.get(spec); }
  Cell operator()(const ChoiceField& field) const {
    const auto chosen = field.get(spec);
    return chosen ? Cell(field.names[*chosen]) : Cell();
  }
  Cell operator()(const ScalarField& field) const { return id_cell(*(spec.*field.member)); }
  Cell operator()(const UnusedField&) const { return {}; }
  Cell operator()(const NoteField&) const { return {}; }
  Cell operator()(const CountField& field) const { return spec.*field.member; }
  Cell operator()(const DimensionField&) const { return {}; }  // shapes say it
  Cell operator()(const FlagField& field) const { return spec.*field.member ? Cell(true) : Cell(); }
  Cell operator()(const ChoiceOfTwoField& field) const { return spec.*field.member; }
  Cell operator()(const WorkField& field) const { return (*spec.work).*field.member; }
  Cell operator()(const SecondsField& field) const { return (*spec.measured).*field.member; }
  Cell operator()(const AxesField& field) const {
    const AxesSpec& axes = spec.*field.member;
    if (axes.numbers.empty()) return {};
    return axes.is_list ? JsonValue::of<write_counts>(axes.numbers) : Cell(axes.numbers.front());
  }
  Cell operator()(const AxisField& field) const { return spec.*field.axes.*field.member; }
  Cell operator()(const SizesField& field) const {
    const std::vector<std::uint64_t>& sizes = spec.*field.member;
    return sizes.empty() ? Cell() : JsonValue::of<write_counts>(sizes);
  }
  Cell operator()(const OperandField& field) const {
    const std::optional<OperandSpec>& operand = spec.*field.member;
    return operand ? JsonValue::of<write_operand>(*operand) : Cell();
  }
  Cell operator()(const OperandsField& field) const {
    const std::vector<OperandSpec>& operands = spec.*field.member;
    return operands.empty() ? Cell() : JsonValue::of<write_operands>(operands);
  }
  Cell operator()(const KindField&) const {
    return spec.rank ? name_with_rank(spec.kind, *spec.rank) : info(spec.kind).name;
  }
  Cell operator()(const DataTypeField&) const {
    const DataTypesSpec& types = spec.dtypes;
    return types.weight || types.output ? Cell() : Cell(types.input);
  }
  Cell operator()(const DataTypesField&) const {
    const DataTypesSpec& types = spec.dtypes;
    return types.weight || types.output ? JsonValue::of<write_data_types>(types) : Cell();
  }
  Cell operator()(const MappingField&) const {
    return spec.mapping ? JsonValue::of<write_mapping>(**spec.mapping) : Cell();
  }
};

void write_text(JsonWriter& w, const std::string& text) { w.value(std::string_view(text)); }

/// In quotes of JSON where the cell would be another id without.
void append_csv_id(TextBuffer& csv, const std::string& text) {
  const bool is_other = text.empty() || text.starts_with('"') || text == "true" ||
                        text == "false" || is_json_number(text);
  append_csv(csv, is_other ? JsonValue::of<write_text>(text) : Cell(std::string_view(text)));
}

/// The field in layer files; unknown if the layer does not state it.
Cell field_value(const LayerField& field, const LayerSpec& layer) {
  return std::visit(FieldValue{layer}, field.member);
}

/// Alone, a kernel states the operands of the layers joined to it, too.
void state_alone(const Layer& layer, LayerSpec& spec) {
  if (layer.fused_input_count == 0) return state(layer, spec);
  Layer alone = layer;
  alone.fused_input_count = 0;
  state(alone, spec);
}

void write_stated_layer(JsonWriter& writer, const LayerLine& row) {
  // Rows follow one another: each is stated in the memory of the one before.
  static const LayerSpec empty;
  thread_local LayerSpec spec;
  spec = empty;
  spec.inputs = std::vector<OperandSpec>();  // which may be long
  spec.fused = std::vector<OperandSpec>();
  if (row.in_stream)
    state_alone(row.layer.layer, spec);
  else
    state(row.layer.layer, spec);
  if (!row.in_stream) {
    const std::vector<OperandSpec*> operands = operands_of(spec);
    const std::vector<std::string>& names = row.layer.input_from;
    for (std::size_t i = 0; i < std::min(operands.size(), names.size()); ++i)
      operands[i]->layer = names[i];
    // The report states its rows' pass.
    if (row.layer.uses_batch_statistics) spec.batch_statistics = false;
  }
  write_layer(writer, spec);
}

void write_stated_input(JsonWriter& w, const Layer& layer) {
  if (!has_several_operands(layer.kind)) {
    w.counts(operand_sizes(layer, 0).span());
    return;
  }
  w.begin_array();
  for (std::size_t i = 0; i < stated_operand_count(layer); ++i) {
    OperandSpec operand = stated_operand(layer, i);
    operand.whole = operand.whole && operand.is_parameter;
    write_operand(w, operand);
  }
  w.end_array();
}

void write_stated_output(JsonWriter& w, const Layer& layer) {
  w.counts(SizeList(layer.output, info(layer.kind).features).span());
}

void write_names_or_null(JsonWriter& w, const std::vector<std::string>& names) {
  w.begin_array();
  for (const std::string& name : names) w.value(text_or_null(name));
  w.end_array();
}

/// The file's: the first that a product may have.
DataType file_type(const Network& network) {
  for (const Layer& layer : network.layers)
    if (is_operand_type(layer.dtypes.input)) return layer.dtypes.input;
  return DataType::fp32;
}

/// The layer as its network's file states it, without defaults.
LayerSpec stated_in(const Network& network, const Layer& layer) {
  LayerSpec spec = stated(layer);
  const std::vector<OperandSpec*> operands = operands_of(spec);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!layer.inputs[i].producer) continue;
    const Layer& producer = network.layers[*layer.inputs[i].producer];
    operands[i]->layer = producer.name;
    // A name alone stands for the whole output. A GEMM always states its sizes.
    const bool is_whole = producer.output == layer.inputs[i].shape && !layer.inputs[i].type;
    if (is_whole && layer.kind != LayerKind::matmul) operands[i]->sizes.clear();
  }
  if (spec.dtypes.input == file_type(network) && !spec.dtypes.output) spec.dtypes.input.reset();
  if (spec.pass == Pass::fwd && !layer.states_pass) spec.pass.reset();
  return spec;
}

}  // namespace

Cell id_cell(const LayerId& id) {
  if (!id.is_known()) return {};
  return id.is_string ? Cell(std::string_view(id.text)) : JsonValue::of<write_id>(id.text);
}

void write_layer(JsonWriter& writer, const LayerSpec& layer) {
  static const std::vector<JsonKey> keys =
      each_of(layer_fields(), [](const LayerField& field) { return JsonKey(field.key); });
  const LayerField* const first = layer_fields().data();
  writer.begin_object();
  for (const LayerField* field : written_fields(layer.kind))
    if (const Cell value = field_value(*field, layer); is_known(value))
      writer.member(keys[static_cast<std::size_t>(field - first)], value);
  writer.end_object();
}

Cell stated_layer(const LayerLine& row) {
  // A network's way to run adds its layers again, a row alone has none that could.
  const bool is_added_again = row.layer.layer.is_inserted && !row.in_stream;
  if (!is_input_kind(row.layer.layer.kind) || is_added_again) return {};
  return JsonValue::of<write_stated_layer>(row);
}

FieldNames stated_columns() {
  FieldNames columns;
  for (const LayerField& field : layer_fields())
    if (field.is_written())
      columns.push_back(std::string(layer_path) + "_" + std::string(field.key));
  return columns;
}

void append_stated_cells(TextBuffer& csv, const LayerLine& row) {
  const bool is_input = is_input_kind(row.layer.layer.kind);
  LayerSpec spec;
  if (is_input) state_alone(row.layer.layer, spec);
  bool first = true;
  for (const LayerField& field : layer_fields()) {
    if (!field.is_written()) continue;
    if (!std::exchange(first, false)) csv.add(',');
    if (!is_input || !field.applies_to(spec.kind)) continue;
    if (std::holds_alternative<ScalarField>(field.member) && spec.id->is_string)
      append_csv_id(csv, spec.id->text);
    else
      append_csv(csv, field_value(field, spec));
  }
}

std::size_t stated_place(std::string_view column) {
  constexpr std::string_view begin = "layer_";
  if (!column.starts_with(begin)) return column.npos;
  const auto found = std::ranges::find_if(layer_fields(), [&](const LayerField& field) {
    return field.is_written() && field.key == column.substr(begin.size());
  });
  return found == layer_fields().end() ? column.npos
                                       : static_cast<std::size_t>(found - layer_fields().begin());
}

Cell stated_cell(const LayerLine& row, std::size_t place) {
  thread_local LayerSpec spec;
  const LayerField& field = layer_fields()[place];
  if (!is_input_kind(row.layer.layer.kind) || !field.applies_to(row.layer.layer.kind)) return {};
  spec = LayerSpec();
  state_alone(row.layer.layer, spec);
  return field_value(field, spec);
}

Cell stated_input(const Layer& layer) { return JsonValue::of<write_stated_input>(layer); }

Cell stated_producers(const LayerResult& row) {
  const std::vector<std::string>& names = row.input_from;
  if (!has_several_operands(row.layer.kind))
    return names.empty() ? Cell() : text_or_null(names.front());
  if (std::ranges::all_of(names, [](const auto& name) { return name.empty(); })) return {};
  return JsonValue::of<write_names_or_null>(names);
}

Cell stated_output(const Layer& layer) { return JsonValue::of<write_stated_output>(layer); }

std::string render_layer_records(const Report& report) {
  std::string out;
  for (const ShownResult& result : report.results)
    for (const std::vector<std::size_t>& alike : result.selection.groups) {
      const LayerResult& row = result.layers[alike.front()];
      if (!is_input_kind(row.layer.kind)) continue;
      JsonWriter writer(out, false);
      write_layer(writer, stated(row.layer));
      out += '\n';
    }
  return out;
}

std::string render_layer_records(const Network& network, bool training) {
  std::string out;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (layer.is_inserted || !is_input_kind(layer.kind)) continue;
    const std::vector<Pass> passes = passes_of(network, i, training);
    for (const Pass pass : passes) {
      LayerSpec spec = stated(layer);
      spec.pass = pass;
      spec.batch_statistics = takes_batch_statistics(layer, training);
      // Weights count once; a measured time is of one pass.
      spec.shared_weights = layer.shared_weights || pass != passes.front();
      if (layer.measured->pass != pass) spec.measured = Measured();
      JsonWriter writer(out, false);
      write_layer(writer, spec);
      out += '\n';
    }
  }
  return out;
}

Expected<std::string> render_layer_file(const Network& network) {
  if (network.layers.empty()) return InputError(network.source, "", "expected layers, got none");
  std::string out = "{\"name\": ";
  JsonWriter(out, false).value(network.name);
  // A default is stated by nobody, so that another may be asked for when the file is read.
  if (network.states_type)
    out += ",\n \"dtype\": \"" + std::string(name_of(file_type(network))) + '"';
  const Layer& leading = network.layers.front();
  const std::uint64_t batch = network.batch.value_or(leading.output.batch);
  // Several products are no batch.
  const bool is_of_all = leading.kind != LayerKind::matmul &&
                         std::ranges::all_of(network.layers, [&](const Layer& layer) {
                           return layer.output.batch % batch == 0;
                         });
  if (network.batch || (is_of_all && !is_fixed(network.runs_as)))
    out += ",\n \"batch\": " + std::to_string(batch);
  if (network.runs_as != RunsAs::layers)
    out += ",\n \"runs_as\": \"" + std::string(name_of(network.runs_as)) + '"';
  out += ",\n \"layers\": [";
  bool first = true;
  for (const Layer& layer : network.layers) {
    if (layer.is_inserted) continue;
    out += std::exchange(first, false) ? "\n  " : ",\n  ";
    JsonWriter writer(out, false);
    write_layer(writer, stated_in(network, layer));
  }
  return out + "\n]}\n";
}

}  // namespace roofline
