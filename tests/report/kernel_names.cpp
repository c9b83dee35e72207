#include "catch.hpp"
#include "report/names.hpp"

using namespace roofline;

TEST_CASE("A kernel's name without what says nothing", "[report/kernel_names]") {
  struct Case {
    std::string name;
    std::string shorter;
  };
  const std::vector<Case> cases{
      {"sm80_xmma_fprop", "sm80_xmma_fprop"},
      {"k_ffma(float *)", "k_ffma"},
      {"void f<int>(int*, char)", "f<int>"},
      {"void at::native::(anonymous namespace)::norm<float, 4>(T1*)", "norm<float, 4>"},
      {"void at::vectorized_elementwise_kernel<4, at::<unnamed>::launch_clamp_scalar("
       "at::TensorIteratorBase &, c10::Scalar)::[lambda() (instance 1)]::operator ()() const, "
       "std::array<char *, 2>>(int, T2, T3)",
       "vectorized_elementwise_kernel<4, launch_clamp_scalar, array<char *, 2>>"},
      {"a::B<c::D>::run<e::F>(int)", "run<F>"},
      {"[CUDA memcpy HtoD]", "[CUDA memcpy HtoD]"},
      {"", ""},
      {"void ", "void "},
      {"<>::(", "<>::("},
      {"operator>(x)", "operator>"},
  };
  for (const Case& each : cases) CHECK(short_signature(each.name) == each.shorter);
}
