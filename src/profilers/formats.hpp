#pragma once

// Recordings and logs of other profilers and drivers as input formats, each told by its first
// bytes: the rows of input/formats.cpp.

#include <string>
#include <string_view>
#include <vector>

#include "load/whole_input.hpp"

namespace roofline {

/// Nsight Systems' tables of GPU work, as `nsys stats --format csv` prints them: every launch
/// (cuda_gpu_trace) or sums by kernel (cuda_gpu_kern_sum, cuda_gpu_sum).
bool looks_like_nsight_systems(std::string_view head);
NetworkSpecs read_nsight_systems(ByteStream& stream, BadRows& bad);

/// Nsight Compute's counters, as `ncu --csv` prints them: a row for each metric of each launch, or
/// a row for each launch with the units below the header (--page raw).
bool looks_like_nsight_compute(std::string_view head);
NetworkSpecs read_nsight_compute(ByteStream& stream, BadRows& bad);

/// rocprofv3's JSON, and of its CSV files the trace of kernels and the counters.
/// Names of columns and keys: ROCprofiler-SDK's documentation, "Using rocprofv3".
bool looks_like_rocprofv3_csv(std::string_view head);
NetworkSpecs read_rocprofv3_csv(ByteStream& stream, BadRows& bad);
bool looks_like_rocprofv3_json(std::string_view head);
NetworkSpecs read_rocprofv3_json(ByteStream& stream, BadRows& bad);

/// Command lines of MIOpenDriver, in a file of their own or in a log of MIOpen
/// (MIOPEN_ENABLE_LOGGING_CMD=1), and the times that the driver prints. Names of its options: the
/// driver's own help (ROCm/MIOpen, driver).
bool looks_like_miopen_driver(std::string_view head);
NetworkSpecs read_miopen_driver(ByteStream& stream, BadRows& bad);

/// MIOpen's find databases, its own (*.fdb.txt) and a person's (*.ufdb.txt): a convolution a line,
/// with the time of each solver that MIOpen tried. Keys and values: ROCm/MIOpen,
/// conv::ProblemDescription::Serialize and FindDbData.
bool looks_like_find_database(std::string_view head);
std::unique_ptr<Reader> open_find_database(std::unique_ptr<ByteStream> stream);

// What trtexec writes of a TensorRT engine. The file of --exportLayerInfo is one network; the
// profile beside it, or among the other inputs, gives its layers their times.

bool looks_like_engine_layers(std::string_view head);
NetworkSpecs read_engine(ByteStream& stream, const InputSet& inputs);
/// Times of the layers (--exportProfile). It holds nothing of its own where the layers that its
/// times belong to are known; an error else.
bool looks_like_engine_profile(std::string_view head);
NetworkSpecs read_engine_profile(ByteStream& stream, const InputSet& inputs);
/// Times of whole runs (--exportTimes), or what the engine explorer's log reader makes of trtexec's
/// log (*.metadata.json): read with the layers that they belong to, and nothing by themselves.
bool looks_like_engine_companion(std::string_view head);
NetworkSpecs read_engine_companion(ByteStream& stream, const InputSet& inputs);
/// The files that are read with the layers' one, and with the profile's.
std::vector<std::string> read_with_layers(const std::string& layers_file);
std::vector<std::string> read_with_profile(const std::string& profile_file);

// Files of profilers that are known and not read: an error says what each is, and what to do.

/// Throws InputError where the stream holds a profiler's own binary file.
void refuse_binary_recording(ByteStream& stream);
/// A trace of TensorFlow's or JAX's profiler, which nothing but its devices' names tells from
/// others.
bool looks_like_tensorflow_trace(std::string_view head);
NetworkSpecs refuse_tensorflow_trace(ByteStream& stream);
/// A profiler's table that is not read. One without kernels (calls on the host, agents, markers) is
/// passed over among other inputs, as in the folder that a profiler fills.
bool looks_like_other_profiler_table(std::string_view head);
NetworkSpecs read_other_profiler_table(ByteStream& stream, const InputSet& inputs);

}  // namespace roofline
