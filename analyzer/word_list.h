#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/normalize.h"

namespace kindred {

/// Lets the containers below be asked with a string_view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};
using WordSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;
using WordMap = std::unordered_map<std::string, std::string, TextHash, std::equal_to<>>;

/// The content of a word-list file. @throws Error kNotFound if it cannot be read; kInvalidArgument
/// if it is no regular file, or longer than 64 MiB. `purpose` says in the message what it is for
/// ("stop words").
std::string read_word_list(const std::string& path, std::string_view purpose);

/// A word a line, folded. Empty lines and lines that begin with # are passed over, as are a byte
/// order mark and white space around the word.
/// @throws Error kInvalidArgument naming `name` and the line: malformed UTF-8, white space inside,
/// a word of which folding leaves nothing.
WordSet parse_words(std::string_view list, const std::string& name, const Normalizer& normalizer);

/// word TAB stem a line, both folded; otherwise as parse_words().
/// @throws Error kInvalidArgument also for a line without a TAB or with a second one, and for a
/// word that has another stem already.
WordMap parse_stems(std::string_view list, const std::string& name, const Normalizer& normalizer);

}  // namespace kindred
