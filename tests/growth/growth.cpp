// Whether work grows as the input does: the steps of a run on an input of one size, and on one of
// twice that. A step is a basic block of the program, which steps.cpp counts: the same number on
// every machine, whatever else it does.
//
//   roofline_growth PATH_OF_ROOFLINE

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "bench/layers.hpp"
#include "bench/process.hpp"

namespace {

using bench::Files;
using Words = std::vector<std::string>;

/// What sorting adds stays below; work a tenth of which grows as the square of the size does not.
constexpr double most_ratio = 2.2;

struct Case {
  const char* name;
  std::size_t count;
  /// Makes an input of that size and returns what to run on it.
  std::function<Words(const Files&, std::size_t count)> words;
};

Words folder_of_files(const Files& files, std::size_t count) {
  const std::string folder = "files" + std::to_string(count);
  for (std::size_t i = 0; i < count; ++i)
    files.write(folder + "/" + std::to_string(i) + ".json", bench::layer(i));
  return {files / folder, "--gpu", "v100"};
}

Words wide_header(const Files& files, std::size_t count) {
  std::string header = "type,c,h,w,k,r,s";
  for (std::size_t i = 0; i < count; ++i) header += ",x" + std::to_string(i);
  return {files.write("wide.csv", header + "\nconv,3,8,8,4,3,3" + std::string(count, ',') + '\n'),
          "--gpu", "v100"};
}

/// No two alike, with names.
std::string relus(std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i)
    text += (i > 0 ? ",\n" : "") + (R"({"type": "relu", "name": "layer)" + std::to_string(i)) +
            R"(", "input": [)" + std::to_string(i + 1) + "]}";
  return text + "]";
}

Words all_measured(const Files& files, std::size_t count) {
  std::string times = "name,measured_us\n";
  for (std::size_t i = 0; i < count; ++i) times += "layer" + std::to_string(i) + ",5\n";
  return {files.write("layers.json", relus(count)), "--gpu",  "v100", "--measured",
          files.write("times.csv", times),          "--sort", "lost"};
}

Words many_points(const Files& files, std::size_t count) {
  std::string batches = "1";
  for (std::size_t i = 2; i <= count; ++i) batches += ',' + std::to_string(i);
  return {files.write("two.json", relus(2)), "--gpu", "nvidia", "--batch", batches};
}

/// Two, as one alone has no table.
Words names_of_parts(const Files& files, std::size_t count) {
  std::string name;
  for (std::size_t i = 0; i < count; ++i) name += "part.";
  return {files.write("parts.json", R"([{"type": "relu", "input": [8], "name": ")" + name +
                                        R"(a"}, {"type": "gelu", "input": [8], "name": ")" + name +
                                        R"(b"}])"),
          "--gpu", "v100"};
}

/// A recording of steps, each of ten operators, maybe with their kernels, and a wait.
Words recorded_steps(const Files& files, std::size_t count, bool has_kernels) {
  std::string events;
  const auto add = [&](const std::string& category, const std::string& name, std::size_t at,
                       const std::string& arguments) {
    events += (events.empty() ? "" : ",\n") + (R"({"ph": "X", "cat": ")" + category) +
              R"(", "name": ")" + name + R"(", "ts": )" + std::to_string(at) +
              R"(, "dur": 8, "pid": 1, "tid": 1, "args": {)" + arguments + "}}";
  };
  for (std::size_t i = 0; i < 10 * count; ++i) {
    const std::string correlation = R"("correlation": )" + std::to_string(i + 1);
    if (i % 10 == 0)
      events +=
          (events.empty() ? "" : ",\n") +
          (R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#)" + std::to_string(i)) +
          R"(", "ts": )" + std::to_string(100 * i) + R"(, "dur": 990, "pid": 1, "tid": 1})";
    add("cpu_op", "aten::relu", 100 * i,
        R"("Input Dims": [[64]], "Input type": ["float"], "External id": )" +
            std::to_string(1'000'000 + i));
    if (!has_kernels) continue;
    add("cuda_runtime", "cudaLaunchKernel", 100 * i + 1, correlation);
    add("kernel", "k", 100 * i + 20, correlation);
    if (i % 10 == 5) add("cuda_runtime", "cudaStreamSynchronize", 100 * i + 20, "");
  }
  return {files.write("steps.json", R"({"traceEvents": [)" + events + "]}"), "--gpu", "v100"};
}

/// A report of this program with one result of all layers, or a result of each.
Words own_report(const Files& files, std::size_t count, bool is_one_result) {
  const std::string end = "]}";
  std::string results;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i + 1);
    const bool begins = i == 0 || !is_one_result;
    if (begins) results += (i == 0 ? "" : end + ",\n") + R"({"network": "x", "layers": [)";
    results += std::string(begins ? "" : ",\n") +
               R"({"roofline_time_s": 1, "layer": {"type": "relu", )" + R"("name": "layer)" +
               number + R"(", "input": [)" + number + "]}}";
  }
  return {
      files.write("report.json", R"({"schema_version": 2, "results": [)" + results + end + "]}"),
      "--gpu", "v100"};
}

Words own_lines(const Files& files, std::size_t count) {
  std::string lines;
  for (std::size_t i = 1; i <= count; ++i)
    lines += R"({"roofline_time_s": 1, "gpu": "v100", "layer": {"type": "relu", "input": [)" +
             std::to_string(i) + "]}}\n";
  return {files.write("rows.ndjson", lines), "--gpu", "v100", "--format", "csv"};
}

Words own_table(const Files& files, std::size_t count) {
  std::string rows = "gpu,layer_name,layer_type,layer_input,roofline_time_s\n";
  for (std::size_t i = 1; i <= count; ++i)
    rows += "v100,layer" + std::to_string(i) + ",relu,[" + std::to_string(i) + "],1\n";
  return {files.write("rows.csv", rows), "--gpu", "v100", "--format", "csv"};
}

std::string network(const Files& files, std::size_t count) {
  return files.write("array.json", bench::array(count));
}

const Case cases[] = {
    {"layers of a JSON array", 2000,
     [](const Files& to, std::size_t count) -> Words {
       return {network(to, count), "--gpu", "v100"};
     }},
    {"layers of a network on two GPUs", 2000,
     [](const Files& to, std::size_t count) -> Words {
       return {network(to, count), "--gpu", "v100,t4"};
     }},
    {"rows of CSV", 2000,
     [](const Files& to, std::size_t count) -> Words {
       return {network(to, count), "--gpu", "v100", "--format", "csv"};
     }},
    {"records of NDJSON", 2000,
     [](const Files& to, std::size_t count) -> Words {
       return {to.write("lines.ndjson", bench::lines(count)), "--gpu", "v100", "--json"};
     }},
    {"layers of a report's one result", 2000,
     [](const Files& to, std::size_t count) { return own_report(to, count, true); }},
    {"results of one layer in a report", 1000,
     [](const Files& to, std::size_t count) { return own_report(to, count, false); }},
    {"rows of our own NDJSON", 2000, own_lines},
    {"rows of our own CSV", 2000, own_table},
    {"layers that are compared", 2000,
     [](const Files& to, std::size_t count) -> Words {
       return {to.write("layers.json", relus(count)), "--gpu", "v100,t4", "--compare"};
     }},
    {"layers with measured times", 2000, all_measured},
    {"batches on many GPUs", 40, many_points},
    {"files in a directory", 500, folder_of_files},
    {"steps of a recording", 200,
     [](const Files& to, std::size_t count) { return recorded_steps(to, count, true); }},
    {"steps of a recording without kernels", 200,
     [](const Files& to, std::size_t count) { return recorded_steps(to, count, false); }},
    {"columns of a CSV header", 5000, wide_header},
    {"parts of layers' names", 2000, names_of_parts},
    {"bytes of a misspelt key", 100'000,
     [](const Files& to, std::size_t count) -> Words {
       return {to.write("key.json", "{\"" + std::string(count, 'k') + "\": 1}"), "--gpu", "v100"};
     }},
};

double steps_of(const std::string& roofline, const Files& files, const Case& each,
                std::size_t count) {
  Words words = each.words(files, count);
  words.insert(words.begin(), roofline);
  words.insert(words.end(), {"--jobs", "1"});
  const std::string counted = files / "steps";
  setenv("ROOFLINE_STEPS", counted.c_str(), 1);
  bench::run(words);
  double steps = 0;
  std::ifstream(counted) >> steps;
  return steps;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: roofline_growth PATH_OF_ROOFLINE\n");
    return 2;
  }
  const Files files;
  bool fits = true;
  for (const Case& each : cases) {
    const double once = steps_of(argv[1], files, each, each.count);
    const double twice = steps_of(argv[1], files, each, 2 * each.count);
    const bool is_linear = once > 0 && twice > once && twice <= most_ratio * once;
    fits = fits && is_linear;
    std::printf("%9zu %-32s %8.1f M steps   twice as many %8.1f M   ratio %.2f%s\n", each.count,
                each.name, once * 1e-6, twice * 1e-6, twice / once,
                is_linear ? "" : "   expected at most 2.30");
  }
  return fits ? 0 : 1;
}
