#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace kindred {

/// Where bytes come from: reads the next ones into the room, and returns how many; 0 at the end.
using ByteSource = std::function<std::size_t(std::span<char>)>;

/// A text in UTF-8, whatever a spreadsheet wrote it as. For one thread.
///
/// A byte order mark says whether it is UTF-8 or UTF-16, and is dropped. A text without one is
/// UTF-8 if its first characters beyond ASCII are, most of them; else it is Windows-1252. What is
/// UTF-8 is handed on as it is, so it may be malformed. Malformed UTF-16 becomes U+FFFD.
class DecodedText {
 public:
  explicit DecodedText(ByteSource source);
  ~DecodedText();
  DecodedText(DecodedText&&) noexcept;

  /// Appends the next characters, about 64 KiB of them; false at the end. Blocks.
  /// @throws what the source throws.
  bool read(std::string& text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
