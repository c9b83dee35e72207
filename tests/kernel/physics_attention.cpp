// More queries cost no more than their share, and the engine that is taken is the fastest.

#include <cstdint>
#include <string>

#include "kernel/physics.hpp"
#include "load/loading.hpp"
#include "model/generated_layers.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

namespace {

using namespace roofline;
using namespace physics;

}  // namespace

TEST_CASE("Twice the queries of drawn sizes take at most twice as long",
          "[kernel/physics_attention]") {
  for (const char* name : {"v100", "t4", "a100", "l4", "h100", "b200", "rtx4090", "mi50", "mi210",
                           "mi300x", "rx7900xtx"}) {
    // With warm caches, what no longer fits would cost more than twice.
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    generated::Numbers numbers(41);
    for (int i = 0; i < 100; ++i)
      for (const DataType dtype : {DataType::fp32, DataType::fp16}) {
        LayerDefaults defaults;
        defaults.dtype = dtype;
        const std::string head = numbers.text_of({1, 7, 64}) + ", " + numbers.text_of({1, 12, 32});
        const std::uint64_t queries = numbers.of({1, 2, 5, 33, 77, 127, 128, 400, 2048});
        const std::string keys = numbers.text_of({1, 5, 68, 129, 1024, 3892});
        const std::string features = ", " + numbers.text_of({40, 64, 128, 256}) + "]";
        const auto time_s = [&](std::uint64_t count, Pass pass) {
          const std::string operand = "[" + head + ", " + keys + features;
          return *seconds(load_layer(R"({"type": "attention", "inputs": [[)" + head + ", " +
                                         std::to_string(count) + features + ", " + operand + ", " +
                                         operand + "]}",
                                     defaults),
                          pass, gpu, model, CacheState::cold);
        };
        for (const Pass pass : {Pass::fwd, Pass::dgrad}) {
          INFO(name << ' ' << name_of(dtype) << ' ' << name_of(pass) << ' ' << head << ": "
                    << queries << " of " << keys << features);
          CHECK(time_s(2 * queries, pass) <= 2.05 * time_s(queries, pass));
        }
      }
  }
}

TEST_CASE("Attention is no slower than on vector units that are asked for",
          "[kernel/physics_attention]") {
  for (const char* name : {"v100", "a100", "h100", "mi100", "mi210", "mi300x"}) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    generated::Numbers numbers(53);
    for (int i = 0; i < 100; ++i)
      for (const DataType dtype : {DataType::fp32, DataType::fp64}) {
        const Layer layer = drawn_attention(numbers, dtype);
        for (const Pass pass : {Pass::fwd, Pass::dgrad}) {
          const auto time_s = seconds(layer, pass, gpu, model);
          const auto vector_s =
              seconds(layer, pass, gpu, model, CacheState::warm, EngineChoice::vector);
          if (!time_s || !vector_s) continue;
          INFO(name << ' ' << name_of(dtype) << ' ' << name_of(pass));
          CHECK(*time_s <= 1.001 * *vector_s);
        }
      }
  }
}
