// Records and files on several threads: nothing but the time depends on how many.

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

const std::string convolution = R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})";
const std::string gpus = " --gpu v100,a100 --batch 1,2 ";

/// Good lines of several kinds and sizes, every fifth one bad in one of four ways.
std::string mixed_lines(int count) {
  const std::vector<std::string> bad{R"({"stride": 0})", R"({"input": [3,)", R"({"type": "relu"})",
                                     R"({"input": [3, 8, 8], "kernal_size": 3})"};
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string size = std::to_string(8 + i % 50);
    if (i % 5 == 4)
      text += bad[static_cast<std::size_t>(i / 5) % bad.size()];
    else if (i % 2 == 0)
      text += R"({"type": "relu", "input": [)" + size + "]}";
    else
      text +=
          R"({"input": [3, )" + size + ", " + size + R"(], "out_channels": 4, "kernel_size": 3})";
    text += '\n';
  }
  return text;
}

constexpr std::size_t large = 5000;

/// So many layers, the second and the last but one as given.
std::string array_of(std::size_t count, const std::string& second = convolution,
                     const std::string& last_but_one = convolution) {
  std::string text = "[" + convolution + "," + second;
  for (std::size_t i = 3; i + 1 < count; ++i)
    text += R"(,{"input": [3, 8, )" + std::to_string(8 + i % 50) +
            R"(], "out_channels": 4, "kernel_size": )" + std::to_string(1 + i % 5) + "}";
  return text + "," + last_but_one + "," + convolution + "]";
}

/// A file of each kind, good and bad, and many small ones.
void write_folder(const TemporaryFolder& folder) {
  folder.write("in/bad.json", R"({"layers": []})");
  folder.write("in/broken.json", "{");
  folder.write("in/rows.csv", "type,c,h,w,k,r,s\nconv,3,8,8,4,3,3\nconv,3,8,8,0,3,3\nrelu,8,8,8\n");
  folder.write("in/lines.ndjson", mixed_lines(40));
  folder.write("in/many.json",
               convolution + "\n" + convolution + "\n{\"stride\": 0}\n" + convolution + "\n");
  folder.write("in/norm.json", R"([{"type": "layer_norm", "input": [4, 8, 8]}])");
  for (int i = 0; i < 60; ++i)
    folder.write("in/net" + std::to_string(i) + ".json",
                 "[" + convolution + R"(, {"type": "relu"}])");
}

void check_same_for_all_jobs(const TemporaryFolder& folder, const std::string& before,
                             const std::string& after) {
  const Outcome one = run(folder, before + " --jobs 1" + after);
  CHECK(one.exit_code == 1);
  CHECK_FALSE(one.out.empty());
  CHECK_FALSE(one.err.empty());
  for (const std::string jobs : {" --jobs 2", " --jobs 7", ""}) {
    INFO(before << jobs << after);
    const Outcome several = run(folder, before + jobs + after);
    CHECK(several.exit_code == one.exit_code);
    CHECK((several.out == one.out));  // too long to be shown
    CHECK((several.err == one.err));
  }
}

}  // namespace

TEST_CASE("Long records are the same for any number of jobs", "[cli/jobs]") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 12; ++i) {
    std::string operands = "[8]";
    for (int count = i % 3 == 0 ? 1 : 100'000; count > 0; --count) operands += ",[8]";
    text += R"({"type": "concat", "inputs": [)" + operands + "]}\n" + mixed_lines(20);
  }
  folder.write("long.ndjson", text);
  check_same_for_all_jobs(folder, "roofline long.ndjson --gpu v100 --format csv", "");
}

TEST_CASE("The same bytes for any number of jobs", "[cli/jobs]") {
  const TemporaryFolder folder;
  write_folder(folder);
  folder.write("lines.ndjson", mixed_lines(500));
  for (const std::string format : {"ndjson", "csv", "json"}) {
    check_same_for_all_jobs(folder, "roofline lines.ndjson" + gpus + "--format " + format, "");
    check_same_for_all_jobs(folder, "roofline -" + gpus + "--format " + format, " <lines.ndjson");
    check_same_for_all_jobs(folder, "roofline in missing" + gpus + "--format " + format, "");
  }
  check_same_for_all_jobs(folder, "roofline in lines.ndjson" + gpus,
                          " -o a.csv -o b.ndjson; cat a.csv b.ndjson; exit 1");
}

TEST_CASE("Several threads share a large network", "[cli/jobs]") {
  const TemporaryFolder folder;
  folder.write("net.json", array_of(large));
  for (const std::string format : {"ndjson", "csv", "json", "table"}) {
    const std::string before =
        "roofline net.json --gpu v100 --top all --format " + format + " --jobs ";
    const Outcome one = run(folder, before + "1");
    CHECK(one.exit_code == 0);
    CHECK(one.err.empty());
    if (format == "csv") CHECK(lines_of(one.out).size() == 1 + large);
    for (const std::string jobs : {"2", "7"}) {
      INFO(format << ", jobs " << jobs);
      CHECK((run(folder, before + jobs).out == one.out));
    }
  }
  const Outcome closed =
      run(folder, "roofline net.json --gpu v100 --format csv --jobs 7 | head -2 | wc -l");
  CHECK(closed.out == "2\n");
  CHECK(closed.err.empty());
}

TEST_CASE("Of a large network it is said what cannot be read before what does not fit",
          "[cli/jobs]") {
  const TemporaryFolder folder;
  const std::string wide = R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 9})";
  const std::string misspelt = R"({"input": [3, 8, 8], "out_channels": 4, "kernal_size": 3})";
  folder.write("both.json", array_of(large, wide, misspelt));
  folder.write("wide.json", array_of(large, wide));
  CHECK(run(folder, "roofline both.json --gpu v100").err ==
        "both.json: /4998/kernal_size: expected a key of a conv layer, got \"kernal_size\"; did "
        "you mean \"kernel_size\"?\n"
        "a layer that works: {\"type\": \"conv\", \"input\": [3, 224, 224], \"out_channels\": 64, "
        "\"kernel_size\": 3, \"padding\": 1}\n");
  CHECK(run(folder, "roofline wide.json --gpu v100 --dtype fp32,fp16 --jobs 2").err ==
        "wide.json: /1/kernel_size: expected a kernel that fits the padded input, got one that "
        "spans 9 where the height with padding is 8\n");
}

TEST_CASE("Records stay in the order of the input", "[cli/jobs]") {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 1200; ++i) lines += convolution + '\n';
  folder.write("lines.ndjson", lines);
  const Outcome outcome =
      run(folder, "roofline lines.ndjson --gpu v100 --format ndjson --jobs 7 | jq -r .name");
  const std::vector<std::string> names = lines_of(outcome.out);
  REQUIRE(names.size() == 1200);
  bool in_order = true;
  for (std::size_t i = 0; i < names.size(); ++i)
    in_order = in_order && names[i] == "conv" + std::to_string(i + 1);
  CHECK(in_order);
}

TEST_CASE("A reader that leaves ends the run, quietly", "[cli/jobs]") {
  const TemporaryFolder folder;
  folder.write("layer", convolution + '\n');
  for (const std::string jobs : {"1", "2", "7"}) {
    INFO(jobs);
    const Outcome outcome =
        run(folder,
            "(yes \"$(cat layer)\" | timeout 60 roofline - --gpu v100 --format ndjson "
            "--jobs " +
                jobs + "; echo $? >code) | head -2 | wc -l; cat code");
    CHECK(outcome.out == "2\n0\n");
    CHECK(outcome.err.empty());
  }
}

TEST_CASE("A line is answered before the next one comes", "[cli/jobs]") {
  const TemporaryFolder folder;
  for (const std::string jobs : {"1", "2"}) {
    INFO(jobs);
    const Outcome outcome = run(folder, "mkfifo to" + jobs + " from" + jobs +
                                            "; timeout 60 roofline - --gpu v100 "
                                            "--format ndjson --jobs " +
                                            jobs + " <to" + jobs + " >from" + jobs +
                                            " &\n"
                                            "exec 3>to" +
                                            jobs + " 4<from" + jobs +
                                            "\n"
                                            "for i in 1 2; do echo '" +
                                            convolution +
                                            "' >&3; read -r line <&4\n"
                                            "echo \"$line\" | jq -r .name; done\n"
                                            "exec 3>&-; wait");
    CHECK(outcome.out == "conv1\nconv2\n");
  }
}

TEST_CASE("What ends a run ends it once, after what stands before it", "[cli/jobs]") {
  const TemporaryFolder folder;
  write_folder(folder);
  for (const std::string jobs : {"1", "7"}) {
    const Outcome outcome = run(folder, "roofline in --jobs " + jobs);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    CHECK(lines_of(outcome.err).back() ==
          "roofline: no GPU: give one with --gpu, such as --gpu v100 (roofline gpus lists all)");
  }
  const Outcome none = run(folder, "roofline in --gpu v100 --jobs 0");
  CHECK(none.exit_code == 2);
  CHECK(none.err ==
        "roofline: --jobs: expected an integer from 1 to 1024, got \"0\" (see --help)\n");
}
