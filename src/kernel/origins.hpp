#pragma once

// Where numbers come from, as derivations say it, where a table of constants does not.

namespace roofline {

inline constexpr const char* datasheet_origin = "datasheet";
inline constexpr const char* stated_origin = "stated in the GPU's file";
inline constexpr const char* sustained_origin = "sustained ceiling";

}  // namespace roofline
