#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "load/kernel_model.hpp"
#include "model/layer_kind.hpp"

namespace roofline {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson number_json(double number) {
  constexpr double most_exact = 9007199254740992.0;  // 2^53
  if (std::floor(number) == number && std::abs(number) < most_exact)
    return static_cast<std::int64_t>(number);
  return number;
}

OrderedJson thousandths_json(double number) { return number_json(std::round(number * 1e3) / 1e3); }

bool has_no_parts(const OrderedJson& value) { return !value.is_structured(); }

/// A row stays on one line: single values, or an object with some.
bool is_row(const OrderedJson& value) {
  return value.is_object() ? std::ranges::any_of(value, has_no_parts)
                           : std::ranges::all_of(value, has_no_parts);
}

/// As a member at this depth; a file's object is never a row.
std::string indented(const OrderedJson& value, std::size_t depth) {
  if (has_no_parts(value)) return value.dump();
  const bool on_one_line = depth > 0 && is_row(value);
  const std::string line = on_one_line ? "" : "\n" + std::string(2 * depth, ' ');
  std::string parts;
  for (const auto& [key, part] : value.items()) {
    if (!parts.empty()) parts += on_one_line ? ", " : ",";
    if (!on_one_line) parts += line + "  ";
    if (value.is_object()) parts += OrderedJson(key).dump() + ": ";
    parts += indented(part, depth + 1);
  }
  return (value.is_object() ? '{' + parts + line + '}' : '[' + parts + line + ']');
}

OrderedJson constants_json(const ModelConstants& constants) {
  OrderedJson groups = OrderedJson::object();
  const auto fields = constant_fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ConstantNote& note = constants.notes[i];
    if (!note.stated) continue;
    groups[OrderedJson::json_pointer('/' + std::string(fields[i].path))] = {
        {"value", number_json(numbers_of(constants.values)[i])},
        {"unit", fields[i].unit},
        {"range", OrderedJson::array({number_json(note.least), number_json(note.most)})},
        {"origin", constants.origins[note.origin]}};
  }
  return groups;
}

OrderedJson json_of(const LayerErrors& errors) {
  OrderedJson row{{"basis", name_of(errors.basis)}};
  if (!errors.applies_to.empty()) row["applies_to"] = errors.applies_to;
  if (errors.layer_class) row["class"] = name_of(*errors.layer_class);
  for (const ElementCost cost : errors.costs) row["costs"].push_back(name_of(cost));
  if (errors.form) row["form"] = name_of(*errors.form);
  if (errors.dtype) row["dtype"] = name_of(*errors.dtype);
  if (errors.pass) row["pass"] = name_of(*errors.pass);
  if (errors.heuristic_ratio > 0) row["heuristic_ratio"] = thousandths_json(errors.heuristic_ratio);
  row["layers"] = errors.layers;
  row["factor"] = thousandths_json(errors.factor);
  row["factor_95"] = thousandths_json(errors.factor_95);
  row["origin"] = errors.origin;
  return row;
}

/// Behind what the row is of.
template <class Errors>
OrderedJson with_runs(OrderedJson row, const Errors& errors) {
  row["run_factor"] = thousandths_json(errors.run_factor);
  row["run_factor_95"] = thousandths_json(errors.run_factor_95);
  row["runs"] = errors.runs;
  row["origin"] = errors.origin;
  return row;
}

OrderedJson json_of(const TotalErrors& errors) {
  const OrderedJson share = number_json(std::round(errors.common_share * 100) / 100);
  return with_runs({{"basis", name_of(errors.basis)}, {"common_share", share}}, errors);
}

OrderedJson json_of(const WayErrors& errors) {
  return with_runs({{"way", name_of(errors.way)}}, errors);
}

template <class Row>
void add_releases(OrderedJson& json, const Row& row) {
  if (row.since.is_stated()) json["since"] = row.since.text();
  if (row.until.is_stated()) json["until"] = row.until.text();
}

OrderedJson json_of(const Solver& solver) {
  OrderedJson row{{"name", *solver.name},
                  {"algorithm", name_of(solver.algorithm)},
                  {"family", name_of(solver.family)},
                  {"method", name_of(solver.method)},
                  {"tiles", name_of(solver.tiles)},
                  {"engine", name_of(solver.engine)},
                  {"multiples", solver.multiples},
                  {"splits", solver.splits}};
  for (const SolverWord word : enumerators<SolverWord>)
    if (solver.runs[word]) row["runs"].push_back(name_of(word));
  if (solver.share != 1) row["share"] = solver.share;
  add_releases(row, solver);
  return row;
}

/// The words and cases of bits.
OrderedJson words_json(std::uint64_t bits, const std::vector<std::string>& cases) {
  OrderedJson words = OrderedJson::array();
  for (const ChoiceWord word : enumerators<ChoiceWord>)
    if (bits >> index_of(word) & 1) words.push_back(name_of(word));
  for (std::size_t i = 0; i < cases.size(); ++i)
    if ((bits & case_bit(i)) != 0) words.push_back(cases[i]);
  return words;
}

OrderedJson json_of(const ChoiceRow& row, const ModelConstants& constants) {
  const std::vector<std::string>& cases = constants.choices.cases;
  OrderedJson json = row.is_case ? OrderedJson{{"case", cases[row.defines]}}
                                 : OrderedJson{{"kernel", name_of(row.kernel)}};
  if (row.is != 0) json["is"] = words_json(row.is, cases);
  if (row.is_not != 0) json["is_not"] = words_json(row.is_not, cases);
  for (std::size_t i = 0; i < row.range_count; ++i) {
    const auto& [size, least, most] = row.ranges.at(i);
    OrderedJson& range = json["range"][std::string(names_of<ChoiceSize>.at(size))];
    range = {least, most};
    if (most == ChoiceRange::unbounded) range[1] = nullptr;
  }
  if (row.is_alone) json["alone"] = true;
  json["library"] = name_of(row.library);
  add_releases(json, row);
  if (row.stands_for_others) json["stands_for_others"] = true;
  json["gpu"] = constants.origins[row.gpu];
  json["layers"] = row.layers;
  json["origin"] = constants.origins[row.origin];
  return json;
}

OrderedJson json_of(const LibraryRelease& library) {
  OrderedJson json{{"name", name_of(library.library)}};
  if (library.release.is_stated()) json["release"] = library.release.text();
  return json;
}

OrderedJson choices_json(const ModelConstants& constants) {
  OrderedJson rows = OrderedJson::array();
  for (const ChoiceRow& row : constants.choices.rows) rows.push_back(json_of(row, constants));
  return rows;
}

template <class Row>
OrderedJson list_json(const std::vector<Row>& list) {
  OrderedJson rows = OrderedJson::array();
  for (const Row& row : list) rows.push_back(json_of(row));
  return rows;
}

OrderedJson json_of(const MeasuredErrors& errors) {
  return {{"layers", list_json(errors.layers)},
          {"totals", list_json(errors.totals)},
          {"ways", list_json(errors.ways)}};
}

OrderedJson features_json(const ModelConstants& constants) {
  OrderedJson classes;
  for (const EngineClass engine_class : enumerators<EngineClass>) {
    OrderedJson& words = classes[std::string(name_of(engine_class))] = OrderedJson::array();
    for (const LibraryFeature feature : enumerators<LibraryFeature>)
      if (constants.features[engine_class][feature]) words.push_back(name_of(feature));
  }
  return classes;
}

OrderedJson tiles_json(const ModelConstants& constants) {
  OrderedJson lists;
  for (const TileList list : enumerators<TileList>)
    for (const TileKernel& t : constants.tiles[list])
      lists[std::string(name_of(list))].push_back(
          {t.m, t.n, t.k, t.threads, t.stages, t.registers});
  return lists;
}

OrderedJson json_of(const ModelConstants& constants) {
  return {{"name", constants.name},
          {"title", constants.title},
          {"covers", constants.covers},
          {"made_by", constants.made_by},
          {"constants", constants_json(constants)},
          {"accuracy", json_of(constants.errors)},
          {"features", features_json(constants)},
          {"tiles", tiles_json(constants)},
          {"solvers", list_json(constants.solvers)},
          {"library", json_of(constants.choices.library)},
          {"choices", choices_json(constants)}};
}

}  // namespace

std::string write_constants(const ModelConstants& constants) {
  return indented(json_of(constants), 0) + '\n';
}

std::string measured_errors_json(const MeasuredErrors& errors) {
  return indented(json_of(errors), 1);
}

std::string gpu_with_constants(std::string_view gpu_text, const std::string& source,
                               const ModelConstants& constants,
                               const std::vector<std::string>& more_names) {
  const JsonDocument document(gpu_text, {source});  // reports errors of the text
  auto gpu = OrderedJson::parse(gpu_text);
  gpu.erase("kernel_model");
  for (const std::string& name : more_names) gpu["aliases"].push_back(name);
  gpu["kernel_model"] = json_of(constants);
  return indented(gpu, 0) + '\n';
}

}  // namespace roofline
