#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kindred {

/// A mail, in UTF-8.
struct Mail {
  std::string message_id;    ///< without brackets; "" if it has none
  std::string subject;       ///< in one line
  std::string from;          ///< in one line
  std::string date;          ///< ISO 8601, with the time zone of its sender; "" if it has none
  std::string text;          ///< see MailReader
  std::uint64_t number = 0;  ///< its place in the mailbox, from 1
};

/// Reads a message (RFC 5322), or the messages of a mailbox (mbox) one by one. Memory is that of
/// the texts of one message: attachments are not read, and a part of more than kMostTextBytes is
/// left out. For one thread.
///
/// The text is that of the parts that are shown: of alternatives the first that has words, else all
/// of them one after the other; HTML as read_html() reads it. A forwarded message is a part.
class MailReader {
 public:
  /// Takes the open file over, and closes it.
  MailReader(int file, bool is_mailbox);
  ~MailReader();
  MailReader(const MailReader&) = delete;
  MailReader& operator=(const MailReader&) = delete;

  /// The next message; nothing at the end. What has no header is no message, and is left out.
  std::optional<Mail> next();

  /// How much of the file was read, in bytes.
  std::uint64_t read_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kindred
