#pragma once

// Names of files that are not whole yet and never outlive the program.

#include <string>

namespace roofline {

struct UnfinishedName;

/// An unguessable name in a folder. What has it is removed when this ends, and where SIGINT,
/// SIGTERM or SIGHUP ends the program.
class TemporaryName {
 public:
  /// `folder`: an open descriptor, which must outlive this.
  explicit TemporaryName(int folder);
  ~TemporaryName();
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  const char* c_str() const;
  /// Nothing has the name any more.
  void release();

 private:
  UnfinishedName* unfinished_;
};

}  // namespace roofline
