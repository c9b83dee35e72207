// Which GPU, which batch: selections of GPUs, rankings, prices, batches that each GPU has its own
// of.

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "cli/process.hpp"

using Json = nlohmann::json;

namespace {

/// 4 MB of weights in fp32 and 8 kB an image.
const std::string linear =
    R"({"name": "net", "layers": [{"type": "linear", "in_features": 1000, "out_features": 1000}]})";

/// A GPU file of so many GB/s and bytes of memory.
std::string gpu_file(const std::string& name, int gigabyte_per_s, const std::string& memory_gb,
                     const std::string& engine = "fp32") {
  return R"({"name": ")" + name +
         R"(", "vendor": "Acme", "architecture": "Turing", "boost_clock_mhz": 1500, "peak_tflops": {")" +
         engine + R"(": 10}, "bandwidth_gb_per_s": )" + std::to_string(gigabyte_per_s) +
         R"(, "memory_gb": )" + memory_gb + R"(, "tdp_w": 100, "l2_mib": 4, "sm_count": 10})";
}

/// A folder with a network and three GPUs of its own maker; the environment that finds them.
const std::string in_own_folder = "XDG_CONFIG_HOME=$PWD/config ";
void fill(const TemporaryFolder& folder) {
  folder.write("net.json", linear);
  folder.write("config/roofline/gpus/fast.json", gpu_file("Fast One", 900, "1"));
  folder.write("config/roofline/gpus/slow.json", gpu_file("Slow One", 100, "2"));
  folder.write("config/roofline/gpus/other.json", gpu_file("Other One", 900, "1", "fp64"));
}

std::string column(const Outcome& outcome, std::size_t index) {
  std::string cells;
  const std::vector<std::string> lines = lines_of(outcome.out);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::size_t begin = 0;
    for (std::size_t c = 0; c < index; ++c) begin = lines[i].find(',', begin) + 1;
    cells += lines[i].substr(begin, lines[i].find(',', begin) - begin) + ";";
  }
  return cells;
}

constexpr std::size_t gpu_column = 5;
constexpr std::size_t batch_column = 8;

}  // namespace

TEST_CASE("Selected GPUs are ranked, and those that cannot do the work are one note",
          "[cli/choose]") {
  const TemporaryFolder folder;
  fill(folder);
  const Outcome csv =
      run(folder, in_own_folder + "roofline net.json --gpu acme --by gpu --format csv");
  CHECK(column(csv, gpu_column) == "Fast One;Slow One;");
  CHECK(csv.err ==
        "net.json: 1 GPU is left out: Other One: layer \"linear0\" is in fp32, for which Other One "
        "has no peak; it has fp64\n");
  CHECK(csv.exit_code == 0);

  // What is assumed of several is one note, too.
  CHECK(
      run(folder, in_own_folder + "roofline net.json --gpu acme --assume launch=eager --format csv")
          .err.starts_with("Fast One, Other One, Slow One: host_operator_us is not stated: "));

  // By name it is an error, whoever else is selected.
  const Outcome named =
      run(folder, in_own_folder + "roofline net.json --gpu 'other one,acme' --by gpu --format csv");
  CHECK(column(named, gpu_column) == "Fast One;Slow One;;");  // the last is the error
  CHECK(named.exit_code == 1);

  // None is left to evaluate.
  const Outcome none =
      run(folder, in_own_folder + "roofline net.json --gpu 'acme=1GB' --dtype fp16");
  CHECK(none.exit_code == 1);
  CHECK(none.out == "");
}

TEST_CASE("Records share one note of the GPUs that cannot run them", "[cli/choose]") {
  const TemporaryFolder folder;
  fill(folder);
  folder.write("x.ndjson",
               "{\"name\": \"a\", \"type\": \"relu\", \"input\": [8]}\n"
               "{\"name\": \"b\", \"type\": \"relu\", \"input\": [9]}\n");
  CHECK(run(folder, in_own_folder + "roofline x.ndjson --gpu acme").err ==
        "x.ndjson: 1 GPU is left out of layers without a peak or memory for them there: Other "
        "One\n");
}

TEST_CASE("A ranking is of all formats", "[cli/choose]") {
  const TemporaryFolder folder;
  fill(folder);
  const std::string line = in_own_folder + "roofline net.json --gpu 'acme>1GB,fast one' --by gpu ";
  CHECK(column(run(folder, line + "--format csv"), gpu_column) == "Fast One;Slow One;");
  const std::vector<std::string> records = lines_of(run(folder, line + "--format ndjson").out);
  REQUIRE(records.size() == 2);
  CHECK(Json::parse(records[0]).at("gpu") == "Fast One");
  CHECK(Json::parse(records[1]).at("network") == "net");
  const Json json = Json::parse(run(folder, line + "--json").out);
  const Json& points = json.at("points").at(0);
  CHECK(points.at("ranked_by") == "time");
  CHECK(points.at("best") == 0);
  CHECK(points.at("rows").at(1).at("gpu") == "Slow One");
  CHECK(points.at("rows").at(1).at("tdp_w") == 100);
  const Json& uncertainty = points.at("rows").at(1).at("expected_uncertainty");
  CHECK(uncertainty.at("factor") > 1);
  CHECK(uncertainty == json.at("results").at(1).at("total").at("expected_uncertainty"));
  CHECK(json.at("results").at(0).at("gpu") == "Fast One");
  CHECK(json.at("results").at(0).at("layers").empty());
  const std::string table = run(folder, line).out;
  CHECK(table.starts_with("Fast One first: "));
  CHECK(table.find("\nnet, fp32, batch 1\n") != std::string::npos);
  CHECK(run(folder, line + "--format markdown").out.find("| Slow One |") != std::string::npos);
  const Outcome top = run(folder, line + "--top 1 --format csv");
  CHECK(column(top, gpu_column) == "Fast One;");
  // Rows of layers where they are asked for.
  CHECK(run(folder, in_own_folder + "roofline net.json --gpu acme --by layer --format csv")
            .out.find("linear0") != std::string::npos);
}

TEST_CASE("What does not fit is said below a ranking", "[cli/choose]") {
  const TemporaryFolder folder;
  fill(folder);
  const std::string line =
      in_own_folder + "roofline net.json --gpu acme --batch 200000 2>/dev/null";
  const std::string table = run(folder, line).out;  // 1.604 GB
  CHECK(table.find("\ntoo little memory (1.604 GB needed): 1: Fast One\n") != std::string::npos);
  CHECK(table.find("DOES NOT FIT") == std::string::npos);
  CHECK(run(folder, line + " --top all").out.find("DOES NOT FIT") != std::string::npos);
  const std::string none =
      run(folder, in_own_folder + "roofline net.json --gpu acme --batch 2000000 2>/dev/null").out;
  CHECK(
      none.starts_with("fits none of these GPUs\nnet, fp32, batch 2000000\n\n"
                       "too little memory (16.00 GB needed): 2: "));
}

TEST_CASE("Layers of several batches are ranked by the time of all, and have no cost of an image",
          "[cli/choose]") {
  const TemporaryFolder folder;
  fill(folder);
  const std::string layer =
      R"({"type": "linear", "input": [1000], "out_features": 1000, "batch": )";
  folder.write("in/ops.ndjson", layer + "1}\n" + layer + "64}\n");
  const std::string line = in_own_folder + "roofline in/ops.ndjson --gpu 'slow one,fast one' ";
  const Json points = Json::parse(run(folder, line + "--by gpu --json").out).at("points").at(0);
  CHECK(points.at("rows").at(0).at("gpu") == "Fast One");
  CHECK(points.at("rows").at(0).at("rank") == 1);
  CHECK(points.at("rows").at(0).at("batch").is_null());
  CHECK(run(folder, line).out.starts_with("Fast One first: "));
  const std::string by_cost = line + "--sort cost --price 'slow one=1'";
  CHECK(run(folder, by_cost).out.starts_with("no cost of an image is known\n"));
}

TEST_CASE("GPUs have prices", "[cli/choose]") {
  const TemporaryFolder folder;
  fill(folder);
  const std::string line =
      in_own_folder + "roofline net.json --gpu acme --sort cost --format csv --price ";
  CHECK(column(run(folder, line + "'fast one=20,slow one=1'"), gpu_column) == "Slow One;Fast One;");
  CHECK(column(run(folder, line + "'fast one=0.01,slow one=1'"), gpu_column) ==
        "Fast One;Slow One;");
  const Outcome twice = run(folder, line + "'fast one=20,slow one=1' --price 'Fast One=0.01'");
  CHECK(twice.err == "roofline: --price: expected one price of Fast One, got 20 and 0.01\n");
  CHECK(twice.exit_code == 2);
  const Outcome unknown = run(folder, line + "'fasst one=3'");
  CHECK(unknown.err.ends_with(
      "unknown GPU \"fasst one\"; did you mean Fast One? (roofline gpus lists "
      "all)\n"));
  CHECK(unknown.out == "");
  folder.write("prices.csv", "gpu,per_hour\nfast one,20\n");
  CHECK(run(folder, line + "prices.csv").err ==
        "roofline: --price: expected GPU=PER_HOUR such as h100=2.5 or h100=2.5USD, got "
        "\"prices.csv\"\n");
  const std::string euros = run(folder, in_own_folder +
                                            "roofline net.json --gpu acme --sort cost --price "
                                            "'fast one=20EUR,slow one=1EUR' --batch 1")
                                .out;
  CHECK(euros.find("EUR a million\n") != std::string::npos);
  CHECK(run(folder, line + "'fast one=20EUR,slow one=1USD'").err ==
        "roofline: --price: expected one currency, got \"EUR\" and \"USD\"\n");
}

TEST_CASE("GPUs whose ranges overlap that of the first of a rank share it in every format",
          "[cli/choose]") {
  const TemporaryFolder folder;
  fill(folder);
  // Bandwidths of 900, 800, 100 and 95 GB/s: a batch that streams its weights takes as much longer.
  folder.write("config/roofline/gpus/near.json", gpu_file("Near One", 800, "1"));
  folder.write("config/roofline/gpus/slower.json", gpu_file("Slow Two", 95, "1"));
  const std::string line = in_own_folder + "roofline net.json --gpu acme --batch 1 2>/dev/null ";
  const Json points = Json::parse(run(folder, line + "--by gpu --json").out).at("points").at(0);
  std::string ranks;
  for (const Json& row : points.at("rows"))
    ranks += row.at("gpu").get<std::string>() + ' ' + row.at("rank").dump() + ' ' +
             row.at("tied").dump() + ';';
  CHECK(ranks == "Fast One 1 true;Near One 1 true;Slow One 3 false;Slow Two 3 false;");
  const auto range = [&](std::size_t row, double sign) {
    const Json& each = points.at("rows").at(row);
    return each.at("time_per_image_s").get<double>() *
           std::pow(each.at("expected_uncertainty").at("factor").get<double>(), sign);
  };
  CHECK(range(1, -1) <= range(0, 1));
  CHECK(range(2, -1) > range(0, 1));
  CHECK(range(3, -1) <= range(2, 1));
  const Outcome csv = run(folder, line + "--by gpu --format csv");
  CHECK(column(csv, 3) == "1;1;3;3;");
  CHECK(column(csv, 4) == "true;true;false;false;");
  CHECK(run(folder, line).out.find("; Near One ties with it within x1.") != std::string::npos);
}

TEST_CASE("However GPUs and batches are spelled, the layers run as they are written",
          "[cli/choose]") {
  const TemporaryFolder folder;
  const auto time_of = [&](const std::string& options) {
    const Json json = Json::parse(
        run(folder, "roofline resnet18 --dtype fp16 --json 2>/dev/null " + options).out);
    for (const Json& row :
         json.at("points").empty() ? Json::array() : json.at("points").at(0).at("rows"))
      if (row.at("gpu") == "Tesla T4" && row.at("batch") == 128) {
        CHECK(row.at("framework").is_null());
        return row.at("time_s").get<double>();
      }
    return json.at("results").at(0).at("total").at("expected_time_s").get<double>();
  };
  const double t4_s = time_of("--gpu t4 --batch 128");
  for (const std::string options : {"--gpu turing --batch 128", "--gpu all --batch 128",
                                    "--gpu t4 --batch 128,max", "--gpu t4,v100 --batch 128"}) {
    INFO(options);
    CHECK(time_of(options) == t4_s);
  }
}

TEST_CASE("What people deploy is a framework by name", "[cli/choose]") {
  const TemporaryFolder folder;
  const std::string line = " --dtype fp16 --batch 8 --json 2>/dev/null --framework ";
  const Json rows =
      Json::parse(run(folder, "roofline resnet18 --gpu ampere,cdna3" + line + "deployed").out)
          .at("points")
          .at(0)
          .at("rows");
  REQUIRE(rows.size() > 4);
  for (const Json& row : {rows.at(0), rows.at(rows.size() - 1)}) {
    const std::string gpu = row.at("gpu");
    INFO(gpu);
    const std::string framework = gpu.starts_with("Instinct") ? "torch-compile" : "tensorrt";
    CHECK(row.at("framework") == framework);
    const Json one =
        Json::parse(run(folder, "roofline resnet18 --gpu '" + gpu + "'" + line + framework).out);
    CHECK(row.at("time_s") == one.at("results").at(0).at("total").at("expected_time_s"));
  }
  CHECK(
      run(folder, "roofline resnet18 --gpu t4 --framework deployed --assume fuse=none").err ==
      "roofline: --assume fuse: expected a framework of one way to fuse, got --framework deployed: "
      "TensorRT on NVIDIA, torch.compile elsewhere\n");
  CHECK(run(folder, "roofline resnet18 --gpu t4 --framework deployed --pass training").err ==
        "roofline: --framework deployed is for inference: expected --pass fwd, got training\n");
  const Outcome row =
      run(folder, "roofline resnet18 --gpu t4 --framework deployed --format ndjson");
  CHECK(Json::parse(lines_of(row.out).at(0)).at("framework") == "tensorrt");
}

TEST_CASE("Each GPU has a largest and a best batch", "[cli/choose]") {
  const TemporaryFolder folder;
  fill(folder);
  // (875e6 - 4e6) / 8000 and (1750e6 - 4e6) / 8000: an eighth is for driver and libraries.
  const std::string line =
      in_own_folder + "roofline net.json --gpu 'fast one,slow one' --format csv --by gpu ";
  const Outcome largest = run(folder, line + "--batch max");
  CHECK(column(largest, gpu_column) == "Fast One;Slow One;");
  CHECK(column(largest, batch_column) == "108875;218250;");
  CHECK(column(largest, batch_column + 1) == "true;true;");
  const std::string mixed =
      in_own_folder + "roofline net.json --gpu 'fast one' --batch 1,108875,max --json";
  const Json rows = Json::parse(run(folder, mixed).out).at("points").at(0).at("rows");
  REQUIRE(rows.size() == 2);  // by number and as the largest it is one point
  CHECK(rows.at(1).at("batch") == 108875);
  CHECK(rows.at(1).at("is_max_batch") == true);
  CHECK(rows.at(0).at("is_max_batch") == false);
  // Heads of attention are products of matrices, many for each image.
  const Json attention =
      Json::parse(run(folder, "roofline " ROOFLINE_SOURCE_FOLDER
                              "/tests/onnx/attention_dynamo.onnx --gpu t4 --batch max --json")
                      .out);
  CHECK(attention.at("results").at(0).at("batch").is_number());
  const std::string table =
      run(folder, in_own_folder + "roofline net.json --gpu 'fast one' --batch 1,best,max").out;
  CHECK(table.find("max batch: the largest that fits") != std::string::npos);
  CHECK(table.find("best batch: the smallest") != std::string::npos);
}

TEST_CASE("Settings slower than --max-time are left out of a ranking and of the best batch",
          "[cli/choose]") {
  const TemporaryFolder folder;
  folder.write("net.json", linear);
  const double limit_s = 20e-6;
  const std::string asked = "roofline net.json --gpu t4,a100 --batch 1,64,4096 --max-time 20us";
  const Json table = Json::parse(run(folder, asked + " --json").out).at("points").at(0);
  REQUIRE(table.at("rows").size() == 6);
  std::set<bool> seen;
  for (const Json& row : table.at("rows")) {
    const bool in_time = row.at("time_s").get<double>() <= limit_s;
    CHECK(row.at("in_time") == in_time);
    CHECK(row.at("rank").is_null() == !in_time);
    seen.insert(in_time);
  }
  CHECK(seen.size() == 2);
  const std::string text = run(folder, asked).out;
  CHECK(
      text.find("slower than 20.00 us: 4: A100 SXM4 80GB batch 4096, A100 SXM4 80GB batch 64,\n") !=
      text.npos);
  CHECK(run(folder, "roofline net.json --gpu t4 --max-time 0.001us")
            .out.starts_with("none of these takes at most 1.000 ns\n"));

  const auto best = [&](const std::string& limit) {
    const Json result =
        Json::parse(run(folder, "roofline net.json --gpu t4 --batch best --json" + limit).out)
            .at("points")
            .at(0)
            .at("rows")
            .at(0);
    return std::pair(result.at("batch").get<int>(), result.at("time_s").get<double>());
  };
  const auto [batch, time_s] = best(" --max-time 100us");
  CHECK(time_s <= 100e-6);
  CHECK(batch > 1);
  CHECK(best(" --max-time 1s").first > batch);
  CHECK(best(" --max-time 1us").first == 1);
}

TEST_CASE(
    "The table of one GPU's batches is the same with --max-time, which marks what is too slow",
    "[cli/choose]") {
  const TemporaryFolder folder;
  folder.write("net.json", linear);
  const std::string asked = "roofline net.json --gpu t4 --batch 1,64,4096";
  std::vector<std::string> all = lines_of(run(folder, asked).out);
  std::vector<std::string> limited = lines_of(run(folder, asked + " --max-time 20us").out);
  REQUIRE(all.size() == limited.size());
  CHECK(limited[0] == all[0] + ", in at most 20.00 us");
  CHECK(limited[2].substr(0, 40) == all[2].substr(0, 40));
  CHECK(limited[5].ends_with("TOO SLOW"));
  for (const std::size_t row : {3U, 4U, 5U})
    CHECK(limited[row].substr(0, 40) == all[row].substr(0, 40));
}

TEST_CASE("Frameworks are a list: each has its rows, and a ranking names it", "[cli/choose]") {
  const TemporaryFolder folder;
  folder.write("net.json", linear);
  const std::string both = "roofline net.json --gpu t4 --dtype fp16 --framework pytorch,tensorrt";
  const Json all = Json::parse(run(folder, both + " --json").out);
  REQUIRE(all.at("results").size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string name = i == 0 ? "pytorch" : "tensorrt";
    const Json& result = all.at("results").at(i);
    CHECK(result.at("framework") == name);
    // One alone gives the same.
    const Json alone = Json::parse(
        run(folder, "roofline net.json --gpu t4 --dtype fp16 --json --framework " + name).out);
    CHECK(alone.at("results").at(0) == result);
    CHECK(all.at("points").at(0).at("rows").at(i).at("framework") == name);
  }
  const std::string ranking = run(folder, both + " --by gpu").out;
  CHECK(ranking.starts_with("Tesla T4 by "));
  CHECK(run(folder, both + " --compare")
            .out.find("by pytorch\nafter: net on Tesla T4, fp16, batch "
                      "1, by tensorrt\n") != std::string::npos);
  CHECK(run(folder, both + " --assume fuse=eager --fail-if 'expected_ms > 100'").exit_code == 0);
  CHECK(run(folder, both + ",deployed --assume fuse=eager")
            .err.starts_with("roofline: --assume fuse: expected a framework of one way to fuse"));
  CHECK(run(folder, "roofline net.json --gpu amd --framework pytorch,tensorrt").exit_code == 2);
}

TEST_CASE("A batch is searched for where it is free", "[cli/choose]") {
  const TemporaryFolder folder;
  folder.write("net.json", linear);
  folder.write("layers.ndjson", R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})");
  struct Case {
    const char* arguments;
    const char* message;
    int exit_code;
  };
  const Case table[] = {
      {"layers.ndjson --gpu t4 --batch max",
       "roofline: --batch max: expected networks, got layers.ndjson, whose layers stand alone\n",
       2},
      {"net.json --batch best",
       "roofline: no GPU: give one with --gpu, such as --gpu v100 (roofline gpus lists all)\n", 2},
      {"net.json --gpu t4,v100 --batch max --to-layers a.json",
       "roofline: --batch max --to-layers: expected one GPU, got 2\n", 2},
      {"net.json --gpu t4 --batch most",
       "roofline: --batch: expected integers >= 1 such as 1,8,64, max or best, got \"most\"\n", 2},
      {"net.json --gpu t4,v100 --sort cost",
       "roofline: --sort cost: expected what GPUs cost, with --price\n", 2},
      {"net.json --gpu turing --by gpu --sort flops",
       "roofline: --by gpu with --sort flops: GPUs are ranked by time or cost; --by layer sorts "
       "layers\n",
       2},
      {"net.json --gpu turing --by gpu --top 80%",
       "roofline: --by gpu with --top 80%: expected --top N of ranked GPUs, or --by layer for "
       "layers\n",
       2},
      {"net.json --gpu 'turing>=900GB'",
       "roofline: expected limits that some GPU meets, got \"turing>=900GB\" (roofline gpus lists "
       "all)\n",
       2},
  };
  for (const Case& each : table) {
    INFO(each.arguments);
    const Outcome outcome = run(folder, std::string("roofline ") + each.arguments);
    CHECK(outcome.err == each.message);
    CHECK(outcome.out == "");
    CHECK(outcome.exit_code == each.exit_code);
  }
  const std::string trace =
      ROOFLINE_SOURCE_FOLDER "/tests/traces/resnet50.fwd.fp16.b32.3steps.json.gz";
  CHECK(run(folder, "roofline " + trace + " --batch max").err ==
        trace +
            ": expected batch 32, its own, which cannot be changed in what was recorded or "
            "built, got max\n");
}

TEST_CASE("--top chooses the rows of a ranking in every format, and JSON keeps the best",
          "[cli/choose]") {
  const TemporaryFolder folder;
  const std::string line =
      "roofline lenet5 --gpu v100,t4,a100 --by gpu --price a100=100,v100=2,t4=1 --sort cost --top "
      "1 ";
  const auto document = nlohmann::json::parse(run(folder, line + "--json").out);
  const auto& points = document.at("points").at(0);
  CHECK(points.at("rows_in_all") == 3);
  REQUIRE(points.at("rows").size() == 2);  // the cheapest, and the fastest
  CHECK(points.at("rows").at(points.at("cheapest").get<std::size_t>()).at("rank") == 1);
  const auto& best = points.at("rows").at(points.at("best").get<std::size_t>());
  CHECK(best.at("time_s") <= points.at("rows").at(0).at("time_s"));
  CHECK(lines_of(run(folder, line + "--format csv").out).size() == 2);
  CHECK(lines_of(run(folder, line + "--format ndjson").out).size() == 1);
  const std::string page = run(folder, line + "--format html").out;
  CHECK(page.find("<summary>A100") == page.npos);
}
