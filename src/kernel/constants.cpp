#include "kernel/constants.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel/engine_facts.hpp"
#include "kernel/layer_sizes.hpp"
#include "kernel/likenesses.hpp"
#include "model/layer_kind.hpp"

namespace roofline {
namespace {

constexpr std::string_view simplest_origin =
    "the simplest form: measured layers tell it from no other";

/// The constant that stands in for one.
std::optional<std::size_t> like_of(std::string_view path) {
  const auto members = constant_members();
  for (std::string like = like_path(path); !like.empty(); like = like_path(like)) {
    const auto member = std::ranges::find(members, like, &ConstantMember::path);
    if (member != members.end()) return member->source;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> find_constant(std::string_view path) {
  static const auto by_path = [] {
    std::unordered_map<std::string_view, std::size_t> all;
    for (const ConstantField& field : constant_fields()) all.emplace(field.path, all.size());
    return all;
  }();
  const auto found = by_path.find(path);
  return found == by_path.end() ? std::nullopt : std::optional(found->second);
}

std::string dotted(std::string_view path) {
  std::string text(path);
  std::ranges::replace(text, '/', '.');
  return text;
}

ConvolutionForm form_of(const Layer& layer) {
  using enum ConvolutionForm;
  if (!has_window(layer.kind) || info(layer.kind).family != KindFamily::contraction) return usual;
  const auto in = layer.inputs.front().shape.channels / layer.groups;
  const auto out = layer.output.channels / layer.groups;
  const Window& window = *layer.window;
  const bool is_volume = window.rank == 3;
  const bool in_groups = layer.groups > 1;
  if (!in_groups && std::min(in, out) < 16) return is_volume ? few_channel_volume : few_channels;
  if (is_volume) return volume;
  if (is_line(layer)) return line;
  if (layer.kind == LayerKind::conv_transpose) return transposed;
  if (in > 1 && (in % 8 != 0 || out % 8 != 0 || (in_groups && !std::has_single_bit(in))))
    return odd_channels;
  if (product(window.kernel) > 32) return long_window;
  if (product(window.dilation) > 1) return dilated;
  return in_groups && in == 1 ? depthwise : usual;
}

LayerClass class_of(const Layer& layer) {
  switch (info(layer.kind).family) {
    case KindFamily::contraction: return layer.groups > 1 ? LayerClass::grouped : LayerClass::dense;
    case KindFamily::recurrent:
    case KindFamily::deformable: return LayerClass::dense;
    case KindFamily::attention: return LayerClass::attention;
    case KindFamily::lookup:
    case KindFamily::movement: return LayerClass::movement;
    case KindFamily::norm:
    case KindFamily::activation:
    case KindFamily::combine:
    case KindFamily::pool:
    case KindFamily::resize:
    case KindFamily::transfer:
    case KindFamily::free: return LayerClass::other;
  }
  return LayerClass::other;
}

namespace {

/// The bits of an enumeration's values begin at `first`.
template <Enumeration E, std::size_t start>
struct PropertyBits {
  static constexpr std::size_t end = start + count_of<E>;
  static_assert(end < 64);
  static std::uint64_t one(E value) { return std::uint64_t{1} << (start + index_of(value)); }
  static std::uint64_t all() { return ((std::uint64_t{1} << count_of<E>)-1) << start; }
  static std::uint64_t of(const std::optional<E>& value) { return value ? one(*value) : all(); }
};

using FormBits = PropertyBits<ConvolutionForm, 2>;  // after those of mappings
using PassBits = PropertyBits<Pass, FormBits::end>;
using CostBits = PropertyBits<ElementCost, PassBits::end>;
using TypeBits = PropertyBits<DataType, CostBits::end>;

std::uint64_t mapping_bit(bool is_stated) { return is_stated ? 1 : 2; }

/// A stated mapping belongs to no library, whose kernels were measured, as a newer one's were not.
std::uint64_t taken_by(const LayerErrors& errors) {
  std::uint64_t costs = errors.costs.empty() ? CostBits::all() : 0;
  for (const ElementCost cost : errors.costs) costs |= CostBits::one(cost);
  return mapping_bit(false) |
         (errors.basis == UncertaintyBasis::datasheet ? mapping_bit(true) : 0) |
         FormBits::of(errors.form) | PassBits::of(errors.pass) | costs | TypeBits::of(errors.dtype);
}

}  // namespace

FoundErrors::FoundErrors(std::shared_ptr<const MeasuredErrors> all,
                         const std::function<bool(const LayerErrors&)>& holds)
    : all_(std::move(all)) {
  for (const LayerErrors& each : all_->layers)
    if (holds(each)) layers_.push_back(&each);
  std::ranges::stable_sort(layers_, {}, &LayerErrors::basis);
  for (const LayerErrors* each : layers_)
    for (const LayerClass own : enumerators<LayerClass>)
      if (each->layer_class.value_or(own) == own)
        entries_[each->heuristic_ratio > 0 ? 1 : 0][own].push_back({taken_by(*each), each});
}

const LayerErrors* FoundErrors::find(const Layer& layer, KernelSource kernels, Engine engine,
                                     bool is_newer) const {
  const std::uint64_t own = mapping_bit(is_newer || layer.mapping->tile.has_value()) |
                            FormBits::one(form_of(layer)) | PassBits::one(layer.pass) |
                            CostBits::one(info(layer.kind).cost) |
                            TypeBits::one(facts_of(engine).error_type);
  for (const Entry& each : entries_[kernels == KernelSource::heuristic ? 1 : 0][class_of(layer)])
    if ((each.takes & own) == own) return each.errors;
  return nullptr;
}

std::optional<std::size_t> complete(ModelConstants& constants) {
  const auto fields = constant_fields();
  ConstantNumbers numbers = numbers_of(constants.values);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    ConstantNote& note = constants.notes[i];
    if (note.stated) continue;
    std::size_t source = i;
    while (!constants.notes[source].stated) {
      const std::optional<std::size_t> like = like_of(fields[source].path);
      if (!like) break;
      source = *like;
    }
    if (constants.notes[source].stated) {
      numbers[i] = numbers[source];
      note.origin = constants.notes[source].origin;
    } else if (fields[i].simplest) {
      numbers[i] = *fields[i].simplest;
      note.origin = add_origin(constants, std::string(simplest_origin));
    } else {
      return i;
    }
  }
  constants.values = values_of(numbers);
  return std::nullopt;
}

std::size_t add_origin(ModelConstants& constants, const std::string& origin) {
  std::vector<std::string>& all = constants.origins;
  const auto found = std::ranges::find(all, origin);
  const auto index = static_cast<std::size_t>(found - all.begin());
  if (found == all.end()) all.push_back(origin);
  return index;
}

ConstantNumbers numbers_of(const ConstantValues& values) {
  const auto members = std::bit_cast<std::array<double, constant_member_count>>(values);
  ConstantNumbers numbers;
  for (std::size_t i = 0; i < constant_member_count; ++i)
    if (constant_members()[i].source == numbers.size() &&
        constant_members()[i].path == constant_fields()[numbers.size()].path)
      numbers.push_back(members[i]);
  return numbers;
}

ConstantValues values_of(const ConstantNumbers& numbers) {
  std::array<double, constant_member_count> members{};
  for (std::size_t i = 0; i < constant_member_count; ++i) {
    const std::optional<std::size_t> source = constant_members()[i].source;
    members[i] = source ? numbers[*source] : constant_members()[i].simplest.value();
  }
  return std::bit_cast<ConstantValues>(members);
}

std::size_t index_of(const ConstantValues& values, const double& member) {
  const auto address = [](const auto& object) { return reinterpret_cast<std::uintptr_t>(&object); };
  return (address(member) - address(values)) / sizeof(double);
}

const std::string& origin_of(const ModelConstants& constants, const double& member) {
  static const std::string simplest(simplest_origin);
  const std::optional<std::size_t> source =
      constant_members()[index_of(constants.values, member)].source;
  return source ? constants.origins[constants.notes[*source].origin] : simplest;
}

}  // namespace roofline
