#pragma once

// A GPU that the catalogue does not list.

#include <string>

#include "roofline/catalogue.hpp"
#include "roofline/error.hpp"

namespace roofline {

/// Raises the error of a GPU's name. With the name of a model or of a laptop's GPU come two ways to
/// describe it, as words to paste, with the numbers of the GPU that is most like it.
[[noreturn]] void raise_unlisted(const InputError& error, const std::string& name,
                                 const Catalogue& catalogue);

}  // namespace roofline
