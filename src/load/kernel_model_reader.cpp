#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/architecture.hpp"
#include "kernel/constants.hpp"
#include "load/byte_stream.hpp"
#include "load/embedded.hpp"
#include "load/image.hpp"
#include "load/kernel_model.hpp"
#include "load/recording.hpp"
#include "model/layer_kind.hpp"
#include "model/text.hpp"
#include "roofline/catalogue.hpp"

namespace roofline {
namespace {

const EmbeddedFile* find_built_in(std::string_view answers_to) {
  for (const EmbeddedFile& file : embedded_kernel_models())
    if (std::ranges::find(file.names, answers_to) != file.names.end()) return &file;
  return nullptr;
}

/// Made once, so that GPUs of an architecture share a set. The end of the program frees none: it
/// takes as long as copying one.
SharedConstants built_in(const EmbeddedFile& file) {
  static std::recursive_mutex mutex;  // inherited sets are built in too
  static auto& made = *new std::map<std::string_view, SharedConstants>();
  const std::lock_guard lock(mutex);
  SharedConstants& constants = made[file.name];
  if (constants != nullptr) return constants;
  const std::span<const std::string_view> images = kernel_model_images();
  const auto index = static_cast<std::size_t>(&file - embedded_kernel_models().data());
  if (images.empty())  // the program that makes them
    constants = load_constants(file.text, "built-in " + std::string(file.name));
  else
    constants = std::make_shared<ModelConstants>(read_image<ModelConstants>(images[index]));
  return constants;
}

SharedConstants named_constants(const Value& value) {
  const std::span<const EmbeddedFile> files = embedded_kernel_models();
  return built_in(files[value.choice(each_of(files, &EmbeddedFile::name))]);
}

/// Texts that several items of a file name.
using SharedTexts = std::map<std::string, std::string, std::less<>>;

std::string origin_in(const Value& object, const SharedTexts& origins) {
  const std::string origin = object.require("origin", "where it comes from").text();
  const auto found = origins.find(origin);
  return found == origins.end() ? origin : found->second;
}

template <Enumeration E>
E choice_of(const Value& value) {
  return static_cast<E>(value.choice(names_of<E>));
}

/// Each type stands for all of its width.
constexpr std::array<std::string_view, 4> error_type_names{
    name_of(DataType::fp32), name_of(DataType::tf32), name_of(DataType::fp16),
    name_of(DataType::int8)};

double factor_of(const Value& object, std::string_view key) {
  return number_within(object.require(key, "a factor of at least 1"), 1, most_error_factor);
}

UncertaintyBasis basis_in(const Value& object) {
  return choice_of<UncertaintyBasis>(
      object.require("basis", "measured, architecture or datasheet"));
}

LayerErrors layer_errors_in(const Value& value, const SharedTexts& origins) {
  value.check_keys("errors of layers",
                   {"basis", "applies_to", "class", "costs", "form", "dtype", "pass",
                    "heuristic_ratio", "layers", "factor", "factor_95", "origin"});
  LayerErrors errors;
  errors.basis = basis_in(value);
  if (const auto names = value.get("applies_to")) errors.applies_to = names->texts();
  if (errors.applies_to.empty() != (errors.basis == UncertaintyBasis::datasheet))
    value.fail_at("applies_to",
                  "expected names of GPUs (measured) or architectures (architecture), and none "
                  "where the basis is datasheet");
  if (const auto name = value.get("class")) errors.layer_class = choice_of<LayerClass>(*name);
  if (const auto list = value.get("costs")) {
    if (!list->is_array()) list->fail_expected("a list of costs");
    for (const Value cost : *list) errors.costs.push_back(choice_of<ElementCost>(cost));
  }
  if (const auto name = value.get("form")) errors.form = choice_of<ConvolutionForm>(*name);
  if (const auto name = value.get("dtype"))
    errors.dtype = parse<DataType>(error_type_names[name->choice(error_type_names)]);
  if (const auto name = value.get("pass")) errors.pass = choice_of<Pass>(*name);
  if (value.get("heuristic_ratio")) errors.heuristic_ratio = factor_of(value, "heuristic_ratio");
  errors.layers = value.require("layers", "how many were measured").integer(1);
  errors.factor = factor_of(value, "factor");
  errors.factor_95 = factor_of(value, "factor_95");
  errors.origin = origin_in(value, origins);
  return errors;
}

/// What total errors and those of a way share.
template <class Errors>
void read_runs(const Value& value, const SharedTexts& origins, Errors& errors) {
  errors.run_factor = factor_of(value, "run_factor");
  errors.run_factor_95 = factor_of(value, "run_factor_95");
  errors.runs = value.require("runs", "how many were measured").integer(1);
  errors.origin = origin_in(value, origins);
}

TotalErrors total_errors_in(const Value& value, const SharedTexts& origins) {
  value.check_keys("errors of totals", {"basis", "applies_to", "common_share", "run_factor",
                                        "run_factor_95", "runs", "origin"});
  TotalErrors errors;
  errors.basis = basis_in(value);
  errors.common_share = number_within(value.require("common_share", "a share from 0 to 1"), 0, 1);
  read_runs(value, origins, errors);
  return errors;
}

WayErrors way_errors_in(const Value& value, const SharedTexts& origins) {
  value.check_keys("errors of a way", {"way", "run_factor", "run_factor_95", "runs", "origin"});
  WayErrors errors;
  errors.way = choice_of<RunWay>(value.require("way", "program or compiled"));
  read_runs(value, origins, errors);
  return errors;
}

template <class Read>
auto list_in(const Value& object, std::string_view key, const SharedTexts& origins, Read read) {
  std::vector<decltype(read(object, origins))> list;
  const auto value = object.get(key);
  if (!value) return list;
  if (!value->is_array()) value->fail_expected("a list of errors");
  for (const Value each : *value) list.push_back(read(each, origins));
  return list;
}

int keys_of(const LayerErrors& errors) {
  return int{errors.layer_class.has_value()} + 3 * int{errors.form.has_value()} +
         int{errors.dtype.has_value()} + int{errors.pass.has_value()};
}

/// A file's errors of all forms of layers stand for those that it inherits of one form, too.
bool replaces(const LayerErrors& own, const LayerErrors& inherited) {
  const auto meet = [](const auto& one, const auto& other) {
    return !one || !other || *one == *other;
  };
  return !own.form && inherited.form && own.basis == inherited.basis &&
         own.applies_to == inherited.applies_to && own.layer_class == inherited.layer_class &&
         (own.heuristic_ratio > 0) == (inherited.heuristic_ratio > 0) &&
         meet(own.dtype, inherited.dtype) && meet(own.pass, inherited.pass);
}

/// A file's "accuracy", the most specific first, its own before inherited. Throws InputError.
MeasuredErrors read_measured_errors(const Value& value, const SharedTexts& origins,
                                    const MeasuredErrors& inherited) {
  value.check_keys("the accuracy of a kernel model", {"layers", "totals", "ways"});
  MeasuredErrors errors;
  errors.layers = list_in(value, "layers", origins, layer_errors_in);
  errors.totals = list_in(value, "totals", origins, total_errors_in);
  errors.ways = list_in(value, "ways", origins, way_errors_in);
  const std::size_t own_count = errors.layers.size();
  for (const LayerErrors& each : inherited.layers) {
    const auto own_end = errors.layers.begin() + static_cast<std::ptrdiff_t>(own_count);
    const auto replacing = [&](const LayerErrors& own) { return replaces(own, each); };
    if (std::none_of(errors.layers.begin(), own_end, replacing)) errors.layers.push_back(each);
  }
  errors.totals.insert(errors.totals.end(), inherited.totals.begin(), inherited.totals.end());
  errors.ways.insert(errors.ways.end(), inherited.ways.begin(), inherited.ways.end());
  std::ranges::stable_sort(errors.layers, std::greater(), keys_of);
  return errors;
}

class ConstantsReader {
 public:
  explicit ConstantsReader(const Value& value) : file_(value) {
    value.check_keys("a kernel model", {"name", "title", "covers", "inherits", "made_by", "origins",
                                        "constants", "accuracy", "features", "tiles", "solvers",
                                        "solver_tiles", "library", "choices"});
  }

  ModelConstants read() {
    if (const auto base = file_.get("inherits")) {
      constants_ = *named_constants(*base);
      constants_.covers.clear();
      constants_.made_by.clear();
    } else {
      constants_.notes.resize(constant_fields().size());
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
    if (const auto solvers = file_.get("solvers")) {
      constants_.solvers.clear();
      for (const Value row : *solvers) constants_.solvers.push_back(solver_in(row));
    }
    const LibraryRelease inherited = constants_.choices.library;
    if (const auto choices = file_.get("choices"))
      read_choices(*choices);
    else if (!file_.contains("inherits"))
      take_choices(*built_in(embedded_kernel_models()[index_of_newest()]));
    if (const auto library = file_.get("library"))
      constants_.choices.library = library_in(*library);
    else if (file_.contains("inherits"))
      constants_.choices.library = inherited;
    for (const TileList list : {TileList::vector_gemm, TileList::tensor_gemm})
      if (constants_.tiles[list].empty())
        file_.fail_at("tiles", "expected the list " + std::string(name_of(list)) + ", got none");
    return std::move(constants_);
  }

 private:
  void numbers() {
    numbers_ = numbers_of(constants_.values);
    if (const auto object = file_.get("constants")) group(*object, "");
    constants_.values = values_of(numbers_);
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
      if (const auto index = find_constant(path)) {
        number(value, fields[*index], *index);
      } else if (std::ranges::any_of(fields, [inside = path + '/'](const ConstantField& each) {
                   return each.path.starts_with(inside);
                 })) {
        group(value, path + '/');
      } else {
        value.fail("unknown constant" + did_you_mean(path, each_of(fields, &ConstantField::path)));
      }
    }
  }

  void number(const Value& value, const ConstantField& field, std::size_t index) {
    if (!value.is_object()) value.fail_expected("{\"value\", \"unit\", \"range\", \"origin\"}");
    value.check_keys("a constant", {"value", "unit", "range", "origin"});
    ConstantNote& note = constants_.notes[index];
    note.stated = true;
    const std::string unit(field.unit);
    const Value stated_unit = value.require("unit", in_quotes(field.unit));
    if (stated_unit.text() != unit) stated_unit.fail_expected(in_quotes(field.unit));
    const Value range = value.require("range", "[least, most]");
    if (!range.is_array() || range.size() != 2) range.fail_expected("[least, most]");
    note.least = number_within(range.at(0), field.least, field.most);
    note.most = number_within(range.at(1), note.least, field.most);
    numbers_[index] =
        number_within(value.require("value", "a number in " + unit), note.least, note.most);
    note.origin = add_origin(constants_, origin_in(value, origins_));
  }

  void read_features(const Value& value) {
    value.check_keys("features", {names_of<EngineClass>.begin(), names_of<EngineClass>.end()});
    for (const EngineClass engine_class : enumerators<EngineClass>)
      if (const auto list = value.get(name_of(engine_class)))
        constants_.features[engine_class] = words_in<LibraryFeature>(*list);
  }

  template <class Word>
  static EnumArray<Word, bool> words_in(const Value& list) {
    if (!list.is_array()) list.fail_expected("an array of strings");
    EnumArray<Word, bool> words{};
    for (const Value word : list) words[choice_of<Word>(word)] = true;
    return words;
  }

  /// [m, n, k, threads, stages, registers], or a built-in set's name; null keeps the default.
  void read_tiles(const Value& value) {
    if (value.is_string()) {
      constants_.tiles = named_constants(value)->tiles;
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
      return static_cast<std::uint32_t>(number_within(value.at(i), 1, 65536));
    };
    return {at(0), at(1), at(2), at(3), at(4), at(5)};
  }

  static Solver solver_in(const Value& row) {
    row.check_keys("a solver", {"name", "algorithm", "family", "method", "tiles", "engine", "runs",
                                "multiples", "splits", "share", "since", "until"});
    Solver solver;
    solver.name = std::string(row.require("name", "the library's name of it").text());
    const Value algorithm = row.require("algorithm", "what it is");
    solver.algorithm = enumerators<Algorithm>[algorithm.choice(statable_algorithm_names)];
    solver.family = choice_of<SolverFamily>(row.require("family", "whose constants it takes"));
    solver.method = choice_of<SolverMethod>(row.require("method", "what it makes of a layer"));
    solver.tiles = choice_of<TileList>(row.require("tiles", "a list of tiles"));
    solver.engine = choice_of<EngineClass>(row.require("engine", "what it computes on"));
    solver.runs = words_in<SolverWord>(row.require("runs", "what it runs"));
    if (const auto multiples = row.get("multiples"))
      for (std::size_t i = 0; i < solver.multiples.size(); ++i)
        solver.multiples[i] = static_cast<std::uint32_t>(number_within(multiples->at(i), 1, 65536));
    if (const auto splits = row.get("splits")) solver.splits = splits->boolean();
    if (const auto share = row.get("share")) solver.share = number_within(*share, 0.01, 10);
    solver.since = release_in(row, "since");
    solver.until = release_in(row, "until");
    // Most name no layout, and take depthwise layers like others.
    using enum SolverWord;
    if (!solver.runs[nhwc] && !solver.runs[nchw]) solver.runs[nhwc] = solver.runs[nchw] = true;
    if (!solver.runs[depthwise] && !solver.runs[several_channels])
      solver.runs[depthwise] = solver.runs[several_channels] = true;
    return solver;
  }

  LibraryRelease library_in(const Value& value) {
    value.check_keys("a library", {"name", "release"});
    LibraryRelease library{choice_of<KernelLibrary>(value.require("name", "whose kernels run")),
                           {}};
    library.release = release_in(value, "release");
    return library;
  }

  /// 0.0 where none is stated.
  static Release release_in(const Value& object, std::string_view key) {
    const auto value = object.get(key);
    if (!value) return {};
    const auto release = parse_release(value->text());
    if (!release) value->fail_expected("a release such as \"8.0\"");
    return *release;
  }

  /// A file older than rows of choices has those of the newest library.
  void take_choices(const ModelConstants& others) {
    constants_.choices = others.choices;
    for (ChoiceRow& row : constants_.choices.rows) {
      row.origin = text_in(others.origins[row.origin]);
      row.gpu = text_in(others.origins[row.gpu]);
    }
  }

  static std::size_t index_of_newest() {
    const auto files = embedded_kernel_models();
    const auto found = std::ranges::find(files, "cudnn9-hopper", &EmbeddedFile::name);
    return static_cast<std::size_t>(found - files.begin());
  }

  void read_choices(const Value& list) {
    if (!list.is_array() || list.size() == 0) list.fail_expected("a list of rows");
    LibraryChoices choices;
    for (const Value row : list) choices.rows.push_back(choice_in(row, choices.cases));
    constants_.choices = std::move(choices);
  }

  /// `cases`: of the rows before; a new one is added.
  ChoiceRow choice_in(const Value& value, std::vector<std::string>& cases) {
    value.check_keys("a row of choices",
                     {"kernel", "case", "pass", "layout", "is", "is_not", "range", "alone",
                      "library", "since", "until", "stands_for_others", "gpu", "layers", "origin"});
    ChoiceRow row;
    const auto kernel = value.get("kernel");
    const auto name = value.get("case");
    if (kernel.has_value() == name.has_value())
      value.fail("expected a kernel or the name of a case, got " +
                 std::string(kernel ? "both" : "neither"));
    row.is = choice_words(value.get("is"), cases);
    row.is_not = choice_words(value.get("is_not"), cases);
    if (kernel) row.kernel = choice_of<LibraryKernel>(*kernel);
    row.is_case = name.has_value();
    if (name) row.defines = static_cast<std::uint16_t>(case_of(*name, cases));
    if (const auto passes = value.get("pass")) {
      const std::uint64_t bits = choice_words(passes, cases);
      if (bits == 0 || (bits & ~pass_bits) != 0) passes->fail_expected("a list of passes");
      row.is_not |= bits ^ pass_bits;
    }
    if (const auto layout = value.get("layout"))
      row.is |= std::uint64_t{1} << (index_of(ChoiceWord::nhwc) +
                                     layout->choice(std::array<std::string_view, 2>{
                                         name_of(ChoiceWord::nhwc), name_of(ChoiceWord::nchw)}));
    if (const auto ranges = value.get("range")) read_ranges(*ranges, row);
    if (const auto alone = value.get("alone")) row.is_alone = alone->boolean();
    row.library = choice_of<KernelLibrary>(value.require("library", "whose kernel it is"));
    if (const auto others = value.get("stands_for_others"))
      row.stands_for_others = others->boolean();
    row.since = release_in(value, "since");
    row.until = release_in(value, "until");
    row.gpu = text_in(value.require("gpu", "the GPU on which it was seen").text());
    row.layers = value.require("layers", "how many bear it out").integer(1);
    row.origin = text_in(origin_in(value, origins_));
    return row;
  }

  std::uint32_t text_in(const std::string& text) {
    return static_cast<std::uint32_t>(add_origin(constants_, text));
  }

  static constexpr std::uint64_t pass_bits = 7;  ///< the first three words

  static std::uint32_t case_of(const Value& name, std::vector<std::string>& cases) {
    const auto found = std::ranges::find(cases, name.text());
    const auto index = static_cast<std::uint32_t>(found - cases.begin());
    if (found == cases.end()) {
      if (index == most_cases)
        name.fail_expected("at most " + std::to_string(most_cases) + " cases");
      cases.push_back(name.text());
    }
    return index;
  }

  /// Words of a layer, and cases of the rows before.
  static std::uint64_t choice_words(const std::optional<Value>& list,
                                    const std::vector<std::string>& cases) {
    std::uint64_t bits = 0;
    if (!list) return bits;
    if (!list->is_array()) list->fail_expected("a list of words");
    std::vector<std::string_view> known(names_of<ChoiceWord>.begin(), names_of<ChoiceWord>.end());
    known.insert(known.end(), cases.begin(), cases.end());
    for (const Value word : *list) bits |= std::uint64_t{1} << word.choice(known);
    return bits;
  }

  /// {"taps": [least, most]}; null: no bound.
  static void read_ranges(const Value& object, ChoiceRow& row) {
    object.check_keys("ranges", {names_of<ChoiceSize>.begin(), names_of<ChoiceSize>.end()});
    if (object.size() > ChoiceRow::most_ranges)
      object.fail_expected("at most " + std::to_string(ChoiceRow::most_ranges) + " ranges");
    for (const Value range : object) {
      if (!range.is_array() || range.size() != 2) range.fail_expected("[least, most]");
      ChoiceRange& own = row.ranges.at(row.range_count++);
      own.size = static_cast<std::uint32_t>(index_of(*parse<ChoiceSize>(range.key())));
      const auto bound = [&range](std::size_t i, std::uint32_t least, std::uint32_t none) {
        if (range.at(i).is_null()) return none;
        return static_cast<std::uint32_t>(
            number_within(range.at(i), least, ChoiceRange::unbounded - 1.0));
      };
      own.least = bound(0, 0, 0);
      own.most = bound(1, own.least, ChoiceRange::unbounded);
    }
  }

  Value file_;
  ModelConstants constants_;
  ConstantNumbers numbers_{};  ///< its values
  SharedTexts origins_;
};

SharedConstants constants_in(const Value& value) {
  if (value.is_string()) return named_constants(value);
  return std::make_shared<const ModelConstants>(ConstantsReader(value).read());
}

}  // namespace

SharedConstants read_constants(const Value& value) {
  if (!value.try_text().ends_with(".json")) return constants_in(value);
  const std::filesystem::path folder = std::filesystem::path(value.origin().source).parent_path();
  const std::string path = (folder / value.text()).string();
  auto constants = std::make_shared<ModelConstants>(*load_constants(read_regular_file(path), path));
  constants->file = path;
  return constants;
}

SharedConstants load_constants(std::string_view json_text, const std::string& source) {
  const JsonDocument document(json_text, {source});
  const Value value = document.root();
  return constants_in(value.contains("kernel_model") ? value.at("kernel_model") : value);
}

SharedConstants built_in_constants(const Gpu& gpu) {
  const EmbeddedFile* file = find_built_in(gpu.compute_capability);
  if (gpu.compute_capability.empty() || file == nullptr)
    file = find_built_in(name_of(architecture_of(gpu)));
  return built_in(*file);
}

double number_within(const Value& value, double least, double most) {
  const double number = value.is_number() ? value.number() : least - 1;
  if (number < least || number > most)
    value.fail_expected("a number from " + number_text(least) + " to " + number_text(most));
  return number;
}

}  // namespace roofline
