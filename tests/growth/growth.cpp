#include <cstdio>
#include <functional>

#include "bench/layers.hpp"
#include "bench/process.hpp"
#include "bench/streams.hpp"

namespace bench {
namespace {

struct Case {
  const char* name;
  std::size_t count;
  /// Makes an input of that size and returns what to run on it.
  std::function<std::vector<std::string>(const Files&, std::size_t count)> words;
};

std::vector<std::string> folder_of_files(const Files& files, std::size_t count) {
  const std::string folder = "files" + std::to_string(count);
  for (std::size_t i = 0; i < count; ++i)
    files.write(folder + "/" + std::to_string(i) + ".json", layer(i));
  return {files / folder, "--gpu", "v100"};
}

std::vector<std::string> wide_header(const Files& files, std::size_t count) {
  std::string header = "type,c,h,w,k,r,s";
  for (std::size_t i = 0; i < count; ++i) header += ",x" + std::to_string(i);
  return {files.write("wide.csv", header + "\nconv,3,8,8,4,3,3" + std::string(count, ',') + '\n'),
          "--gpu", "v100"};
}

std::vector<std::string> long_key(const Files& files, std::size_t count) {
  return {files.write("key.json", "{\"" + std::string(count, 'k') + "\": 1}"), "--gpu", "v100"};
}

}  // namespace

void measure_growth(const std::string& roofline) {
  const Files files;
  const Case cases[] = {
      {"layers of a JSON array", 200'000,
       [](const Files& to, std::size_t count) -> std::vector<std::string> {
         return {to.write("array.json", array(count)), "--gpu", "v100"};
       }},
      {"layers of a network on two GPUs", 25'000,
       [](const Files& to, std::size_t count) -> std::vector<std::string> {
         return {to.write("array.json", array(count)), "--gpu", "v100,t4"};
       }},
      {"files in a directory", 10'000, folder_of_files},
      {"columns of a CSV header", 50'000, wide_header},
      {"bytes of a misspelt key", 10'000'000, long_key},
  };
  std::printf("\nCPU time at twice the size\n");
  for (const Case& each : cases) {
    const auto cpu_s = [&](std::size_t count) {
      std::vector<std::string> words = each.words(files, count);
      words.insert(words.begin(), roofline);
      return run(words).cpu_s;
    };
    const double once = cpu_s(each.count);
    const double twice = cpu_s(2 * each.count);
    std::printf("%9zu %-32s %7.2f s   twice as many %7.2f s   ratio %.2f\n", each.count, each.name,
                once, twice, twice / once);
  }
}

}  // namespace bench
