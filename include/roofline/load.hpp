#pragma once

// From words to opened inputs, and single texts to networks and GPUs.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/gpu.hpp"
#include "roofline/infer.hpp"
#include "roofline/limits.hpp"
#include "roofline/reader.hpp"

namespace roofline {

/// The inputs that a word stands for: a file, the layer files of a directory
/// (recursively, sorted by path, hidden ones left out), "-" for standard input, or a built-in
/// network, each by the name under which it is opened.
Expected<std::vector<std::string>> resolve_input(const std::string& word);

/// The files that are read with one of them, as far as its name and its first bytes say which.
std::vector<std::string> read_with(const std::string& name);

/// Whether a word that is a directory stands for a file of that path too, or would, were there one.
bool would_read(const std::string& word, const std::string& path);

/// Opens one of them: its format is that of its extension where only one format has it, else what
/// its first bytes look like. `other_inputs`: words, among which a format finds
/// the files that belong together. `first_line`: it is NDJSON cut out of a longer text, of which
/// its first line is that one. `limits`: of what it may hold.
Expected<std::unique_ptr<Reader>> open_input(const std::string& name,
                                             std::span<const std::string> other_inputs = {},
                                             std::optional<std::size_t> first_line = {},
                                             const InputLimits& limits = {});

/// The whole text of a file.
Expected<std::string> read_text(const std::string& path);

/// A JSON text that holds one layer, an array of layers or a network. `source` names the text in
/// errors.
Expected<Network> load_network(std::string_view json_text, const std::string& source,
                               const LayerDefaults& defaults);

Expected<Gpu> load_gpu(std::string_view json_text, const std::string& source);

}  // namespace roofline
