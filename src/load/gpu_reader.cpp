#include <cmath>

#include "load/kernel_model.hpp"
#include "model/gpu_fields.hpp"
#include "model/text.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

double read_rate(const Value& value, const FieldForm& form) {
  if (form.quantity == Quantity::share && value.positive_number() > 1)
    value.fail_expected("a share from 0 to 1");
  const double rate = value.positive_number() * form.unit;
  if (!std::isfinite(rate)) value.fail_expected("a number below 1e290");
  return rate;
}

std::uint64_t read_count(const Value& value, const FieldForm& form) {
  if (form.quantity == Quantity::whole) {
    const std::uint64_t count = value.integer(1);
    if (count > form.most) value.fail_expected("an integer from 1 to " + std::to_string(form.most));
    return count;
  }
  const double bytes = value.positive_number() * form.unit;
  if (bytes < 1 || bytes > 1e18) value.fail_expected("a size between 1 byte and 1e18 bytes");
  return static_cast<std::uint64_t>(std::llround(bytes));
}

template <class Owner>
Owner read_object(const Value& value, const std::string& what);

template <class Member>
void read_field(const Value& value, const FieldForm& form, Member& member) {
  if constexpr (std::is_same_v<Member, std::string>) {
    member = value.text();
  } else if constexpr (std::is_same_v<Member, std::vector<std::string>>) {
    member = value.texts();
  } else if constexpr (std::is_same_v<Member, std::optional<std::uint64_t>>) {
    member = read_count(value, form);
  } else if constexpr (std::is_same_v<Member, EngineRates>) {
    value.check_keys("the engines", {names_of<Engine>.begin(), names_of<Engine>.end()});
    for (const Engine engine : enumerators<Engine>)
      if (const auto rate = value.get(name_of(engine))) member[engine] = read_rate(*rate, form);
    if (!form.required.empty() && value.size() == 0) value.fail_expected("at least one peak");
  } else if constexpr (std::is_same_v<Member, std::optional<SustainedCeilings>>) {
    member = read_object<SustainedCeilings>(value, "sustained");
  } else if constexpr (std::is_same_v<Member, KernelConstants>) {
    member = read_object<KernelConstants>(value, "kernel");
  } else if constexpr (std::is_same_v<Member, SharedConstants>) {
    member = read_constants(value);
  } else if constexpr (std::is_same_v<Member, std::vector<Source>>) {
    if (!value.is_array()) value.fail_expected("a list of sources");
    for (const Value each : value) member.push_back(read_object<Source>(each, "a source"));
  } else {
    member = read_rate(value, form);
  }
}

template <class Owner>
Owner read_object(const Value& value, const std::string& what) {
  std::vector<std::string_view> keys;
  for (const GpuField<Owner>& field : fields_of<Owner>()) keys.push_back(field.form.file_key);
  value.check_keys(what, keys);
  Owner owner;
  for (const GpuField<Owner>& field : fields_of<Owner>()) {
    const FieldForm& form = field.form;
    if (form.required.empty() && !value.contains(form.file_key)) continue;
    const Value stated = value.require(form.file_key, form.required);
    std::visit([&](auto member) { read_field(stated, form, owner.*member); }, field.member);
  }
  return owner;
}

/// "all" asks for every GPU.
void check_names(const Value& root, const Gpu& gpu) {
  const std::string message =
      "expected the name of one GPU, got \"all\", which stands for every one";
  if (lower_case(gpu.name) == "all") root.fail_at("name", message);
  for (const std::string& alias : gpu.aliases)
    if (lower_case(alias) == "all") root.fail_at("aliases", message);
}

}  // namespace

Expected<Gpu> load_gpu(std::string_view json_text, const std::string& source) {
  return expected([&] {
    const JsonDocument document(json_text, {source});
    Gpu gpu = read_object<Gpu>(document.root(), "a GPU");
    check_names(document.root(), gpu);
    if (gpu.constants == nullptr) gpu.constants = built_in_constants(gpu);
    if (!gpu.constants->file.empty()) gpu.files.push_back(gpu.constants->file);
    return gpu;
  });
}

}  // namespace roofline
