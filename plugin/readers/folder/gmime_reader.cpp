#include "plugin/readers/folder/mail_reader.h"

#include <gmime/gmime.h>
#include <cstddef>
#include <mutex>
#include <string_view>

#include "config/shown.h"
#include "plugin/readers/folder/decoded_bytes.h"
#include "plugin/readers/folder/html_text.h"

namespace kindred {
namespace {

struct Unref {
  void operator()(void* object) const { g_object_unref(object); }
};
template <typename T>
using Owned = std::unique_ptr<T, Unref>;

constexpr int kMostPartLevels = 32;
constexpr std::size_t kMostLineBytes = 1000;

struct Free {
  void operator()(char* text) const { g_free(text); }
};
using OwnedText = std::unique_ptr<char, Free>;

std::string line_of(const char* text) {
  if (text == nullptr) return "";
  return in_one_line(decoded_bytes(std::string_view(text).substr(0, kMostLineBytes), ""));
}

bool has_words(const std::string& text) { return text.find_first_not_of(" \t\r\n\f") != text.npos; }

/// Adds a text that has words to others, on a line of its own.
void append_line(std::string& texts, const std::string& text) {
  if (has_words(text)) append_item(texts, text, "\n");
}

/// The bytes of a part, decoded from what carried them; "" if they are too many.
std::string bytes_of(GMimePart* part) {
  GMimeDataWrapper* const content = g_mime_part_get_content(part);
  if (content == nullptr) return "";
  GMimeStream* const carried = g_mime_data_wrapper_get_stream(content);
  if (carried == nullptr) return "";
  const gint64 length = g_mime_stream_length(carried);
  if (length < 0 || static_cast<std::size_t>(length) > kMostTextBytes) return "";

  const Owned<GMimeStream> memory(g_mime_stream_mem_new());
  g_mime_data_wrapper_write_to_stream(content, memory.get());
  const GByteArray* const bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(memory.get()));
  return {reinterpret_cast<const char*>(bytes->data), bytes->len};
}

/// The text of a part that is one; "" for an attachment, and for what is neither plain nor HTML.
std::string text_of_part(GMimePart* part) {
  if (g_mime_part_is_attachment(part) != FALSE) return "";
  GMimeContentType* const type = g_mime_object_get_content_type(GMIME_OBJECT(part));
  const bool is_html = g_mime_content_type_is_type(type, "text", "html") != FALSE;
  if (!is_html && g_mime_content_type_is_type(type, "text", "plain") == FALSE) return "";

  const char* const named = g_mime_content_type_get_parameter(type, "charset");
  const std::string charset = named == nullptr ? "" : named;
  const std::string bytes = bytes_of(part);
  return is_html ? read_html(bytes, charset).text : decoded_bytes(bytes, charset);
}

std::string text_of(GMimeObject* object, int level);

std::string text_of_parts(GMimeMultipart* multipart, int level) {
  GMimeContentType* const type = g_mime_object_get_content_type(GMIME_OBJECT(multipart));
  const bool are_alternatives =
      g_mime_content_type_is_type(type, "multipart", "alternative") != FALSE;

  std::string all;
  const int count = g_mime_multipart_get_count(multipart);
  for (int i = 0; i < count && all.size() < kMostTextBytes; ++i) {
    std::string text = text_of(g_mime_multipart_get_part(multipart, i), level + 1);
    if (are_alternatives && has_words(text)) return text;
    append_line(all, text);
  }
  return all;
}

std::string text_of(GMimeObject* object, int level) {
  if (object == nullptr || level > kMostPartLevels) return "";
  if (GMIME_IS_MULTIPART(object)) return text_of_parts(GMIME_MULTIPART(object), level);
  if (GMIME_IS_PART(object)) return text_of_part(GMIME_PART(object));
  if (!GMIME_IS_MESSAGE_PART(object)) return "";

  GMimeMessage* const forwarded = g_mime_message_part_get_message(GMIME_MESSAGE_PART(object));
  if (forwarded == nullptr) return "";
  std::string text = line_of(g_mime_message_get_subject(forwarded));
  append_line(text, text_of(g_mime_message_get_mime_part(forwarded), level + 1));
  return text;
}

std::string date_of(GMimeMessage* message) {
  GDateTime* const date = g_mime_message_get_date(message);
  if (date == nullptr) return "";
  const OwnedText text(g_date_time_format(date, "%Y-%m-%dT%H:%M:%S%:z"));
  return text == nullptr ? "" : text.get();
}

/// See MailReader.
class GmimeReader : public MailReader {
 public:
  GmimeReader(int file, bool is_mailbox);
  std::optional<Mail> next() override;
  std::uint64_t read_bytes() const override;

 private:
  const bool is_mailbox_;
  Owned<GMimeParser> parser_;
  std::uint64_t number_ = 0;
  bool is_at_end_ = false;
};

GmimeReader::GmimeReader(int file, bool is_mailbox) : is_mailbox_(is_mailbox) {
  static std::once_flag started;
  std::call_once(started, g_mime_init);

  // The stream owns the file. Parts stay in it until they are read.
  const Owned<GMimeStream> stream(g_mime_stream_fs_new(file));
  parser_.reset(g_mime_parser_new_with_stream(stream.get()));
  g_mime_parser_set_persist_stream(parser_.get(), TRUE);
  g_mime_parser_set_format(parser_.get(), is_mailbox ? GMIME_FORMAT_MBOX : GMIME_FORMAT_MESSAGE);
}

std::optional<Mail> GmimeReader::next() {
  while (!is_at_end_) {
    const Owned<GMimeMessage> message(g_mime_parser_construct_message(parser_.get(), nullptr));
    is_at_end_ = message == nullptr || !is_mailbox_ || g_mime_parser_eos(parser_.get()) != FALSE;
    if (message == nullptr) return {};
    ++number_;
    GMimeHeaderList* const headers = g_mime_object_get_header_list(GMIME_OBJECT(message.get()));
    if (g_mime_header_list_get_count(headers) == 0) continue;

    Mail mail;
    mail.number = number_;
    mail.message_id = line_of(g_mime_message_get_message_id(message.get()));
    mail.subject = line_of(g_mime_message_get_subject(message.get()));
    InternetAddressList* const from = g_mime_message_get_from(message.get());
    const OwnedText senders(internet_address_list_to_string(from, nullptr, FALSE));
    mail.from = line_of(senders.get());
    mail.date = date_of(message.get());
    mail.text = text_of(g_mime_message_get_mime_part(message.get()), 0);
    return mail;
  }
  return {};
}

std::uint64_t GmimeReader::read_bytes() const {
  const gint64 place = g_mime_parser_tell(parser_.get());
  return place < 0 ? 0 : static_cast<std::uint64_t>(place);
}

}  // namespace

/// The function of the module, which open_mails() calls.
extern "C" __attribute__((visibility("default"))) MailReader* kindred_open_mails(int file,
                                                                                 bool is_mailbox) {
  return new GmimeReader(file, is_mailbox);
}

}  // namespace kindred
