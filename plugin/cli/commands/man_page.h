#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace kindred::cli {

/// Writes a man page for `program` and each of its subcommands, at every depth, into a folder that
/// exists: "kindred topics map" as kindred-topics-map.1. What they say is what the help says.
/// `version`: of the program, such as "kindred 0.1.0".
/// @throws Error kNotFound if a page cannot be written.
void write_man_pages(const CLI::App& program, const std::string& version,
                     const std::string& folder);

}  // namespace kindred::cli
