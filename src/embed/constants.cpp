// constants SCHEMA HEADER TABLE: writes the constants of the kernel model as C++, from the one
// place where they are listed: SCHEMA, which is configs/schemas/kernel_model.json. HEADER gets a
// structure for each title of a definition, TABLE a row for each member of the structures, in their
// order, and one for each constant. A definition stands before those that refer to it. The first of
// a title has all members with their meanings; others of the title list those that are constants.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "kernel/likenesses.hpp"

namespace {

using Json = nlohmann::ordered_json;

/// The definition that a property refers to: "#/$defs/seconds".
const Json& definition_of(const Json& property, const Json& schema) {
  return schema.at(Json::json_pointer(property.at("$ref").get<std::string>().substr(1)));
}

bool is_number(const Json& definition) { return !definition.contains("title"); }

/// The first definition of this one's title.
const Json& widest(const Json& structure, const Json& schema) {
  for (const Json& each : schema.at("$defs"))
    if (each.value("title", "") == structure.at("title")) return each;
  return structure;
}

void write_structure(std::ostream& out, const Json& structure, const Json& schema) {
  const auto type = structure.at("title").get<std::string>();
  if (type.ends_with('>')) return;  // a template makes it
  out << "struct " << type << " {\n";
  for (const auto& [key, property] : structure.at("properties").items())
    out << "  " << definition_of(property, schema).value("title", "double") << ' ' << key << ";\n";
  out << "};\n\n";
}

struct Member {
  std::string path;
  std::string simplest;  ///< as C++ writes it
};

struct Rows {
  Json likes = Json::object();  ///< of members, paths of the constants that they are like
  std::vector<Member> members;
  std::vector<std::string> paths;  ///< of the constants
  std::string constants;
};

/// "like" beside a kernel's definition: {"fwd/start_s": "other_kernel/fwd"} takes that kernel's,
/// {"fwd/start_s": "/grouped/start_s"} that number.
void add_likes(Json& likes, const std::string& group, const std::string& kernel,
               const Json& property) {
  const Json own = property.value("like", Json::object());
  for (const auto& [member, other] : own.items()) {
    std::string path = group;
    path.append(kernel).append("/").append(member);
    const auto name = other.get<std::string>();
    std::string like = group;
    like.append(name).append("/").append(member, member.rfind('/') + 1);
    likes[path] = name.starts_with('/') ? name.substr(1) : like;
  }
}

/// Adds the rows of a structure, whose paths begin with `prefix`. `own`: the definition that lists
/// its constants; null: none is one.
void add_rows(Rows& rows, const std::string& prefix, const Json& structure, const Json* own,
              const Json& schema) {
  for (const auto& [key, property] : structure.at("properties").items()) {
    const Json* listed = nullptr;
    if (own != nullptr && own->at("properties").contains(key))
      listed = &own->at("properties").at(key);
    const Json& definition = definition_of(listed != nullptr ? *listed : property, schema);
    if (!is_number(definition)) {
      add_likes(rows.likes, prefix, key, property);
      add_rows(rows, prefix + key + '/', widest(definition, schema),
               listed != nullptr ? &definition : nullptr, schema);
      continue;
    }
    const Json& facts = definition.at("properties");
    const Json& value = facts.at("value");
    const std::string simplest =
        ", {" + (value.contains("default") ? value.at("default").dump() : "") + "}";
    rows.members.push_back({prefix + key, simplest});
    if (listed == nullptr) continue;
    rows.paths.push_back(prefix + key);
    std::ostringstream row;
    row << "    {" << Json(prefix + key) << ", " << facts.at("unit").at("const") << ", "
        << value.at("minimum") << ", " << value.at("maximum") << simplest << ", "
        << property.value("description", Json("")) << "},\n";
    rows.constants += row.str();
  }
}

/// The index of the constant whose value a member has, as C++ writes it; empty: the simplest.
std::string source_of(std::string path, const Rows& rows) {
  while (!path.empty()) {
    const auto own = std::ranges::find(rows.paths, path);
    if (own != rows.paths.end()) return std::to_string(own - rows.paths.begin());
    path = rows.likes.value(path, roofline::like_path(path));
  }
  return "";
}

std::string member_rows(const Rows& rows) {
  std::string text;
  for (const auto& [path, simplest] : rows.members)
    text += "    {" + Json(path).dump() + simplest + ", " +
            rows.likes.value(path, Json("")).dump() + ", {" + source_of(path, rows) + "}},\n";
  return text;
}

/// A file that stays as it is makes nothing else compile again.
bool write(const char* path, const std::string& text) {
  std::ostringstream old;
  old << std::ifstream(path).rdbuf();
  if (old.str() == text) return true;
  std::ofstream file(path);
  file << text;
  return bool(file.flush());
}

}  // namespace

int main(int, char** arguments) try {
  const Json schema = Json::parse(std::ifstream(arguments[1]));
  const Json& all = schema.at("$defs").at("constant_values");
  std::ostringstream header;
  header << "#pragma once\n\n#include \"kernel/engine_facts.hpp\"\n"
            "#include \"kernel/solvers/solver.hpp\"\n#include \"roofline/layer.hpp\"\n\n"
            "namespace roofline {\n\n";
  for (const Json& definition : schema.at("$defs"))
    if (!is_number(definition) && &widest(definition, schema) == &definition)
      write_structure(header, definition, schema);
  header << "}  // namespace roofline\n";
  Rows rows;
  add_rows(rows, "", all, &all, schema);
  std::ostringstream table;
  table << "#include \"kernel/constants.hpp\"\n\nnamespace roofline {\n\n"
           "constexpr ConstantMember all_constant_members[] = {\n"
        << member_rows(rows) << "};\n\nconstexpr ConstantField all_constant_fields[] = {\n"
        << rows.constants
        << "};\n\nstd::span<const ConstantMember, constant_member_count> constant_members() {\n"
           "  return all_constant_members;\n}\n\n"
           "std::span<const ConstantField> constant_fields() {\n"
           "  return all_constant_fields;\n}\n\n}  // namespace roofline\n";
  return write(arguments[2], header.str()) && write(arguments[3], table.str()) ? 0 : 1;
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
