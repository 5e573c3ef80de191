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
  MailReader() = default;
  virtual ~MailReader() = default;
  MailReader(const MailReader&) = delete;
  MailReader& operator=(const MailReader&) = delete;

  /// The next message; nothing at the end. What has no header is no message, and is left out.
  virtual std::optional<Mail> next() = 0;

  /// How much of the file was read, in bytes.
  virtual std::uint64_t read_bytes() const = 0;
};

/// Reads an open file from its beginning.
///
/// What reads mails is a module, kindred/mail.so beside libkindred.so, which the first call loads:
/// the libraries that it needs would cost each start of the program some milliseconds.
/// @throws Error kUnsupported if the module cannot be loaded.
std::unique_ptr<MailReader> open_mails(int file, bool is_mailbox);

}  // namespace kindred
