#pragma once

// A layer's fields, one row a field. From this table come the keys that layer files, NDJSON and CSV
// take and those that results state of their layers, the JSON schemas, what makes two layers
// different, and the names in messages. A field that is stated and kept as it is (LayerTraits)
// needs its member and its row, nothing else.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "roofline/spec.hpp"

namespace roofline {

// Where a LayerSpec holds a field, by the kind of value that the field has.

struct TextField {
  std::optional<std::string_view> (*get)(const LayerSpec&);
  void (*set)(LayerSpec&, std::string);
};
/// One of several names.
struct ChoiceField {
  std::span<const std::string_view> names;
  std::optional<std::size_t> (*get)(const LayerSpec&);
  void (*set)(LayerSpec&, std::size_t);
};
/// An integer >= 1.
struct CountField {
  std::optional<std::uint64_t> LayerSpec::*member;
};
/// false is as good as nothing.
struct FlagField {
  bool LayerSpec::*member;
};
struct SecondsField {
  std::optional<double> Measured::*member;
};
/// A number for all axes or a list, each at least `least`.
struct AxesField {
  AxesSpec LayerSpec::*member;
  std::uint64_t least = 1;
  bool takes_rule = false;  ///< "same" and "valid" as well
};
/// The number of one axis.
struct AxisField {
  AxesSpec LayerSpec::*axes;
  std::optional<std::uint64_t> AxesSpec::*member;
  std::uint64_t least = 1;
};
/// A list of sizes, each at least 1.
struct SizesField {
  std::vector<std::uint64_t> LayerSpec::*member;
  bool takes_number = false;  ///< one size may stand without its list
};
struct OperandField {
  std::optional<OperandSpec> LayerSpec::*member;
};
struct OperandsField {
  std::vector<OperandSpec> LayerSpec::*member;
};
struct KindField {};       ///< kind and rank: "conv3d"
struct DataTypeField {};   ///< of all tensors, unless others are stated
struct DataTypesField {};  ///< of each tensor
struct MappingField {};

using FieldMember = std::variant<TextField, ChoiceField, CountField, FlagField, SecondsField,
                                 AxesField, AxisField, SizesField, OperandField, OperandsField,
                                 KindField, DataTypeField, DataTypesField, MappingField>;

/// Another key of a field, and the unit in which it states the number.
struct FieldAlias {
  std::string_view key;
  double unit = 1;
};

struct LayerField {
  std::string_view key;
  FieldMember member;
  bool (*applies_to)(LayerKind);  ///< whether layers of that kind take it
  /// Fills the member with what a layer is; none for fields that are another way to say the same,
  /// which layers are read by but not written with. LayerTraits are there already.
  void (*state)(const Layer&, LayerSpec&) = nullptr;
  bool makes_different = true;  ///< two layers that differ in it are different layers
  std::array<FieldAlias, 3> aliases{};

  bool is_written() const { return state != nullptr; }
};

std::span<const LayerField> layer_fields();
/// Those that a layer of that kind is written with, in their order.
std::span<const LayerField* const> written_fields(LayerKind kind);

/// A field under one of its keys.
struct FieldKey {
  const LayerField* field = nullptr;
  std::string_view key;
  double unit = 1;
};

/// What a layer of that kind states under that key ("k" is a convolution's channels and a GEMM's
/// inner size). For a key that only others take, their field; none for a key that nobody knows.
std::optional<FieldKey> find_field(LayerKind kind, std::string_view key);
/// Every key, aliases included, each once, in the order of the alphabet.
std::span<const std::string_view> layer_keys();
bool is_layer_key(std::string_view key);
/// The key that somebody means by a name that is none: a key that is spelled nearly so, or that of
/// the field for which others have such a word. Empty where nothing is near.
std::string_view meant_key(std::string_view name);

/// Whether a layer of that kind takes the field of that key.
bool takes(LayerKind kind, std::string_view key);

/// The layer as a layer file states it, standing alone: every shape explicit, the batch first, no
/// operand named. Read again, it is the same layer.
LayerSpec stated(const Layer& layer);

/// A shape in a layer file's order, [N, C, ...] or [N, ..., F]; parameters leave the batch out.
std::vector<std::uint64_t> stated_sizes(const Shape& shape, Features features,
                                        bool with_batch = true);

/// Whether layers of the kind state `inputs` and not the one `input`.
bool has_several_operands(LayerKind kind);
/// The operands of a layer but for those fused into a contraction's kernel; of a GEMM both
/// matrices.
std::size_t stated_operand_count(const Layer& layer);
/// One of them, without the name of the layer that it comes from.
OperandSpec stated_operand(const Layer& layer, std::size_t index);

/// What a layer states of each of Layer::inputs. (A GEMM's second matrix is none of them.)
std::vector<OperandSpec*> operands_of(LayerSpec& layer);

/// All that makes the layer different from others, as a text that is equal for equal layers. Names,
/// copies and measured times do not.
std::string identity(const LayerSpec& layer);

/// The numbers of a kernel's mapping.
struct MappingNumber {
  std::string_view key;
  std::optional<std::uint64_t> KernelMapping::*member;
  std::uint64_t least = 1;
};
inline constexpr std::array mapping_numbers = std::to_array<MappingNumber>({
    {"split_k", &KernelMapping::split_k},
    {"threads", &KernelMapping::threads},
    {"stages", &KernelMapping::stages},
    {"registers", &KernelMapping::registers},
    {"shared_memory_byte", &KernelMapping::shared_memory_byte, 0},
});

}  // namespace roofline
