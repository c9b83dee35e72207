#pragma once

// Errors as values: where, what was expected, what was found, what to do. Library functions return
// errors and throw only if documented, or if memory runs out.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace roofline {

enum class LayerKind : std::uint8_t;

/// Settings of the library which would help; a program names its own options for them.
enum class Remedy : std::uint8_t {
  none,
  gpu,      ///< another GPU: all_gpus() lists them
  network,  ///< another network: network_names() lists them
  batches,  ///< LayerDefaults::batch_override
  dimensions,
  limits,  ///< LayerDefaults::limits and those of open_input()
  /// Show a working layer of InputError::layer_kind: this one lacks a key or has an unknown one.
  layer,
};

/// An input which cannot be evaluated or, without a source, a request for something which does not
/// exist or fit together. `where` is a JSON Pointer ("/layers/3/stride"), a position in the text
/// ("14:7"), a line and a pointer in it ("14: /stride"), a name (`node "conv1"`), or empty.
class InputError : public std::runtime_error {
 public:
  InputError(std::string source_, std::string where_, std::string message_)
      : std::runtime_error(text(source_, where_, message_)),
        source(std::move(source_)),
        where(std::move(where_)),
        message(std::move(message_)) {}
  explicit InputError(std::string message_, Remedy remedy_ = Remedy::none)
      : InputError("", "", std::move(message_)) {
    remedy = remedy_;
  }

  std::string source;
  std::string where;
  std::string message;
  Remedy remedy = Remedy::none;
  LayerKind layer_kind = {};  ///< for Remedy::layer
  // LayerId of a record that states one.
  std::string id_text = "";
  bool id_is_string = false;

 private:
  /// A NUL in a name would cut what() short.
  static std::string text(const std::string& source, const std::string& where,
                          const std::string& message) {
    std::string all = source;
    const bool is_line = !where.empty() && where.front() >= '0' && where.front() <= '9';
    if (!where.empty()) all += (is_line ? ":" : ": ") + where;
    all += (all.empty() ? "" : ": ") + message;
    std::ranges::replace(all, '\0', '?');
    return all;
  }
};

/// A value or an error; used like C++23's std::expected.
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Expected(InputError error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// Throws the error if there is no value.
  const T& value() const& { return checked(*this); }
  T& value() & { return checked(*this); }
  T value() && {
    checked(*this);
    return std::get<0>(std::move(content_));
  }

  // Precondition: has_value().
  const T& operator*() const& { return std::get<0>(content_); }
  T& operator*() & { return std::get<0>(content_); }
  T operator*() && { return std::get<0>(std::move(content_)); }
  const T* operator->() const { return &std::get<0>(content_); }
  T* operator->() { return &std::get<0>(content_); }

  /// Precondition: !has_value().
  const InputError& error() const { return std::get<1>(content_); }

 private:
  template <class Self>
  static auto& checked(Self& self) {
    if (!self.has_value()) throw self.error();
    return std::get<0>(self.content_);
  }

  std::variant<T, InputError> content_;
};

/// The result of `make`, or the InputError it throws: the border of the library.
template <class Make>
Expected<std::invoke_result_t<const Make&>> expected(const Make& make) {
  try {
    return make();
  } catch (const InputError& error) {
    return error;
  }
}

/// A count exceeds 64 bits. The loader turns it into an InputError with the layer's name.
class OverflowError : public std::overflow_error {
 public:
  OverflowError() : std::overflow_error("expected counts below 2^64, got an overflow") {}
};

}  // namespace roofline
