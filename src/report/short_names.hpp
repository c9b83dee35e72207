#pragma once

// Names of layers in few columns: what they have in common is folded, what tells them apart stays.

#include <cstddef>
#include <string>
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
/// The same of one width.
std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width);

}  // namespace roofline
