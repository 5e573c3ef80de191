#pragma once

#include <xapian.h>

#include <string>
#include <vector>

namespace search_server {

/// A part of a snippet.
struct SnippetPart {
  std::string text;
  bool hit = false;  ///< it matches the query
};

/// The part of a text that says most about why it matches, some 240 bytes long; its beginning if no
/// word of the query is in it. Control characters become spaces.
std::vector<SnippetPart> make_snippet(const Xapian::MSet& matches, const std::string& text,
                                      const Xapian::Stem& stemmer);

}  // namespace search_server
