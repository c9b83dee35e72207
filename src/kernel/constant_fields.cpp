#include "kernel/constant_fields.hpp"

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

namespace roofline {
namespace {

using Text = std::string_view;

constexpr ConstantUnit share{"share", 0.001, 1, 1};
constexpr ConstantUnit ratio{"ratio", 0.001, 10, 1};
constexpr ConstantUnit clocks{"clock", 0, 1e5, 0};
constexpr ConstantUnit durations{"s", 0, 1e-3, 0};
constexpr ConstantUnit own_kernel{"ratio", 0, 10, 0};
constexpr ConstantUnit round_trips{"round trip", 0, 100, 0};
constexpr ConstantUnit taps{"tap", 1, 1000};
constexpr ConstantUnit exponent{"exponent", 0, 10};
constexpr ConstantUnit tile_edge{"element", 0, 1000, 0};
constexpr ConstantUnit byte_rate{"byte/clock/SM", 0.1, 1000};
constexpr ConstantUnit byte_limit{"byte/clock/SM", 0.1, 1000, 1000};
constexpr ConstantUnit element_rate{"element/clock/SM", 0.01, 100};
constexpr ConstantUnit element_limit{"element/clock/SM", 0.01, 100, 100};
constexpr ConstantUnit flop_rate{"FLOP/clock/SM", 1, 1e5};
constexpr ConstantUnit flop_limit{"FLOP/clock/SM", 1, 1e5, 1e5};
constexpr ConstantUnit energy{"J/FLOP", 0, 1e-9, 0};
constexpr ConstantUnit bytes{"byte", 64, 1e6, 0};
constexpr ConstantUnit launches{"launch", 0, 100, 1};
constexpr ConstantUnit splits{"part", 1, 1000, 1000};

constexpr Text in_flight = "that an SM (where a block has a channel, a block) keeps in flight";

template <class Owner>
struct NumberField {
  Text key;
  double Owner::*member;
  const ConstantUnit* unit;
  Text meaning;
};

constexpr NumberField<MemoryConstants> memory_fields[] = {
    {"dram_share", &MemoryConstants::dram_share, &share,
     "of the datasheet bandwidth that a long stream sustains"},
    {"l2_byte_per_clock_per_sm", &MemoryConstants::l2_byte_per_clock_per_sm, &byte_rate,
     "L2 to SM, all SMs at once"},
    {"l2_operand_byte_per_clock_per_sm", &MemoryConstants::l2_operand_byte_per_clock_per_sm,
     &byte_rate, "the same of tiles' operands, which neighbouring blocks fetch together"},
    {"l2_write_share", &MemoryConstants::l2_write_share, &share, "of that rate for writes alone"},
    {"l2_kept_share", &MemoryConstants::l2_kept_share, &share,
     "of the L2's size: a working set below it stays wholly resident"},
    {"l2_lost_share", &MemoryConstants::l2_lost_share, &share,
     "of the L2's size: a working set above it keeps nothing"},
    {"l2_dirty_share", &MemoryConstants::l2_dirty_share, &share,
     "of the L2's size: written lines that wait there, at most"},
    {"l2_dram_ratio", &MemoryConstants::l2_dram_ratio, &ratio,
     "L2 rate to the bandwidth of device memory, at least: narrow parts feed theirs too"},
    {"cold_share", &MemoryConstants::cold_share, &share,
     "of the L2's size: of a cold working set below it, lines come with those of neighbours"},
    {"l2_latency_s", &MemoryConstants::l2_latency_s, &durations,
     "one dependent access that hits L2, issue included"},
    {"dram_latency_s", &MemoryConstants::dram_latency_s, &durations,
     "one dependent access that misses L2"},
};

constexpr NumberField<LaunchConstants> launch_fields[] = {
    {"start_s", &LaunchConstants::start_s, &durations,
     "an empty kernel, as a profiler times it: its start and end"},
    {"gap_s", &LaunchConstants::gap_s, &durations, "between two kernels of a CUDA graph"},
    {"stream_s", &LaunchConstants::stream_s, &durations,
     "more from one library call to the next in a stream, with its helper kernels"},
};

constexpr NumberField<PartConstants> part_fields[] = {
    {"vector_joule_per_flop", &PartConstants::vector_joule_per_flop, &energy,
     "dynamic, at the boost clock, operands' way included; 0: no estimate, never at the limit"},
    {"tensor_joule_per_flop", &PartConstants::tensor_joule_per_flop, &energy,
     "the same on tensor cores, of 16-bit operands; others by their width"},
    {"arithmetic_power_share", &PartConstants::arithmetic_power_share, &share,
     "of the board's power limit: the rest feeds memory and leakage"},
    {"power_load_share", &PartConstants::power_load_share, &share,
     "of the peak rate at which arithmetic draws power: no kernel sustains more"},
    {"clock_power_exponent", &PartConstants::clock_power_exponent, &exponent,
     "clock to power: the voltage falls with the clock"},
    {"clock_share", &PartConstants::clock_share, &share, "of the boost clock that lasts"},
    {"library_share", &PartConstants::library_share, &share,
     "of the rates of NVIDIA's kernels that the vendor's library reaches"},
    {"int8_share", &PartConstants::int8_share, &share,
     "of the rates of the other tensor types that int8 kernels reach"},
    {"integer_joule_share", &PartConstants::integer_joule_share, &share,
     "of the energy of floats as wide that integers take on tensor cores"},
};

constexpr NumberField<DenseConstants> dense_fields[] = {
    {"math_share", &DenseConstants::math_share, &share,
     "practical share of the engine's peak, large tiles"},
    {"operand_element", &DenseConstants::operand_element, &tile_edge,
     "a tile edge at which bringing operands to the ALUs costs as much time as the arithmetic"},
    {"step_latency_clk", &DenseConstants::step_latency_clk, &clocks,
     "least time of one step (tile k) of one block"},
    {"library_share", &DenseConstants::library_share, &ratio,
     "rate of the GEMM library's kernels to that of convolutions'"},
    {"window_step_latency_clk", &DenseConstants::window_step_latency_clk, &clocks,
     "least time of a step where addresses follow a window"},
    {"window_latency_clk", &DenseConstants::window_latency_clk, &clocks,
     "more of a block's start then: offset tables"},
    {"block_latency_clk", &DenseConstants::block_latency_clk, &clocks,
     "a block's start, first loads, last stores"},
    {"gather_per_clk_per_sm", &DenseConstants::gather_per_clk_per_sm, &element_rate,
     "elements fetched one by one: channels that are no whole vectors"},
    {"wgrad_gather", &DenseConstants::wgrad_gather, &ratio,
     "the same in weight gradients, to that"},
    {"first_layer_gather", &DenseConstants::first_layer_gather, &own_kernel,
     "the same in the kernel for first layers of 7x7, stride 2, to 64 channels; 0: there is none"},
    {"scatter_per_clk_per_sm", &DenseConstants::scatter_per_clk_per_sm, &element_rate,
     "results added by atomics"},
    {"store_byte_per_clk_per_sm", &DenseConstants::store_byte_per_clk_per_sm, &byte_limit,
     "results that blocks store at their ends"},
    {"dgrad_share", &DenseConstants::dgrad_share, &ratio,
     "rate of data gradients' kernels to that of forward ones"},
    {"wgrad_share", &DenseConstants::wgrad_share, &ratio, "the same of weight gradients'"},
    {"dilated_share", &DenseConstants::dilated_share, &ratio,
     "rate at dilations above near_dilation, to that of others"},
    {"short_row_flop_per_clk_per_sm", &DenseConstants::short_row_flop_per_clk_per_sm, &flop_limit,
     "products of 16-bit types whose rows are multiples of 4 or 8 byte, no more; wider types half"},
    {"odd_row_flop_per_clk_per_sm", &DenseConstants::odd_row_flop_per_clk_per_sm, &flop_limit,
     "the same of rows of 2 byte"},
    {"start_s", &DenseConstants::start_s, &durations,
     "start and end of a convolution's kernel, beyond those of an empty one"},
    {"library_start_s", &DenseConstants::library_start_s, &durations,
     "the same of the GEMM library's kernels"},
    {"extra_kernel_s", &DenseConstants::extra_kernel_s, &durations,
     "the same of each further kernel of the layer"},
    {"window_reduce_s", &DenseConstants::window_reduce_s, &durations,
     "the same of adding split-K sums after a kernel that follows a window"},
    {"fft_share", &DenseConstants::fft_share, &ratio,
     "speed of FFT transforms to that of Winograd's"},
    {"transpose_per_clk_per_sm", &DenseConstants::transpose_per_clk_per_sm, &element_rate,
     "copies between NCHW and NHWC"},
    {"winograd_share", &DenseConstants::winograd_share, &ratio,
     "rate of fused Winograd kernels to math_share"},
    {"transform_per_clk_per_sm", &DenseConstants::transform_per_clk_per_sm, &element_limit,
     "points of images that Winograd's transforms make or take"},
    {"weight_transform_per_clk_per_sm", &DenseConstants::weight_transform_per_clk_per_sm,
     &element_limit, "the same of weights"},
    {"batched_share", &DenseConstants::batched_share, &ratio,
     "rate of GEMMs over transformed tiles to math_share"},
};

constexpr NumberField<SelectionConstants> selection_fields[] = {
    {"near_dilation", &SelectionConstants::near_dilation, &taps,
     "the largest dilation at which dense kernels keep their rate"},
    {"gathered_window", &SelectionConstants::gathered_window, &taps,
     "edge of the window that the tiles of the list gathered_window are for"},
    {"wgrad_splits", &SelectionConstants::wgrad_splits, &splits,
     "parts of k at most in weight gradients of convolutions on tensor cores"},
};

constexpr NumberField<StreamKernel> stream_fields[] = {
    {"start_s", &StreamKernel::start_s, &durations,
     "beyond the launch: filling the SMs, parameters, the tail"},
    {"round_trips", &StreamKernel::round_trips, &round_trips,
     "dependent round trips, whatever the size"},
    {"element_clock", &StreamKernel::element_clock, &clocks, "an element"},
    {"in_flight_byte", &StreamKernel::in_flight_byte, &bytes, in_flight},
};

constexpr NumberField<AttentionKernel> attention_fields[] = {
    {"start_s", &AttentionKernel::start_s, &durations, "beyond the launch"},
    {"tensor_share", &AttentionKernel::tensor_share, &share,
     "of the tensor peak that products on whole tiles reach"},
    {"vector_share", &AttentionKernel::vector_share, &share, "of the vector peak"},
    {"score_clock", &AttentionKernel::score_clock, &clocks, "a score, beside the products"},
    {"block_clock", &AttentionKernel::block_clock, &clocks, "a block of queries"},
};

constexpr NumberField<AttentionConstants> attention_constant_fields[] = {
    {"flash_share", &AttentionConstants::flash_share, &share,
     "rate of the kernels of FlashAttention 2 and of memory-efficient attention, to others'"},
    {"mask_score_clock", &AttentionConstants::mask_score_clock, &clocks,
     "a score that a mask is added to; twice where the mask's rows are no whole 16 byte"},
};

struct AttentionKernelField {
  Text key;
  AttentionKernel AttentionConstants::*member;
};
constexpr AttentionKernelField attention_kernels[] = {
    {"forward", &AttentionConstants::forward},
    {"backward", &AttentionConstants::backward},
};

constexpr NumberField<PoolKernel> pool_fields[] = {
    {"start_s", &PoolKernel::start_s, &durations, "beyond the launch"},
    {"output_round_trip", &PoolKernel::output_round_trip, &round_trips,
     "an output that a thread makes in turn"},
    {"tap_round_trip", &PoolKernel::tap_round_trip, &round_trips, "a tap of it"},
    {"output_clock", &PoolKernel::output_clock, &clocks, "an output"},
    {"tap_clock", &PoolKernel::tap_clock, &clocks, "a tap"},
    {"input_clock", &PoolKernel::input_clock, &clocks, "an input that the window moves on to"},
    {"in_flight_byte", &PoolKernel::in_flight_byte, &bytes, in_flight},
};

constexpr NumberField<StreamingConstants> streaming_fields[] = {
    {"simple_clock", &StreamingConstants::simple_clock, &clocks, "an element of ReLU and the like"},
    {"exponential_clock", &StreamingConstants::exponential_clock, &clocks,
     "of sigmoid, tanh, SiLU"},
    {"erf_clock", &StreamingConstants::erf_clock, &clocks, "of GELU"},
    {"backward_ratio", &StreamingConstants::backward_ratio, &ratio,
     "clocks of an activation's derivative, which repeats the function, to the function's"},
    {"norm_nchw_block_clock", &StreamingConstants::norm_nchw_block_clock, &clocks,
     "a channel of an image in a batch norm, however small"},
    {"norm_channel_clock", &StreamingConstants::norm_channel_clock, &clocks,
     "a block of a channel, in training"},
    {"norm_in_flight_byte", &StreamingConstants::norm_in_flight_byte, &bytes,
     "an SM, however many channels have blocks on it, in training"},
    {"concat_block_clock", &StreamingConstants::concat_block_clock, &clocks, "starting a block"},
    {"gather_row_clock", &StreamingConstants::gather_row_clock, &clocks,
     "a row that indices pick: a block of its own"},
    {"scatter_element_clock", &StreamingConstants::scatter_element_clock, &clocks,
     "an element that an atomic adds"},
    {"max_backward_lone_clock", &StreamingConstants::max_backward_lone_clock, &clocks,
     "an element in NHWC under a single window, written by itself"},
    {"upsample_tap_clock", &StreamingConstants::upsample_tap_clock, &clocks,
     "an element that an interpolated one is made of"},
    {"upsample_plane_round_trip", &StreamingConstants::upsample_plane_round_trip, &round_trips,
     "to L2, a plane that one thread interpolates in turn"},
    {"softmax_lane_round_trip", &StreamingConstants::softmax_lane_round_trip, &round_trips,
     "an element that a lane of a warp holds"},
    {"layer_norm_row_clock", &StreamingConstants::layer_norm_row_clock, &clocks, "a row"},
    {"rms_norm_row_clock", &StreamingConstants::rms_norm_row_clock, &clocks,
     "a row of an RMS norm, which has no mean"},
    {"layer_norm_ragged_row_clock", &StreamingConstants::layer_norm_ragged_row_clock, &clocks,
     "a row that is no multiple of four elements"},
    {"layer_norm_backward_row_clock", &StreamingConstants::layer_norm_backward_row_clock, &clocks,
     "a row"},
    {"row_step_round_trip", &StreamingConstants::row_step_round_trip, &round_trips,
     "a step of a block along its row"},
};

struct StreamKernelField {
  Text key;
  StreamKernel StreamingConstants::*member;
};
constexpr StreamKernelField stream_kernels[] = {
    {"vectorized", &StreamingConstants::vectorized},
    {"vectorized_several", &StreamingConstants::vectorized_several},
    {"broadcast", &StreamingConstants::broadcast},
    {"permuted", &StreamingConstants::permuted},
    {"transposed", &StreamingConstants::transposed},
    {"norm_nhwc", &StreamingConstants::norm_nhwc},
    {"norm_nchw", &StreamingConstants::norm_nchw},
    {"norm_statistics_nhwc", &StreamingConstants::norm_statistics_nhwc},
    {"norm_statistics_nchw", &StreamingConstants::norm_statistics_nchw},
    {"norm_backward_nhwc", &StreamingConstants::norm_backward_nhwc},
    {"norm_backward_nchw", &StreamingConstants::norm_backward_nchw},
    {"concat_nhwc", &StreamingConstants::concat_nhwc},
    {"concat_nchw", &StreamingConstants::concat_nchw},
    {"upsample_nhwc", &StreamingConstants::upsample_nhwc},
    {"upsample_nchw", &StreamingConstants::upsample_nchw},
    {"softmax_warp", &StreamingConstants::softmax_warp},
    {"softmax_block", &StreamingConstants::softmax_block},
    {"layer_norm", &StreamingConstants::layer_norm},
    {"layer_norm_ragged", &StreamingConstants::layer_norm_ragged},
    {"layer_norm_backward", &StreamingConstants::layer_norm_backward},
    {"layer_norm_parameters", &StreamingConstants::layer_norm_parameters},
};

constexpr NumberField<ReductionKernel> reduction_fields[] = {
    {"start_s", &ReductionKernel::start_s, &durations, "beyond the launch"},
    {"warp_clock", &ReductionKernel::warp_clock, &clocks, "a warp's start and its result"},
    {"load_clock", &ReductionKernel::load_clock, &clocks, "a load, of four elements or of one"},
    {"step_round_trip", &ReductionKernel::step_round_trip, &round_trips,
     "to L2, four loads of a thread that the next four wait for"},
    {"meeting_round_trip", &ReductionKernel::meeting_round_trip, &round_trips,
     "to L2, for the blocks that share a result to find the last of them"},
    {"partial_round_trip", &ReductionKernel::partial_round_trip, &round_trips,
     "to L2, a partial result that a thread of it adds"},
    {"in_flight_byte", &ReductionKernel::in_flight_byte, &bytes, in_flight},
};

constexpr NumberField<GroupNormKernel> group_norm_fields[] = {
    {"start_s", &GroupNormKernel::start_s, &durations, "beyond the launches"},
    {"row_clock", &GroupNormKernel::row_clock, &clocks,
     "a group of an image, backward a channel of it"},
    {"element_clock", &GroupNormKernel::element_clock, &clocks, "an element, in all kernels"},
    {"step_round_trip", &GroupNormKernel::step_round_trip, &round_trips,
     "to L2, 512 elements of a row that a block sums in turn"},
    {"image_round_trip", &GroupNormKernel::image_round_trip, &round_trips,
     "to L2, an image over which a thread sums the gradients of the parameters"},
    {"in_flight_byte", &GroupNormKernel::in_flight_byte, &bytes, in_flight},
};

struct GroupNormKernelField {
  Text key;
  GroupNormKernel StreamingConstants::*member;
};
constexpr GroupNormKernelField group_norm_kernels[] = {
    {"group_norm", &StreamingConstants::group_norm},
    {"group_norm_backward", &StreamingConstants::group_norm_backward},
};

struct PoolKernelField {
  Text key;
  PoolKernel StreamingConstants::*member;
};
constexpr PoolKernelField pool_kernels[] = {
    {"max_nhwc", &StreamingConstants::max_nhwc},
    {"max_nchw", &StreamingConstants::max_nchw},
    {"average_nhwc", &StreamingConstants::average_nhwc},
    {"average_nchw", &StreamingConstants::average_nchw},
    {"max_backward_nhwc", &StreamingConstants::max_backward_nhwc},
    {"max_backward_nchw", &StreamingConstants::max_backward_nchw},
    {"average_backward", &StreamingConstants::average_backward},
};

constexpr NumberField<DirectKernel> direct_fields[] = {
    {"start_s", &DirectKernel::start_s, &durations, "beyond the launch"},
    {"step_round_trip", &DirectKernel::step_round_trip, &round_trips,
     "to L2, a step of the chain that one thread walks and nothing hides"},
    {"mac_clock", &DirectKernel::mac_clock, &clocks, "a multiply-add"},
    {"output_clock", &DirectKernel::output_clock, &clocks,
     "an output: index arithmetic and the store"},
    {"in_flight_byte", &DirectKernel::in_flight_byte, &bytes, in_flight},
};

constexpr NumberField<PackedKernel> packed_fields[] = {
    {"start_s", &PackedKernel::start_s, &durations, "beyond the launch"},
    {"step_round_trip", &PackedKernel::step_round_trip, &round_trips,
     "to L2, a K step that nothing hides"},
    {"fetch_byte_per_clock_per_sm", &PackedKernel::fetch_byte_per_clock_per_sm, &byte_rate,
     "operands, taps of the window read again"},
    {"in_flight_byte", &PackedKernel::in_flight_byte, &bytes, in_flight},
};

constexpr NumberField<GroupKernel> group_fields[] = {
    {"start_s", &GroupKernel::start_s, &durations, "a group beyond its launches"},
    {"step_s", &GroupKernel::step_s, &durations, "a K step of 32 that nothing hides"},
    {"flop_per_clock_per_sm", &GroupKernel::flop_per_clock_per_sm, &flop_rate,
     "arithmetic on whole tiles"},
    {"launches", &GroupKernel::launches, &launches, "a group"},
};

constexpr NumberField<GroupedConstants> grouped_fields[] = {
    {"strided_wgrad_16bit", &GroupedConstants::strided_wgrad_16bit, &ratio,
     "cost of a multiply-add where neighbours share no taps, 16 bits"},
    {"strided_wgrad_32bit", &GroupedConstants::strided_wgrad_32bit, &ratio, "the same, 32 bits"},
    {"nchw_row_clock", &GroupedConstants::nchw_row_clock, &clocks, "a window row of nchw_forward"},
    {"nchw_looped_row_clock", &GroupedConstants::nchw_looped_row_clock, &clocks,
     "of nchw_forward_looped"},
    {"nchw_wgrad_step_clock", &GroupedConstants::nchw_wgrad_step_clock, &clocks,
     "32 positions of one image, in a warp"},
    {"nchw_wgrad_image_clock", &GroupedConstants::nchw_wgrad_image_clock, &clocks,
     "an image, in a warp"},
    {"nchw_wgrad_block_clock", &GroupedConstants::nchw_wgrad_block_clock, &clocks,
     "a block: one tap of one channel"},
    {"nchw_wgrad_step_s", &GroupedConstants::nchw_wgrad_step_s, &durations,
     "a step of a warp that nothing hides"},
    {"nchw_wgrad_start_s", &GroupedConstants::nchw_wgrad_start_s, &durations, "beyond the launch"},
    {"packed_strided_share", &GroupedConstants::packed_strided_share, &share,
     "of the taps that a strided data gradient visits"},
    {"repack_start_s", &GroupedConstants::repack_start_s, &durations,
     "two layout changes around a packed kernel"},
    {"repack_element_clock", &GroupedConstants::repack_element_clock, &clocks,
     "an element of them"},
    {"slice_element_clock", &GroupedConstants::slice_element_clock, &clocks,
     "copying a group's channels out and in, aligned"},
};

struct DirectKernelField {
  Text key;
  DirectKernel GroupedConstants::*member;
};
constexpr DirectKernelField direct_kernels[] = {
    {"large_tile_16bit_dgrad", &GroupedConstants::large_tile_16bit_dgrad},
    {"untiled_dgrad", &GroupedConstants::untiled_dgrad},
    {"nchw_forward", &GroupedConstants::nchw_forward},
    {"nchw_forward_looped", &GroupedConstants::nchw_forward_looped},
    {"nchw_dgrad", &GroupedConstants::nchw_dgrad},
    {"nchw_dgrad_looped", &GroupedConstants::nchw_dgrad_looped},
};

template <class Kernel>
struct KernelByPass {
  Text key;
  ByPass<Kernel> GroupedConstants::*member;
};
constexpr KernelByPass<DirectKernel> direct_by_pass[] = {
    {"tiled_16bit", &GroupedConstants::tiled_16bit},
    {"tiled_32bit", &GroupedConstants::tiled_32bit},
    {"general_nhwc", &GroupedConstants::general_nhwc},
    {"general_nchw", &GroupedConstants::general_nchw},
};
constexpr KernelByPass<PackedKernel> packed_by_pass[] = {
    {"packed_16bit", &GroupedConstants::packed_16bit},
    {"packed_32bit", &GroupedConstants::packed_32bit},
};
constexpr KernelByPass<GroupKernel> group_by_pass[] = {
    {"group_16bit", &GroupedConstants::group_16bit},
    {"group_32bit", &GroupedConstants::group_32bit},
    {"batched_16bit", &GroupedConstants::batched_16bit},
    {"group_nchw", &GroupedConstants::group_nchw},
};

/// Walks the groups of a set, const or not, and shows each constant to `visit`.
template <class Number, class Visit>
class Walk {
 public:
  template <class Values>
  Walk(Values& values, Visit visit) : visit_(std::move(visit)) {
    add({"memory"}, values.memory, memory_fields);
    add({"launch"}, values.launch, launch_fields);
    add({"part"}, values.part, part_fields);
    for (const EngineClass engine_class : enumerators<EngineClass>)
      add({"dense", name_of(engine_class)}, values.dense[engine_class], dense_fields);
    add({"selection"}, values.selection, selection_fields);
    streaming(values.streaming);
    grouped(values.grouped);
    add({"attention"}, values.attention, attention_constant_fields);
    add_kernels("attention", values.attention, attention_kernels, attention_fields);
  }

 private:
  template <class Owner, class Fields>
  void add(const ConstantName& group, Owner& owner, const Fields& fields) {
    const auto depth = std::find(group.begin(), group.end(), Text()) - group.begin();
    ConstantName name = group;
    for (const auto& field : fields) {
      name[static_cast<std::size_t>(depth)] = field.key;
      visit_(ConstantRef<Number>{name, field.unit, field.meaning, &(owner.*field.member)});
    }
  }
  template <class Owner, class Kernels, class Fields>
  void add_kernels(Text group, Owner& owner, const Kernels& kernels, const Fields& fields) {
    for (const auto& [key, member] : kernels) add({group, key}, owner.*member, fields);
  }
  template <class Owner, class Kernels, class Fields>
  void add_by_pass(Owner& owner, const Kernels& kernels, const Fields& fields) {
    for (const auto& [key, member] : kernels)
      for (const Pass pass : enumerators<Pass>)
        add({"grouped", key, name_of(pass)}, (owner.*member)[pass], fields);
  }
  template <class Owner>
  void streaming(Owner& owner) {
    add({"streaming"}, owner, streaming_fields);
    add_kernels("streaming", owner, stream_kernels, stream_fields);
    add_kernels("streaming", owner, pool_kernels, pool_fields);
    add({"streaming", "reduction"}, owner.reduction, reduction_fields);
    add_kernels("streaming", owner, group_norm_kernels, group_norm_fields);
  }
  template <class Owner>
  void grouped(Owner& owner) {
    add({"grouped"}, owner, grouped_fields);
    add_kernels("grouped", owner, direct_kernels, direct_fields);
    add_by_pass(owner, direct_by_pass, direct_fields);
    add_by_pass(owner, packed_by_pass, packed_fields);
    add({"grouped", "packed_32bit_strided"}, owner.packed_32bit_strided, packed_fields);
    add_by_pass(owner, group_by_pass, group_fields);
    add({"grouped", "small_nchw_dgrad"}, owner.small_nchw_dgrad, group_fields);
    add({"grouped", "winograd_nchw_wgrad"}, owner.winograd_nchw_wgrad, group_fields);
  }

  Visit visit_;
};

template <class Values, class Visit>
void for_each_constant(Values& values, Visit visit) {
  using Number = std::conditional_t<std::is_const_v<Values>, const double, double>;
  Walk<Number, Visit>(values, std::move(visit));
}

template <class Number, class Values>
std::vector<ConstantRef<Number>> list_of(Values& values) {
  std::vector<ConstantRef<Number>> list;
  list.reserve(constant_count);
  for_each_constant(values, [&](const ConstantRef<Number>& constant) { list.push_back(constant); });
  return list;
}

/// How many bytes from the beginning.
std::ptrdiff_t place_in(const ConstantValues& values, const double& constant) {
  return reinterpret_cast<const char*>(&constant) - reinterpret_cast<const char*>(&values);
}

/// Of all constants, in the order of constants_of.
const std::vector<std::ptrdiff_t>& constant_places() {
  static const std::vector<std::ptrdiff_t> places = [] {
    std::vector<std::ptrdiff_t> made;
    made.reserve(constant_count);
    const ConstantValues values{};
    for_each_constant(values, [&](const ConstantRef<const double>& constant) {
      made.push_back(place_in(values, *constant.value));
    });
    return made;
  }();
  return places;
}

}  // namespace

std::string path_of(const ConstantName& name) {
  std::string path;
  for (const Text part : name)
    if (!part.empty()) path += (path.empty() ? "" : "/") + std::string(part);
  return path;
}

const ConstantPaths& constant_paths() {
  static const ConstantPaths paths = [] {
    ConstantPaths made;
    const ConstantValues values{};
    for (const auto& constant : constants_of(values)) made.all.push_back(path_of(constant.name));
    for (std::size_t i = 0; i < made.all.size(); ++i) made.index.emplace(made.all[i], i);
    return made;
  }();
  return paths;
}

std::vector<ConstantRef<double>> constants_of(ConstantValues& values) {
  return list_of<double>(values);
}

std::vector<ConstantRef<const double>> constants_of(const ConstantValues& values) {
  return list_of<const double>(values);
}

std::size_t add_origin(ModelConstants& constants, const std::string& origin) {
  std::vector<std::string>& all = constants.origins;
  const auto found = std::find(all.begin(), all.end(), origin);
  const auto index = static_cast<std::size_t>(found - all.begin());
  if (found == all.end()) all.push_back(origin);
  return index;
}

const std::string& origin_of(const ModelConstants& constants, const double& constant) {
  const std::vector<std::ptrdiff_t>& all = constant_places();
  const auto found = std::find(all.begin(), all.end(), place_in(constants.values, constant));
  return constants.origins[constants.notes[static_cast<std::size_t>(found - all.begin())].origin];
}

}  // namespace roofline
