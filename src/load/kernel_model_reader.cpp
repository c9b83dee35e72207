#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "kernel/constants.hpp"
#include "load/byte_stream.hpp"
#include "load/constant_tables.hpp"
#include "load/kernel_model.hpp"
#include "load/measured_errors.hpp"
#include "model/text.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/gpu.hpp"

namespace roofline {
namespace {

const EmbeddedFile* find_built_in(std::string_view answers_to) {
  for (const EmbeddedFile& file : embedded_kernel_models())
    for (const std::string_view name : file.names)
      if (name == answers_to) return &file;
  return nullptr;
}

/// Out of its table; the program that writes the tables parses the file.
SharedConstants made_from(const EmbeddedFile& file) {
  for (const ConstantTable& table : constant_tables())
    if (table.name == file.name) return std::make_shared<const ModelConstants>(constants_of(table));
  return load_constants(file.text, "built-in " + std::string(file.name));
}

/// Made once a process: every GPU of an architecture shares one set.
SharedConstants built_in(const EmbeddedFile& file) {
  static std::mutex mutex;
  static std::map<std::string_view, SharedConstants> made;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = made.find(file.name); found != made.end()) return found->second;
  }
  SharedConstants constants = made_from(file);
  const std::lock_guard lock(mutex);
  return made.emplace(file.name, std::move(constants)).first->second;
}

std::vector<std::string_view> built_in_names() {
  std::vector<std::string_view> names;
  for (const EmbeddedFile& file : embedded_kernel_models()) names.push_back(file.name);
  return names;
}

/// The path of a file that another one names: from that one's own folder.
std::string beside(const std::string& path, const std::string& source) {
  namespace fs = std::filesystem;
  return fs::path(path).is_absolute() ? path : (fs::path(source).parent_path() / path).string();
}

/// The files that lead from one to the next, down to the one that is read.
using Chain = std::vector<std::string>;

SharedConstants constants_in(const Value& value, const Chain& chain);
SharedConstants constants_in_text(std::string_view json_text, const Chain& chain);

void check_next(const Value& value, const std::string& path, const Chain& chain) {
  constexpr std::size_t most_files = 16;
  std::error_code error;
  if (std::any_of(chain.begin(), chain.end(), [&](const std::string& known) {
        return std::filesystem::equivalent(known, path, error);
      }))
    value.fail("expected a kernel model that does not lead back to itself, got " + path);
  if (chain.size() >= most_files)
    value.fail("expected at most " + std::to_string(most_files) +
               " files that lead from one to the next, got more");
}

/// A set by the name of a built-in one or by the path of a file.
SharedConstants named_constants(const Value& value, const Chain& chain) {
  const std::string name = value.text();
  if (name.ends_with(".json")) {
    const std::string path = beside(name, value.origin().source);
    check_next(value, path, chain);
    Chain longer = chain;
    longer.push_back(path);
    return constants_in_text(read_regular_file(path), longer);
  }
  const EmbeddedFile* file = find_built_in(name);
  if (file == nullptr || file->name != name)
    value.fail("expected a path that ends in .json or one of " + joined(built_in_names()) +
               ", got \"" + name + '"' + did_you_mean(name, built_in_names()));
  return built_in(*file);
}

std::string quoted(std::string_view word) { return '"' + std::string(word) + '"'; }

std::string range_text(double least, double most) {
  return number_text(least) + " to " + number_text(most);
}

/// `what()` is what the range is.
template <class What>
double number_within(const Value& value, double least, double most, const What& what) {
  const double number = value.number();
  if (number < least || number > most)
    value.fail("expected a number from " + range_text(least, most) + ", " + what() + ", got " +
               number_text(number));
  return number;
}

/// Fills a set from one file's object.
class ConstantsReader {
 public:
  ConstantsReader(const Value& value, const Chain& chain) : chain_(chain), file_(value) {
    value.check_keys("a kernel model", {"name", "title", "covers", "inherits", "made_by", "origins",
                                        "constants", "accuracy", "features", "tiles"});
  }

  ModelConstants read() {
    if (const auto base = file_.get("inherits")) {
      constants_ = *named_constants(*base, chain_);
      constants_.covers.clear();
      constants_.made_by.clear();
    } else {
      constants_.notes.resize(constant_count);
    }
    constants_.name = file_.require("name", "the kernel model's name").text();
    constants_.title = file_.require("title", "whose kernels these are").text();
    if (const auto covers = file_.get("covers")) constants_.covers = covers->texts();
    if (const auto commands = file_.get("made_by")) constants_.made_by = commands->texts();
    if (const auto origins = file_.get("origins"))
      for (const Value text : *origins) origins_[std::string(text.key())] = text.text();
    numbers();
    if (const auto accuracy = file_.get("accuracy"))
      constants_.errors = read_measured_errors(*accuracy, origins_, constants_.errors);
    if (const auto features = file_.get("features")) read_features(*features);
    if (const auto tiles = file_.get("tiles")) read_tiles(*tiles);
    for (const TileList list : {TileList::vector_gemm, TileList::tensor_gemm})
      if (tiles_of(list).empty())
        file_.fail_at("tiles", "expected the list " + std::string(name_of(list)) + ", got none");
    return std::move(constants_);
  }

 private:
  void numbers() {
    if (const auto object = file_.get("constants")) group(*object, "");
    if (const auto missing = complete(constants_))
      throw file_.origin().error("/constants/" + std::string(constant_fields()[*missing].path),
                                 "expected a constant or a kernel model to inherit "
                                 "it from (\"inherits\"), got neither");
  }

  void group(const Value& object, const std::string& prefix) {
    if (!object.is_object()) object.fail_expected("a group of constants");
    for (const Value value : object) {
      const std::string path = prefix + std::string(value.key());
      const auto fields = constant_fields();
      const auto field = std::ranges::find(fields, path, &ConstantField::path);
      if (field != fields.end()) {
        number(value, *field, static_cast<std::size_t>(field - fields.begin()));
      } else if (std::ranges::any_of(fields, [inside = path + '/'](const ConstantField& each) {
                   return each.path.starts_with(inside);
                 })) {
        group(value, path + '/');
      } else {
        std::vector<std::string_view> paths;
        paths.reserve(constant_count);
        for (const ConstantField& each : fields) paths.push_back(each.path);
        value.fail("unknown constant" + did_you_mean(path, paths));
      }
    }
  }

  void number(const Value& value, const ConstantField& field, std::size_t index) {
    if (!value.is_object()) value.fail_expected("{\"value\", \"unit\", \"range\", \"origin\"}");
    value.check_keys("a constant", {"value", "unit", "range", "origin"});
    ConstantNote& note = constants_.notes[index];
    note.stated = true;
    const std::string unit(field.unit);
    const Value stated_unit = value.require("unit", quoted(field.unit));
    if (stated_unit.text() != unit) stated_unit.fail_expected(quoted(field.unit));
    const Value range = value.require("range", "[least, most]");
    if (!range.is_array() || range.size() != 2) range.fail_expected("[least, most]");
    note.least = number_within(range.at(0), field.least, field.most,
                               [&] { return "which a " + unit + " can be"; });
    note.most = number_within(range.at(1), note.least, field.most, [&] {
      return "at least the least and at most what a " + unit + " can be";
    });
    const Value stated = value.require("value", "a number in " + unit);
    numbers_of(constants_.values)[index] = number_within(
        stated, note.least, note.most, [] { return std::string("the constant's range"); });
    const std::string origin = value.require("origin", "where the value comes from").text();
    const auto found = origins_.find(origin);
    note.origin = add_origin(constants_, found == origins_.end() ? origin : found->second);
  }

  void read_features(const Value& value) {
    value.check_keys("features", {names_of<EngineClass>.begin(), names_of<EngineClass>.end()});
    for (const EngineClass engine_class : enumerators<EngineClass>)
      if (const auto list = value.get(name_of(engine_class)))
        constants_.features[engine_class] = features_in(*list);
  }

  static LibraryFeatures features_in(const Value& list) {
    LibraryFeatures features{};
    const std::vector<std::string> words = list.texts();
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto known = parse<LibraryFeature>(words[i]);
      if (!known)
        list.at(i).fail("expected one of " + joined(names_of<LibraryFeature>) + ", got \"" +
                        words[i] + '"' +
                        did_you_mean(words[i], {names_of<LibraryFeature>.begin(),
                                                names_of<LibraryFeature>.end()}));
      features[*known] = true;
    }
    return features;
  }

  /// Lists of [m, n, k, threads, stages, registers]; all those of a built-in set by its name. A
  /// null leaves the list that stands in for it.
  void read_tiles(const Value& value) {
    if (value.is_string()) {
      constants_.tiles = named_constants(value, chain_)->tiles;
      return;
    }
    value.check_keys("tiles", {names_of<TileList>.begin(), names_of<TileList>.end()});
    for (const TileList name : enumerators<TileList>) {
      const auto list = value.get(name_of(name));
      if (!list) continue;
      constants_.tiles[name].clear();
      if (list->is_null()) continue;
      if (!list->is_array()) list->fail_expected("a list of tiles");
      for (const Value tile : *list) constants_.tiles[name].push_back(tile_in(tile));
    }
  }

  static TileKernel tile_in(const Value& value) {
    if (!value.is_array() || value.size() != 6)
      value.fail_expected("[m, n, k, threads, stages, registers]");
    const auto at = [&](std::size_t i) {
      constexpr double most = 65536;
      return static_cast<std::uint32_t>(
          number_within(value.at(i), 1, most, [] { return std::string("a size of a tile"); }));
    };
    return {at(0), at(1), at(2), at(3), at(4), at(5)};
  }

  const std::vector<TileKernel>& tiles_of(TileList list) const { return constants_.tiles[list]; }

  const Chain& chain_;
  Value file_;
  ModelConstants constants_;
  SharedTexts origins_;
};

SharedConstants constants_in(const Value& value, const Chain& chain) {
  if (value.is_string()) return named_constants(value, chain);
  return std::make_shared<const ModelConstants>(ConstantsReader(value, chain).read());
}

SharedConstants constants_in_text(std::string_view json_text, const Chain& chain) {
  const JsonDocument document(json_text, {chain.back()});
  const Value value = document.root();
  const bool in_gpu = value.contains("kernel_model");
  return constants_in(in_gpu ? value.at("kernel_model") : value, chain);
}

}  // namespace

SharedConstants read_constants(const Value& value) {
  return constants_in(value, {value.origin().source});
}

SharedConstants load_constants(std::string_view json_text, const std::string& source) {
  return constants_in_text(json_text, {source});
}

SharedConstants built_in_constants(const Gpu& gpu) {
  const EmbeddedFile* file = find_built_in(gpu.compute_capability);
  if (gpu.compute_capability.empty() || file == nullptr)
    file = find_built_in(name_of(architecture_of(gpu)));
  return built_in(*file);
}

}  // namespace roofline
