#pragma once

// Input formats of other profilers and drivers (input/formats.cpp), recognised by their first
// bytes.

#include <string>
#include <string_view>
#include <vector>

#include "load/whole_input.hpp"

namespace roofline {

/// Tables of GPU work from `nsys stats --format csv`: launches (cuda_gpu_trace) or sums by kernel
/// (cuda_gpu_kern_sum, cuda_gpu_sum).
bool looks_like_nsight_systems(std::string_view head);
NetworkSpecs read_nsight_systems(ByteStream& stream, BadRows& bad);

/// Counters from `ncu --csv`: a row for each metric of each launch, or a row for each launch with
/// units below the header (--page raw).
bool looks_like_nsight_compute(std::string_view head);
NetworkSpecs read_nsight_compute(ByteStream& stream, BadRows& bad);

/// rocprofv3's JSON and its CSV files of kernels and counters. Names of columns and keys:
/// ROCprofiler-SDK's documentation, "Using rocprofv3".
bool looks_like_rocprofv3_csv(std::string_view head);
NetworkSpecs read_rocprofv3_csv(ByteStream& stream, BadRows& bad);
bool looks_like_rocprofv3_json(std::string_view head);
NetworkSpecs read_rocprofv3_json(ByteStream& stream, BadRows& bad);

/// Commands of MIOpenDriver from a file or a log of MIOpen (MIOPEN_ENABLE_LOGGING_CMD=1), and the
/// driver's times. Names of options: the driver's help (ROCm/MIOpen, driver).
bool looks_like_miopen_driver(std::string_view head);
NetworkSpecs read_miopen_driver(ByteStream& stream, BadRows& bad);

/// MIOpen's find databases, its own (*.fdb.txt) and the user's (*.ufdb.txt): a convolution a line,
/// with each tried solver's time. Format: ROCm/MIOpen, conv::ProblemDescription::Serialize and
/// FindDbData.
bool looks_like_find_database(std::string_view head);
std::unique_ptr<Reader> open_find_database(std::unique_ptr<ByteStream> stream);

// A TensorRT engine from trtexec. The file of --exportLayerInfo is one network; a profile beside it
// or among the inputs has the layers' times.

bool looks_like_engine_layers(std::string_view head);
NetworkSpecs read_engine(ByteStream& stream, const InputSet& inputs);
/// Times of layers (--exportProfile): nothing by themselves if their layers are known, else an
/// error.
bool looks_like_engine_profile(std::string_view head);
NetworkSpecs read_engine_profile(ByteStream& stream, const InputSet& inputs);
/// Times of whole runs (--exportTimes), or the engine explorer's digest of trtexec's log
/// (*.metadata.json): read with their layers, nothing by themselves.
bool looks_like_engine_companion(std::string_view head);
NetworkSpecs read_engine_companion(ByteStream& stream, const InputSet& inputs);
/// Files that are read with the layers, and with the profile.
std::vector<std::string> read_with_layers(const std::string& layers_file);
std::vector<std::string> read_with_profile(const std::string& profile_file);

// Known files that cannot be read: errors name them and say what to do.

/// Throws InputError for a profiler's binary file.
void refuse_binary_recording(ByteStream& stream);
/// A trace of TensorFlow's or JAX's profiler, recognised by its devices' names only.
bool looks_like_tensorflow_trace(std::string_view head);
NetworkSpecs refuse_tensorflow_trace(ByteStream& stream);
/// An unread table of a profiler. Without kernels (host calls, agents, markers) it is skipped among
/// other inputs, as in a profiler's folder.
bool looks_like_other_profiler_table(std::string_view head);
NetworkSpecs read_other_profiler_table(ByteStream& stream, const InputSet& inputs);

}  // namespace roofline
