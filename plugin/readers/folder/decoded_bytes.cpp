#include "plugin/readers/folder/decoded_bytes.h"

#include <unicode/ucnv.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <span>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/regular_file.h"
#include "plugin/readers/decoded_text.h"

namespace kindred {
namespace {

/// Charsets that are often named and seldom meant: what the bytes look like decides.
bool is_doubtful(std::string_view charset) {
  constexpr std::array kDoubtful = {"",       "utf-8",      "utf8",         "us-ascii", "ascii",
                                    "latin1", "iso-8859-1", "windows-1252", "iso8859-1"};
  return std::ranges::find(kDoubtful, lower_ascii(charset)) != kDoubtful.end();
}

std::string guessed(std::string_view bytes) {
  DecodedText decoded([rest = bytes](std::span<char> room) mutable {
    const std::size_t count = std::min(room.size(), rest.size());
    std::copy_n(rest.begin(), count, room.begin());
    rest.remove_prefix(count);
    return count;
  });
  std::string text;
  while (decoded.read(text)) continue;
  return text;
}

}  // namespace

std::string decoded_bytes(std::string_view bytes, const std::string& charset) {
  if (is_doubtful(charset)) return guessed(bytes);

  UErrorCode code = U_ZERO_ERROR;
  const std::unique_ptr<UConverter, void (*)(UConverter*)> converter(
      ucnv_open(charset.c_str(), &code), ucnv_close);
  if (U_FAILURE(code) != 0) return guessed(bytes);

  // A character of at most four bytes for each byte, and room for more where that is too little.
  std::string text(bytes.size() + bytes.size() / 2 + 16, '\0');
  while (true) {
    code = U_ZERO_ERROR;
    const std::int32_t size = ucnv_toAlgorithmic(
        UCNV_UTF8, converter.get(), text.data(), static_cast<std::int32_t>(text.size()),
        bytes.data(), static_cast<std::int32_t>(bytes.size()), &code);
    if (code != U_BUFFER_OVERFLOW_ERROR) {
      if (U_FAILURE(code) != 0) return guessed(bytes);
      text.resize(static_cast<std::size_t>(size));
      return text;
    }
    text.resize(static_cast<std::size_t>(size));
  }
}

std::string content_of(int file) {
  constexpr std::size_t kChunk = std::size_t{1} << 17;
  std::string bytes;
  while (true) {
    const std::size_t had = bytes.size();
    bytes.resize(had + kChunk);
    const ssize_t got = ::pread(file, bytes.data() + had, kChunk, static_cast<off_t>(had));
    if (got < 0) throw Error(Errc::kNotFound, "cannot be read: " + last_fault().message());
    bytes.resize(had + static_cast<std::size_t>(got));
    if (got == 0) return bytes;
    if (bytes.size() > kMostTextBytes)
      throw Error(
          Errc::kInvalidArgument,
          "longer than the " + std::to_string(kMostTextBytes >> 20) + " MiB that a text may have");
  }
}

}  // namespace kindred
