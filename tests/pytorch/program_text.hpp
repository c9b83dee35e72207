#pragma once

// Small programs of torch.export, written by hand, and the archives that hold them.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// The numbers of types in a program.
inline constexpr int half_type = 6;
inline constexpr int float_type = 7;
inline constexpr int long_type = 5;

/// {"as_int": 3}, or an expression where the text is none of a number: "Symbol('s0')".
inline std::string size_json(const std::string& size) {
  const bool is_number = size.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "{\"as_int\": " + size + "}"
                   : "{\"as_expr\": {\"expr_str\": \"" + size + "\", \"hint\": {\"as_int\": 2}}}";
}

/// A program, node by node. Sizes are texts: "2", or an expression of sympy.
class ProgramText {
 public:
  using Sizes = std::vector<std::string>;

  ProgramText& input(const std::string& name, const Sizes& sizes, int type = float_type) {
    tensor(name, sizes, type);
    add(inputs_, "{\"as_tensor\": {\"name\": \"" + name + "\"}}");
    add(specs_, "{\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"" + name + "\"}}}}");
    return *this;
  }

  ProgramText& parameter(const std::string& name, const Sizes& sizes, int type = float_type) {
    tensor(name, sizes, type);
    add(inputs_, "{\"as_tensor\": {\"name\": \"" + name + "\"}}");
    add(specs_, "{\"parameter\": {\"arg\": {\"name\": \"" + name + "\"}, \"parameter_name\": \"" +
                    name + "\"}}");
    return *this;
  }

  /// `arguments`: a tensor's name, or a value with its kind: "as_ints: [2, 2]".
  ProgramText& node(const std::string& op, const std::vector<std::string>& arguments,
                    const std::string& result, const Sizes& sizes, const std::string& module = "",
                    int type = float_type) {
    std::string inputs;
    for (const std::string& argument : arguments) {
      const std::size_t colon = argument.find(':');
      const bool is_value = argument.starts_with("as_");
      const std::string kind = is_value ? argument.substr(0, colon) : "as_tensor";
      const std::string value =
          is_value ? argument.substr(colon + 1) : "{\"name\": \"" + argument + "\"}";
      add(inputs, "{\"name\": \"a\", \"kind\": 1, \"arg\": {\"" + kind + "\": " + value + "}}");
    }
    if (!sizes.empty()) tensor(result, sizes, type);
    const std::string target = op.find('.') == op.npos ? "torch.ops.aten." + op + ".default" : op;
    add(nodes_, "{\"target\": \"" + target + "\", \"name\": \"" + result + "\", \"inputs\": [" +
                    inputs + "], \"outputs\": [{\"as_tensor\": {\"name\": \"" + result +
                    "\"}}], \"metadata\": {\"nn_module_stack\": \"L__self__,,Net;a," + module +
                    ",torch.nn.Module\"}}");
    return *this;
  }

  ProgramText& range(const std::string& symbol, int least, int most) {
    add(ranges_, "\"" + symbol + "\": {\"min_val\": " + std::to_string(least) +
                     ", \"max_val\": " + std::to_string(most) + "}");
    return *this;
  }

  std::string text(int major = 8) const {
    return "{\"graph_module\": {\"graph\": {\"inputs\": [" + inputs_ + "], \"outputs\": [], " +
           "\"nodes\": [" + nodes_ + "], \"tensor_values\": {" + tensors_ +
           "}, \"sym_int_values\": {}}, \"signature\": {\"input_specs\": [" + specs_ +
           "], \"output_specs\": []}}, \"range_constraints\": {" + ranges_ +
           "}, \"schema_version\": {\"major\": " + std::to_string(major) + ", \"minor\": 1}}";
  }

 private:
  static void add(std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ", ") + item;
  }
  void tensor(const std::string& name, const Sizes& sizes, int type) {
    std::string list;
    for (const std::string& size : sizes) add(list, size_json(size));
    add(tensors_,
        "\"" + name + "\": {\"dtype\": " + std::to_string(type) + ", \"sizes\": [" + list + "]}");
  }

  std::string inputs_, specs_, nodes_, tensors_, ranges_;
};

/// How an archive holds its entries.
struct ZipForm {
  bool deflated = false;
  bool descriptors = false;  ///< sizes behind the data, as PyTorch writes its files
  bool encrypted = false;
  bool zip64 = false;  ///< sizes and places in the fields for large archives
};

/// A zip archive of these entries: names and texts.
std::string zipped(const std::vector<std::pair<std::string, std::string>>& entries,
                   const ZipForm& form = {});
