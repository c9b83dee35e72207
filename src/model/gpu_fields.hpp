#pragma once

// The fields of a GPU, once. The reader of GPU files, the JSON and the text for people are made
// from these tables: a new field takes a member in roofline/gpu.hpp and a line in gpu_fields.cpp.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "roofline/gpu.hpp"

namespace roofline {

/// What a number is, which says how a file states it and how people read it.
enum class Quantity : std::uint8_t {
  none,         ///< no number
  whole,        ///< a count, stated as an integer
  size,         ///< bytes, stated in a unit that need not divide them
  binary_size,  ///< the same, shown in KiB or MiB
  rate,         ///< any number > 0
  share,        ///< a number > 0 and <= 1
};

/// How a field looks in a file, in JSON and to people.
struct FieldForm {
  std::string_view file_key;
  std::string_view key;  ///< in JSON output, in base units
  Quantity quantity = Quantity::none;
  double unit = 1;              ///< of the file's key, in base units
  std::string_view label{};     ///< of its line of text; a field without one is in JSON only
  std::string_view symbol{};    ///< of the base unit
  std::string_view joint{};     ///< where it ends the line of the field before: what stands between
  std::string_view required{};  ///< what a file without it lacks; empty where it may be absent
  std::uint64_t most = std::numeric_limits<std::uint32_t>::max();  ///< of a whole number
  /// Its short name where it can be set for a run (roofline/gpu_setting.hpp), as only those that
  /// the models use can; and a value set so.
  std::string_view word{};
  std::string_view example{};

  constexpr FieldForm set_as(std::string_view short_name, std::string_view value) const {
    FieldForm form = *this;
    form.word = short_name;
    form.example = value;
    return form;
  }
};

/// A member of Owner, of one of the types that its members have.
template <class Owner, class... Types>
using MemberOf = std::variant<Types Owner::*...>;

template <class Owner>
struct Members;
template <>
struct Members<Source> {
  using Any = MemberOf<Source, std::string, std::vector<std::string>>;
};
template <>
struct Members<KernelConstants> {
  using Any = MemberOf<KernelConstants, std::optional<double>>;
};
template <>
struct Members<SustainedCeilings> {
  using Any = MemberOf<SustainedCeilings, std::string, std::optional<double>, EngineRates>;
};
template <>
struct Members<Gpu> {
  using Any = MemberOf<Gpu, std::string, std::vector<std::string>, double, std::optional<double>,
                       std::optional<std::uint64_t>, EngineRates, std::optional<SustainedCeilings>,
                       KernelConstants, std::shared_ptr<const ModelConstants>, std::vector<Source>>;
};

template <class Owner>
struct GpuField {
  FieldForm form;
  typename Members<Owner>::Any member;
};

/// The fields of a Gpu or of one of its parts, in the order of the output.
template <class Owner>
std::span<const GpuField<Owner>> fields_of();

template <>
std::span<const GpuField<Gpu>> fields_of<Gpu>();
template <>
std::span<const GpuField<SustainedCeilings>> fields_of<SustainedCeilings>();
template <>
std::span<const GpuField<KernelConstants>> fields_of<KernelConstants>();
template <>
std::span<const GpuField<Source>> fields_of<Source>();

}  // namespace roofline
