// The tables that the build made of the built-in kernel models hold what their files say.

#include "catch.hpp"
#include "kernel/constants.hpp"
#include "load/kernel_model.hpp"
#include "roofline/catalogue.hpp"

using namespace roofline;

namespace {

/// The bindings name all members, so that a new one does not compile before it is compared as well.
void check_equal(const ModelConstants& made, const ModelConstants& read) {
  const auto& [name, title, covers, made_by, values, notes, origins, features, tiles, solvers,
               errors] = made;
  CHECK(name == read.name);
  CHECK(title == read.title);
  CHECK(covers == read.covers);
  CHECK(made_by == read.made_by);
  CHECK(notes == read.notes);
  CHECK(origins == read.origins);
  CHECK(features == read.features);
  CHECK(tiles == read.tiles);
  CHECK(solvers.size() == read.solvers.size());
  CHECK(errors == read.errors);
  CHECK(write_constants(made) == write_constants(read));  // solvers with all that they are
  for (std::size_t i = 0; i < constant_count; ++i) {
    INFO(constant_fields()[i].path);
    CHECK(numbers_of(values)[i] == numbers_of(read.values)[i]);
  }
}

}  // namespace

TEST_CASE("Every built-in kernel model has a table that equals its file",
          "[load/constant_tables]") {
  const std::span<const ConstantTable> tables = constant_tables();
  const std::span<const EmbeddedFile> files = embedded_kernel_models();
  REQUIRE(tables.size() == files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    INFO(files[i].name);
    CHECK(tables[i].name == files[i].name);
    // What the file inherits comes from a table, which another turn of this loop compares.
    check_equal(constants_of(tables[i]), *load_constants(files[i].text, "a file"));
  }
}

TEST_CASE("What is taken apart is put together again", "[load/constant_tables]") {
  ModelConstants odd = *load_constants(embedded_kernel_models().front().text, "a file");
  odd.title = "";
  odd.made_by = {"", "a \"quoted\" \\ text", "", "\xc2\xb5s"};
  odd.values.memory.dram_share = 0x1.23456789abcdep-7;
  odd.features[EngineClass::tf32][LibraryFeature::fft_tiled_fwd] = true;
  odd.tiles[TileList::gathered_wgrad] = {{1, 2, 3, 4, 5, 65536}};
  odd.solvers.resize(1);
  odd.solvers[0].name = std::string("Mine");
  odd.solvers[0].runs[SolverWord::dilations] = true;
  odd.solvers[0].multiples = {2, 3, 65536};
  odd.errors.layers = {{.basis = UncertaintyBasis::measured,
                        .applies_to = {"A", "B"},
                        .layer_class = LayerClass::other,
                        .costs = {ElementCost::simple, ElementCost::erf},
                        .dtype = DataType::fp16,
                        .pass = std::nullopt,
                        .layers = 1,
                        .factor = 1.25,
                        .factor_95 = 1.5,
                        .origin = "here"}};
  const PackedConstants parts = packed(odd);
  std::string texts;
  for (const std::string& text : parts.texts) texts += text + '\0';
  check_equal(constants_of({"odd", parts.numbers, texts}), odd);
}
