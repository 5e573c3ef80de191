#include "config/error.h"

#include "config/shown.h"

namespace kindred {

Error::Error(Errc code, const std::string& message)
    : std::runtime_error(shown(message)), code_(code) {}

}  // namespace kindred
