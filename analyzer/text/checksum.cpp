#include "analyzer/text/checksum.h"

#include <xxhash.h>

#include <cinttypes>
#include <cstdio>

namespace kindred {

std::string checksum_text(std::string_view bytes) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64,
                static_cast<std::uint64_t>(XXH3_64bits(bytes.data(), bytes.size())));
  return text;
}

}  // namespace kindred
