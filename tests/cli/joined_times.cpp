// Measured times from a file of their own, and two measured inputs against each other.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

using Json = nlohmann::json;

TEST_CASE("Times join layers by name; what matches nothing is said", "[cli/joined_times]") {
  const TemporaryFolder folder;
  // A course project's two convolutions, 10,000 images (units differ on purpose).
  folder.write("times.csv", "name,measured_ms,us\nconv1,9.143,\nconv2,,24142\nconv3,1,\n");
  const Outcome outcome =
      run(folder, "roofline course_2019_fall --gpu v100 --batch 10000 --measured times.csv --json");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err ==
        "times.csv: 1 of its times match no layer: \"conv3\"; did you mean \"conv1\"?\n"
        "times.csv: 1 of 3 layers have no time in it: pool1\n");
  const Json result = Json::parse(outcome.out).at("results").at(0);
  CHECK(result.at("layers").at(0).at("measured").at("time_s") == Approx(9.143e-3));
  CHECK(result.at("layers").at(2).at("measured").at("time_s") == Approx(24.142e-3));
  // conv2: 33x33 -> 29x29, 12 -> 24 channels, 5x5, two FLOP a multiply-add.
  const double flops = 2.0 * 10000 * 24 * 29 * 29 * 12 * 25;
  CHECK(result.at("layers").at(2).at("measured").at("achieved_flop_per_s") ==
        Approx(flops / 24.142e-3));
  const Json& measured = result.at("measured");
  CHECK(measured.at("measured_time_s") == Approx(33.285e-3));
  double parts = measured.at("unexplained_s");
  for (const auto& [name, seconds] : measured.at("parts").items()) parts += seconds.get<double>();
  CHECK(parts == Approx(33.285e-3));
}

TEST_CASE("Times of layers by name may stand on the command line", "[cli/joined_times]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(folder,
          "roofline course_2019_fall --gpu v100 --batch 10000 --json --measured "
          "conv1=9143000ns,conv2=24142us");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  const Json layers = Json::parse(outcome.out).at("results").at(0).at("layers");
  CHECK(layers.at(0).at("measured").at("time_s") == Approx(9.143e-3));
  CHECK(layers.at(2).at("measured").at("time_s") == Approx(24.142e-3));
}

TEST_CASE("A time of the command line that is of no layer is an error", "[cli/joined_times]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(folder,
          "roofline course_2019_fall --gpu v100 --batch 10000 --measured conv1=9.1ms,conv3=1ms");
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out.empty());
  CHECK(
      outcome.err ==
      "roofline: --measured: expected names of layers, or step of a recording, got \"conv3\"; did "
      "you mean \"conv1\"?\n");
}

TEST_CASE("A time with a decimal comma is told, however cells are separated",
          "[cli/joined_times]") {
  const TemporaryFolder folder;
  for (const char* text : {"name,time_ms\nconv1,\"9,1\"\n", "name,time_ms\nconv1,9,1\n",
                           "name;time_ms\nconv1;9,1\n", "name\ttime_ms\nconv1\t9,1\n"}) {
    INFO(text);
    folder.write("times.csv", text);
    const Outcome outcome =
        run(folder, "roofline course_2019_fall --gpu v100 --batch 10000 --measured times.csv");
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err ==
          "times.csv:2: time_ms: expected a number with a decimal point, got \"9,1\" with a "
          "comma\n");
  }
}

TEST_CASE("A table's columns may be called layer and time_ms", "[cli/joined_times]") {
  const TemporaryFolder folder;
  folder.write("times.csv", "layer,time_ms\nconv1,9.143\n");
  const Outcome outcome =
      run(folder, "roofline course_2019_fall --gpu v100 --batch 10000 --measured times.csv --json");
  CHECK(outcome.exit_code == 0);
  const Json layers = Json::parse(outcome.out).at("results").at(0).at("layers");
  CHECK(layers.at(0).at("measured").at("time_s") == Approx(9.143e-3));
}

TEST_CASE("A row that states its batch joins no other", "[cli/joined_times]") {
  const TemporaryFolder folder;
  folder.write("times.json", R"([{"name": "conv1", "measured_us": 5, "batch": 8}])");
  const std::string line =
      "roofline course_2019_fall --gpu v100 --measured times.json --json --batch ";
  CHECK(Json::parse(run(folder, line + "8").out)["results"][0]["measured"]["rows"] == 1);
  CHECK(Json::parse(run(folder, line + "4").out)["results"][0]["measured"].is_null());
  folder.write("times.json", R"([{"name": "conv1"}])");
  CHECK(run(folder, line + "8").err ==
        "times.json: /0: expected a time as measured_us, measured_ms or measured_time_s, got "
        "nothing\n");
}

TEST_CASE("Two measured inputs, the largest change first", "[cli/joined_times]") {
  const TemporaryFolder folder;
  const std::string head = "name,type,input,measured_us\n";
  folder.write("before.csv", head + "a,relu,[512],3\nb,relu,[1024],10\nc,relu,[8],1\n");
  folder.write("after.csv", head + "a,relu,[512],4\nb,relu,[1024],6\nd,relu,[8],1\n");
  const Outcome outcome =
      run(folder,
          "roofline before.csv after.csv --gpu v100 --assume measured-gpu=v100 --compare --json");
  const Json changes = Json::parse(outcome.out).at("changes");
  REQUIRE(changes.at("layers").size() == 2);
  CHECK(changes.at("layers").at(0).at("name") == "b");
  CHECK(changes.at("before_s") == Approx(13e-6));
  CHECK(changes.at("after_s") == Approx(10e-6));
  CHECK(changes.at("only_before") == 1);
  CHECK(changes.at("only_after") == 1);
  const Outcome one =
      run(folder, "roofline before.csv --gpu v100 --assume measured-gpu=v100 --compare");
  CHECK(one.exit_code == 2);
  CHECK(one.err ==
        "roofline: expected two results to compare, of two inputs, GPUs, frameworks, types or "
        "batches, got "
        "1\n");
}
