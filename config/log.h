#pragma once

#include <functional>
#include <string>

namespace kindred {

/// Receives what the library has to say, one sentence a call; empty means silence. May be called
/// from any thread, not from two at once for one object.
using Log = std::function<void(const std::string& message)>;

}  // namespace kindred
