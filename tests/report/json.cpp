// JSON and NDJSON: valid whatever the values and names are.

#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "load/loading.hpp"
#include "load/record_reading.hpp"
#include "results/report.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/render.hpp"

using namespace roofline;
using Json = nlohmann::json;

namespace {

Report built_report(const Network& network) {
  const Context context = make_context(find_gpu("v100").value(), {}).value();
  return report_of({{analyze(network, context.gpu), &context}}, {}, {}).value();
}

std::string rendered(std::string_view format, const Report& report) {
  return find_output_format(format)->render(report, {}).value();
}

Report small_report() {
  return built_report(load_text(R"([{"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3},
                                 {"type": "flatten"}])"));
}

void check_keys(const Json& object, const std::string& keys) {
  std::istringstream words(keys);
  for (std::string key; words >> key;) {
    INFO(key);
    CHECK(object.contains(key));
  }
}

}  // namespace

TEST_CASE("All keys are present, null where unknown", "[report/json]") {
  const Json root = Json::parse(rendered("json", small_report()));
  CHECK(root.at("schema_version") == 2);
  CHECK(root.at("roofline_version") == ROOFLINE_VERSION);
  CHECK(root.contains("conventions"));
  CHECK(root.at("errors") == Json::array());
  const Json& result = root.at("results").at(0);
  check_keys(result, "source network gpu dtype batch pass ceilings layers total");
  check_keys(result.at("ceilings"),
             "peak_flop_per_s bandwidth_byte_per_s ridge_flop_per_byte kind");
  check_keys(result.at("total"),
             "macs flops params bytes roofline_time_s expected_time_s measured_time_s");
  for (const Json& layer : result.at("layers"))
    check_keys(layer,
               "name type dtype pass engine input output macs flops params bytes "
               "intensity_flop_per_byte bound compute_time_s memory_time_s roofline_time_s "
               "attainable_flop_per_s expected_time_s limiter kernel measured");
  CHECK(result.at("layers").at(1).at("intensity_flop_per_byte").is_null());
  CHECK(result.at("total").at("measured_time_s").is_null());
}

TEST_CASE("Values are the computed ones in base units", "[report/json]") {
  const Json root = Json::parse(rendered(
      "json",
      built_report(load_network(*find_network("notebook_conv"), "notebook_conv", {}).value())));
  const Json& layer = root.at("results").at(0).at("layers").at(0);
  CHECK(layer.at("macs") == 314'572'800);
  CHECK(layer.at("flops") == 629'145'600);
  CHECK(
      layer.at("bytes") ==
      Json{{"input", 786'432}, {"weight", 19'200}, {"output", 16'777'216}, {"total", 17'582'848}});
  CHECK(layer.at("input") == Json{1, 3, 256, 256});
  CHECK(layer.at("output") == Json{1, 64, 256, 256});
  CHECK(layer.at("bound") == "compute");
  CHECK(layer.at("roofline_time_s").get<double>() == Approx(629'145'600 / 15.7e12));
}

TEST_CASE("NaN and infinity become null", "[report/json]") {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    Report report = small_report();
    Result& result = report.results[0];
    LayerResult& row = result.layers[0];
    row.point = {bad, bad, Bound::memory, bad, bad, bad, bad};
    row.time_share = bad;
    row.layer.measured = Measured{bad, bad};
    result.bounds.ceilings.change([&](Ceilings& ceilings) {
      ceilings.bandwidth_byte_per_s = bad;
      ceilings.peak_flop_per_s.fill(bad);
    });
    result.total.compute_time_s = result.total.memory_time_s = result.total.roofline_time_s = bad;
    result.total.measured_time_s = bad;
    const std::string json = rendered("json", report);
    REQUIRE(Json::accept(json));
    CHECK(Json::parse(json).at("results").at(0).at("layers").at(0).at("roofline_time_s").is_null());
    const std::string ndjson = rendered("ndjson", report);
    CHECK(Json::accept(ndjson.substr(0, ndjson.find('\n'))));
    for (const auto format : {"json", "ndjson", "csv"}) {
      const std::string text = rendered(format, report);
      CHECK(text.find("nan") == std::string::npos);
      CHECK(text.find("inf,") == std::string::npos);
    }
  }
}

TEST_CASE("Names that are not UTF-8 leave the output valid", "[report/json]") {
  const Records records = read_records("x.csv", "name,c,h,w,k,r,s\na\xff\xc3,3,8,8,4,3,3\n");
  REQUIRE(records.layers.size() == 1);
  Report report = built_report({{"net\xff", "dir\xfe/x.csv"}, records.layers});
  report.errors.emplace_back("bad\xff.json", "/a\xff", "got \xff");
  const std::string json = rendered("json", report);
  REQUIRE(Json::accept(json));
  CHECK(Json::parse(json).at("results").at(0).at("layers").at(0).at("name") ==
        "a\xef\xbf\xbd\xef\xbf\xbd");
  std::istringstream lines(rendered("ndjson", report));
  for (std::string line; std::getline(lines, line);) CHECK(Json::accept(line));
}

TEST_CASE("NDJSON is one line a layer whatever is in its name", "[report/json]") {
  const Network network = load_text(
      R"([{"type": "relu", "input": [8], "name": "two\nlines\u2028\r"}, {"type": "relu"}])");
  const std::string text = rendered("ndjson", built_report(network));
  CHECK(std::ranges::count(text, '\n') == 2);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(Json::parse(text.substr(0, text.find('\n'))).at("name") == "two\nlines\u2028\r");
}

TEST_CASE("CSV quotes what needs quotes and has one column count", "[report/json]") {
  const Network network = load_text(R"([{"type": "relu", "input": [8], "name": "a,\"b\"\nc"},
                    {"type": "relu", "input": [8]}])");
  const std::string text = rendered("csv", built_report(network));
  CHECK(text.find("\"a,\"\"b\"\"\nc\"") != std::string::npos);
  const std::string header = text.substr(0, text.find('\n'));
  const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
  const std::string unquoted = std::regex_replace(last, std::regex("\"[^\"]*\""), "");
  CHECK(std::ranges::count(header, ',') == std::ranges::count(unquoted, ','));
}

TEST_CASE("The GPU list as JSON has every part in base units", "[report/json]") {
  const Json list = Json::parse(render_gpus_json(all_gpus())).at("gpus");
  CHECK(list.size() >= 90);
  for (const Json& gpu : list) {
    INFO(gpu.at("name"));
    CHECK(gpu.at("peak_flop_per_s").at("fp32").get<double>() > 2e11);  // Jetson Nano
    CHECK(gpu.at("bandwidth_byte_per_s").get<double>() > 2.5e10);
    for (const char* key : {"sm_count", "l2_byte", "aliases", "sources", "notes", "source_of"})
      CHECK(gpu.contains(key));
  }
}
