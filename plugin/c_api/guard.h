#pragma once

#include <xapian.h>
#include <new>
#include <string_view>

#include "config/error.h"
#include "plugin/kindred.h"

namespace kindred {

/// The text for kindred_last_error() in this thread.
const char* last_error() noexcept;

/// Sets that text, and returns the code.
kindred_errc fail(Errc code, std::string_view text) noexcept;

/// Runs body(). Any exception becomes a code and a text for kindred_last_error(): the only place in
/// Kindred where that happens.
template <typename Body>
kindred_errc guard(Body&& body) noexcept {
  try {
    body();
    return KINDRED_OK;
  } catch (const Error& e) {
    return fail(e.code(), e.what());
  } catch (const Xapian::Error& e) {  // not a std::exception: it needs its own clause
    try {
      return fail(Errc::kDatabase, e.get_description());
    } catch (...) {
      return fail(Errc::kDatabase, "Xapian failed");
    }
  } catch (const std::bad_alloc&) {
    return fail(Errc::kOutOfMemory, "out of memory");
  } catch (const std::exception& e) {
    return fail(Errc::kInternal, e.what());
  } catch (...) {
    return fail(Errc::kInternal, "unknown exception");
  }
}

}  // namespace kindred
