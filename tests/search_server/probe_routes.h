#pragma once

#include "http/router.h"
#include "http/server.h"

/// Routes and limits that show how the HTTP face behaves; for tests that speak HTTP, and the
/// fuzzer.
namespace probe {

constexpr const char* kToken = "a-token-of-the-tests";

/// 64 connections, 8 of one address, and two seconds of patience.
search_server::HttpSettings settings();

/// `most_ms`: that a request may ask the server to sleep.
void add_routes(search_server::Router& router, std::int64_t most_ms = 10'000);

}  // namespace probe
