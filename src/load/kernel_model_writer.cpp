#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernel/constants.hpp"
#include "load/kernel_model.hpp"
#include "load/measured_errors.hpp"

namespace roofline {
namespace {

std::string json_text(std::string_view text) { return nlohmann::json(text).dump(); }

std::string texts_json(const std::vector<std::string>& texts) {
  return nlohmann::json(texts).dump();
}

std::string indent(std::size_t depth) { return std::string(2 * depth, ' '); }

/// A constant a line, in groups that open and close as the paths ask.
class ConstantsText {
 public:
  explicit ConstantsText(const ModelConstants& constants) : origins_(constants.origins) {
    const auto fields = constant_fields();
    for (std::size_t i = 0; i < constant_count; ++i)
      if (constants.notes[i].stated)
        add(fields[i], numbers_of(constants.values)[i], constants.notes[i]);
    open_groups("");
  }
  std::string take() { return "{" + std::move(out_) + "\n  }"; }

 private:
  void add(const ConstantField& field, double value, const ConstantNote& note) {
    open_groups(field.group());
    out_ += fmt::format(
        "{}\n{}{}: {{\"value\": {}, \"unit\": {}, \"range\": [{}, {}], \"origin\": {}}}",
        is_first_ ? "" : ",", indent(groups_.size() + 2), json_text(field.key()), value,
        json_text(field.unit), note.least, note.most, json_text(origins_[note.origin]));
    is_first_ = false;
  }

  /// Closes and opens groups until those of the path are open.
  void open_groups(std::string_view path) {
    std::vector<std::string_view> asked;
    while (!path.empty()) {
      asked.push_back(path.substr(0, path.find('/')));
      path.remove_prefix(std::min(path.size(), asked.back().size() + 1));
    }
    const auto shared = std::ranges::mismatch(groups_, asked).in1 - groups_.begin();
    for (; groups_.size() > static_cast<std::size_t>(shared); groups_.pop_back())
      out_ += '\n' + indent(groups_.size() + 1) + '}';
    for (; groups_.size() < asked.size(); is_first_ = true) {
      const std::string_view next = asked[groups_.size()];
      out_ += fmt::format("{}\n{}{}: {{", is_first_ ? "" : ",", indent(groups_.size() + 2),
                          json_text(next));
      groups_.push_back(next);
    }
  }

  const std::vector<std::string>& origins_;
  std::string out_;
  std::vector<std::string_view> groups_;  ///< that are open
  bool is_first_ = true;                  ///< of its group
};

std::string features_json(const ModelConstants& constants) {
  std::string out = "{";
  for (const EngineClass engine_class : enumerators<EngineClass>) {
    std::vector<std::string> words;
    for (const LibraryFeature feature : enumerators<LibraryFeature>)
      if (constants.features[engine_class][feature]) words.emplace_back(name_of(feature));
    out += fmt::format("{}\n    {}: {}", out.size() == 1 ? "" : ",",
                       json_text(name_of(engine_class)), texts_json(words));
  }
  return out + "\n  }";
}

std::string tiles_json(const ModelConstants& constants) {
  std::string out = "{";
  bool first = true;
  for (const TileList list : enumerators<TileList>) {
    if (constants.tiles[list].empty()) continue;
    out += fmt::format("{}\n    {}: [", first ? "" : ",", json_text(name_of(list)));
    first = false;
    std::string_view comma;
    for (const TileKernel& t : constants.tiles[list]) {
      out += fmt::format("{}\n      [{}, {}, {}, {}, {}, {}]", comma, t.m, t.n, t.k, t.threads,
                         t.stages, t.registers);
      comma = ",";
    }
    out += "\n    ]";
  }
  return out + "\n  }";
}

}  // namespace

std::string write_constants(const ModelConstants& constants) {
  return fmt::format(
      "{{\n  \"name\": {},\n  \"title\": {},\n  \"covers\": {},\n  \"made_by\": {},\n"
      "  \"constants\": {},\n  \"accuracy\": {},\n  \"features\": {},\n  \"tiles\": {}\n}}\n",
      json_text(constants.name), json_text(constants.title), texts_json(constants.covers),
      texts_json(constants.made_by), ConstantsText(constants).take(),
      measured_errors_json(constants.errors), features_json(constants), tiles_json(constants));
}

std::string gpu_with_constants(std::string_view gpu_text, const std::string& source,
                               const ModelConstants& constants,
                               const std::vector<std::string>& more_names) {
  const JsonDocument document(gpu_text, {source});  // what is wrong with it is said there
  auto gpu = nlohmann::ordered_json::parse(gpu_text);
  gpu.erase("kernel_model");
  for (const std::string& name : more_names) gpu["aliases"].push_back(name);
  std::string text = gpu.dump(2);
  text.resize(text.rfind('\n'));  // before the last brace
  return text + ",\n  \"kernel_model\": " + write_constants(constants) + "}\n";
}

}  // namespace roofline
