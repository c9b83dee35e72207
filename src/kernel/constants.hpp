#pragma once

// The constants of the kernel model: what the formulas of this folder take from measurement rather
// than from a datasheet. constant_values.hpp holds them as plain numbers in groups. The build makes
// it, and the table of constant_fields(), from configs/schemas/kernel_model.json, which says what
// each constant is; files (configs/kernels) hold their values, one file a library and architecture.
// The reader and the writer of these files, --show-model and calibration are all made from the
// table.
//
// "Clocks" are SM clocks of one SM: with 132 SMs busy, 132 elements of one clock each take one
// clock together. "Round trips" are dependent accesses to memory, priced by MemorySystem.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/constant_values.hpp"
#include "kernel/engine_facts.hpp"
#include "roofline/accuracy.hpp"
#include "roofline/data_type.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// How many constants there are: nothing else is among them.
inline constexpr std::size_t constant_count = sizeof(ConstantValues) / sizeof(double);

/// What a library's dense kernels can do, by class of engines.
enum class LibraryFeature : std::uint8_t {
  split_k,             ///< forward and data gradient too; weight gradients always may
  scatter,             ///< data gradients by atomics (cuDNN's algorithm 0)
  skips_empty_phases,  ///< of strided data gradients: phases that meet no tap
  unaligned_products,  ///< pointwise layers of any channels run without copies
  pads_gathered,       ///< few channels are padded to 8, no further
  converts_wgrad,      ///< weight gradients are summed in fp32 in memory, and converted
  winograd,            ///< in forward and data gradient, fp32
  winograd_wgrad,
  winograd_box,    ///< fused: blocks take boxes of 1 x 4 x 8 tiles, weights are transformed by a
                   ///< kernel before
  winograd_boxes,  ///< boxes of other shapes too
  fft,
  fft_tiled_fwd,  ///< forward tile by tile too, not only of whole images
};

using LibraryFeatures = EnumArray<LibraryFeature, bool>;

/// One kernel that a library has: its tile, m and n of the result in steps of k elements.
struct TileKernel {
  std::uint32_t m, n, k;
  std::uint32_t threads;
  std::uint32_t stages;
  std::uint32_t registers;  ///< a thread

  bool operator==(const TileKernel&) const = default;
};

/// Lists of a library's tiles. An empty list stands for the one that it falls back to.
enum class TileList : std::uint8_t {
  vector_gemm,
  vector_linear,  ///< forward, where both operands lie along k
  vector_matmul,  ///< of batches, where one does
  vector_fwd,
  vector_dgrad,
  vector_wgrad,
  tensor_gemm,
  tensor_window,  ///< kernels that follow a window
  tensor_dgrad,
  tensor_wgrad,  ///< of windows
  tf32,
  tf32_strided_dgrad,
  byte,            ///< one-byte types
  byte_unaligned,  ///< the same for results whose rows are no multiple of 16 byte
  gathered_fwd,    ///< few channels, element by element
  gathered_window,
  gathered_wgrad,
  solver_matrix,  ///< those that solvers try, on units that multiply matrices
  solver_vector,
  solver_registers,  ///< few channels by many places
  solver_wave,       ///< a thread an output
};

using TileLists = EnumArray<TileList, std::vector<TileKernel>>;

/// A library's solver: which layers it runs, and what of.
struct Solver {
  SharedValue<std::string> name;
  Algorithm algorithm = Algorithm::implicit_gemm;
  SolverFamily family = SolverFamily::gemm;
  SolverMethod method = SolverMethod::product;
  TileList tiles = TileList::solver_matrix;
  EngineClass engine = EngineClass::vector;  ///< tensor: units that multiply matrices
  EnumArray<SolverWord, bool> runs{};
  std::array<std::uint32_t, 3> multiples{1, 1, 1};  ///< that m, n and k of its product must be of
  bool splits = false;                              ///< several blocks may share a tile's k
};

/// Errors of expected times of single layers of one kind, as files of constants state them
/// ("accuracy"). What is absent stands for any.
struct LayerErrors {
  UncertaintyBasis basis = UncertaintyBasis::datasheet;
  /// GPUs by name where the basis is measured, architectures and compute capabilities where it is
  /// architecture; else empty.
  std::vector<std::string> applies_to;
  std::optional<LayerClass> layer_class;
  std::vector<ElementCost> costs;  ///< what of the class was measured; empty: all of it
  std::optional<DataType> dtype;   ///< as EngineFacts::error_type
  std::optional<Pass> pass;
  std::uint64_t layers = 0;  ///< how many were measured
  double factor = 1;
  double factor_95 = 1;
  std::string origin;

  bool operator==(const LayerErrors&) const = default;
};

/// The same of sums of layers, and of runs of whole networks: see total_uncertainty().
struct TotalErrors {
  UncertaintyBasis basis = UncertaintyBasis::datasheet;
  double common_share = 0;
  double run_factor = 1;
  double run_factor_95 = 1;
  std::uint64_t runs = 0;  ///< how many were measured
  std::string origin;

  bool operator==(const TotalErrors&) const = default;
};

/// What sets whole runs of a way apart, where that is more than TotalErrors says.
struct WayErrors {
  RunWay way = RunWay::layers;
  double run_factor = 1;
  double run_factor_95 = 1;
  std::uint64_t runs = 0;  ///< how many were measured
  std::string origin;

  bool operator==(const WayErrors&) const = default;
};

/// A set's own errors come before those that it inherits.
struct MeasuredErrors {
  std::vector<LayerErrors> layers;
  std::vector<TotalErrors> totals;
  std::vector<WayErrors> ways;

  bool operator==(const MeasuredErrors&) const = default;
};

/// Beside a constant's value: whether a file states it, where it may lie, and where it comes from.
struct ConstantNote {
  bool stated = false;
  double least = 0;
  double most = 0;
  std::size_t origin = 0;  ///< index in ModelConstants::origins

  bool operator==(const ConstantNote&) const = default;
};

/// A file of constants with all that it inherits.
struct ModelConstants {
  std::string name;
  std::string title;
  std::vector<std::string> covers;   ///< architectures ("Volta") and compute capabilities ("8.0")
  std::vector<std::string> made_by;  ///< the command lines that fitted the values
  ConstantValues values{};
  std::vector<ConstantNote> notes;  ///< in the order of constant_fields()
  std::vector<std::string> origins;
  EnumArray<EngineClass, LibraryFeatures> features{};
  TileLists tiles;
  std::vector<Solver> solvers;
  MeasuredErrors errors;
};

struct ConstantField {
  std::string_view path;  ///< "memory/dram_share", as in a JSON Pointer
  std::string_view unit;
  double least;  ///< what no constant in this unit can lie outside of
  double most;
  /// In the simplest form of a formula: a share of 1, a time of 0, no limit to the bytes in flight
  /// (0). Rates have none.
  std::optional<double> simplest;
  std::string_view meaning;

  std::string_view key() const { return path.substr(path.rfind('/') + 1); }
  std::string_view group() const { return path.substr(0, path.rfind('/')); }
};

/// In the order of numbers_of().
std::span<const ConstantField, constant_count> constant_fields();
/// The index of the constant of that path.
std::optional<std::size_t> find_constant(std::string_view path);

/// A set's values as a list.
std::span<double, constant_count> numbers_of(ConstantValues& values);
std::span<const double, constant_count> numbers_of(const ConstantValues& values);

/// "memory.dram_share", as on the command line.
std::string dotted(std::string_view path);

/// Gives the constants that no file states a value: that of a constant which they are like, as the
/// gradients' kernels are like the forward one, else the simplest. Returns the index of one that
/// has to be stated, where there is any.
std::optional<std::size_t> complete(ModelConstants& constants);

/// The index of an origin in the set, to which it is added where it is new.
std::size_t add_origin(ModelConstants& constants, const std::string& origin);

/// Where a constant of these comes from. `constant` is a member of `constants.values`.
const std::string& origin_of(const ModelConstants& constants, const double& constant);

}  // namespace roofline
