#pragma once

// Input formats of other profilers and drivers (input/formats.cpp).

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "load/whole_input.hpp"

namespace roofline {

/// `nsys stats --format csv`: launches (cuda_gpu_trace), or sums (cuda_gpu_kern_sum, cuda_gpu_sum).
bool looks_like_nsight_systems(std::string_view head);
NetworkSpecs read_nsight_systems(ByteStream& stream, BadRows& bad);

/// `ncu --csv`: a row for each metric, or for each launch with units below the header (--page raw).
bool looks_like_nsight_compute(std::string_view head);
NetworkSpecs read_nsight_compute(ByteStream& stream, BadRows& bad);

/// cutlass_profiler --output=FILE: a kernel a row, with its problem and time. A layer for each
/// problem, with its fastest kernel. Columns: NVIDIA/cutlass, tools/profiler.
bool looks_like_cutlass(std::string_view head);
NetworkSpecs read_cutlass(ByteStream& stream, BadRows& bad);

/// JSON, and CSV of kernels and counters. Names: ROCprofiler-SDK's documentation, "Using
/// rocprofv3".
bool looks_like_rocprofv3_csv(std::string_view head);
NetworkSpecs read_rocprofv3_csv(ByteStream& stream, BadRows& bad);
bool looks_like_rocprofv3_json(std::string_view head);
NetworkSpecs read_rocprofv3_json(ByteStream& stream, BadRows& bad);

/// Commands from a file or a log (MIOPEN_ENABLE_LOGGING_CMD=1), with the program's name or without,
/// and the driver's times. Names of options: the driver's help (ROCm/MIOpen, driver).
bool looks_like_miopen_driver(std::string_view head);
NetworkSpecs read_miopen_driver(ByteStream& stream, BadRows& bad);
/// CSV whose columns are the driver's options: "-n,-c,-H,-W,...".
bool looks_like_driver_table(std::string_view head);
NetworkSpecs read_driver_table(ByteStream& stream, BadRows& bad);

/// *.fdb.txt and the user's *.ufdb.txt: a convolution a line, with each tried solver's time.
/// Format: ROCm/MIOpen, conv::ProblemDescription::Serialize and FindDbData.
bool looks_like_find_database(std::string_view head);
std::unique_ptr<Reader> open_find_database(std::unique_ptr<ByteStream> stream);
/// Its keys alone, one a line, without times.
bool looks_like_key_list(std::string_view head);
std::unique_ptr<Reader> open_key_list(std::unique_ptr<ByteStream> stream);

// trtexec --exportLayerInfo: one network; a profile beside it or among the inputs has the times.

bool looks_like_engine_layers(std::string_view head);
NetworkSpecs read_engine(ByteStream& stream, const InputSet& inputs);
/// --exportProfile: nothing by itself if its layers are known, else an error.
bool looks_like_engine_profile(std::string_view head);
NetworkSpecs read_engine_profile(ByteStream& stream, const InputSet& inputs);
/// --exportTimes, or the engine explorer's digest of trtexec's log (*.metadata.json): read with
/// their layers, nothing by themselves.
bool looks_like_engine_companion(std::string_view head);
NetworkSpecs read_engine_companion(ByteStream& stream, const InputSet& inputs);
std::vector<std::string> read_with_layers(const std::string& layers_file);
std::vector<std::string> read_with_profile(const std::string& profile_file);

}  // namespace roofline
