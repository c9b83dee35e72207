// constants SCHEMA HEADER TABLE: writes the constants of the kernel model as C++, from the one
// place where they are listed: SCHEMA, which is configs/schemas/kernel_model.json. HEADER gets a
// structure for each definition that has a title, TABLE a row for each constant, in the order of
// the structures' numbers. A definition stands before those that refer to it.

#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using Json = nlohmann::ordered_json;

/// The definition that a property refers to: "#/$defs/seconds".
const Json& definition_of(const Json& property, const Json& schema) {
  return schema.at(Json::json_pointer(property.at("$ref").get<std::string>().substr(1)));
}

bool is_number(const Json& definition) { return !definition.contains("title"); }

void write_structure(std::ostream& out, const Json& structure, const Json& schema) {
  const auto type = structure.at("title").get<std::string>();
  if (type.ends_with('>')) return;  // a template makes it
  out << "struct " << type << " {\n";
  for (const auto& [key, property] : structure.at("properties").items())
    out << "  " << definition_of(property, schema).value("title", "double") << ' ' << key << ";\n";
  out << "};\n\n";
}

/// The rows of a structure, whose paths begin with `prefix`.
void write_rows(std::ostream& out, const std::string& prefix, const Json& structure,
                const Json& schema) {
  for (const auto& [key, property] : structure.at("properties").items()) {
    const Json& definition = definition_of(property, schema);
    if (!is_number(definition)) {
      write_rows(out, prefix + key + '/', definition, schema);
      continue;
    }
    const Json& facts = definition.at("properties");
    const Json& value = facts.at("value");
    out << "    {" << Json(prefix + key) << ", " << facts.at("unit").at("const") << ", "
        << value.at("minimum") << ", " << value.at("maximum") << ", {"
        << (value.contains("default") ? value.at("default").dump() : "") << "}, "
        << property.value("description", Json("")) << "},\n";
  }
}

}  // namespace

int main(int, char** arguments) try {
  const Json schema = Json::parse(std::ifstream(arguments[1]));
  std::ofstream header(arguments[2]);
  header << "#pragma once\n\n#include \"kernel/engine_facts.hpp\"\n"
            "#include \"kernel/solvers/solver.hpp\"\n#include \"roofline/layer.hpp\"\n\n"
            "namespace roofline {\n\n";
  for (const Json& definition : schema.at("$defs"))
    if (!is_number(definition)) write_structure(header, definition, schema);
  header << "}  // namespace roofline\n";
  std::ofstream table(arguments[3]);
  table << "#include \"kernel/constants.hpp\"\n\nnamespace roofline {\n\n"
           "constexpr ConstantField all_constant_fields[] = {\n";
  write_rows(table, "", schema.at("$defs").at("constant_values"), schema);
  table << "};\n\nstd::span<const ConstantField, constant_count> constant_fields() {\n"
           "  return all_constant_fields;\n}\n\n}  // namespace roofline\n";
  return header.flush() && table.flush() ? 0 : 1;
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
