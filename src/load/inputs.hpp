#pragma once

// Files and standard input.

#include <fstream>
#include <istream>
#include <string>

namespace roofline {

/// A file, or standard input for "-", read line by line.
class InputStream {
 public:
  /// Throws InputError where the file cannot be opened.
  explicit InputStream(const std::string& path);

  const std::string& name() const { return name_; }
  /// The next line without its line break; false at the end. Throws InputError where reading fails,
  /// once: after that the text has ended.
  bool read_line(std::string& line);
  /// Whether the last line read was the text's last, without a line break.
  bool ended() const { return stream_->eof(); }
  bool failed() const { return failed_; }
  /// Everything from here to the end. Throws InputError where reading fails.
  std::string read_rest();

 private:
  void check();

  std::string name_;
  std::ifstream file_;
  std::istream* stream_;
  bool failed_ = false;
};

/// Text of a built-in network that exists.
std::string built_in_text(const std::string& name);

}  // namespace roofline
