#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "model/gpu_fields.hpp"
#include "model/ranges.hpp"
#include "model/requests.hpp"
#include "model/text.hpp"
#include "roofline/gpu.hpp"

namespace roofline {
namespace {

/// In the unit of GPU files: beyond any GPU, within the range of doubles.
constexpr double least_value = 1e-9;
constexpr double most_value = 1e9;

struct Settable {
  FieldForm form;
  std::variant<GpuMember<Gpu>, GpuMember<KernelConstants>> member;
};

std::vector<Settable> settable_fields() {
  std::vector<Settable> fields;
  for (const auto& [form, member] : fields_of<Gpu>())
    if (!form.word.empty()) fields.push_back({form, member});
  for (const auto& [form, member] : fields_of<KernelConstants>())
    if (!form.word.empty()) fields.push_back({form, member});
  return fields;
}

[[noreturn]] void fail_unknown(std::string_view name) {
  std::vector<std::string_view> known{names_of<Engine>.begin(), names_of<Engine>.end()};
  const std::vector<Settable> fields = settable_fields();
  for (const Settable& field : fields) {
    known.push_back(field.form.word);
    known.push_back(field.form.file_key);
  }
  throw InputError("expected one of " + settable_gpu_fields() +
                   " or an engine such as fp16_tensor, got " + in_quotes(name) +
                   did_you_mean(name, known));
}

Settable field_called(std::string_view name) {
  // The power mode of a board, or a limit that its owner sets, takes the TDP's place.
  const std::string word = lower_case(name) == "power" ? "tdp" : lower_case(name);
  const bool is_engine = parse<Engine>(word).has_value();
  for (const Settable& field : settable_fields())
    if (field.form.word == word || field.form.file_key == word ||
        (is_engine && field.form.word == "peak"))
      return field;
  fail_unknown(name);
}

struct UnitPrefix {
  std::string_view letters;
  double factor;
};
constexpr UnitPrefix multiples[] = {{"", 1},        {"k", 1e3},     {"m", 1e6},     {"g", 1e9},
                                    {"t", 1e12},    {"p", 1e15},    {"ki", 0x1p10}, {"mi", 0x1p20},
                                    {"gi", 0x1p30}, {"ti", 0x1p40}, {"pi", 0x1p50}};
/// Units ignore case, so "m" is milli for seconds and mega for all else.
constexpr UnitPrefix parts_of_second[] = {{"", 1}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}};

/// The factor of a unit: 1e12 for "TB/s" of a field in "B/s"; FLOPS means FLOP/s.
std::optional<double> unit_factor(std::string_view unit, std::string_view symbol) {
  std::string word = lower_case(unit);
  if (symbol == "FLOP/s" && word.ends_with("flops")) word.replace(word.size() - 5, 5, "flop/s");
  const std::string base = lower_case(symbol);
  if (base.empty()) return word.empty() ? std::optional(1.0) : std::nullopt;
  if (!word.ends_with(base)) return std::nullopt;
  word.resize(word.size() - base.size());
  if (word.size() > 1 && symbol != "B") return std::nullopt;  // only sizes have binary multiples
  for (const auto& [letters, factor] :
       symbol == "s" ? std::span<const UnitPrefix>(parts_of_second) : multiples)
    if (letters == word) return factor;
  return std::nullopt;
}

/// Example values with the unit of GPU files: "bandwidth=2000GB/s".
std::string example_of(const FieldForm& form) {
  return std::string(form.word == "peak" ? "fp16_tensor" : form.word) + '=' +
         std::string(form.example) + ", x1.5 or +10%";
}

/// "x1.5", "+10%", "-10%"
std::optional<double> parse_factor(std::string_view text) {
  const bool is_multiple = text.starts_with('x');
  const auto number = leading_number(is_multiple ? text.substr(1) : text);
  if (!number) return std::nullopt;
  if (is_multiple) return number->rest.empty() ? std::optional(number->value) : std::nullopt;
  const bool is_signed = text.starts_with('+') || text.starts_with('-');
  constexpr double hundred = 100;
  return is_signed && trimmed(number->rest) == "%" ? std::optional(1 + number->value / hundred)
                                                   : std::nullopt;
}

/// In base units; nullopt if the text is no number in a unit of the field.
std::optional<double> parse_value(std::string_view text, const FieldForm& form,
                                  bool is_in_unit_of_file) {
  const auto number = leading_number(text);
  if (!number) return std::nullopt;
  const auto factor = is_in_unit_of_file && number->rest.empty()
                          ? std::optional(form.unit)
                          : unit_factor(trimmed(number->rest), form.symbol);
  if (!factor) return std::nullopt;
  const double value = number->value * *factor;
  const bool is_whole = form.quantity != Quantity::whole || std::floor(value) == value;
  const double in_file = value / form.unit;
  return is_whole && in_file >= least_value && in_file <= most_value ? std::optional(value)
                                                                     : std::nullopt;
}

GpuSetting parse_setting(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos || equals == 0)
    throw InputError("expected NAME=VALUE such as bandwidth=4TB/s, got " + in_quotes(text));
  const std::string_view name = trimmed(text.substr(0, equals));
  const std::string_view value = trimmed(text.substr(equals + 1));
  const FieldForm form = field_called(name).form;
  GpuSetting setting{std::string(text), std::string(form.word), parse<Engine>(lower_case(name)),
                     false, 0};
  const auto factor = parse_factor(value);
  const auto number = parse_value(value, form, lower_case(name) == form.file_key);
  const bool is_in_reach = factor && *factor >= least_value && *factor <= most_value;
  if (lower_case(name) == "power") setting.power_mode = value;
  if (!is_in_reach && !number && setting.power_mode.empty())
    throw InputError("expected a number with its unit or a factor, such as " + example_of(form) +
                     ", got " + in_quotes(value));
  setting.is_factor = is_in_reach;
  setting.value = is_in_reach ? *factor : number.value_or(std::numeric_limits<double>::quiet_NaN());
  return setting;
}

class Changer {
 public:
  explicit Changer(Gpu gpu) : was_(gpu), gpu_(std::move(gpu)) {}

  void set(const GpuSetting& setting) {
    if (!setting.power_mode.empty() && contains(each_of(gpu_.changes, &GpuChange::field), "tdp"))
      throw InputError(was_.name + ": expected one power, got " + setting.text + " too");
    if (const PowerMode* mode = mode_called(setting)) return set_mode(*mode);
    const Settable field = field_called(setting.name);
    if (!(setting.value > 0) || std::isinf(setting.value))
      throw InputError(
          concat(setting.name, ": expected a number > 0, got ", number_text(setting.value)));
    if (setting.engine) check_enumerator("GpuSetting::engine", *setting.engine);
    if (field.form.word == "peak") return set_peaks(setting, field.form);
    const std::optional<double> from = access(field, std::nullopt);
    double to = new_value(setting, field.form, from);
    if (is_count(field.form)) {
      const double most =
          field.form.quantity == Quantity::whole ? static_cast<double>(field.form.most) : most_byte;
      to = std::clamp(std::round(to), 1.0, most);
    }
    access(field, to);
    note(setting.name, field.form, from, to);
  }

  /// One spelling of a power mode, whatever the user's.
  std::string text_of(const GpuSetting& setting) const {
    const PowerMode* mode = mode_called(setting);
    return mode != nullptr ? "power=" + mode->name : setting.text;
  }

  /// Applies the consequences for peaks and sustained ceilings.
  Gpu changed() && {
    const double units =
        ratio(gpu_.sm_count, was_.sm_count) * ratio(gpu_.boost_clock_hz, was_.boost_clock_hz);
    for (const Engine engine : enumerators<Engine>) {
      std::optional<double>& peak = gpu_.peak_flop_per_s[engine];
      if (!peak) continue;
      if (!is_stated_[engine]) *peak *= units;
      if (gpu_.sustained && gpu_.sustained->peak_flop_per_s[engine])
        *gpu_.sustained->peak_flop_per_s[engine] *= *peak / *was_.peak_flop_per_s[engine];
    }
    if (gpu_.sustained && gpu_.sustained->bandwidth_byte_per_s)
      *gpu_.sustained->bandwidth_byte_per_s *=
          gpu_.bandwidth_byte_per_s / was_.bandwidth_byte_per_s;
    return std::move(gpu_);
  }

 private:
  static constexpr double most_byte = 1e18;

  /// By its name or its watts; null if it is a power limit.
  const PowerMode* mode_called(const GpuSetting& setting) const {
    if (setting.power_mode.empty()) return nullptr;
    std::string names;
    for (const PowerMode& mode : was_.power_modes) {
      const auto watt = leading_number(mode.name);
      const bool is_equal = watt && !setting.is_factor && watt->value == setting.value;
      if (is_equal || lower_case(mode.name) == lower_case(setting.power_mode)) return &mode;
      add_item(names, mode.name);
    }
    if (!std::isnan(setting.value)) return nullptr;
    if (!names.empty()) names = ", or a power mode of " + was_.name + " (" + names + ")";
    throw InputError("expected a power limit such as power=300W" + names + ", got " +
                     in_quotes(setting.power_mode));
  }

  void set_mode(const PowerMode& mode) {
    for (const std::string& text : mode.set) set(parse_setting(text));
    if (!mode.set.empty()) gpu_.changes.back().remark = "the maker's power mode " + mode.name;
  }

  /// SMs and bytes.
  static bool is_count(const FieldForm& form) {
    return is_any(form.quantity, Quantity::whole, Quantity::size, Quantity::binary_size);
  }

  template <class T>
  static double ratio(const std::optional<T>& after, const std::optional<T>& before) {
    return after && before ? static_cast<double>(*after) / static_cast<double>(*before) : 1;
  }

  /// Reads the value, after setting it if `value` is present. Only numbers have a short name.
  std::optional<double> access(const Settable& field, std::optional<double> value) {
    const auto number = [&](auto& member) -> std::optional<double> {
      using Member = std::remove_reference_t<decltype(member)>;
      if constexpr (std::is_same_v<Member, std::optional<std::uint64_t>>) {
        if (value) member = static_cast<std::uint64_t>(*value);
        return member ? std::optional(static_cast<double>(*member)) : std::nullopt;
      } else if constexpr (std::is_convertible_v<Member, std::optional<double>>) {
        if (value) member = *value;
        return member;
      } else {
        return std::nullopt;
      }
    };
    if (const auto* of_gpu = std::get_if<GpuMember<Gpu>>(&field.member))
      return std::visit([&](auto member) { return number(gpu_.*member); }, *of_gpu);
    return std::visit([&](auto member) { return number(gpu_.kernel.*member); },
                      std::get<GpuMember<KernelConstants>>(field.member));
  }

  /// Records a change: caches in MiB, all else in base units.
  void note(const std::string& name, const FieldForm& form, std::optional<double> from, double to) {
    constexpr double mebibyte = 1024.0 * 1024.0;
    const bool is_binary = form.quantity == Quantity::binary_size;
    const double unit = is_binary ? mebibyte : 1;
    if (from) *from /= unit;
    const char* remark =
        form.word == "tdp"
            ? "the roofline keeps the datasheet's clocks, and the expected time's are an estimate"
            : "";
    gpu_.changes.push_back(
        {name, is_binary ? "MiB" : std::string(form.symbol), from, to / unit, remark});
  }

  double new_value(const GpuSetting& setting, const FieldForm& form,
                   const std::optional<double>& from) const {
    if (!setting.is_factor) return setting.value;
    if (!from)
      throw InputError(was_.name + " states no " + std::string(form.file_key) +
                       " to multiply: give a value, such as " + setting.name + '=' +
                       std::string(form.example));
    return *from * setting.value;
  }

  void set_peaks(const GpuSetting& setting, const FieldForm& form) {
    EngineRates& rates = gpu_.peak_flop_per_s;
    if (!setting.engine) {
      for (const Engine engine : enumerators<Engine>) {
        if (!rates[engine]) continue;
        rates[engine] = setting.is_factor ? *rates[engine] * setting.value : setting.value;
        is_stated_[engine] = is_stated_[engine] || !setting.is_factor;
      }
      if (!setting.is_factor) return note(setting.name, form, std::nullopt, setting.value);
      gpu_.changes.push_back({setting.name, "x", 1, setting.value});
      return;
    }
    const std::string engine(name_of(*setting.engine));
    std::optional<double>& rate = rates[*setting.engine];
    if (!rate) throw InputError(was_.name + " has no engine " + engine);
    const double from = *rate;
    rate = new_value(setting, form, from);
    is_stated_[*setting.engine] = true;
    note(setting.name + '.' + engine, form, from, *rate);
  }

  Gpu was_;
  Gpu gpu_;
  EnumArray<Engine, bool> is_stated_{};
};

Gpu changed_gpu(Gpu gpu, std::span<const GpuSetting> settings) {
  if (settings.empty()) return gpu;
  std::string all;
  Changer changer(std::move(gpu));
  // A mode sets clocks, SMs and bandwidth, which settings beside it replace in any order.
  for (const bool are_modes : {true, false})
    for (const GpuSetting& setting : settings)
      if (setting.power_mode.empty() != are_modes) changer.set(setting);
  for (const GpuSetting& setting : settings) add_item(all, changer.text_of(setting), " ");
  Gpu changed = std::move(changer).changed();
  changed.name += " with " + all;
  changed.aliases.clear();
  return changed;
}

}  // namespace

std::string settable_gpu_fields() {
  std::string names;
  for (const Settable& field : settable_fields()) add_item(names, field.form.word);
  return names;
}

Expected<GpuSetting> parse_gpu_setting(std::string_view text) {
  return expected([&] { return parse_setting(text); });
}

Expected<Gpu> with_settings(Gpu gpu, std::span<const GpuSetting> settings) {
  return expected([&] { return changed_gpu(std::move(gpu), settings); });
}

}  // namespace roofline
