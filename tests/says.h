#pragma once

#include <initializer_list>
#include <string>

#include "tests/catch.h"

namespace kindred::test {

/// True if the message holds all the parts; prints it if not.
inline bool says(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    if (message.find(part) != std::string::npos) continue;
    UNSCOPED_INFO("no '" << part << "' in: " << message);
    return false;
  }
  return true;
}

}  // namespace kindred::test
