// Ranks of one run: which one the others wait for, in one file and in several.

#include "catch.hpp"
#include "model/recording.hpp"
#include "pytorch/trace_text.hpp"
#include "temporary_folder.hpp"

using namespace roofline;

namespace {

const std::string all_reduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*)";
const std::string message =
    R"(, "Collective name": "allreduce", "In msg nelems": 1000000, "Out msg nelems": 1000000,)"
    R"( "Group size": 4, "dtype": "BFloat16", "Process Group Ranks": "[0, 1, 2, 3]")";

/// A step: a kernel, and an all_reduce until all ranks have come, at 3 ms.
void add_rank(TraceText& trace, int rank, double kernel_us) {
  const std::string number = std::to_string(rank);
  const std::string host = "4" + number;
  const double reduced_us = 3000;
  trace.event("user_annotation", "ProfilerStep#1", host, "1", 0, 1000, "")
      .event("cpu_op", "aten::clamp_min", host, "1", 1, 9,
             "\"External id\": 1, \"Concrete Inputs\": " + vector_of_16.values +
                 ", \"Input type\": " + vector_of_16.types +
                 ", \"Input Dims\": " + vector_of_16.sizes)
      .event("cuda_runtime", "cudaLaunchKernel", host, "1", 2, 1, "\"correlation\": 7")
      .event("cuda_runtime", "cudaLaunchKernel", host, "1", 12, 1, "\"correlation\": 8")
      .event("kernel", "earlier", number, "7", 1, 10, "\"device\": " + number)
      .event("kernel", "k", number, "7", 20, kernel_us,
             "\"device\": " + number + ", \"correlation\": 7, \"External id\": 1")
      .event("kernel", all_reduce, number, "7", 20 + kernel_us, reduced_us - 20 - kernel_us,
             "\"device\": " + number + ", \"correlation\": 8" + message);
}

/// Kernels of 630, 500, 2656 and 700 us: all_reduce takes 2350, 2480, 324 and 2280.
constexpr double kernels_us[] = {630, 500, 2656, 700};

void check_waits(const TraceSummary& summary, const std::vector<std::string>& names) {
  CHECK(summary.kernel_s == Approx(2980e-6));
  REQUIRE(summary.transfers.size() == 1);
  CHECK(summary.transfers.front().time_s == Approx(324e-6));
  CHECK(summary.transfers.front().waiting_s == 0);
  REQUIRE(summary.ranks.size() == 4);
  std::vector<std::string> found;
  double most_waited_s = 0;
  for (const RecordedRank& rank : summary.ranks) {
    found.push_back(rank.name);
    most_waited_s = std::max(most_waited_s, rank.waiting_s);
  }
  CHECK(found == names);
  CHECK(most_waited_s == Approx((2480 - 324) * 1e-6));
  CHECK(summary.ranks.front().computing_s == Approx(2656e-6));
}

/// As PyTorch writes one file a rank.
std::string file_of(int rank, double kernel_us, const std::string& world = "4") {
  TraceText trace;
  add_rank(trace, rank, kernel_us);
  std::string text = trace.text();
  return text.insert(1, "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " +
                            std::to_string(rank) + ", \"world_size\": " + world + "}, ");
}

/// The items of each file, read beside the others.
std::vector<std::shared_ptr<const NetworkSpec>> read_files(const std::vector<std::string>& texts,
                                                           bool apart = false) {
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < texts.size(); ++i)
    names.push_back(folder.write(std::to_string(i) + ".json", texts[i]));
  const InputSet inputs(names, apart);
  std::vector<std::shared_ptr<const NetworkSpec>> specs;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto reader = whole<roofline::read_trace>(text_stream(names[i], texts[i]), inputs);
    while (auto item = reader->next()) specs.push_back(item->value().spec({}).value());
  }
  return specs;
}

}  // namespace

TEST_CASE("Of ranks in one file the one is read that the others wait for",
          "[pytorch/trace_ranks]") {
  TraceText trace;
  for (int rank = 0; rank < 4; ++rank) add_rank(trace, rank, kernels_us[rank]);
  const TraceSummary summary = *read_trace(trace.text())->summary;
  check_waits(summary, {"42", "40", "41", "43"});
  CHECK(summary.notes ==
        std::vector<std::string>{"one of 4 processes in this file, 42, for which the others wait; "
                                 "kernels and copies of the others, left out: 9",
                                 "left out: 10.00 us of kernels queued before the recording began, "
                                 "of the step before it"});
}

TEST_CASE("Of files of ranks the one is read that the others wait for", "[pytorch/trace_ranks]") {
  std::vector<std::string> texts;
  for (int rank = 0; rank < 4; ++rank) texts.push_back(file_of(rank, kernels_us[rank]));
  const auto specs = read_files(texts);
  REQUIRE(specs.size() == 1);
  check_waits(*specs.front()->summary, {"rank 2", "rank 0", "rank 1", "rank 3"});
  CHECK(specs.front()->name == "2");
  CHECK(specs.front()->summary->notes ==
        std::vector<std::string>{
            "rank 2, for which the others wait; files of other ranks, left out: 3",
            "left out: 10.00 us of kernels queued before the recording began, of the step before "
            "it"});
  CHECK(read_files(texts, true).size() == 4);
  // Two runs, runs of other sizes, and a file alone.
  CHECK(read_files({texts[0], texts[2], texts[0]}).size() == 3);
  CHECK(read_files({texts[0], file_of(1, 500, "8")}).size() == 2);
  CHECK(read_files({texts[1]}).front()->summary->ranks.empty());
}

TEST_CASE("What a rank waits is its time beyond the fastest one's", "[pytorch/trace_ranks]") {
  // Each is late once: rank 0 waits 100 us less in all, and waits 300 for the other.
  TraceText trace;
  for (const int rank : {0, 1}) {
    add_rank(trace, rank, 500);
    const std::string number = std::to_string(rank);
    trace
        .event("kernel", all_reduce, number, "7", 3100, rank == 0 ? 400 : 100,
               "\"device\": " + number + ", \"correlation\": 8" + message)
        .event("kernel", all_reduce, number, "7", 3600, rank == 0 ? 100 : 500,
               "\"device\": " + number + ", \"correlation\": 8" + message);
  }
  const TraceSummary summary = *read_trace(trace.text())->summary;
  REQUIRE(summary.ranks.size() == 2);
  CHECK(summary.ranks[0].name == "40");
  CHECK(summary.ranks[0].waiting_s == Approx(300e-6));
  CHECK(summary.ranks[1].waiting_s == Approx(400e-6));
  CHECK(summary.transfers.front().waiting_s == Approx(300e-6));
  CHECK(*summary.transfers.front().algorithm_byte_per_s() ==
        Approx(3 * 2e6 / (summary.transfers.front().time_s - 300e-6)));
}
