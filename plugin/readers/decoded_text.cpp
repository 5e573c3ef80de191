#include "plugin/readers/decoded_text.h"

#include <unicode/ucnv.h>
#include <unicode/utf8.h>
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "config/error.h"

namespace kindred {

struct CloseConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, CloseConverter>;

namespace {

constexpr std::size_t kChunkBytes = 1 << 16;

bool is_plain(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

/// Of the characters beyond ASCII, whether most are UTF-8.
bool is_mostly_utf8(std::string_view bytes) {
  const auto* text = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const auto size = static_cast<std::int32_t>(bytes.size());
  std::size_t good = 0;
  std::size_t bad = 0;

  for (std::int32_t at = 0; at < size;) {
    UChar32 character = 0;
    U8_NEXT(text, at, size, character);
    if (character < 0) ++bad;
    if (character >= 0x80) ++good;
  }
  return good >= bad;
}

Converter open_converter(const char* encoding) {
  UErrorCode code = U_ZERO_ERROR;
  Converter converter(ucnv_open(encoding, &code));
  if (U_FAILURE(code) != 0)
    throw Error(Errc::kInternal, std::string("ICU cannot convert ") + encoding);
  return converter;
}

}  // namespace

struct DecodedText::Impl {
  explicit Impl(ByteSource bytes) : source(std::move(bytes)) {}

  const ByteSource source;
  std::string ahead;        // bytes that were read and not yet handed on
  bool is_started = false;  // whether a byte order mark was looked for
  bool is_known = false;    // whether the encoding is
  bool is_at_end = false;   // of the source

  // Of a text that is not UTF-8: what converts it, and the characters between the two.
  Converter from;
  Converter to;
  std::vector<UChar> pivot = std::vector<UChar>(kChunkBytes);
  UChar* pivot_begin = pivot.data();
  UChar* pivot_end = pivot.data();
  bool is_first = true;  // no piece was converted yet

  /// Reads until so many bytes are ahead, or the source ends.
  void fill(std::size_t bytes) {
    while (!is_at_end && ahead.size() < bytes) {
      const std::size_t had = ahead.size();
      ahead.resize(had + kChunkBytes);
      const std::size_t got = source({ahead.data() + had, kChunkBytes});
      ahead.resize(had + got);
      is_at_end = got == 0;
    }
  }

  void convert_from(const char* encoding) {
    from = open_converter(encoding);
    to = open_converter("UTF-8");
    is_known = true;
  }

  void start() {
    is_started = true;
    fill(3);
    if (ahead.starts_with("\xEF\xBB\xBF")) {
      ahead.erase(0, 3);
      is_known = true;
    } else if (ahead.starts_with("\xFF\xFE")) {
      ahead.erase(0, 2);
      convert_from("UTF-16LE");
    } else if (ahead.starts_with("\xFE\xFF")) {
      ahead.erase(0, 2);
      convert_from("UTF-16BE");
    }
  }

  /// Decides by what is ahead, and so much more that a character that is cut off does not matter.
  void guess() {
    const auto beyond = std::find_if_not(ahead.begin(), ahead.end(), is_plain);
    if (beyond == ahead.end()) return;

    const std::size_t begin = static_cast<std::size_t>(beyond - ahead.begin());
    fill(begin + kChunkBytes);
    if (is_mostly_utf8(std::string_view(ahead).substr(begin))) {
      is_known = true;
    } else {
      convert_from("windows-1252");
    }
  }

  void convert(std::string& text) {
    const char* source_at = ahead.data();
    const char* const source_end = source_at + ahead.size();
    std::vector<char> room(kChunkBytes);

    // The room may be too small for all; the rest then comes in the next round.
    UErrorCode code = U_BUFFER_OVERFLOW_ERROR;
    while (code == U_BUFFER_OVERFLOW_ERROR) {
      char* target = room.data();
      code = U_ZERO_ERROR;
      ucnv_convertEx(to.get(), from.get(), &target, room.data() + room.size(), &source_at,
                     source_end, pivot.data(), &pivot_begin, &pivot_end,
                     pivot.data() + pivot.size(), static_cast<UBool>(is_first),
                     static_cast<UBool>(is_at_end), &code);
      is_first = false;
      text.append(room.data(), target);
    }
    if (U_FAILURE(code) != 0)
      throw Error(Errc::kInternal, std::string("ICU: ") + u_errorName(code));
    ahead.clear();
  }
};

DecodedText::DecodedText(ByteSource source) : impl_(std::make_unique<Impl>(std::move(source))) {}

DecodedText::~DecodedText() = default;

DecodedText::DecodedText(DecodedText&&) noexcept = default;

bool DecodedText::read(std::string& text) {
  Impl& in = *impl_;
  if (!in.is_started) in.start();

  in.fill(1);
  if (in.ahead.empty()) return false;

  if (!in.is_known) in.guess();
  if (in.from != nullptr) {
    in.convert(text);
  } else {
    text += in.ahead;
    in.ahead.clear();
  }
  return true;
}

}  // namespace kindred
