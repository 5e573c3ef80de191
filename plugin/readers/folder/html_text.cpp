#include "plugin/readers/folder/html_text.h"

#include <libxml/HTMLparser.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>

#include "analyzer/text/utf8.h"
#include "plugin/readers/folder/decoded_bytes.h"

namespace kindred {
namespace {

constexpr std::size_t kMostTitleBytes = 1000;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

/// Elements whose text nobody sees.
bool is_unseen(std::string_view name) {
  constexpr auto kUnseen =
      std::to_array<std::string_view>({"script", "style", "template", "noscript", "w:instrtext"});
  return std::ranges::find(kUnseen, name) != kUnseen.end();
}

/// Elements of HTML and of office documents that do not part words. All others do: a cell of a
/// table is no word with the next one.
bool is_inline(std::string_view name) {
  constexpr auto kInline = std::to_array<std::string_view>(
      {"a",     "abbr",       "b",    "bdi", "bdo",       "cite",   "code",  "em",   "font",
       "i",     "kbd",        "mark", "q",   "s",         "samp",   "small", "span", "strong",
       "sub",   "sup",        "tt",   "u",   "var",       "wbr",    "w:r",   "w:t",  "w:rpr",
       "a:rpr", "w:prooferr", "a:r",  "a:t", "text:span", "text:a", "r",     "t"});
  return std::ranges::find(kInline, name) != kInline.end();
}

bool is_title(std::string_view name) { return name == "title" || name == "dc:title"; }

bool is_heading(std::string_view name) {
  return name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '3';
}

/// What a meta element says of the charset; "" if none does in the first bytes.
std::string declared_charset(std::string_view bytes) {
  constexpr std::size_t kFirstBytes = 4096;
  constexpr std::size_t kMostNameBytes = 40;
  const std::string start = lower_ascii(bytes.substr(0, kFirstBytes));
  constexpr std::string_view kKey = "charset=";
  std::size_t begin = start.find(kKey);
  if (begin == start.npos) return "";
  begin = std::min(start.find_first_not_of("\"' ", begin + kKey.size()), start.size());
  const std::size_t end = start.find_first_of("\"' ;/>", begin);
  return start.substr(begin, std::min(end - begin, kMostNameBytes));
}

/// Takes what libxml2 finds, element by element, without a tree.
class HtmlReader {
 public:
  TitledText read(const std::string& text) {
    htmlSAXHandler handler = {};
    handler.startElement = start;
    handler.endElement = end;
    handler.characters = take_text;
    handler.cdataBlock = take_text;
    handler.ignorableWhitespace = take_text;

    const std::unique_ptr<htmlParserCtxt, void (*)(htmlParserCtxtPtr)> parser(
        htmlCreatePushParserCtxt(&handler, this, nullptr, 0, nullptr, XML_CHAR_ENCODING_UTF8),
        htmlFreeParserCtxt);
    if (parser == nullptr) throw std::bad_alloc();
    htmlCtxtUseOptions(parser.get(), HTML_PARSE_NONET | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                                         HTML_PARSE_IGNORE_ENC);

    // In pieces, since what the parser keeps of one is a multiple of it.
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    for (std::size_t at = 0; at < text.size() && !is_out_of_memory_; at += kPiece) {
      const std::size_t size = std::min(kPiece, text.size() - at);
      htmlParseChunk(parser.get(), text.data() + at, static_cast<int>(size), 0);
    }
    htmlParseChunk(parser.get(), nullptr, 0, 1);
    if (is_out_of_memory_) throw std::bad_alloc();

    TitledText result{in_one_line(title_.empty() ? heading_ : title_), std::move(text_)};
    return result;
  }

 private:
  static HtmlReader& self(void* handle) { return *static_cast<HtmlReader*>(handle); }

  static void start(void* handle, const xmlChar* name, const xmlChar**) {
    HtmlReader& reader = self(handle);
    const std::string_view element(reinterpret_cast<const char*>(name));
    if (is_unseen(element)) ++reader.unseen_;
    if (is_title(element)) ++reader.in_title_;
    if (is_heading(element)) ++reader.in_heading_;
    if (!is_inline(element)) reader.part("\n");
  }

  static void end(void* handle, const xmlChar* name) {
    HtmlReader& reader = self(handle);
    const std::string_view element(reinterpret_cast<const char*>(name));
    if (is_unseen(element)) reader.leave(reader.unseen_);
    if (is_title(element)) {
      reader.leave(reader.in_title_);
      reader.has_title_ = reader.has_title_ || !reader.title_.empty();
    }
    if (is_heading(element)) {
      reader.leave(reader.in_heading_);
      reader.has_heading_ = reader.has_heading_ || !reader.heading_.empty();
    }
    if (!is_inline(element)) reader.part("\n");
  }

  static void take_text(void* handle, const xmlChar* text, int size) {
    HtmlReader& reader = self(handle);
    if (reader.unseen_ > 0 || reader.is_out_of_memory_) return;
    try {
      reader.take({reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)});
    } catch (const std::bad_alloc&) {  // which must not pass through C
      reader.is_out_of_memory_ = true;
    }
  }

  static void leave(std::size_t& depth) {
    if (depth > 0) --depth;
  }

  void take(std::string_view text) {
    if (in_title_ > 0) {
      if (!has_title_ && title_.size() < kMostTitleBytes) title_ += text;
      return;
    }
    if (in_heading_ > 0 && !has_heading_ && heading_.size() < kMostTitleBytes) heading_ += text;
    for (const char c : text) {
      if (is_space(c)) {
        part(" ");
      } else {
        text_ += gap_;
        gap_ = "";
        text_ += c;
      }
    }
  }

  /// Parts what follows from what is there, by the stronger of two gaps.
  void part(const char* gap) {
    if (!text_.empty() && *gap_ != '\n') gap_ = gap;
  }

  std::string title_;
  std::string heading_;
  std::string text_;
  const char* gap_ = "";  // before the next character of the text
  std::size_t unseen_ = 0;
  std::size_t in_title_ = 0;
  std::size_t in_heading_ = 0;
  bool has_title_ = false;
  bool has_heading_ = false;
  bool is_out_of_memory_ = false;
};

}  // namespace

TitledText read_html(std::string_view bytes, const std::string& charset) {
  std::string text = decoded_bytes(bytes, charset.empty() ? declared_charset(bytes) : charset);
  // libxml2 ends a text at its first zero byte.
  std::ranges::replace(text, '\0', ' ');
  return HtmlReader().read(text);
}

std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (!is_space(c)) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace kindred
