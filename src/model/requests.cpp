#include "model/requests.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>
#include <vector>

#include "model/gpu_fields.hpp"
#include "model/layer_fields.hpp"

namespace roofline {
namespace {

/// Visits every number of a GPU, with its place in the file.
class GpuCheck {
 public:
  explicit GpuCheck(const Gpu& gpu) : gpu_(gpu) {}

  template <class Owner>
  void check(const Owner& owner, const std::string& place) const {
    for (const GpuField<Owner>& field : fields_of<Owner>())
      std::visit(
          [&](auto member) {
            check_field(owner.*member, field.form, concat(place, "/", field.form.file_key));
          },
          field.member);
  }

 private:
  template <class Member>
  void check_field(const Member& member, const FieldForm& form, const std::string& place) const {
    if constexpr (std::is_same_v<Member, double>) {
      check_rate(member, form, place);
    } else if constexpr (std::is_same_v<Member, std::optional<double>>) {
      if (member) check_rate(*member, form, place);
    } else if constexpr (std::is_same_v<Member, std::optional<std::uint64_t>>) {
      if (member) check_count(*member, form, place);
    } else if constexpr (std::is_same_v<Member, EngineRates>) {
      bool has_any = form.required.empty();
      for (const Engine engine : enumerators<Engine>) {
        if (!member[engine]) continue;
        has_any = true;
        check_rate(*member[engine], form, concat(place, "/", engine));
      }
      if (!has_any) fail(place, std::string(at_least_one_peak), "none");
    } else if constexpr (std::is_same_v<Member, KernelConstants>) {
      check(member, place);
    } else if constexpr (std::is_same_v<Member, std::optional<SustainedCeilings>>) {
      if (member) check(*member, place);
    }
  }

  void check_rate(double rate, const FieldForm& form, const std::string& place) const {
    const double stated = rate / form.unit;
    const std::string expected = expected_rate(stated, form);
    if (!expected.empty()) fail(place, expected, number_text(stated));
  }

  void check_count(std::uint64_t count, const FieldForm& form, const std::string& place) const {
    const std::string expected = expected_count(static_cast<double>(count), form);
    if (expected.empty()) return;
    const bool is_whole = form.quantity == Quantity::whole;
    fail(place, expected,
         is_whole ? std::to_string(count) : number_text(static_cast<double>(count) / form.unit));
  }

  [[noreturn]] void fail(const std::string& place, const std::string& expected,
                         const std::string& found) const {
    throw InputError(gpu_.name, place, "expected " + expected + ", got " + found);
  }

  const Gpu& gpu_;
};

}  // namespace

std::string expected_rate(double stated, const FieldForm& form) {
  // GPUs and layers have no values beyond, and products of such values may overflow.
  constexpr double least = 1e-30;
  constexpr double most = 1e30;
  if (!(stated > 0)) return "a number > 0";
  if (stated < least || stated > most) return "a number from 1e-30 to 1e30";
  if (form.quantity == Quantity::share && stated > 1) return "a share from 0 to 1";
  return "";
}

std::string expected_count(double count, const FieldForm& form) {
  constexpr double most_byte = 1e18;
  if (form.quantity != Quantity::whole)
    return count < 1 || count > most_byte ? "a size between 1 byte and 1e18 bytes" : "";
  if (count < 1) return "an integer >= 1";
  return count > static_cast<double>(form.most) ? concat("an integer from 1 to ", form.most) : "";
}

std::optional<GpuNameFault> fault_in_names(const Gpu& gpu) {
  // "all" asks for every GPU.
  const std::string message =
      "expected the name of one GPU, got \"all\", which stands for every one";
  if (lower_case(gpu.name) == "all") return GpuNameFault{"name", message};
  for (const std::string& alias : gpu.aliases)
    if (lower_case(alias) == "all") return GpuNameFault{"aliases", message};
  for (const PowerMode& mode : gpu.power_modes)
    for (const std::string& text : mode.set)
      if (const auto setting = parse_gpu_setting(text); !setting)
        return GpuNameFault{"power_modes", mode.name + ": " + setting.error().what()};
  return std::nullopt;
}

void check_gpu(const Gpu& gpu) {
  GpuCheck(gpu).check(gpu, "");
  if (const auto fault = fault_in_names(gpu))
    throw InputError(gpu.name, concat("/", fault->key), fault->message);
}

std::string wrong_in_mapping(const KernelMapping& mapping) {
  if (mapping.algorithm && !is_enumerator(*mapping.algorithm))
    return "algorithm: " + expected_enumerator(*mapping.algorithm);
  if (mapping.tile && std::ranges::find(*mapping.tile, 0U) != mapping.tile->end())
    return "tile: expected integers >= 1, got 0";
  for (const MappingNumber& number : mapping_numbers)
    if (const auto& value = mapping.*number.member; value && *value < number.least)
      return concat(number.key, ": expected an integer >= ", number.least, ", got ", *value);
  return "";
}

void check_autocast(std::string_view member, DataType type) {
  check_enumerator(member, type);
  if (is_tensor_type(type))
    throw InputError(
        concat(member, ": expected ", DataType::amp, " or ", DataType::amp_bf16, ", got ", type));
}

void check_defaults(const LayerDefaults& defaults) {
  check_enumerator("LayerDefaults::dtype", defaults.dtype);
  check_enumerator("LayerDefaults::pass", defaults.pass);
  check_enumerator("LayerDefaults::layout", defaults.layout);
  if (!is_operand_type(defaults.dtype))
    throw InputError(
        concat("LayerDefaults::dtype: expected a type of operands, got ", defaults.dtype));
  if (defaults.autocast) check_autocast("LayerDefaults::autocast", *defaults.autocast);
  if (defaults.batch_override == std::uint64_t{0})
    throw InputError("LayerDefaults::batch_override: expected an integer >= 1, got 0");
  if (const std::string wrong = wrong_in_mapping(defaults.mapping); !wrong.empty())
    throw InputError("LayerDefaults::mapping: " + wrong);
}

}  // namespace roofline
