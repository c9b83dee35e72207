#include <cmath>

#include "load/kernel_model.hpp"
#include "model/expected.hpp"
#include "model/gpu_fields.hpp"
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

/// Fills objects from the tables of their fields.
class GpuReader {
 public:
  /// An object that errors call `what`.
  template <class Owner>
  Owner object(const Value& value, const std::string& what) const {
    std::vector<std::string_view> keys;
    for (const GpuField<Owner>& field : fields_of<Owner>()) keys.push_back(field.form.file_key);
    ObjectReader reader(value, what, std::move(keys));
    Owner owner;
    for (const auto& [form, member] : fields_of<Owner>()) {
      const std::string_view key = form.file_key;
      const std::optional<Value> stated =
          form.required.empty() ? reader.take(key) : reader.require(key, form.required);
      if (stated)
        std::visit([&, &to = form](auto each) { read(*stated, to, owner.*each); }, member);
    }
    reader.finish();
    return owner;
  }

 private:
  void read(const Value& value, const FieldForm&, std::string& text) const { text = value.text(); }
  void read(const Value& value, const FieldForm&, std::vector<std::string>& texts) const {
    texts = value.texts();
  }
  void read(const Value& value, const FieldForm& form, double& rate) const {
    rate = read_rate(value, form);
  }
  void read(const Value& value, const FieldForm& form, std::optional<double>& rate) const {
    rate = read_rate(value, form);
  }
  void read(const Value& value, const FieldForm& form, std::optional<std::uint64_t>& count) const {
    count = read_count(value, form);
  }
  void read(const Value& value, const FieldForm& form, EngineRates& rates) const {
    ObjectReader reader(value, "the engines", {names_of<Engine>.begin(), names_of<Engine>.end()});
    for (const Engine engine : enumerators<Engine>)
      if (const auto rate = reader.take(name_of(engine))) rates[engine] = read_rate(*rate, form);
    reader.finish();
    if (!form.required.empty() && value.size() == 0) value.fail_expected("at least one peak");
  }
  void read(const Value& value, const FieldForm&, std::optional<SustainedCeilings>& part) const {
    part = object<SustainedCeilings>(value, "sustained");
  }
  void read(const Value& value, const FieldForm&, KernelConstants& part) const {
    part = object<KernelConstants>(value, "kernel");
  }
  void read(const Value& value, const FieldForm&, SharedConstants& constants) const {
    constants = read_constants(value);
  }
  void read(const Value& value, const FieldForm&, std::vector<Source>& sources) const {
    if (!value.is_array()) value.fail_expected("a list of sources");
    for (const Value each : value) sources.push_back(object<Source>(each, "a source"));
  }
};

}  // namespace

Expected<Gpu> load_gpu(std::string_view json_text, const std::string& source) {
  return expected([&] {
    const JsonDocument document(json_text, {source});
    Gpu gpu = GpuReader().object<Gpu>(document.root(), "a GPU");
    if (gpu.constants == nullptr) gpu.constants = built_in_constants(gpu);
    return gpu;
  });
}

}  // namespace roofline
