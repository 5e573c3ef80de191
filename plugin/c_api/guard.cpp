#include "plugin/c_api/guard.h"

#include <string>

#include "config/shown.h"

namespace kindred {
namespace {

constexpr bool same(kindred_errc c, Errc cpp) { return static_cast<int>(c) == int(cpp); }
static_assert(same(KINDRED_OK, Errc::kOk));
static_assert(same(KINDRED_INVALID_ARGUMENT, Errc::kInvalidArgument));
static_assert(same(KINDRED_NOT_FOUND, Errc::kNotFound));
static_assert(same(KINDRED_CORRUPT, Errc::kCorrupt));
static_assert(same(KINDRED_UNSUPPORTED, Errc::kUnsupported));
static_assert(same(KINDRED_OUT_OF_MEMORY, Errc::kOutOfMemory));
static_assert(same(KINDRED_DEVICE, Errc::kDevice));
static_assert(same(KINDRED_DATABASE, Errc::kDatabase));
static_assert(same(KINDRED_INTERNAL, Errc::kInternal));
static_assert(same(KINDRED_CANCELED, Errc::kCanceled));

thread_local std::string error_text;

}  // namespace

const char* last_error() noexcept { return error_text.c_str(); }

kindred_errc fail(Errc code, std::string_view text) noexcept {
  try {
    error_text = shown(text);
  } catch (...) {  // there is no memory for the text: the host gets the code only
    error_text.clear();
  }
  return static_cast<kindred_errc>(code);
}

}  // namespace kindred
