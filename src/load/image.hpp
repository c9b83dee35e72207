#pragma once

// What the build has read of configs, as bytes that a start copies and does not parse. One walk
// through a value's parts writes them (src/embed/images.cpp) and reads them, in programs of one
// build.

#include <tuple>

#include "kernel/constants.hpp"
#include "model/gpu_fields.hpp"

namespace roofline {

/// In the order of embedded_gpus() and embedded_kernel_models().
std::span<const std::string_view> gpu_images();
std::span<const std::string_view> kernel_model_images();

/// What a GPU's image holds: the names for finding it come first and can be read alone.
struct BuiltInGpu {
  std::vector<std::string> normal_names;
  Gpu gpu;
};

struct ImageWriter {
  std::string image{};

  void pass_bytes(void* data, std::size_t size) { image.append(static_cast<char*>(data), size); }
};

struct ImageReader {
  std::string_view image;

  void pass_bytes(void* data, std::size_t size) {
    image.copy(static_cast<char*>(data), size);
    image.remove_prefix(size);
  }
};

inline auto parts_of(BuiltInGpu& each) { return std::tie(each.normal_names, each.gpu); }
inline auto parts_of(ConstantNote& note) {
  return std::tie(note.stated, note.least, note.most, note.origin);
}
inline auto parts_of(Solver& s) {
  return std::tie(s.name, s.algorithm, s.family, s.method, s.tiles, s.engine, s.runs, s.multiples,
                  s.splits);
}
inline auto parts_of(LayerErrors& e) {
  return std::tie(e.basis, e.applies_to, e.layer_class, e.costs, e.form, e.dtype, e.pass,
                  e.heuristic_ratio, e.layers, e.factor, e.factor_95, e.origin);
}
inline auto parts_of(TotalErrors& e) {
  return std::tie(e.basis, e.common_share, e.run_factor, e.run_factor_95, e.runs, e.origin);
}
inline auto parts_of(WayErrors& e) {
  return std::tie(e.way, e.run_factor, e.run_factor_95, e.runs, e.origin);
}
inline auto parts_of(MeasuredErrors& errors) {
  return std::tie(errors.layers, errors.totals, errors.ways);
}
inline auto parts_of(ModelConstants& set) {
  return std::tie(set.name, set.title, set.covers, set.made_by, set.values, set.notes, set.origins,
                  set.features, set.tiles, set.solvers, set.errors);
}

/// Writes the value, or reads it, as the image does. Of a GPU that is all but its constants.
template <class Image, class T>
void pass(Image& image, T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, ConstantValues> ||
                std::has_unique_object_representations_v<T>) {
    image.pass_bytes(&value, sizeof value);
  } else if constexpr (requires { value.change([](auto&) {}); }) {
    value.change([&](auto& held) { pass(image, held); });
  } else if constexpr (requires { value.emplace(); }) {
    bool has_value = value.has_value();
    pass(image, has_value);
    if (has_value) pass(image, value ? *value : value.emplace());
  } else if constexpr (std::is_same_v<T, std::string>) {
    std::size_t size = value.size();
    pass(image, size);
    value.resize(size);
    image.pass_bytes(value.data(), size);
  } else if constexpr (requires { value.resize(0); }) {
    std::size_t size = value.size();
    pass(image, size);
    value.resize(size);
    for (auto& part : value) pass(image, part);
  } else if constexpr (requires { value.begin(); }) {
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
