#pragma once

#include <memory>
#include <utility>

namespace roofline {

/// A value that most of its many owners leave as T{}, and of which others have the same: it takes
/// the room of a pointer or two, and copies share what is different. Compared by value.
template <class T>
class SharedValue {
 public:
  SharedValue() = default;
  SharedValue(T value) {
    if (!(value == usual())) value_ = std::make_shared<const T>(std::move(value));
  }

  const T& operator*() const { return value_ ? *value_ : usual(); }
  const T* operator->() const { return &**this; }

  /// `edit(T&)` changes this one alone.
  template <class Edit>
  void change(const Edit& edit) {
    T value = **this;
    edit(value);
    *this = SharedValue(std::move(value));
  }

  bool operator==(const SharedValue& other) const {
    return value_ == other.value_ || **this == *other;
  }
  bool operator==(const T& other) const { return **this == other; }

 private:
  static const T& usual() {
    static const T value{};
    return value;
  }

  std::shared_ptr<const T> value_;
};

}  // namespace roofline
