#pragma once

// Names in few columns: what names of layers have in common is folded, what tells them apart stays;
// signatures of kernels without what goes without saying.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace roofline {

/// Several layers' names as one, parts in which they differ in braces:
/// {"layer1.0.conv1", "layer1.1.conv1"} is "layer1.{0,1}.conv1", and copies ("relu#2") are their
/// first. Names that differ in more than one part are the first of them.
std::string folded_name(const std::vector<std::string>& names);

/// Each name in at most its width of columns, no two equal unless they were: leading parts are
/// abbreviated ("features.denseblock4.denselayer16.norm1" is "f.d4.denselayer16.norm1"), then the
/// beginning is cut (of names without parts the middle), and what would read alike is numbered.
/// A width is at least 12.
std::vector<std::string> short_names(const std::vector<std::string>& names,
                                     const std::vector<std::size_t>& widths);
/// The same where all have one width.
std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width);

/// A C++ kernel's name without namespaces, types of results and lists of arguments, but with
/// template arguments: "void at::native::elementwise_kernel<4, at::native::AddFunctor<float>>(int)"
/// as "elementwise_kernel<4, AddFunctor<float>>". It may hold thousands of characters, and what
/// tells it from others is anywhere in it.
std::string short_signature(std::string_view name);

}  // namespace roofline
