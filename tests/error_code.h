#pragma once

#include <functional>
#include <string>

#include "config/error.h"
#include "tests/catch.h"

namespace kindred::test {

/// The code of the Error that `call` throws, kOk if it throws none. Checks that the error says
/// something, `part` among it. For the thread of the test case: Catch2 checks in no other.
inline Errc code_of(const std::function<void()>& call, const std::string& part = "") {
  try {
    call();
  } catch (const Error& e) {
    const std::string message = e.what();
    INFO(message);
    CHECK(message.size() > 10);
    CHECK(message.find(part) != std::string::npos);
    return e.code();
  }
  return Errc::kOk;
}

}  // namespace kindred::test
