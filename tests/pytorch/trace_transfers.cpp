// Work over a link: between GPUs, and between a GPU and its host.

#include "catch.hpp"
#include "model/recording.hpp"
#include "pytorch/trace_text.hpp"
#include "roofline/enumeration.hpp"

using namespace roofline;

namespace {

/// A trace with one layer and what is added to it, read.
std::vector<Transfer> transfers_of(TraceText& trace) {
  trace.operation("aten::clamp_min", 1, 0, 9, vector_of_16).kernel("k", 1, 100, 10);
  return read_trace(trace.text())->summary->transfers;
}

RecordedArguments tensors(const std::string& sizes, const std::string& types) {
  return {sizes, types, "[]"};
}

struct Expected {
  TransferKind kind;
  std::string what;
  std::optional<std::uint64_t> ranks;
  std::optional<double> byte;
};

void check_only(TraceText& trace, const Expected& expected) {
  const std::vector<Transfer> transfers = transfers_of(trace);
  REQUIRE(transfers.size() == 1);
  CHECK(name_of(transfers.front().kind) == name_of(expected.kind));
  CHECK(transfers.front().what == expected.what);
  CHECK(transfers.front().ranks == expected.ranks);
  CHECK(transfers.front().byte == expected.byte);
}

const std::string all_gather_message =
    R"("Collective name": "_allgather_base", "In msg nelems": 25136, "Out msg nelems": 201088,)"
    R"( "Group size": 8, "dtype": "BFloat16")";

}  // namespace

// Made after distributed training on A100s (HolisticTraceAnalysis, trace_diff/control): the range
// of the exchange is no operator, the operator around it has no arguments.
TEST_CASE("An exchange whose range alone has its tensors", "[pytorch/trace_transfers]") {
  TraceText trace;
  trace.operation("record_param_comms", 2, 20, 50)
      .event("user_annotation", "nccl:all_to_all", "100", "1", 30, 30,
             R"("External id": 3, "Input Dims": [[8, 1024, 8816]], "Input type": ["float"])")
      .call("cudaLaunchKernel", 71, 40)
      .kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", {}, 200, 50,
              "\"correlation\": 71");
  check_only(trace,
             {TransferKind::all_to_all, "fp32 72220672", std::nullopt, 8.0 * 1024 * 8816 * 4});
}

// Made after the same and after a recommender's trace of 64 shares a group (timeline_analysis).
TEST_CASE("An exchange between operators of c10d", "[pytorch/trace_transfers]") {
  SECTION("what a GPU gathers tells the number of them") {
    TraceText trace;
    trace
        .operation("c10d::_allgather_base_", 2, 20, 50,
                   tensors("[[1024], [16], []]", R"(["signed char", "signed char", ""])"))
        .event("user_annotation", "nccl:_all_gather_base", "100", "1", 30, 30,
               R"("External id": 3, "Input Dims": [[16]], "Input type": ["signed char"])")
        .call("cudaLaunchKernel", 71, 40)
        .kernel("ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*)", {}, 200, 50,
                "\"correlation\": 71");
    check_only(trace, {TransferKind::all_gather, "int8 1024", 64, 1024.0});
  }
  SECTION("a share alone does not tell what is gathered") {
    TraceText trace;
    trace.operation("c10d::allgather_", 2, 20, 50, tensors("[[], [16]]", R"(["", "float"])"))
        .kernel("ncclDevKernel_AllGather_RING_LL(ncclDevComm*)", 2, 200, 50);
    check_only(trace, {TransferKind::all_gather, "fp32", std::nullopt, std::nullopt});
  }
  SECTION("a list of tensors, whose kernels count its bytes once") {
    TraceText trace;
    trace
        .operation("c10d::allreduce_", 2, 20, 50, tensors("[[[100]], []]", R"(["TensorList", ""])"))
        .operation("record_param_comms", 3, 25, 40,
                   tensors("[[[100]], []]", R"(["TensorList", ""])"))
        .event("user_annotation", "nccl:all_reduce", "100", "1", 30, 30,
               R"("External id": 4, "Input Dims": [[100]], "Input type": ["c10::BFloat16"])")
        .kernel("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", 4, 200, 50)
        .kernel("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", 4, 250, 50);
    check_only(trace, {TransferKind::all_reduce, "bf16 100", std::nullopt, 200.0});
  }
}

// Made after vLLM on a B200 (TraceLens).
TEST_CASE("An exchange by the message of its kernel or operator", "[pytorch/trace_transfers]") {
  SECTION("kernel") {
    TraceText trace;
    trace.kernel("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", {}, 200, 50,
                 all_gather_message);
    check_only(trace, {TransferKind::all_gather, "bf16 201088", 8, 2.0 * 201088});
  }
  SECTION("operator") {
    TraceText trace;
    trace
        .event("cpu_op", "record_param_comms", "100", "1", 20, 50,
               "\"External id\": 2, " + all_gather_message)
        .kernel("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", 2, 200, 50);
    check_only(trace, {TransferKind::all_gather, "bf16 201088", 8, 2.0 * 201088});
  }
}

TEST_CASE("Exchanges by other libraries, by names", "[pytorch/trace_transfers]") {
  SECTION("symmetric memory") {
    TraceText trace;
    trace
        .operation("symm_mem::multimem_all_reduce_", 2, 20, 50,
                   tensors("[[2557440], [], []]", R"(["c10::BFloat16", "", ""])"))
        .kernel("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(int)", 2,
                200, 50);
    check_only(trace, {TransferKind::all_reduce, "bf16 2557440", std::nullopt, 2.0 * 2557440});
  }
  SECTION("a kernel that no operator launched") {
    TraceText trace;
    trace.kernel("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", {}, 200, 50);
    check_only(trace, {TransferKind::all_reduce, "", std::nullopt, std::nullopt});
  }
  SECTION("a kernel that says nothing") {
    TraceText trace;
    trace.kernel("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", {}, 200, 50);
    check_only(trace, {TransferKind::collective, "", std::nullopt, std::nullopt});
  }
  SECTION("names alike of PyTorch's own") {
    TraceText trace;
    trace.operation("aten::scatter_reduce", 2, 20, 50, vector_of_16)
        .kernel("void at::native::reduce_kernel<512, 1>(int)", 2, 200, 50);
    CHECK(transfers_of(trace).empty());
  }
}

TEST_CASE("Sizes that differ from step to step are one row", "[pytorch/trace_transfers]") {
  TraceText trace;
  for (int step = 0; step < 2; ++step) {
    const double at = 1000 * (step + 1);
    trace.step(step, at, 900)
        .operation("c10d::alltoall_base_", 10 + step, at + 10, 50,
                   tensors("[[" + std::to_string(100 + 20 * step) + "]]", R"(["int"])"))
        .kernel("ncclDevKernel_SendRecv(ncclDevComm*)", 10 + step, at + 200, 50)
        .operation("aten::clamp_min", 20 + step, at + 300, 9, vector_of_16)
        .kernel("k", 20 + step, at + 400, 10);
  }
  const auto transfers = read_trace(trace.text())->summary->transfers;
  REQUIRE(transfers.size() == 1);
  CHECK(transfers.front().what == "int32 of several sizes");
  CHECK(transfers.front().launches == Approx(1));
  CHECK(*transfers.front().byte == Approx(4 * 110));
  CHECK(transfers.front().time_s == Approx(50e-6));
}

TEST_CASE("What of a transfer is hidden behind computing", "[pytorch/trace_transfers]") {
  TraceText trace;
  trace.operation("aten::clamp_min", 1, 0, 9, vector_of_16)
      .kernel("k", 1, 100, 10)
      .kernel("k", 1, 105, 15)  // together 100 to 120
      .kernel("k", 1, 140, 10)
      .kernel("Memcpy HtoD (Pinned -> Device)", {}, 110, 40, "\"bytes\": 600000")
      .kernel("Memcpy HtoD (Pinned -> Device)", {}, 160, 10, "\"bytes\": 400000")
      .kernel("Memcpy DtoH (Device -> Pageable)", {}, 162, 4, "\"bytes\": 8");
  const TraceSummary summary = *read_trace(trace.text())->summary;
  REQUIRE(summary.transfers.size() == 2);
  const Transfer& in = summary.transfers.front();
  CHECK(name_of(in.kind) == "host_to_device");
  CHECK(in.what == "pinned");
  CHECK(in.time_s == Approx(50e-6));
  CHECK(in.hidden_s == Approx(20e-6));  // 110 to 120, 140 to 150; a copy hides no copy
  CHECK(in.exposed_s() == Approx(30e-6));
  CHECK(*in.algorithm_byte_per_s() == Approx(1e6 / 50e-6));
  CHECK(summary.transfers.back().what == "pageable");
  CHECK(summary.transfers.back().hidden_s == 0);
  CHECK(summary.host_link_s() == Approx(54e-6));
  CHECK(summary.between_gpus_s() == 0);
  CHECK(summary.explained_share() == Approx(1));
}

// The factors of nccl-tests' doc/PERFORMANCE.md.
TEST_CASE("The rate of a link for a rate of payload", "[pytorch/trace_transfers]") {
  CHECK(bus_factor(TransferKind::all_reduce, 8) == Approx(1.75));
  CHECK(bus_factor(TransferKind::all_gather, 8) == Approx(0.875));
  CHECK(bus_factor(TransferKind::reduce_scatter, 4) == Approx(0.75));
  CHECK(bus_factor(TransferKind::all_to_all, 2) == Approx(0.5));
  CHECK(bus_factor(TransferKind::broadcast, 8) == Approx(1));
  CHECK(bus_factor(TransferKind::send_receive, 8) == Approx(1));
}
