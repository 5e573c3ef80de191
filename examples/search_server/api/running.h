#pragma once

#include <chrono>

#include "plugin/handle.h"

namespace search_server {

/// Ends a long question of the plugin when its request is overdue.
inline Step until(std::chrono::steady_clock::time_point deadline) {
  return [deadline](const std::string&, std::uint64_t, std::uint64_t) {
    return std::chrono::steady_clock::now() < deadline;
  };
}

}  // namespace search_server
