#pragma once

// Whole runs of programs, launch to exit.

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Run {
  double wall_s = 0;
  double cpu_s = 0;               ///< of all its threads, in the program and for it
  std::uint64_t memory_byte = 0;  ///< resident at most
};

/// Its output goes to the file, or nowhere. Ends the benchmark where it cannot be run.
Run run(std::vector<std::string> words, const std::string& output = "/dev/null");

double median(std::vector<double> values);

/// A text made up for one benchmark, in a folder of its own that the benchmark's end removes.
class Files {
 public:
  Files();
  ~Files();
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::string operator/(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string folder_;
};

}  // namespace bench
