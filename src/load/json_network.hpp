#pragma once

// JSON documents to what they state: a layer, a list of layers, a network, or a report of ours.

#include <memory>
#include <vector>

#include "load/json_value.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// What a network is called that states no name: the file's name without folder and extension.
std::string network_name(const std::string& source);

/// The networks of a document, one but for reports. Throws InputError.
std::vector<std::shared_ptr<const NetworkSpec>> read_networks(const JsonNode& document,
                                                              const Origin& origin);
/// The same, and keeps the document of a long list of layers, which takes less room than they do,
/// to read each when it is asked for.
std::vector<std::shared_ptr<const NetworkSpec>> read_networks(
    const std::shared_ptr<const JsonDocument>& document, const Origin& origin);

/// A record of a stream: one layer that stands alone, numbered by its line. Without layers for a
/// record of our own output that is of no input (a copy over the host link).
std::shared_ptr<const NetworkSpec> read_record(const JsonNode& record, const Origin& origin);

}  // namespace roofline
