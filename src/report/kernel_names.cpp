#include "report/kernel_names.hpp"

#include <vector>

namespace roofline {
namespace {

/// The text written so far, and where in it the present component of a qualified name began.
class Signature {
 public:
  explicit Signature(std::string_view name) : name_(name) {}

  std::string text() {
    while (i_ < name_.size() && out_.size() < enough) step();
    while (out_.ends_with(' ')) out_.pop_back();
    return out_;
  }

 private:
  static constexpr std::size_t enough = 400;

  bool next_is(std::string_view text) const { return name_.substr(i_).starts_with(text); }

  void step() {
    const char c = name_[i_];
    const bool is_unnamed = c == '<' && begin_ == out_.size();  // "<unnamed>"
    if (next_is("::")) {
      out_.resize(begin_);  // it was a namespace
      i_ += 2;
    } else if (c == '(' || c == '[' || c == '{' || is_unnamed) {
      skip_group();
    } else {
      out_ += c;
      ++i_;
      if (out_ == "void ") out_.clear();
      if (c == '<') open_.push_back(begin_);
      if (c == '<' || c == ',' || c == ' ') begin_ = out_.size();
      if (c == '>') close();
    }
  }

  /// What follows template arguments belongs to the name that they are of.
  void close() {
    if (open_.empty()) return;
    begin_ = open_.back();
    open_.pop_back();
  }

  /// Arguments, a lambda or an unnamed namespace. What is qualified by a function's arguments is
  /// within that function, whose name says more.
  void skip_group() {
    std::size_t depth = 0;
    for (; i_ < name_.size(); ++i_) {
      const char c = name_[i_];
      if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
      if ((c == ')' || c == ']' || c == '}' || c == '>') && --depth == 0) break;
    }
    if (i_ < name_.size()) ++i_;
    if (begin_ == out_.size()) {
      if (next_is("::")) i_ += 2;
    } else {
      skip_rest();
    }
  }

  /// To the end of this template argument, or of the name.
  void skip_rest() {
    std::size_t depth = 0;
    for (; i_ < name_.size(); ++i_) {
      const char c = name_[i_];
      if (depth == 0 && (c == '>' || c == ',')) return;
      if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
      if ((c == ')' || c == ']' || c == '}' || c == '>') && depth > 0) --depth;
    }
  }

  std::string_view name_;
  std::size_t i_ = 0;
  std::string out_;
  std::size_t begin_ = 0;
  std::vector<std::size_t> open_;  ///< where the names began whose arguments are open
};

}  // namespace

std::string short_signature(std::string_view name) {
  const std::string text = Signature(name).text();
  return text.empty() ? std::string(name) : text;
}

}  // namespace roofline
