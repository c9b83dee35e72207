#include <algorithm>
#include <functional>
#include <optional>
#include <type_traits>

#include "kernel/constants.hpp"
#include "load/kernel_model.hpp"

namespace roofline {
namespace {

/// Takes every member of a set, as numbers and texts, to functions that write it down or fill it
/// in. The bindings name all members of a structure, so that a new one does not compile before it
/// is taken as well.
class MemberVisitor {
 public:
  MemberVisitor(std::function<void(double&)> number, std::function<void(std::string&)> text)
      : number_(std::move(number)), text_(std::move(text)) {}

  void take(ModelConstants& constants) {
    auto& [name, title, covers, made_by, values, notes, origins, features, tiles, solvers, errors] =
        constants;
    take(name, title, covers, made_by, values, notes, origins, features, tiles, solvers, errors);
  }

 private:
  template <class... Several>
  void take(Several&... several) requires(sizeof...(several) > 1) {
    (take(several), ...);
  }

  void take(double& number) { number_(number); }
  void take(std::string& text) { text_(text); }

  /// Flags, counts and enumerators.
  template <class Discrete>
  void take(Discrete& value) requires std::is_integral_v<Discrete> || std::is_enum_v<Discrete> {
    auto number = static_cast<double>(value);
    number_(number);
    value = static_cast<Discrete>(number);
  }

  template <class Item>
  void take(std::optional<Item>& item) {
    bool is_there = item.has_value();
    take(is_there);
    if (!is_there) return;
    if (!item) item.emplace();
    take(*item);
  }

  template <class Item>
  void take(std::vector<Item>& list) {
    std::size_t size = list.size();
    take(size);
    list.resize(size);
    for (Item& item : list) take(item);
  }

  template <class E, class Item>
  void take(EnumArray<E, Item>& items) {
    for (Item& item : items) take(item);
  }

  template <class Item, std::size_t size>
  void take(std::array<Item, size>& items) {
    for (Item& item : items) take(item);
  }

  void take(ConstantValues& values) {
    for (double& number : numbers_of(values)) take(number);
  }

  void take(ConstantNote& note) {
    auto& [stated, least, most, origin] = note;
    take(stated, least, most, origin);
  }

  void take(TileKernel& tile) {
    auto& [m, n, k, threads, stages, registers] = tile;
    take(m, n, k, threads, stages, registers);
  }

  void take(SharedValue<std::string>& text) {
    text.change([this](std::string& own) { take(own); });
  }

  void take(Solver& solver) {
    auto& [name, algorithm, family, method, tiles, engine, runs, multiples, splits] = solver;
    take(name, algorithm, family, method, tiles, engine, runs, multiples, splits);
  }

  void take(LayerErrors& errors) {
    auto& [basis, applies_to, layer_class, costs, dtype, pass, layers, factor, factor_95, origin] =
        errors;
    take(basis, applies_to, layer_class, costs, dtype, pass, layers, factor, factor_95, origin);
  }

  void take(TotalErrors& errors) {
    auto& [basis, common_share, run_factor, run_factor_95, runs, origin] = errors;
    take(basis, common_share, run_factor, run_factor_95, runs, origin);
  }

  void take(WayErrors& errors) {
    auto& [way, run_factor, run_factor_95, runs, origin] = errors;
    take(way, run_factor, run_factor_95, runs, origin);
  }

  void take(MeasuredErrors& errors) {
    auto& [layers, totals, ways] = errors;
    take(layers, totals, ways);
  }

  std::function<void(double&)> number_;
  std::function<void(std::string&)> text_;
};

}  // namespace

ModelConstants constants_of(const ConstantTable& table) {
  std::vector<std::string_view> texts;
  for (std::string_view rest = table.texts; !rest.empty();) {
    texts.push_back(rest.substr(0, rest.find('\0')));
    rest.remove_prefix(texts.back().size() + 1);
  }
  std::size_t taken = 0;
  ModelConstants constants;
  MemberVisitor visitor(
      [&](double& number) { number = table.numbers[taken++]; },
      [&](std::string& text) { text = texts[static_cast<std::size_t>(table.numbers[taken++])]; });
  visitor.take(constants);
  return constants;
}

PackedConstants packed(ModelConstants constants) {
  PackedConstants out;
  const auto add_text = [&](const std::string& text) {
    const auto known = std::find(out.texts.begin(), out.texts.end(), text);
    out.numbers.push_back(static_cast<double>(known - out.texts.begin()));
    if (known == out.texts.end()) out.texts.push_back(text);
  };
  MemberVisitor([&](double number) { out.numbers.push_back(number); }, add_text).take(constants);
  return out;
}

}  // namespace roofline
