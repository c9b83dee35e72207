// Convolutions counted tap by tap with plain loops, against the formulas.

#include <array>
#include <string>

#include "load/loading.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace {

/// Knuth's MMIX generator: the same numbers on every system.
class Generator {
 public:
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return least + (state_ >> 33U) % (most - least + 1);
  }

 private:
  std::uint64_t state_ = 2026;
};

/// One axis of a window, and the sizes that loops over its positions find.
struct WindowAxis {
  int size = 1, kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0, extra = 0;

  /// Places at which the window fits into the padded input.
  std::uint64_t positions() const {
    std::uint64_t count = 0;
    for (int first = -begin; first + dilation * (kernel - 1) <= size - 1 + end; first += stride)
      ++count;
    return count;
  }

  /// What the taps of all inputs reach, less the padding.
  int scattered() const {
    int last = 0;
    for (int i = 0; i < size; ++i)
      for (int tap = 0; tap < kernel; ++tap) last = std::max(last, i * stride + tap * dilation);
    return last + 1 + extra - begin - end;
  }
};

struct Problem {
  bool transposed = false;
  std::size_t rank = 2;
  std::uint64_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  std::array<WindowAxis, 3> axes;  ///< the first `rank` are used

  std::uint64_t output_size(std::size_t axis) const {
    if (!transposed) return axes[axis].positions();
    return static_cast<std::uint64_t>(std::max(0, axes[axis].scattered()));
  }

  bool has_output() const {
    for (std::size_t i = 0; i < rank; ++i)
      if (output_size(i) == 0) return false;
    return true;
  }

  /// A convolution multiplies once for each output and tap, a transposed one for each input and
  /// tap.
  std::uint64_t macs() const {
    const auto size = [&](std::size_t i) {
      return transposed ? static_cast<std::uint64_t>(axes[i].size) : output_size(i);
    };
    std::uint64_t count = 0;
    for (std::uint64_t n = 0; n < batch; ++n)
      for (std::uint64_t group = 0; group < groups; ++group)
        for (std::uint64_t in = group; in < in_channels; in += groups)
          for (std::uint64_t out = group; out < out_channels; out += groups)
            for (std::uint64_t d = 0; d < size(0); ++d)
              for (std::uint64_t h = 0; h < size(1); ++h)
                for (std::uint64_t w = 0; w < size(2); ++w)
                  for (int kd = 0; kd < axes[0].kernel; ++kd)
                    for (int kh = 0; kh < axes[1].kernel; ++kh)
                      for (int kw = 0; kw < axes[2].kernel; ++kw) ++count;
    return count;
  }

  std::string list(int WindowAxis::*member) const {
    std::string text;
    for (std::size_t i = 0; i < rank; ++i)
      text += (i == 0 ? "" : ", ") + std::to_string(axes[i].*member);
    return text;
  }

  std::string json() const {
    return "{\"type\": \"" + std::string(transposed ? "conv_transpose" : "conv") +
           std::to_string(rank) + "d\", \"input\": [" + std::to_string(batch) + ", " +
           std::to_string(in_channels) + ", " + list(&WindowAxis::size) +
           "], \"out_channels\": " + std::to_string(out_channels) +
           ", \"groups\": " + std::to_string(groups) + ", \"kernel_size\": [" +
           list(&WindowAxis::kernel) + "], \"stride\": [" + list(&WindowAxis::stride) +
           "], \"dilation\": [" + list(&WindowAxis::dilation) + "], \"padding\": [" +
           list(&WindowAxis::begin) + ", " + list(&WindowAxis::end) + "]" +
           (transposed ? ", \"output_padding\": [" + list(&WindowAxis::extra) + "]" : "") + "}";
  }
};

Problem generate(Generator& random) {
  Problem problem;
  problem.transposed = random.between(0, 3) == 0;
  problem.rank = random.between(1, 3);
  problem.batch = random.between(1, 3);
  problem.groups = random.between(1, 4);
  const bool depthwise = random.between(0, 3) == 0;
  problem.in_channels = problem.groups * (depthwise ? 1 : random.between(1, 3));
  problem.out_channels = problem.groups * random.between(1, 3);
  const auto small = [&](std::uint64_t least, std::uint64_t most) {
    return static_cast<int>(random.between(least, most));
  };
  for (std::size_t i = 0; i < problem.rank; ++i) {
    WindowAxis& axis = problem.axes[i];
    axis = {small(1, problem.rank == 3 ? 4 : 7),
            small(1, 4),
            small(1, 3),
            small(1, 3),
            small(0, 3),
            small(0, 3),
            0};
    if (problem.transposed) axis.extra = small(0, static_cast<std::uint64_t>(axis.stride - 1));
  }
  return problem;
}

void check(const Problem& problem) {
  INFO(problem.json());
  Layer layer = load_layer(problem.json());
  CHECK(layer.output.batch == problem.batch);
  CHECK(layer.output.channels == problem.out_channels);
  for (std::size_t i = 0; i < problem.rank; ++i)
    CHECK(layer.output.spatial[3 - problem.rank + i] == problem.output_size(i));
  for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
    layer.pass = pass;
    CHECK(count(layer).macs == problem.macs());
    CHECK(count(layer).flops == 2 * problem.macs());
  }
}

}  // namespace

TEST_CASE("Generated convolutions have the MACs and sizes that loops count", "[model/oracle]") {
  Generator random;
  int fitting = 0, refused = 0, transposed = 0, depthwise = 0, grouped = 0;
  std::array<int, 4> of_rank{};
  while (fitting < 600) {
    const Problem problem = generate(random);
    if (!problem.has_output()) {
      INFO(problem.json());
      CHECK_FALSE(message_of([&] { load_layer(problem.json()); }).empty());
      ++refused;
      continue;
    }
    check(problem);
    ++fitting;
    transposed += problem.transposed ? 1 : 0;
    grouped += problem.groups > 1 ? 1 : 0;
    depthwise += problem.groups > 1 && problem.groups == problem.in_channels ? 1 : 0;
    ++of_rank[problem.rank];
  }
  // The generator reaches what it is meant to reach.
  CHECK(refused > 20);
  CHECK(transposed > 50);
  CHECK(grouped > 200);
  CHECK(depthwise > 50);
  for (std::size_t rank = 1; rank <= 3; ++rank) CHECK(of_rank[rank] > 100);
}
