#include "index/snippet.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace search_server {
namespace {

constexpr std::size_t kLength = 240;
// The text has no such characters any more when they mark the hits.
constexpr char kBegin = '\x01';
constexpr char kEnd = '\x02';

/// What Xapian's snippets write for characters of markup, which we want as they are.
constexpr std::pair<std::string_view, char> kEscapes[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};

std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// Appends the next character of a snippet, and returns how many bytes it has there.
std::size_t append_next(std::string_view snippet, std::string& to) {
  for (const auto& [escape, character] : kEscapes) {
    if (!snippet.starts_with(escape)) continue;
    to += character;
    return escape.size();
  }
  to += snippet[0];
  return 1;
}

}  // namespace

std::vector<SnippetPart> make_snippet(const Xapian::MSet& matches, const std::string& text,
                                      const Xapian::Stem& stemmer) {
  const std::string snippet =
      matches.snippet(plain(text), kLength, stemmer, Xapian::MSet::SNIPPET_BACKGROUND_MODEL,
                      std::string(1, kBegin), std::string(1, kEnd), "\u2026");
  std::vector<SnippetPart> parts;
  SnippetPart part;
  const auto end_part = [&](bool hit) {
    if (!part.text.empty()) parts.push_back(std::move(part));
    part = {"", hit};
  };
  for (std::size_t i = 0; i < snippet.size();) {
    if (snippet[i] == kBegin || snippet[i] == kEnd) {
      end_part(snippet[i++] == kBegin);
    } else {
      i += append_next(std::string_view(snippet).substr(i), part.text);
    }
  }
  end_part(false);
  return parts;
}

}  // namespace search_server
