#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "plugin/readers/folder/file_kind.h"

namespace kindred {

/// What a filter may take.
struct FilterLimits {
  std::chrono::milliseconds time{60'000};           ///< by the clock, and of processors
  std::size_t memory_bytes = std::size_t{2} << 30;  ///< of addresses
  std::size_t output_bytes = std::size_t{64} << 20;
};

/// The path of a program on $PATH; "" if there is none.
std::string program_path(const std::string& name);

/// What a filter writes of an open file. It runs without a shell, in a process group of its own,
/// with no other open file, an empty input and the least of an environment; it can write no file.
/// It gets the file as /dev/fd/3, so no name that somebody chose reaches it. Blocks; when it has
/// returned, the program and what that started in its group have ended.
/// @param path of the program
/// @throws Error kCorrupt if it fails, takes more than the limits, or is killed; kUnsupported if it
/// cannot be started.
std::string run_filter(const std::string& path, const Filter& filter, int file,
                       const FilterLimits& limits = {});

}  // namespace kindred
