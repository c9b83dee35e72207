#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/csv.hpp"
#include "model/text.hpp"
#include "pytorch/exported_program.hpp"

namespace roofline {
namespace {

using Symbols = std::map<std::string, double>;

struct EvaluatedSize {
  std::optional<double> number;  ///< nullopt if a symbol has no value
  std::string text;              ///< "Mul(4, s77)"
  std::set<std::string> symbols;

  /// nullopt unless a known integer below 2^53.
  std::optional<std::int64_t> whole() const {
    constexpr double least_inexact = 9007199254740992.0;  // 2^53
    if (!number || !(std::abs(*number) < least_inexact)) return std::nullopt;
    const double nearest = std::nearbyint(*number);
    if (std::abs(*number - nearest) > 1e-6) return std::nullopt;
    return static_cast<std::int64_t>(nearest);
  }
};

/// Folds operands from the left; a single operand is applied to 1.
struct Function {
  std::string_view names;
  double (*apply)(double, double);
};

constexpr Function functions[] = {
    {" Add ", [](double a, double b) { return a + b; }},
    {" Mul ", [](double a, double b) { return a * b; }},
    {" Pow PowByNatural ", [](double a, double b) { return std::pow(a, b); }},
    {" FloorDiv CleanDiv floor FloorToInt ", [](double a, double b) { return std::floor(a / b); }},
    {" CeilDiv ceiling CeilToInt ", [](double a, double b) { return std::ceil(a / b); }},
    {" IntTrueDiv FloatTrueDiv Rational ", [](double a, double b) { return a / b; }},
    {" Mod PythonMod ", [](double a, double b) { return a - b * std::floor(a / b); }},
    {" Max ", [](double a, double b) { return std::max(a, b); }},
    {" Min ", [](double a, double b) { return std::min(a, b); }},
    {" TruncToInt ", [](double a, double) { return std::trunc(a); }},
    {" RoundToInt ", [](double a, double) { return std::nearbyint(a); }},
    {" ToFloat Identity ", [](double a, double) { return a; }},
};

class Parser {
 public:
  Parser(std::string_view text, const Symbols& symbols) : rest_(text), symbols_(symbols) {}

  EvaluatedSize whole() {
    EvaluatedSize result = expression(0);
    skip_blanks();
    if (!rest_.empty()) fail(rest_);
    return result;
  }

 private:
  [[noreturn]] static void fail(std::string_view what) {
    throw std::invalid_argument(std::string(what));
  }
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  bool take(char character) {
    skip_blanks();
    if (!rest_.starts_with(character)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string take_until(std::string_view characters) {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(characters));
    rest_.remove_prefix(word.size());
    return std::string(word);
  }

  EvaluatedSize symbol(std::string name) const {
    const auto found = symbols_.find(name);
    return {found != symbols_.end() ? std::optional(found->second) : std::nullopt, name, {name}};
  }

  /// Named operands ("positive=True") are mere assumptions.
  EvaluatedSize expression(int depth) {
    constexpr int deepest = 64;
    if (depth > deepest) fail("deeper nesting");
    if (take('\'')) {
      EvaluatedSize result = symbol(take_until("'"));
      if (!take('\'')) fail(result.text);
      return result;
    }
    const std::string word = take_until("(),= ");
    if (const auto number = number_in<double>(std::string_view(word))) return {*number, word, {}};
    const std::string name = word.substr(word.rfind('.') + 1);  // without its module
    if (name.empty()) fail(rest_);
    if (!take('(')) return symbol(name);
    std::vector<EvaluatedSize> operands;
    for (bool more = !take(')'); more;) {
      operands.push_back(expression(depth + 1));
      if (take('=')) {
        expression(depth + 1);
        operands.pop_back();
      }
      more = take(',');
      if (!more && !take(')')) fail(rest_);
    }
    if (operands.empty()) fail(name);
    if (name == "Integer" || name == "Symbol" || name == "Float") return operands.front();
    return applied(name, operands);
  }

  static EvaluatedSize applied(const std::string& name,
                               const std::vector<EvaluatedSize>& operands) {
    const auto function = std::ranges::find_if(functions, [&](const Function& each) {
      return each.names.find(" " + name + " ") != std::string_view::npos;
    });
    if (function == std::end(functions)) fail(name);
    EvaluatedSize result = operands.front();
    if (operands.size() == 1 && result.number) result.number = function->apply(*result.number, 1);
    for (std::size_t i = 1; i < operands.size(); ++i) {
      const EvaluatedSize& each = operands[i];
      result.number = result.number && each.number
                          ? std::optional(function->apply(*result.number, *each.number))
                          : std::nullopt;
      result.text += ", " + each.text;
      result.symbols.insert(each.symbols.begin(), each.symbols.end());
    }
    result.text = name + "(" + result.text + ")";
    return result;
  }

  std::string_view rest_;
  const Symbols& symbols_;
};

/// nullopt if the program fixes the size.
std::optional<EvaluatedSize> evaluated(const Value& size, const Symbols& symbols) {
  const Value open = size.find("as_expr");
  if (open.is_null()) return std::nullopt;
  const Value text = open.require("expr_str", "an expression");
  try {
    return Parser(text.try_text(), symbols).whole();
  } catch (const std::invalid_argument& error) {
    text.fail("expected an expression of sizes as sympy writes it, got " + in_quotes(error.what()) +
              " in it");
  }
}

constexpr double most_whole = 9e18;  // of 64 bits

std::string whole_text(double number) {
  return std::to_string(static_cast<std::int64_t>(std::clamp(number, -most_whole, most_whole)));
}

}  // namespace

ProgramSizes::ProgramSizes(const Value& program, const std::vector<std::string>& inputs,
                           const LayerDefaults& defaults)
    : source_(program.origin().source) {
  read_symbols(program, defaults);
  const Value module = program.at("graph_module");
  const Value graph = module.at("graph");
  const Value tensors = graph.require("tensor_values", "the sizes of tensors");
  std::vector<std::string> shapes;
  bool is_open = false;
  bool is_first = true;
  for (const std::string& name : inputs) {
    const Value list = tensors.find(name).find("sizes");
    if (list.size() == 0) continue;
    const Value first = list.at(std::size_t{0});
    if (std::exchange(is_first, false)) {  // it has the batch
      const bool is_symbol = evaluated(first, symbols_).has_value();
      if (is_symbol && defaults.batch_override) set_batch(first, *defaults.batch_override);
      const auto stated = static_cast<std::uint64_t>(std::max<std::int64_t>(number(first), 1));
      batch_ = defaults.batch_override.value_or(stated);
      if (!is_symbol) change_ = {stated, batch_};
    }
    std::string sizes;
    for (const Value size : list) {
      const auto open = evaluated(size, symbols_);
      add_item(sizes, open ? open->text : std::to_string(number(size)));
      is_open = is_open || open;
    }
    shapes.push_back(name);
    shapes.back().append(" [").append(sizes).append("]");
  }
  if (!is_open) return;
  std::string values;
  for (const auto& [name, value] : symbols_) {
    const Range& range = ranges_[name];
    add_item(values, name + " = " + whole_text(value) + " of " + whole_text(range.least) +
                         (range.most < 1e18 ? " to " + whole_text(range.most) : " and more"));
  }
  constexpr std::size_t most_shown = 3;
  notes_.push_back("its inputs are " + some_of(shapes, most_shown) + " with " + values);
}

/// Symbols start with the example's sizes.
void ProgramSizes::read_symbols(const Value& program, const LayerDefaults& defaults) {
  for (const Value range : program.find("range_constraints")) {
    const auto bound = [&](std::string_view key, double otherwise) {
      const Value value = range.find(key);
      return value.is_number() ? value.number() : otherwise;
    };
    ranges_[std::string(range.key())] = {bound("min_val", 0),
                                         bound("max_val", std::numeric_limits<double>::infinity())};
  }
  const Value module = program.at("graph_module");
  const Value graph = module.at("graph");
  const auto take_hint = [&](const Value& size) {
    const auto open = evaluated(size, {});
    if (!open || open->symbols != std::set{open->text}) return;  // more than a symbol
    const Value hint = size.at("as_expr").find("hint").find("as_int");
    if (hint.is_number()) symbols_.emplace(open->text, hint.number());
  };
  for (const Value tensor : graph.find("tensor_values"))
    for (const Value size : tensor.find("sizes")) take_hint(size);
  for (const Value size : graph.find("sym_int_values")) take_hint(size);
  std::set<std::string> known;
  for (const auto& [name, value] : symbols_) known.insert(name);
  for (const auto& [name, range] : ranges_) known.insert(name);
  for (const auto& [name, value] : defaults.dimensions)
    if (known.contains(name))
      set(name, static_cast<double>(value));
    else
      throw InputError(source_, "", no_open_size(name, joined(known)));
}

void ProgramSizes::set(const std::string& symbol, double value) {
  const auto found = ranges_.find(symbol);
  if (found != ranges_.end() && (value < found->second.least || value > found->second.most))
    throw InputError(source_, "",
                     "expected " + symbol + " from " + whole_text(found->second.least) + " to " +
                         whole_text(found->second.most) + ", its range in the program, got " +
                         whole_text(value));
  symbols_[symbol] = value;
}

void ProgramSizes::set_batch(const Value& size, std::uint64_t wanted) {
  const EvaluatedSize open = *evaluated(size, {});
  if (open.symbols != std::set{open.text})
    throw InputError(source_, "",
                     "expected a program whose first size is a symbol, got " + open.text +
                         ", whose symbols can be given in place of a batch");
  set(open.text, static_cast<double>(wanted));
}

std::int64_t ProgramSizes::number(const Value& size) const {
  const auto open = evaluated(size, symbols_);
  if (!open) {
    const Value fixed = size.require("as_int", "a size");
    if (!fixed.is_number() || std::abs(fixed.number()) > most_whole)
      fixed.fail_expected("a whole number of 64 bits");
    return static_cast<std::int64_t>(fixed.number());
  }
  if (const auto value = open->whole()) return *value;
  std::set<std::string> missing = open->symbols;
  for (const auto& [name, value] : symbols_) missing.erase(name);
  if (missing.empty()) size.fail("expected a whole number below 2^53, got " + open->text);
  InputError error(
      source_, "",
      "expected values of " + joined(missing) + ", which the program leaves open, got none");
  error.remedy = Remedy::dimensions;
  throw error;
}

Sizes ProgramSizes::sizes(const Value& list) const {
  Sizes sizes;
  for (const Value each : list) {
    const std::int64_t size = number(each);
    if (size < 0) each.fail("expected a size >= 0, got " + std::to_string(size));
    sizes.push_back(static_cast<std::uint64_t>(size));
  }
  return sizes;
}

Sizes channels_last_strides(const Sizes& sizes) {
  Sizes order = sizes;  // [N, positions..., C]
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  Sizes strides = contiguous_strides(order);
  std::rotate(strides.begin() + 1, strides.end() - 1, strides.end());
  return strides;
}

bool BatchChange::grow(TensorArgument& tensor) const {
  tensor.sizes = tensor.stated;
  for (std::size_t i = 0; i < tensor.stated.size() && !is_none(); ++i) {
    if (tensor.batch_step[i] == 0) continue;
    const std::uint64_t steps = tensor.stated[i] / stated;
    if (tensor.stated[i] % stated != 0 || __builtin_mul_overflow(steps, wanted, &tensor.sizes[i]))
      return false;
  }
  return true;
}

std::optional<TensorArgument> view_of(const TensorArgument& tensor, const ViewAxes& axes,
                                      const BatchChange& batch) {
  TensorArgument view = tensor;
  view.stated.clear();
  view.strides.clear();
  view.batch_step.clear();
  for (const auto& [from, stated, step, and_from] : axes) {
    const bool is_repeated = !from || (tensor.stated[*from] == 1 && stated != 1);
    // A first axis that is repeated for all samples grows with the batch.
    const bool is_batch =
        is_repeated && view.stated.empty() && stated == batch.stated && stated > 1;
    view.stated.push_back(stated);
    view.strides.push_back(is_repeated ? 0 : tensor.strides[*from] * step);
    if (and_from) view.strides.back() += tensor.strides[*and_from];
    view.batch_step.push_back(is_batch ? 1 : from ? tensor.batch_step[*from] : 0);
  }
  if (!batch.grow(view)) return std::nullopt;
  // A view teaches those numbers that it sees.
  if (view.learned == element_count(tensor.sizes))
    view.learned = std::min(element_count(tensor.sizes), element_count(view.stored_sizes()));
  return view;
}

namespace {

/// The batch's steps with other sizes, run by run of axes with equal element counts.
std::optional<Sizes> batch_steps(const TensorArgument& tensor, const Sizes& stated,
                                 std::uint64_t batch) {
  Sizes steps(stated.size(), 0);
  const Sizes& from = tensor.stated;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size()) {
    const std::size_t first_from = i;
    const std::size_t first_to = j;
    std::uint64_t own = from[i++];
    std::uint64_t other = j < stated.size() ? stated[j++] : 1;
    while (own != other) {
      if (own < other && i < from.size())
        own *= from[i++];
      else if (own > other && j < stated.size())
        other *= stated[j++];
      else
        return std::nullopt;
    }
    std::uint64_t step = 0;  // in elements of the run
    for (std::size_t axis = first_from, inner = own; axis < i; ++axis) {
      inner /= std::max<std::uint64_t>(from[axis], 1);
      if (tensor.batch_step[axis] != 0) step = tensor.batch_step[axis] * inner;
    }
    if (step == 0) continue;
    bool is_found = false;
    for (std::size_t axis = first_to, inner = other; axis < j && !is_found; ++axis) {
      inner /= std::max<std::uint64_t>(stated[axis], 1);
      is_found = step % inner == 0 && (inner * stated[axis]) % (step * batch) == 0;
      if (is_found) steps[axis] = step / inner;
    }
    if (!is_found) return std::nullopt;
  }
  return steps;
}

/// Strides of a view with these sizes, if possible: contiguous axes can be divided anew.
std::optional<Sizes> view_strides(const TensorArgument& tensor, const Sizes& sizes) {
  Sizes strides(sizes.size(), 1);
  std::size_t next = sizes.size();  // behind the next axis of a contiguous piece
  std::size_t end = tensor.rank();
  while (end > 0) {
    std::size_t begin = end - 1;
    std::uint64_t piece = tensor.sizes[begin];
    const std::uint64_t innermost = tensor.strides[begin];
    while (begin > 0 &&
           (tensor.sizes[begin - 1] == 1 || tensor.strides[begin - 1] == piece * innermost))
      piece *= tensor.sizes[--begin];
    std::uint64_t cut = 1;
    while (next > 0 && (cut < piece || sizes[next - 1] == 1)) {
      strides[next - 1] = cut * innermost;
      cut *= sizes[--next];
    }
    if (cut != piece) return std::nullopt;
    end = begin;
  }
  while (next > 0 && sizes[next - 1] == 1) --next;
  return next == 0 ? std::optional(strides) : std::nullopt;
}

}  // namespace

std::optional<TensorArgument> reshaped(const TensorArgument& tensor, const Sizes& stated,
                                       const BatchChange& batch, bool& copied) {
  TensorArgument result = tensor;
  result.stated = stated;
  result.batch_step.assign(stated.size(), 0);
  if (!batch.is_none()) {
    const auto steps = batch_steps(tensor, stated, batch.stated);
    if (!steps) return std::nullopt;
    result.batch_step = *steps;
  }
  if (!batch.grow(result)) return std::nullopt;
  const std::optional<Sizes> strides = view_strides(tensor, result.sizes);
  copied = !strides;
  result.strides = strides.value_or(contiguous_strides(result.sizes));
  return result;
}

}  // namespace roofline
