#pragma once

// The constants of the kernel model: numbers which formulas take from measurement, not from a
// datasheet. constant_values.hpp holds them in groups. The build generates it and the table of
// constant_fields() from configs/schemas/kernel_model.json, which describes each constant; files in
// configs/kernels have the values, one file for each library and architecture. Reader and writer of
// these files, `roofline model` and calibration use the table.
//
// "Clocks" are SM clocks of one SM: with 132 SMs busy, 132 elements of one clock each take one
// clock together. "Round trips" are dependent accesses to memory, priced by MemorySystem.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/choices.hpp"
#include "kernel/constant_values.hpp"
#include "kernel/engine_facts.hpp"
#include "model/layer_kind.hpp"
#include "roofline/accuracy.hpp"
#include "roofline/data_type.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Numbers that formulas take, some of them alike.
inline constexpr std::size_t constant_member_count = sizeof(ConstantValues) / sizeof(double);

enum class LibraryFeature : std::uint8_t {
  split_k,             ///< forward and data gradient too; weight gradients always may
  scatter,             ///< data gradients by atomics (cuDNN's algorithm 0)
  skips_empty_phases,  ///< strided data gradients skip phases without taps
  products_of_images,  ///< pointwise layers in NCHW are products, one an image
  pads_gathered,       ///< few channels are padded to 8 only
  converts_wgrad,      ///< weight gradients are summed in fp32 in memory, then converted
  winograd,            ///< forward and data gradient, fp32
  winograd_wgrad,
  /// Fused: blocks take boxes of 1 x 4 x 8 tiles; a kernel transforms the weights first.
  winograd_box,
  winograd_boxes,  ///< boxes of other shapes too
  fft,
  fft_tiled_fwd,  ///< forward tile by tile, besides whole images
};

using LibraryFeatures = EnumArray<LibraryFeature, bool>;

/// Its tile is m x n of the result, in steps of k elements.
struct TileKernel {
  std::uint32_t m;
  std::uint32_t n;
  std::uint32_t k;
  std::uint32_t threads;
  std::uint32_t stages;
  std::uint32_t registers;  ///< per thread

  bool operator==(const TileKernel&) const = default;
};

/// A library's lists of tiles; an empty list falls back to another one.
enum class TileList : std::uint8_t {
  vector_gemm,
  vector_linear,  ///< forward: both operands lie along k
  vector_matmul,  ///< batched: one operand lies along k
  vector_fwd,
  vector_dgrad,
  vector_wgrad,
  tensor_gemm,
  tensor_window,  ///< kernels with a window
  tensor_dgrad,
  tensor_wgrad,
  tf32,
  tensor_strided_dgrad,
  tf32_strided_dgrad,
  older_window,  ///< kernels of the instructions before, for any window
  older_volume,  ///< forward, windows of three axes
  older_strided_dgrad,
  older_tf32,
  heuristic_window,  ///< picked by a heuristic for many taps of images, forward
  heuristic_tf32,
  byte,
  byte_unaligned,  ///< one-byte types, rows of results are no multiple of 16 byte
  gathered_fwd,    ///< few channels, loaded element by element
  gathered_window,
  gathered_wgrad,
  solver_matrix,  ///< of solvers, on matrix units
  solver_vector,
  solver_registers,  ///< few channels by many places
  solver_wave,       ///< one thread per output
};

using TileLists = EnumArray<TileList, std::vector<TileKernel>>;

struct Solver {
  SharedValue<std::string> name;
  Algorithm algorithm = Algorithm::implicit_gemm;
  SolverFamily family = SolverFamily::gemm;
  SolverMethod method = SolverMethod::product;
  TileList tiles = TileList::solver_matrix;
  EngineClass engine = EngineClass::vector;  ///< tensor: matrix units
  EnumArray<SolverWord, bool> runs{};
  /// Required divisors of its product's m, n and k.
  std::array<std::uint32_t, 3> multiples{1, 1, 1};
  bool splits = false;  ///< several blocks may share a tile's k
  double share = 1;     ///< of its family's rate
  Release since{};      ///< first release that has it; 0.0: unknown
  Release until{};      ///< last one
};

/// What sets a convolution apart from most of networks; the first that holds.
enum class ConvolutionForm : std::uint8_t {
  few_channel_volume,  ///< three axes, one group, fewer than 16 channels on a side
  few_channels,        ///< likewise with fewer axes
  volume,              ///< three axes
  line,                ///< one axis
  transposed,
  odd_channels,  ///< of a group no multiples of 8, in several groups no power of two
  long_window,   ///< more than 32 taps
  dilated,
  depthwise,
  usual,
};

/// `usual` of other kinds.
ConvolutionForm form_of(const Layer& layer);

/// Errors of expected times of single layers ("accuracy" in files). Absent fields match anything.
struct LayerErrors {
  UncertaintyBasis basis = UncertaintyBasis::datasheet;
  /// GPU names (basis measured), architectures and compute capabilities (architecture), or empty.
  std::vector<std::string> applies_to;
  std::optional<LayerClass> layer_class;
  std::vector<ElementCost> costs;  ///< measured costs in the class; empty: all
  std::optional<ConvolutionForm> form;
  std::optional<DataType> dtype;  ///< as EngineFacts::error_type
  std::optional<Pass> pass;
  /// Time of the kernel that the library's heuristic picks to the expected one's; 0: errors of the
  /// fastest kernel.
  double heuristic_ratio = 0;
  std::uint64_t layers = 0;
  double factor = 1;
  double factor_95 = 1;
  std::string origin;

  bool operator==(const LayerErrors&) const = default;
};

/// Errors of sums of layers and of runs of whole networks: see total_uncertainty().
struct TotalErrors {
  UncertaintyBasis basis = UncertaintyBasis::datasheet;
  double common_share = 0;
  double run_factor = 1;
  double run_factor_95 = 1;
  std::uint64_t runs = 0;
  std::string origin;

  bool operator==(const TotalErrors&) const = default;
};

/// Additional errors of whole runs of one way.
struct WayErrors {
  RunWay way = RunWay::layers;
  double run_factor = 1;
  double run_factor_95 = 1;
  std::uint64_t runs = 0;
  std::string origin;

  bool operator==(const WayErrors&) const = default;
};

/// A set's own errors precede inherited ones.
struct MeasuredErrors {
  std::vector<LayerErrors> layers;
  std::vector<TotalErrors> totals;
  std::vector<WayErrors> ways;

  bool operator==(const MeasuredErrors&) const = default;
};

/// Errors whose entries are found by bits, one for each value of each property of a layer: a stream
/// asks for each of its records, and an entry is long.
class FoundErrors {
 public:
  /// Keeps the errors that `holds` takes, nearest basis first.
  FoundErrors(std::shared_ptr<const MeasuredErrors> all,
              const std::function<bool(const LayerErrors&)>& holds);

  /// In the order in which they are asked.
  const std::vector<const LayerErrors*>& layers() const { return layers_; }
  /// The errors of the layer on kernels of this source; null if the library's heuristic was not
  /// measured. Of a kernel newer than all measurements those hold that hold for any GPU.
  const LayerErrors* find(const Layer& layer, KernelSource kernels, Engine engine,
                          bool is_newer = false) const;

 private:
  struct Entry {
    std::uint64_t takes = 0;  ///< bits
    const LayerErrors* errors = nullptr;
  };
  std::shared_ptr<const MeasuredErrors> all_;
  std::vector<const LayerErrors*> layers_;
  /// The entries that take a class, of the fastest kernels and of the heuristic's.
  std::array<EnumArray<LayerClass, std::vector<Entry>>, 2> entries_;
};

struct ConstantNote {
  bool stated = false;
  double least = 0;
  double most = 0;
  std::size_t origin = 0;  ///< index in ModelConstants::origins

  bool operator==(const ConstantNote&) const = default;
};

/// With everything inherited.
struct ModelConstants {
  std::string name;
  std::string title;
  std::vector<std::string> covers;   ///< architectures ("Volta") and compute capabilities ("8.0")
  std::vector<std::string> made_by;  ///< command lines which fitted the values
  std::string file;                  ///< empty: built in, or in a GPU's file
  ConstantValues values{};
  std::vector<ConstantNote> notes;  ///< in the order of constant_fields()
  std::vector<std::string> origins;
  EnumArray<EngineClass, LibraryFeatures> features{};
  TileLists tiles;
  std::vector<Solver> solvers;
  LibraryChoices choices;
  MeasuredErrors errors;
};

struct ConstantField {
  std::string_view path;  ///< "memory/dram_share", as in a JSON Pointer
  std::string_view unit;
  double least;  ///< range of all constants in this unit
  double most;
  /// In a formula's simplest form: share 1, time 0, no limit to bytes in flight (0). Absent for
  /// rates.
  std::optional<double> simplest;
  std::string_view meaning;

  std::string_view key() const { return path.substr(path.rfind('/') + 1); }
  std::string_view group() const { return path.substr(0, path.rfind('/')); }
};

/// In the order of ConstantNumbers.
std::span<const ConstantField> constant_fields();
std::optional<std::size_t> find_constant(std::string_view path);

/// A number of ConstantValues. Where its kernel has no constant of this name, it is like another
/// constant, or the simplest.
struct ConstantMember {
  std::string_view path;
  std::optional<double> simplest;
  std::string_view like;  ///< a constant's path; empty: what constants of this name are like
  std::optional<std::size_t> source;  ///< the constant whose value it has; nullopt: the simplest
};

/// In the order of the structures.
std::span<const ConstantMember, constant_member_count> constant_members();

/// A set's constants as a list, and the set of a list.
using ConstantNumbers = std::vector<double>;
ConstantNumbers numbers_of(const ConstantValues& values);
ConstantValues values_of(const ConstantNumbers& numbers);

/// "memory.dram_share", as on the command line.
std::string dotted(std::string_view path);

/// Fills in constants stated by no file: from a related constant, as gradients from forward
/// kernels, else the simplest value. Returns the index of a missing constant.
std::optional<std::size_t> complete(ModelConstants& constants);

std::size_t add_origin(ModelConstants& constants, const std::string& origin);

/// The index in constant_members(). `member`: one of `values`.
std::size_t index_of(const ConstantValues& values, const double& member);

/// `member`: one of `constants.values`.
const std::string& origin_of(const ModelConstants& constants, const double& member);

}  // namespace roofline
