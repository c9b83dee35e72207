#include <algorithm>
#include <optional>
#include <type_traits>

#include "kernel/constants.hpp"
#include "load/kernel_model.hpp"

namespace roofline {
namespace {

/// Takes every member of a set to a stream, which writes it down or fills it in. The bindings name
/// all members of a structure, so that a new one does not compile before it is taken as well.
template <class Stream>
class MemberVisitor {
 public:
  explicit MemberVisitor(Stream& stream) : stream_(stream) {}

  void take(ModelConstants& constants) {
    auto& [name, title, covers, made_by, values, notes, origins, features, tiles, errors] =
        constants;
    take(name, title, covers, made_by, values, notes, origins, features, tiles, errors);
  }

 private:
  template <class... Several>
  void take(Several&... several) requires(sizeof...(several) > 1) {
    (take(several), ...);
  }

  void take(double& number) { stream_.number(number); }
  void take(std::string& text) { stream_.text(text); }

  /// Flags, counts and enumerators.
  template <class Discrete>
  void take(Discrete& value) requires std::is_integral_v<Discrete> || std::is_enum_v<Discrete> {
    auto number = static_cast<double>(value);
    stream_.number(number);
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

  void take(LayerErrors& errors) {
    auto& [basis, applies_to, layer_class, costs, dtype, pass, layers, factor, factor_95, origin] =
        errors;
    take(basis, applies_to, layer_class, costs, dtype, pass, layers, factor, factor_95, origin);
  }

  void take(TotalErrors& errors) {
    auto& [basis, common_share, run_factor, run_factor_95, runs, origin] = errors;
    take(basis, common_share, run_factor, run_factor_95, runs, origin);
  }

  void take(MeasuredErrors& errors) {
    auto& [layers, totals] = errors;
    take(layers, totals);
  }

  Stream& stream_;
};

class Packer {
 public:
  void number(double number) { packed_.numbers.push_back(number); }

  void text(const std::string& text) {
    auto& texts = packed_.texts;
    const auto known = std::find(texts.begin(), texts.end(), text);
    number(static_cast<double>(known - texts.begin()));
    if (known == texts.end()) texts.push_back(text);
  }

  PackedConstants take() { return std::move(packed_); }

 private:
  PackedConstants packed_;
};

class Unpacker {
 public:
  explicit Unpacker(const ConstantTable& table) : numbers_(table.numbers) {
    for (std::string_view rest = table.texts; !rest.empty();) {
      texts_.push_back(rest.substr(0, rest.find('\0')));
      rest.remove_prefix(texts_.back().size() + 1);
    }
  }

  void number(double& number) { number = numbers_[taken_++]; }
  void text(std::string& text) { text = texts_[static_cast<std::size_t>(numbers_[taken_++])]; }

 private:
  std::span<const double> numbers_;
  std::vector<std::string_view> texts_;
  std::size_t taken_ = 0;
};

}  // namespace

ModelConstants constants_of(const ConstantTable& table) {
  Unpacker unpacker(table);
  ModelConstants constants;
  MemberVisitor(unpacker).take(constants);
  return constants;
}

PackedConstants packed(ModelConstants constants) {
  Packer packer;
  MemberVisitor(packer).take(constants);
  return packer.take();
}

}  // namespace roofline
