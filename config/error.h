#pragma once

#include <stdexcept>
#include <string>

#include "config/api.h"

namespace kindred {

/// What went wrong, for callers to branch on. The values are those of the C ABI: append only.
enum class Errc : int {
  kOk = 0,
  kInvalidArgument = 1,  ///< a mistake of the caller: shape, range, encoding, settings
  kNotFound = 2,         ///< no such document, database or file
  kCorrupt = 3,          ///< a file or a database fails its checks
  kUnsupported = 4,      ///< this build or machine lacks the backend or language
  kOutOfMemory = 5,      ///< host or device; the call changed nothing
  kDevice = 6,           ///< CUDA failed; build a new Backend
  kDatabase = 7,         ///< a Xapian::Error; its text is passed on
  kInternal = 8,         ///< a bug in Kindred
  kCanceled = 9,         ///< a callback of the caller canceled the call; nothing changed
};

/// The only exception that Kindred throws. what() is a sentence for the user: it names the file,
/// line, key or document, and what was expected. It can be shown as it is: one line of valid UTF-8
/// without control characters (see shown()), even if it quotes files and databases.
class KINDRED_API Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& message);
  Errc code() const noexcept { return code_; }

 private:
  Errc code_;
};

}  // namespace kindred
