// Recordings of kernels without layers. The counts of FLOP are those of the shapes that ran, worked
// out by hand; the texts of nsys and rocprofv3 are made after their documentation.

#include <algorithm>

#include "catch.hpp"
#include "load/record_reading.hpp"
#include "model/recording.hpp"

using namespace roofline;

namespace {

const std::string recordings = ROOFLINE_SOURCE_FOLDER "/tests/profilers/";

struct Kernels {
  std::shared_ptr<const KernelRecording> recording;
  std::vector<std::string> errors;  ///< without the folder

  const RecordedKernel& named(const std::string& part) const {
    const auto found =
        std::find_if(recording->kernels.begin(), recording->kernels.end(),
                     [&](const RecordedKernel& each) { return each.name.find(part) != part.npos; });
    REQUIRE(found != recording->kernels.end());
    return *found;
  }
};

Kernels read(const std::string& path, const std::string& folder = "") {
  const Records records = read_path(path, folder);
  return {records.specs.empty() ? nullptr : records.specs.back()->kernels, records.errors};
}

Kernels read_text_as(const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  return read(folder.write(name, text), folder.path());
}

double flop(const RecordedKernel& kernel, Engine engine) {
  return kernel.counters.flop[engine].value_or(0);
}

}  // namespace

TEST_CASE("Nsight Compute's counters give the FLOP of the shapes that ran",
          "[profilers/kernel_recordings]") {
  const Kernels kernels = read(recordings + "net.h100.ncu.csv.gz");
  CHECK(kernels.errors.empty());
  CHECK(kernels.recording->recorder == Recorder::nsight_compute);
  CHECK(kernels.recording->name == "net.h100.ncu");
  CHECK(kernels.recording->kernels.size() == 16);
  // A convolution of 32 images of 64x56x56 with 64 3x3 filters, twice: 2 x 32 x 64 x 56 x 56 x 64 x
  // 9 FLOP, on tensor cores and, beside adds and multiplies of its epilogue, on vector units.
  constexpr double conv = 7'398'752'256;
  const RecordedKernel& half = kernels.named("sm90_xmma_fprop");
  CHECK(half.launches == 2);
  CHECK(flop(half, Engine::fp16_tensor) == 2 * conv);
  CHECK(half.grid == "(15, 8, 1)");
  CHECK(half.time_s == Approx(25.664e-6 + 25.568e-6));
  CHECK(half.registers == 168.0);
  CHECK(*half.occupancy == Approx(0.1799));
  const RecordedKernel& single = kernels.named("sm80_xmma_fprop");
  CHECK(flop(single, Engine::fp32) == 2 * (conv + 2 * 6'422'528));
  CHECK(*single.counters.dram_byte == 36'994'048 + 36'909'056);
  CHECK(*single.counters.l2_byte == 239'747'424 + 239'244'768);
  // Two products of 2048 x 2048 x 2048.
  CHECK(flop(kernels.named("nvjet_sm90_hsh_256x128"), Engine::fp16_tensor) ==
        2.0 * 2 * 2048 * 2048 * 2048);
}

TEST_CASE("Vector units' instructions count as FLOP of their type",
          "[profilers/kernel_recordings]") {
  // 1024 blocks of 256 threads, 100 fused multiply-adds each, and one add; a packed one is two.
  const Kernels kernels = read(recordings + "known.h100.ncu.csv");
  CHECK(kernels.errors.empty());
  constexpr double threads = 1024 * 256;
  CHECK(flop(kernels.named("k_ffma"), Engine::fp32) == threads * 201);
  CHECK(flop(kernels.named("k_dfma"), Engine::fp64) == threads * 201);
  CHECK(flop(kernels.named("k_hfma2"), Engine::fp16) == threads * 101 * 4);
}

TEST_CASE("The page of raw metrics has a launch a row and names the GPU",
          "[profilers/kernel_recordings]") {
  const Kernels kernels = read(recordings + "net.h100.ncu-raw.csv.gz");
  CHECK(kernels.errors.empty());
  CHECK(kernels.recording->gpu.name == "NVIDIA H100 80GB HBM3");
  CHECK(kernels.recording->gpu.sm_count == 132U);
  CHECK(kernels.recording->kernels.size() == 8);
  // Rates of FLOP and bytes, times cycles and seconds: to the digits that are printed.
  const RecordedKernel& conv = kernels.named("sm80_xmma_fprop");
  CHECK(conv.time_s == Approx(257.696e-6));
  CHECK(flop(conv, Engine::fp32) == Approx(7'398'752'256 + 2 * 6'422'528).epsilon(1e-6));
  CHECK(*conv.counters.dram_byte == Approx(0.144217e12 * 257.696e-6));
}

TEST_CASE("Nsight Systems' trace has kernels, copies, busy and idle time",
          "[profilers/kernel_recordings]") {
  const Kernels kernels = read(recordings + "small.cuda_gpu_trace.csv");
  CHECK(kernels.errors.empty());
  CHECK(kernels.recording->gpu.name == "NVIDIA A100-SXM4-80GB");
  // 1.000 to 1.040 ms, 1.050 to 1.070 beside 1.060 to 1.090, 1.090 to 1.100.
  CHECK(*kernels.recording->span_s == Approx(100e-6));
  CHECK(*kernels.recording->busy_s == Approx(90e-6));
  REQUIRE(kernels.recording->kernels.size() == 3);
  CHECK(kernels.recording->kernels[0].name == "[CUDA memcpy Host-to-Device]");
  CHECK(kernels.named("elementwise").launches == 2);
  CHECK(kernels.named("elementwise").time_s == Approx(30e-6));
  CHECK(kernels.named("ampere_sgemm").registers == 122.0);
  CHECK(kernels.recording->notes ==
        std::vector<std::string>{"kernels of the busiest of 2 GPUs; launches on others, left out: "
                                 "1"});
  CHECK_FALSE(kernels.recording->has_counters());
}

TEST_CASE("Nsight Systems' sums have the unit of their header", "[profilers/kernel_recordings]") {
  for (const auto& [unit, factor] :
       {std::pair("ns", 1.0), {"nsec", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}) {
    const Kernels kernels = read_text_as(
        "sums.csv",
        "Processing [x.sqlite] with [cuda_gpu_kern_sum.py]...\nTime (%),Total Time (" +
            std::string(unit) + "),Instances,Avg (" + unit +
            "),Name\n75.0,3000,3,1000.0,\"void f<int, 4>(int*)\"\n25.0,1000,2,500.0,g\n");
    INFO(unit);
    CHECK(kernels.errors.empty());
    REQUIRE(kernels.recording->kernels.size() == 2);
    CHECK(kernels.recording->kernels[0].name == "void f<int, 4>(int*)");
    CHECK(kernels.recording->kernels[0].launches == 3);
    CHECK(kernels.recording->kernels[0].time_s == Approx(3000e-9 * factor));
    CHECK_FALSE(kernels.recording->span_s);
  }
}

TEST_CASE("rocprofv3's JSON has dispatches, names and the GPU", "[profilers/kernel_recordings]") {
  const std::string text = R"json({"rocprofiler-sdk-tool": [{
    "agents": [{"id": {"handle": 1}, "type": 1, "product_name": "a CPU"},
               {"id": {"handle": 2}, "type": 2, "product_name": "AMD Instinct MI300X",
                "cu_count": 304, "wave_front_size": 64}],
    "kernel_symbols": [{"kernel_id": 7, "formatted_kernel_name": "add(float*)"},
                       {"kernel_id": 8, "formatted_kernel_name": "gemm"}],
    "buffer_records": {"kernel_dispatch": [
      {"start_timestamp": 1700000000000000000, "end_timestamp": 1700000000000004000,
       "dispatch_info": {"agent_id": {"handle": 2}, "kernel_id": 7,
                         "grid_size": {"x": 1024, "y": 1, "z": 1}}},
      {"start_timestamp": 1700000000000005000, "end_timestamp": 1700000000000015000,
       "dispatch_info": {"agent_id": {"handle": 2}, "kernel_id": 8}},
      {"start_timestamp": 1700000000000016000, "end_timestamp": 1700000000000015000,
       "dispatch_info": {"agent_id": {"handle": 2}, "kernel_id": 8}},
      {"start_timestamp": "x", "end_timestamp": 1, "dispatch_info": {}}]}}]})json";
  const Kernels kernels = read_text_as("run.json", text);
  REQUIRE(kernels.recording);
  CHECK(kernels.recording->gpu.name == "AMD Instinct MI300X");
  CHECK(kernels.recording->gpu.sm_count == 304U);
  REQUIRE(kernels.recording->kernels.size() == 2);
  CHECK(kernels.recording->kernels[0].name == "gemm");
  CHECK(kernels.recording->kernels[1].name == "add(float*)");
  CHECK(kernels.recording->kernels[1].grid == "(1024, 1, 1)");
  // To the nanosecond, which seconds since 1970 would not have.
  CHECK(*kernels.recording->span_s == Approx(15e-6).epsilon(1e-9));
  CHECK(*kernels.recording->busy_s == Approx(14e-6).epsilon(1e-9));
  CHECK(kernels.errors ==
        std::vector<std::string>{
            "run.json: /rocprofiler-sdk-tool/0/buffer_records/kernel_dispatch/2: expected the "
            "kernel_id of one of kernel_symbols, and start_timestamp and end_timestamp in ns, one "
            "after the other; left out with 1 more row that cannot be read"});
}

TEST_CASE("rocprofv3's CSV: a trace and counters", "[profilers/kernel_recordings]") {
  const TemporaryFolder folder;
  folder.write("1_agent_info.csv",
               "\"Node_Id\",\"Agent_Type\",\"Name\",\"Product_Name\"\n0,\"CPU\",\"x\",\"a CPU\"\n"
               "4,\"GPU\",\"gfx942\",\"AMD Instinct MI300X\"\n");
  const Kernels trace = read(folder.write(
      "1_kernel_trace.csv",
      "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\","
      "\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_"
      "Y\",\"Grid_Size_Z\"\n"
      "\"KERNEL_DISPATCH\",\"Agent 4\",1,\"f(int*, int)\",1000,3000,256,1,1,4096,2,1\n"
      "\"KERNEL_DISPATCH\",\"Agent 4\",1,\"f(int*, int)\",4000,5000,256,1,1,4096,2,1\n"));
  CHECK(trace.errors.empty());
  CHECK(trace.recording->gpu.name == "AMD Instinct MI300X");
  REQUIRE(trace.recording->kernels.size() == 1);
  CHECK(trace.recording->kernels[0].launches == 2);
  CHECK(trace.recording->kernels[0].grid == "(4096, 2, 1)");
  CHECK(trace.recording->kernels[0].time_s == Approx(3e-6));
  CHECK(*trace.recording->busy_s == Approx(3e-6));
  CHECK(*trace.recording->span_s == Approx(4e-6));

  const std::string dispatch = "1,5,\"Agent 4\",1024,\"f(int*)\",256,";
  const Kernels counters = read_text_as(
      "counters.csv",
      "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Grid_Size\",\"Kernel_Name\",\"Workgroup_"
      "Size\",\"Counter_Name\",\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n" +
          dispatch + "\"FETCH_SIZE\",10,100,1100\n" + dispatch + "\"WRITE_SIZE\",6,100,1100\n" +
          dispatch + "\"SQ_INSTS_VALU_FMA_F32\",3,100,1100\n" + dispatch +
          "\"SQ_INSTS_VALU_ADD_F32\",1,100,1100\n" + dispatch +
          "\"SQ_INSTS_VALU_MFMA_MOPS_BF16\",2,100,1100\n");
  CHECK(counters.errors.empty());
  REQUIRE(counters.recording->kernels.size() == 1);
  const RecordedKernel& kernel = counters.recording->kernels[0];
  CHECK(kernel.time_s == Approx(1e-6));
  CHECK(*kernel.counters.dram_byte == 16 * 1024);
  CHECK(flop(kernel, Engine::fp32) == 64 * (2 * 3 + 1));
  CHECK(flop(kernel, Engine::bf16) == 512 * 2);
}

TEST_CASE("Units and numbers are those that profilers write, or errors",
          "[profilers/kernel_recordings]") {
  struct Case {
    const char* unit;
    const char* value;
    double time_s;
    std::string error;
  };
  const std::string unit = "a.csv:2: Duration: expected a unit such as ns, byte or inst, got ";
  const std::string number = "a.csv:2: Duration: expected a number such as 1,234.5, got ";
  const std::vector<Case> cases{
      {"nsec", "4128", 4.128e-6, ""},
      {"usecond", "1,234.5", 1234.5e-6, ""},
      {"ns", "27,595,520", 27.59552e-3, ""},
      {"fortnight", "4", 0, unit + "\"fortnight\""},
      {"ns", "27.595.520", 0, number + "\"27.595.520\""},
      {"ns", "5,3", 0, number + "\"5,3\""},
  };
  const std::string header =
      R"("ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value")";
  for (const Case& each : cases) {
    INFO(each.unit << ' ' << each.value);
    const Kernels kernels =
        read_text_as("a.csv", header + "\n\"0\",\"7\",\"k\",\"S\",\"Duration\",\"" + each.unit +
                                  "\",\"" + each.value + "\"\n");
    CHECK(kernels.errors ==
          (each.error.empty() ? std::vector<std::string>{} : std::vector{each.error}));
    if (each.error.empty()) CHECK(kernels.named("k").time_s == Approx(each.time_s));
  }
  const std::pair<const char*, double> byte_units[] = {
      {"byte", 1}, {"Kbyte", 1e3}, {"kbyte", 1e3}, {"KiB", 1024}, {"Gbyte", 1e9}};
  for (const auto& [byte_unit, bytes] : byte_units) {
    INFO(byte_unit);
    const Kernels kernels =
        read_text_as("a.csv", header + "\n0,7,k,S,Duration,us,10\n0,7,k,S,dram__bytes.sum," +
                                  byte_unit + ",2\n");
    CHECK(kernels.named("k").counters.dram_byte == 2 * bytes);
  }
  CHECK(read_text_as("a.csv", header + "\n0,7,k,S,Duration,us,10\n0,7,k,S,dram__bytes_op_read.sum,"
                                       "byte,2\n0,7,k,S,dram__bytes_op_write.sum,byte,3\n")
            .named("k")
            .counters.dram_byte == 5);
  CHECK(read_text_as("no_process.csv",
                     "ID,Kernel Name,Metric Name,Metric Unit,Metric Value\n0,k,Duration,us,10\n")
            .named("k")
            .time_s == Approx(10e-6));
  const Kernels sums =
      read_text_as("b.csv", "Start (ns),Duration (fortnight),CorrId,Name\n0,4,1,k\n");
  CHECK(sums.errors == std::vector<std::string>{
                           "b.csv:2: expected a unit of time such as ns, got the column \"Duration "
                           "(fortnight)\""});
}

TEST_CASE("Counters without times name the column that is missing",
          "[profilers/kernel_recordings]") {
  CHECK(read_text_as("c.csv",
                     "Dispatch_Id,Agent_Id,Kernel_Name,Counter_Name,Counter_Value,End_Timestamp\n"
                     "1,1,k,SQ_WAVES,1,5\n")
            .errors == std::vector<std::string>{"c.csv: expected counters with the column "
                                                "Start_Timestamp, got none: a newer rocprofv3 "
                                                "writes it"});
}

TEST_CASE("Rows that cannot be read cost only themselves, and are one message",
          "[profilers/kernel_recordings]") {
  struct Case {
    std::string name;
    std::string text;
    std::string error;
  };
  const std::string header = "Start (ns),Duration (ns),CorrId,Device,Name\n0,10,1,A (0),good\n";
  const std::string sums = "Time (%),Total Time (ns),Instances,Name\n100,10,1,good\n";
  const std::vector<Case> cases{
      {"x.csv", header + "5,abc,1,A (0),f\n",
       "x.csv:3: Duration: expected a time of less than a year, got \"abc\""},
      {"x.csv", header + "5,-1,1,A (0),f\n6,1e308,1,A (0),f\n,1,1,A (0),f\n",
       "x.csv:3: Duration: expected a time of less than a year, got \"-1\"; left out with 2 "
       "more rows that cannot be read"},
      {"x.csv", sums + "1,5,0,f\n",
       "x.csv:3: Instances: expected a count of at least 1, got \"0\""},
      {"x.csv", sums + "1,5,1000000000001,f\n",
       "x.csv:3: Instances: expected a count from 1 to 1000000000000, got \"1000000000001\""},
      {"x.csv", sums + "1,5,99999999999999999999,f\n",
       "x.csv:3: Instances: expected a count from 1 to 1000000000000, got "
       "\"99999999999999999999\""},
      {"x.csv",
       "\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
       "Value\"\n0,1,good,gpu__time_duration.sum,ns,5\n1,1,f,dram__bytes.sum,byte,5\n",
       "x.csv:3: expected the launch's gpu__time_duration.sum, got none: record it with ncu "
       "--metrics"},
      {"x.csv", "Kind,Kernel_Name,Start_Timestamp,End_Timestamp\nK,good,1,2\nK,f,7,2\n",
       "x.csv:3: End_Timestamp: expected a time stamp in ns after the start, got \"2\""},
  };
  for (const Case& each : cases) {
    INFO(each.text);
    const Kernels kernels = read_text_as(each.name, each.text);
    CHECK(kernels.errors == std::vector<std::string>{each.error});
    REQUIRE(kernels.recording);
    REQUIRE(kernels.recording->kernels.size() == 1);
    CHECK(kernels.recording->kernels[0].name == "good");
  }
}

TEST_CASE("Lines that are no rows of the table are counted", "[profilers/kernel_recordings]") {
  const std::string launches = "Start (ns),Duration (ns),CorrId,Device,Name\n";
  const std::string metrics =
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
      "Value\"\n0,1,good,gpu__time_duration.sum,ns,5\n";
  const std::string columns = "ID,Process ID,Kernel Name,gpu__time_duration.sum\n,,,us\n";
  const std::string dispatches = "Kind,Kernel_Name,Start_Timestamp,End_Timestamp\n";
  const std::string left_out = "lines below the header that are no rows of the table, left out: ";
  for (const std::string& text : {launches + "0,10,1,A (0),good\nepoch 1\n5,1,1,A (0),a,b\n",
                                  metrics + "epoch 1\n1,x,good,gpu__time_duration.sum,ns,5\n",
                                  columns + "0,1,good,5\nepoch 1\n,,,ns\n",
                                  launches + "0,10,1,A (0),good\n\"epoch\n1,2,3\"\n",
                                  dispatches + "K,good,1,2\nepoch 1\nK,good,1,2,3\n"}) {
    INFO(text);
    const Kernels kernels = read_text_as("x.csv", text);
    CHECK(kernels.errors.empty());
    REQUIRE(kernels.recording);
    REQUIRE(kernels.recording->notes.size() == 1);
    CHECK(kernels.recording->notes[0].starts_with(left_out + "2, the first is line "));
    REQUIRE(kernels.recording->kernels.size() == 1);
    CHECK(kernels.recording->kernels[0].launches == 1);
  }
}

TEST_CASE("Tensor cores that nobody counted leave the FLOP unknown",
          "[profilers/kernel_recordings]") {
  const auto flops = [](const std::string& capability, const std::string& more,
                        const std::string& unit = "sm") {
    const std::string begin = "0,1,f,(1 1 1),(1 1 1),0," + capability + ",";
    const Kernels kernels = read_text_as(
        "x.csv",
        "ID,Process ID,Kernel Name,Block Size,Grid Size,Device,CC,Metric Name,Metric Unit,Metric "
        "Value\n" +
            begin + "gpu__time_duration.sum,us,5\n" + begin +
            "sm__sass_thread_inst_executed_op_ffma_pred_on.sum,inst,100\n" + begin + unit +
            "__inst_executed_pipe_tensor.sum,inst,10\n" + (more.empty() ? "" : begin + more));
    const auto all = kernels.recording->kernels.at(0).counters.flop_in_all();
    CHECK(kernels.recording->notes.size() == (all ? 0 : 1));
    return all;
  };
  CHECK_FALSE(flops("8.0", ""));
  CHECK(flops("8.0", "sm__ops_path_tensor_src_bf16_dst_fp32.sum,,4096\n") == 4296.0);
  CHECK(flops("8.0", "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum,inst,10\n") == 200.0);
  // As on an H100, where a compiler's hfma2 is all that takes the pipe: 32 threads a warp.
  const std::string packed = "sm__sass_thread_inst_executed_op_hfma_pred_on.sum,inst,";
  CHECK(flops("9.0", packed + "320\n") == 200.0 + 4 * 320);
  CHECK_FALSE(flops("9.0", packed + "319\n"));
  CHECK(flops("7.0", "") == 200.0 + 5120.0);
  CHECK_FALSE(flops("8.0", "", "smsp"));
  CHECK(flops("7.0", "", "smsp") == 200.0 + 5120.0);
}

TEST_CASE("What is known and not read is named, with what to do", "[profilers/kernel_recordings]") {
  struct Case {
    std::string name;
    std::string text;
    std::string error;
  };
  const std::string database("SQLite format 3\0", 16);
  const std::vector<Case> cases{
      {"run.nsys-rep", "x",
       "this is a report of Nsight Systems, which is not read: print its kernels with nsys stats "
       "--report cuda_gpu_trace --format csv"},
      {"run.ncu-rep", "NVR\x01",
       "this is a report of Nsight Compute, which is not read: print it with ncu --import FILE "
       "--page raw --csv"},
      {"run.db", database + "rocpd_kernel_dispatch",
       "this is a database of rocprofv3, which is not read: turn it into CSV with rocpd convert "
       "--output-format csv"},
      {"run.pftrace", "\n\x08",
       "this is a Perfetto trace, which is not read: record with rocprofv3 --output-format csv or "
       "json"},
      {"api.csv", "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n1,2,3,4,cudaMalloc\n",
       "this is Nsight Systems' table of calls, which is not read: give the one of "
       "--report cuda_gpu_trace or cuda_gpu_kern_sum"},
      {"1_kernel_stats.csv", "\"Name\",\"Calls\",\"TotalDurationNs\"\n\"f(int*)\",4,8000\n",
       "this is a table of sums of rocprof, which is not read: give the file of kernels beside it, "
       "*_kernel_trace.csv"},
      {"hip.csv", "\"Name\",\"Calls\",\"TotalDurationNs\"\n\"hipMalloc\",4,8000\n",
       "this is a table of sums of rocprof, which is not read: give the file of kernels beside it, "
       "*_kernel_trace.csv"},
      {"nvprof.csv", "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Name\"\n,%,ms,,\n",
       "this is a table of nvprof, which is not read: record with Nsight Systems, and print its "
       "kernels with nsys stats --report cuda_gpu_trace --format csv"},
      {"nvprof.txt",
       "==7== Profiling result:\n"
       "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n"
       " GPU activities:   60.00%  1.2000ms         3  400.00us  300.00us  500.00us  sgemm\n",
       "this is a table of nvprof, which is not read: record with Nsight Systems, and print its "
       "kernels with nsys stats --report cuda_gpu_trace --format csv"},
      {"nsys.txt",
       "\n ** CUDA API Summary (cuda_api_sum):\n\n"
       " Time (%)  Total Time (ns)  Num Calls  Avg (ns)     Name    \n",
       "this is a printed table of Nsight Systems, which is not read: print its kernels with nsys "
       "stats --report cuda_gpu_trace --format csv"},
      {"results.csv",
       "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"grd\",\"wgr\",\"BeginNs\",\"EndNs\"\n",
       "this is rocprof's table of kernels, which is not read: record with rocprofv3 "
       "--output-format csv or json"},
      {"timestamps.csv",
       "Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,Arch_VGPR,Kernel_Name,Start_Timestamp,"
       "End_Timestamp\n0,2,1048576,256,8,copy.kd,1000,21000\n",
       "this is rocprofiler-compute's table of kernels, which is not read: record with rocprofv3 "
       "--output-format csv or json"},
      {"counters.csv", "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"SQ_WAVES\"\n",
       "this is rocprof's table of kernels, which is not read: record with rocprofv3 "
       "--output-format csv or json"},
      {"pmc_perf.csv", "Dispatch_ID,GPU_ID,Grid_Size,VGPRs,Kernel_Name,SQ_WAVES\n",
       "this is rocprofiler-compute's table of kernels, which is not read: record with rocprofv3 "
       "--output-format csv or json"},
      {"trtexec.txt",
       "[01/01/2025-00:00:00] [I] === Profile (100 iterations ) ===\n"
       "[01/01/2025-00:00:00] [I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer\n",
       "this is a log of trtexec, which is not read: give what trtexec "
       "--exportLayerInfo=layers.json --profilingVerbosity=detailed --exportProfile=profile.json "
       "writes"},
      {"averages.txt",
       "-------  ------------  ------------\n   Name    Self CPU %    # of Calls\n"
       "-------  ------------  ------------\n",
       "this is a table of key_averages(), which is not read: give the recording itself, of "
       "profile(..., record_shapes=True) and export_chrome_trace(\"FILE.json.gz\")"},
      {"1_hip_api_trace.csv", "\"Domain\",\"Function\",\"Start_Timestamp\"\n\"HIP\",\"f\",1\n",
       "this is rocprofv3's trace of calls, which is not read: give the file of "
       "kernels "
       "beside it, *_kernel_trace.csv"},
  };
  for (const Case& each : cases)
    CHECK(read_text_as(each.name, each.text).errors ==
          std::vector<std::string>{each.name + ": " + each.error});
}

TEST_CASE("A time is cycles over their rate where nothing else says it",
          "[profilers/kernel_recordings]") {
  // The metrics that NERSC's roofline scripts ask for.
  const std::string begin = "0,1,f,(1 1 1),(1 1 1),0,7.0,";
  const Kernels kernels = read_text_as(
      "x.csv",
      "ID,Process ID,Kernel Name,Block Size,Grid Size,Device,CC,Metric Name,Metric Unit,Metric "
      "Value\n" +
          begin + "sm__cycles_elapsed.avg,cycle,6000\n" + begin +
          "sm__cycles_elapsed.avg.per_second,cycle/nsecond,1.2\n" + begin +
          "dram__bytes.sum,Mbyte,2\n");
  REQUIRE(kernels.recording != nullptr);
  CHECK(kernels.recording->kernels.front().time_s == Approx(5e-6));
  CHECK(kernels.recording->kernels.front().counters.dram_byte == 2e6);
}
