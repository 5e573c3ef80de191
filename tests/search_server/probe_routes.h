#pragma once

#include "http/router.h"
#include "http/server.h"

/// Routes and limits that show how the HTTP face behaves; for tests that speak HTTP, and the
/// fuzzer.
namespace probe {

constexpr const char* kToken = "a-token-of-the-tests";
constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::size_t kMostLineBytes = 1000;

/// Two workers, a queue of eight, and a second or two for each wait.
search_server::HttpSettings settings();

/// The most that a request may ask for.
struct Most {
  std::int64_t ms = 10'000;
  std::int64_t lines = 1'000'000;
  std::int64_t bytes = 32 << 20;
};
void add_routes(search_server::Router& router, const Most& most = {});

}  // namespace probe
