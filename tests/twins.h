#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

#include "config/error.h"
#include "gpu/backend.h"
#include "gpu/factory.h"
#include "tests/catch.h"
#include "tests/random_csr.h"

// One test body for both twins of gpu/backend.h. TWIN_TEST_CASE("name", "[tags]") { .. } registers
// "cpu: name" and "cuda: name", tagged [cuda]; the body finds the kind in `kind`. Where no CUDA
// device answers, the second one prints the words that ctest takes for "skipped", and with
// environment variable KINDRED_REQUIRE_CUDA=1 it fails. CUDA_TEST_CASE registers only the second.
// Where KINDRED_SANITIZER names a tool of compute-sanitizer, as tests/gpu/run.sh --sanitize does,
// launches take far longer: long cases then ask for less of the same.

namespace kindred::test {

inline BackendOptions options(std::string_view kind, std::size_t threads = 0) {
  BackendOptions result;
  result.kind = kind;
  result.threads = threads;
  return result;
}

/// The tool of compute-sanitizer that this runs under, "" for none.
inline std::string_view sanitizer() {
  const char* tool = std::getenv("KINDRED_SANITIZER");
  return tool == nullptr ? "" : tool;
}

/// `n`, or, under a sanitizer, a few of them.
template <typename Number>
Number sanitized(Number n, Number few) {
  return sanitizer().empty() ? n : std::min(n, few);
}

/// To be held by each of several threads while it calls a backend. Under racecheck only one at a
/// time has it, elsewhere all. racecheck loses records of launches that come together: it counts
/// that as an error, or waits until it is stopped. Turns hide no race from it: it watches shared
/// memory, and no two launches share any.
[[nodiscard]] inline std::unique_lock<std::mutex> device_turn() {
  static std::mutex mutex;
  return sanitizer() == "racecheck" ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
}

/// Why no CUDA device answers, "" if one does.
inline std::string cuda_fault() try {
  const Csr csr = random_csr({.rows = 3, .columns = 5}, 1);
  const TermWeighting weighting = ltc_weighting(csr.view());
  make_backend(csr.view(), weighting, options("cuda"));
  return "";
} catch (const Error& e) {
  if (e.code() != Errc::kUnsupported) throw;
  return e.what();
}

/// True if a CUDA device answers; else says that the test case is skipped, or fails it.
inline bool has_cuda() {
  static const std::string fault = cuda_fault();
  if (fault.empty()) return true;
  const char* required = std::getenv("KINDRED_REQUIRE_CUDA");
  if (required != nullptr && std::string_view(required) == "1") FAIL(fault);
  std::printf("skipped: no CUDA device (%s)\n", fault.c_str());
  return false;
}

}  // namespace kindred::test

#define KINDRED_JOIN_(a, b) a##b
#define KINDRED_JOIN(a, b) KINDRED_JOIN_(a, b)
#define KINDRED_BODY KINDRED_JOIN(twin_body_at_line_, __LINE__)

#define KINDRED_CUDA_CASE(name, tags)                      \
  TEST_CASE("cuda: " name, tags "[cuda]") {                \
    if (::kindred::test::has_cuda()) KINDRED_BODY("cuda"); \
  }                                                        \
  void KINDRED_BODY([[maybe_unused]] const char* kind)

#define CUDA_TEST_CASE(name, tags)       \
  static void KINDRED_BODY(const char*); \
  KINDRED_CUDA_CASE(name, tags)

#define TWIN_TEST_CASE(name, tags)                       \
  static void KINDRED_BODY(const char*);                 \
  TEST_CASE("cpu: " name, tags) { KINDRED_BODY("cpu"); } \
  KINDRED_CUDA_CASE(name, tags)
