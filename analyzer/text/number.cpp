#include "analyzer/text/number.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <cstddef>

namespace kindred {

bool is_number(std::string_view word) {
  bool digits = false;
  for (std::size_t i = 0; i < word.size();) {
    UChar32 c = 0;
    U8_NEXT_UNSAFE(word.data(), i, c);
    if (u_isUAlphabetic(c)) return false;
    digits = digits || (U_GET_GC_MASK(c) & U_GC_N_MASK) != 0;
  }
  return digits;
}

}  // namespace kindred
