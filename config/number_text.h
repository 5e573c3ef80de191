#pragma once

#include <string>

#include "config/api.h"

namespace kindred {

/// The number in decimal digits, with a point whatever the locale of the host: the fewest digits
/// that read back as the same number. Whole numbers below 1e15 have no exponent.
KINDRED_API std::string number_text(double value);

}  // namespace kindred
