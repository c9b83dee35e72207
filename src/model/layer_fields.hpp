#pragma once

// The table of layer fields. Keys of layer files, NDJSON, CSV and results, JSON schemas, the
// identity of layers and names in messages come from it. An unchanged field (LayerTraits) needs
// only its member and its row.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/layer_kind.hpp"
#include "roofline/spec.hpp"

namespace roofline {

// Accessors of LayerSpec members, by type of value.

struct TextField {
  std::optional<std::string_view> (*get)(const LayerSpec&);
  void (*set)(LayerSpec&, std::string);
};
struct ChoiceField {
  std::span<const std::string_view> names;
  std::optional<std::size_t> (*get)(const LayerSpec&);
  void (*set)(LayerSpec&, std::size_t);
};
/// An integer >= 1.
struct CountField {
  std::optional<std::uint64_t> LayerSpec::*member;
};
/// An axis of the input's sizes; negative ones count from the end.
struct DimensionField {
  std::optional<std::int64_t> LayerSpec::*member;
};
/// false equals an absent field.
struct FlagField {
  bool LayerSpec::*member;
};
/// A number >= 1 of StatedWork.
struct WorkField {
  std::optional<std::uint64_t> StatedWork::*member;
};
/// A flag whose absence says something else than false.
struct ChoiceOfTwoField {
  std::optional<bool> LayerSpec::*member;
};
struct SecondsField {
  std::optional<double> Measured::*member;
};
/// A number for all axes or a list, each at least `least`.
struct AxesField {
  AxesSpec LayerSpec::*member;
  std::uint64_t least = 1;
  bool takes_rule = false;  ///< also "same" and "valid"
};
struct AxisField {
  AxesSpec LayerSpec::*axes;
  std::optional<std::uint64_t> AxesSpec::*member;
  std::uint64_t least = 1;
};
/// Any scalar.
struct ScalarField {
  SharedValue<LayerId> LayerSpec::*member;
};
/// A number that changes no count, such as a probability.
struct UnusedField {};
/// Text for readers of the file, or any other value.
struct NoteField {};
/// A list of sizes, each at least 1.
struct SizesField {
  std::vector<std::uint64_t> LayerSpec::*member;
  bool takes_number = false;  ///< also a single size without a list
};
struct OperandField {
  std::optional<OperandSpec> LayerSpec::*member;
};
struct OperandsField {
  std::vector<OperandSpec> LayerSpec::*member;
};
struct KindField {};      ///< kind and rank: "conv3d"
struct DataTypeField {};  ///< of all tensors
struct DataTypesField {};
struct MappingField {};

using FieldMember =
    std::variant<TextField, ChoiceField, ScalarField, UnusedField, NoteField, CountField,
                 DimensionField, FlagField, ChoiceOfTwoField, SecondsField, WorkField, AxesField,
                 AxisField, SizesField, OperandField, OperandsField, KindField, DataTypeField,
                 DataTypesField, MappingField>;

/// Another key of a field, and the unit of its number.
struct FieldAlias {
  std::string_view key;
  double unit = 1;
};

struct LayerField {
  std::string_view key;
  FieldMember member;
  bool (*applies_to)(LayerKind);
  /// Fills the member from a layer; null for alternative spellings, which are only read.
  /// LayerTraits are copied already.
  void (*state)(const Layer&, LayerSpec&) = nullptr;
  std::array<FieldAlias, 8> aliases{};

  bool is_written() const { return state != nullptr; }
};

std::span<const LayerField> layer_fields();
/// The fields written for layers of a kind, in order.
std::span<const LayerField* const> written_fields(LayerKind kind);

struct FieldKey {
  const LayerField* field = nullptr;
  std::string_view key;
  double unit = 1;
};

/// The field of a kind's layers ("k" is a convolution's channels and a GEMM's inner size); else of
/// other kinds; nullopt for an unknown key. Any case and separators will do: "inChannels", "Batch
/// size". `is_number`: the value is one, or a list, as a window's "kernel" and no mapping is.
std::optional<FieldKey> find_field(LayerKind kind, std::string_view key, bool is_number = false);
/// All keys and aliases without repetition, sorted.
std::span<const std::string_view> layer_keys();
bool is_layer_key(std::string_view key);
/// The key probably meant by an unknown name: a similar one, or another program's word; or empty.
std::string_view meant_key(std::string_view name);
/// What to write in place of a key without a field; or empty.
std::string_view advice_on(std::string_view name);

bool takes(LayerKind kind, std::string_view key);

/// An independent entry of a layer file: explicit shapes, the batch first, no named operands.
/// Reading it gives the same layer.
LayerSpec stated(const Layer& layer);
/// The same in a spec that states nothing yet.
void state(const Layer& layer, LayerSpec& spec);

/// A shape in a layer file's order, [N, C, ...] or [N, ..., F]; parameters have no batch.
class SizeList {
 public:
  SizeList(const Shape& shape, Features features, bool with_batch = true);
  std::span<const std::uint64_t> span() const { return {sizes_.data(), count_}; }

 private:
  std::array<std::uint64_t, 5> sizes_{};
  std::size_t count_ = 0;
};
std::vector<std::uint64_t> stated_sizes(const Shape& shape, Features features);

/// Whether the kind has `inputs` instead of `input`.
bool has_several_operands(LayerKind kind);
/// Operands without those fused into a contraction's kernel; a GEMM has both matrices.
std::size_t stated_operand_count(const Layer& layer);
/// Without the producer's name.
OperandSpec stated_operand(const Layer& layer, std::size_t index);
/// Its sizes alone.
SizeList operand_sizes(const Layer& layer, std::size_t index);

/// Specs of each of Layer::inputs.
std::vector<OperandSpec*> operands_of(LayerSpec& layer);

/// Equal for equal layers: every property without names, copies and measured times.
LayerSpec identity(LayerSpec layer);

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
