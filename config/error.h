#pragma once

#include <stdexcept>
#include <string>

#include "config/api.h"

namespace kindred {

/// What went wrong, as a caller may branch on it. The values are the C ABI's: append only.
enum class Errc : int {
  kOk = 0,
  kInvalidArgument = 1,  ///< the caller's fault: shape, range, encoding, settings
  kNotFound = 2,         ///< no such document, database or file
  kCorrupt = 3,          ///< a file fails its checks
  kUnsupported = 4,      ///< this build or machine lacks the backend or language
  kOutOfMemory = 5,      ///< host or device; the call changed nothing
  kDevice = 6,           ///< CUDA failed; build a new Backend
  kDatabase = 7,         ///< a Xapian::Error, its text passed through
  kInternal = 8,         ///< a bug here
  kCanceled = 9,         ///< a callback of the caller's said so; nothing changed
};

/// The one exception that Kindred throws. what() is a sentence for the user: it names the file,
/// line, key or document concerned and what was expected, and is fit to be shown: one line of valid
/// UTF-8 without control characters, whatever the message had from files and databases (shown()).
class KINDRED_API Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& message);
  Errc code() const noexcept { return code_; }

 private:
  Errc code_;
};

}  // namespace kindred
