#pragma once

// What our readers make of the built-in files, as bytes that a start copies and does not parse. One
// walk through a value's parts writes the bytes (src/embed/images.cpp, in the build) and reads
// them, so that writer and reader cannot differ.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "kernel/constants.hpp"
#include "model/gpu_fields.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

/// In the order of embedded_gpus() and embedded_kernel_models().
std::span<const std::string_view> gpu_images();
std::span<const std::string_view> kernel_model_images();
/// The normal forms of each GPU's names, separated by blanks, in the order of embedded_gpus().
std::span<const std::string_view> gpu_normal_names();

struct ImageWriter {
  std::string image{};

  void pass_bytes(void* data, std::size_t size) { image.append(static_cast<char*>(data), size); }
  void pass_text(std::string& text) { image.append(text); }
};

struct ImageReader {
  std::string_view image;

  void pass_bytes(void* data, std::size_t size) {
    std::copy_n(image.data(), size, static_cast<char*>(data));
    image.remove_prefix(size);
  }
  /// `text` has the text's size.
  void pass_text(std::string& text) { pass_bytes(text.data(), text.size()); }
};

// Each lists all members: a structured binding does not compile with fewer.
inline auto parts_of(ConstantNote& note) {
  auto& [stated, least, most, origin] = note;
  return std::tie(stated, least, most, origin);
}
inline auto parts_of(Solver& solver) {
  auto& [name, algorithm, family, method, tiles, engine, runs, multiples, splits, share, since,
         until] = solver;
  return std::tie(name, algorithm, family, method, tiles, engine, runs, multiples, splits, share,
                  since, until);
}
inline auto parts_of(LibraryRelease& used) {
  auto& [library, release] = used;
  return std::tie(library, release);
}
inline auto parts_of(LibraryChoices& choices) {
  auto& [library, cases, rows] = choices;
  return std::tie(library, cases, rows);
}
inline auto parts_of(LayerErrors& errors) {
  auto& [basis, applies_to, layer_class, costs, form, dtype, pass, heuristic_ratio, layers, factor,
         factor_95, origin] = errors;
  return std::tie(basis, applies_to, layer_class, costs, form, dtype, pass, heuristic_ratio, layers,
                  factor, factor_95, origin);
}
inline auto parts_of(TotalErrors& errors) {
  auto& [basis, common_share, run_factor, run_factor_95, runs, origin] = errors;
  return std::tie(basis, common_share, run_factor, run_factor_95, runs, origin);
}
inline auto parts_of(WayErrors& errors) {
  auto& [way, run_factor, run_factor_95, runs, origin] = errors;
  return std::tie(way, run_factor, run_factor_95, runs, origin);
}
inline auto parts_of(MeasuredErrors& errors) {
  auto& [layers, totals, ways] = errors;
  return std::tie(layers, totals, ways);
}
inline auto parts_of(ModelConstants& set) {
  auto& [name, title, covers, made_by, file, values, notes, origins, features, tiles, solvers,
         choices, errors] = set;
  return std::tie(name, title, covers, made_by, file, values, notes, origins, features, tiles,
                  solvers, choices, errors);
}

/// Types whose bytes are their value, without padding, whose bytes differ from run to run.
template <class T>
inline constexpr bool is_bytes =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, ConstantValues> ||
    std::has_unique_object_representations_v<T>;

static_assert(is_bytes<ChoiceRow>);

/// Writes the value, or reads it, as the image does. A GPU is passed without its constants.
template <class Image, class T>
void pass(Image& image, T& value) {
  if constexpr (is_bytes<T>) {
    image.pass_bytes(&value, sizeof value);
  } else if constexpr (requires { value.change([](auto&) {}); }) {  // SharedValue
    value.change([&](auto& held) { pass(image, held); });
  } else if constexpr (requires { value.emplace(); }) {  // std::optional
    bool has_value = value.has_value();
    pass(image, has_value);
    if (has_value) pass(image, value ? *value : value.emplace());
  } else if constexpr (requires { value.resize(0); }) {  // std::string, std::vector
    std::size_t size = value.size();
    pass(image, size);
    value.resize(size);
    using Part = std::remove_reference_t<decltype(value[0])>;
    if constexpr (std::is_same_v<T, std::string>)
      image.pass_text(value);
    else if constexpr (is_bytes<Part>)
      image.pass_bytes(value.data(), size * sizeof(Part));
    else
      for (Part& part : value) pass(image, part);
  } else if constexpr (requires { value.begin(); }) {  // EnumArray
    for (auto& part : value) pass(image, part);
  } else if constexpr (requires { parts_of(value); }) {
    std::apply([&](auto&... parts) { (pass(image, parts), ...); }, parts_of(value));
  } else if constexpr (!std::is_same_v<T, std::shared_ptr<const ModelConstants>>) {
    for (const GpuField<T>& field : fields_of<T>())
      std::visit([&](auto member) { pass(image, value.*member); }, field.member);
  }
}

template <class T>
std::string image_of(T value) {
  ImageWriter writer;
  pass(writer, value);
  return writer.image;
}

template <class T>
T read_image(std::string_view image) {
  ImageReader reader{image};
  T value;
  pass(reader, value);
  return value;
}

}  // namespace roofline
