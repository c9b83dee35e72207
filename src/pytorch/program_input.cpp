#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/recording.hpp"
#include "pytorch/exported_program.hpp"

namespace roofline {
namespace {

/// The version in torch/_export/serde/schema.py: PyTorch 2.6 and later.
constexpr std::uint64_t schema_major = 8;

/// "NAME/models/model.json", before PyTorch 2.8 "serialized_exported_program.json".
bool is_program(std::string_view name) {
  const std::size_t folder = name.rfind('/');
  const std::string_view file = folder == name.npos ? name : name.substr(folder + 1);
  if (file == "serialized_exported_program.json") return true;
  const std::string_view path = folder == name.npos ? "" : name.substr(0, folder);
  return file.ends_with(".json") && (path == "models" || path.ends_with("/models"));
}

/// "encoder" of "net/models/encoder.json" and "encoder/models/model.json".
std::string own_name(const std::string& entry) {
  const std::string name = name_without(entry, {".json"});
  const std::size_t folder = entry.find("/models/");
  return name == "model" && folder != entry.npos ? name_without(entry.substr(0, folder), {}) : name;
}

void check_schema(const Value& program) {
  if (!program.is_object()) program.fail_expected("an object");
  const Value version = program.find("schema_version");
  const Value major = version.find("major");
  if (major.try_integer() != schema_major)
    version.fail("expected schema " + std::to_string(schema_major) +
                 ", that of PyTorch 2.6 and later, got " +
                 (major.is_null() ? "none" : major.json()));
  const Value module = program.require("graph_module", "a graph");
  for (const std::string_view part : {"graph", "signature"})
    if (!module.require(part, "an object").is_object()) module.at(part).fail_expected("an object");
}

Item program_item(std::string_view text, const Origin& origin, const std::string& name) {
  const auto document = std::make_shared<const JsonDocument>(text, origin);
  check_schema(document->root());
  return {[document, name](const LayerDefaults& defaults) {
    ProgramReader reader(document->origin().source, defaults);
    reader.read(document->root());
    auto network = std::make_shared<NetworkSpec>(std::move(reader).network());
    network->name = name;
    return network;
  }};
}

}  // namespace

Items read_exported_programs(std::unique_ptr<ByteStream> stream) {
  const Origin origin{stream->name(), {}, stream->limits()};
  const std::vector<ZipEntry> programs =
      zip_entries(std::move(stream), is_program,
                  "expected a program, as torch.export.save(torch.export.export(model, (x,)), "
                  "\"model.pt2\") writes one (models/model.json)");
  const std::string name = name_without(origin.source, {".pt2"});
  Items items;
  for (const ZipEntry& each : programs) {
    if (programs.size() == 1) return {program_item(each.text, origin, name)};
    // A program that cannot be read costs only itself.
    try {
      items.push_back(program_item(each.text, origin, name + '.' + own_name(each.name)));
    } catch (const InputError& error) {
      const std::string where = each.name + (error.where.empty() ? "" : ": " + error.where);
      items.push_back(
          {[wrong = InputError(error.source, where, error.message)](
               const LayerDefaults&) -> std::shared_ptr<const NetworkSpec> { throw wrong; }});
    }
  }
  return items;
}

}  // namespace roofline
