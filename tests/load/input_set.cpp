#include "catch.hpp"
#include "roofline/load.hpp"

using namespace roofline;

TEST_CASE("An input is looked into once, whoever asks for it", "[load/input_set]") {
  const InputSet set({"a", "b"});
  int looked = 0;
  const auto find = [&] { return ++looked; };
  CHECK(*set.find_in<int>("a", find) == 1);
  CHECK(*InputSet(set).find_in<int>("a", find) == 1);
  CHECK(*set.find_in<int>("b", find) == 2);
  const auto fail = [&]() -> long {
    ++looked;
    throw InputError("c", "", "expected something, got nothing");
  };
  CHECK(set.find_in<long>("a", fail) == nullptr);
  CHECK(set.find_in<long>("a", fail) == nullptr);
  CHECK(looked == 3);
}
