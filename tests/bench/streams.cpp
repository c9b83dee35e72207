#include "bench/streams.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/layers.hpp"
#include "bench/process.hpp"

namespace bench {
namespace {

constexpr std::size_t layer_count = 100'000;
constexpr std::size_t floor_count = 20'000;  // whose trees fit into memory
constexpr int rounds = 5;

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Microseconds a layer, of every round.
struct Times {
  std::vector<double> wall_us;
  std::vector<double> cpu_us;
};

void print_row(const char* name, const Times& times, const Times& floor) {
  const double wall_us = median(times.wall_us);
  const double cpu_us = median(times.cpu_us);
  std::printf("%-28s %8.2f %10.0f %8.2f %8.2f %8.2f\n", name, wall_us, 1e6 / wall_us,
              wall_us / median(floor.wall_us), cpu_us, cpu_us / median(floor.cpu_us));
}

std::uint64_t size_of(const std::string& path) { return std::filesystem::file_size(path); }

void print_memory(const char* name, double small_byte, double large_byte, const std::string& more) {
  constexpr double mb = 1e6;
  std::printf("%-40s %8.1f MB %8.1f MB   ratio %5.2f%s\n", name, small_byte / mb, large_byte / mb,
              large_byte / small_byte, more.c_str());
}

/// What is resident at most. A process counts what the one had that started it, so that one starts
/// this that holds nothing.
double memory_byte(const std::string& self, const Files& files, std::vector<std::string> words,
                   const std::string& output = "/dev/null") {
  words.insert(words.begin(), {self, "--memory", output});
  run(words, files / "memory");
  return std::stod(lines_of(files / "memory").at(0));
}

}  // namespace

void print_floor_us(const std::string& input, const std::string& output) {
  const std::vector<std::string> records = lines_of(input);
  std::vector<nlohmann::ordered_json> trees;
  for (const std::string& line : lines_of(output))
    trees.push_back(nlohmann::ordered_json::parse(line));
  std::size_t bytes = 0;
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  for (const std::string& line : records) bytes += nlohmann::json::parse(line).size();
  for (const nlohmann::ordered_json& tree : trees) bytes += tree.dump().size();
  const std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - start;
  const double cpu_us = 1e6 * static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const auto count = static_cast<double>(records.size());
  std::printf("%.9f\n%.9f\n%zu\n", elapsed.count() / count, cpu_us / count, bytes);
}

void time_streams(const std::string& roofline, const std::string& self) {
  const Files files;
  const std::string input = files.write("layers.ndjson", lines(layer_count));
  const std::string few = files.write("few.ndjson", lines(floor_count));
  const std::vector<std::string> ours{roofline, input, "--gpu", "v100", "--format", "ndjson"};
  const auto with_jobs = [&](const char* jobs) {
    std::vector<std::string> words = ours;
    words.insert(words.end(), {"--jobs", jobs});
    return words;
  };
  run({roofline, few, "--gpu", "v100", "--format", "ndjson"}, files / "few.out");
  const std::vector<std::pair<const char*, std::vector<std::string>>> programs{
      {"roofline --jobs 1", with_jobs("1")},
      {"roofline --jobs 2", with_jobs("2")},
      {"jq -c .", {"jq", "-c", ".", input}},
      {"cat", {"cat", input}}};
  // In turns, so that all see the same machine.
  Times floor;
  std::map<const char*, Times> times;
  for (int i = 0; i < rounds; ++i) {
    run({self, "--floor", few, files / "few.out"}, files / "floor");
    const std::vector<std::string> floor_us = lines_of(files / "floor");
    floor.wall_us.push_back(std::stod(floor_us.at(0)));
    floor.cpu_us.push_back(std::stod(floor_us.at(1)));
    for (const auto& [name, words] : programs) {
      const Run each = run(words);
      times[name].wall_us.push_back(1e6 * each.wall_s / layer_count);
      times[name].cpu_us.push_back(1e6 * each.cpu_s / layer_count);
    }
  }
  std::printf("\n%zu layers of many kinds and sizes, NDJSON to NDJSON, medians of %d\n",
              layer_count, rounds);
  std::printf("%-28s %8s %10s %8s %8s %8s\n", "a layer", "us", "layers/s", "/floor", "CPU us",
              "/floor");
  print_row("nlohmann parse + dump: floor", floor, floor);
  for (const auto& [name, words] : programs) print_row(name, times[name], floor);
}

namespace {

/// A dozen networks on one GPU and on all.
void measure_memory_of_gpus(const std::string& roofline, const std::string& self) {
  const Files files;
  const std::vector<std::string> networks{
      "resnet50",     "resnet101",  "densenet121", "inception_v3",    "googlenet", "unet",
      "mobilenet_v2", "mnasnet1_0", "vgg16",       "wide_resnet50_2", "alexnet",   "convnext_tiny"};
  std::printf("\nmemory at most, %zu networks on one GPU and on all\n", networks.size());
  for (const char* format : {"csv", "json", "table", "html"}) {
    const auto run_on = [&](const char* gpus) {
      std::vector<std::string> words{roofline, "--gpu", gpus, "--format", format};
      words.insert(words.end(), networks.begin(), networks.end());
      return memory_byte(self, files, words);
    };
    const double small_byte = run_on("v100");
    print_memory(format, small_byte, run_on("all"), "");
  }
}

}  // namespace

void print_memory_byte(const std::string& output, const std::vector<std::string>& words) {
  std::printf("%llu\n", static_cast<unsigned long long>(run(words, output).memory_byte));
}

void measure_memory(const std::string& roofline, const std::string& self) {
  const Files files;
  constexpr std::size_t few = 20'000;
  constexpr std::size_t many = 200'000;
  std::printf("\nmemory at most, %zu and %zu layers\n", few, many);
  for (const std::size_t bad : {0U, 50U, 100U}) {
    const auto run_of = [&](std::size_t count) {
      return memory_byte(self, files,
                         {roofline, files.write("l.ndjson", lines(count, bad)), "--gpu", "v100",
                          "--format", "ndjson"});
    };
    const std::string name = "NDJSON to NDJSON, " + std::to_string(bad) + " % bad";
    const double small_byte = run_of(few);
    print_memory(name.c_str(), small_byte, run_of(many), "");
  }
  for (const char* format : {"csv", "json", "table", "ndjson"})
    for (const bool as_array : {false, true}) {
      const auto run_of = [&](std::size_t count) {
        const std::string input =
            as_array ? files.write("l.json", array(count)) : files.write("l.ndjson", lines(count));
        return memory_byte(self, files, {roofline, input, "--gpu", "v100", "--format", format},
                           files / "out");
      };
      if (!as_array && std::string(format) == "ndjson") continue;  // above
      const double small_byte = run_of(few);
      const double large_byte = run_of(many);
      char more[64];
      std::snprintf(more, sizeof more, ", %.2f of what it prints",
                    large_byte / static_cast<double>(size_of(files / "out")));
      const std::string name = std::string(as_array ? "JSON array to " : "NDJSON to ") + format;
      print_memory(name.c_str(), small_byte, large_byte, more);
    }
  measure_memory_of_gpus(roofline, self);
}

}  // namespace bench
