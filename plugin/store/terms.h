#pragma once

#include <xapian.h>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kindred {

/// Xapian's limit for a term, in bytes; a zero byte counts twice.
inline constexpr std::size_t kMaxTermBytes = 245;

/// `value` under `prefix`, as Omega and the query parser write it: with a colon between them if the
/// prefix has several letters and the value starts with a capital (A-Z) or a colon. The prefixes Z
/// and X, after which Xapian itself never writes a capital, get the colon in the same cases:
/// without it, Z + "Foo" would read as the stem "oo" of the field F.
std::string prefixed_term(std::string_view prefix, std::string_view value);

/// The same, but always with a colon, as some programs write it.
std::string colon_term(std::string_view prefix, std::string_view value);

/// The part of `term` that is its value under `prefix`. Nothing if the value is empty, or if the
/// term has another prefix: XTAGx is not a term under XT. The prefix "" has the terms that do not
/// start with a capital, "Z" the stems of unprefixed text, "ZS" those of the field S. A colon after
/// a prefix of several letters is never part of the value (notmuch always writes one).
std::optional<std::string_view> value_under(std::string_view prefix, std::string_view term);

/// False for a whole title under S, which mu writes beside its words.
bool is_word_under(std::string_view prefix, std::string_view value);

/// True if Xapian can store the term: it is not empty and not too long.
bool fits_term(std::string_view term);

// Xapian returns whatever a table says, even if the table is damaged, or overwritten by a writer
// while it is read. These readers go forward or throw, so every loop over one ends.

/// The documents of a posting list, ascending.
class PostingReader {
 public:
  /// The documents that have `term`; "" stands for all documents.
  /// @throws Error kCorrupt if the database claims more documents than it has; Xapian::Error.
  PostingReader(const Xapian::Database& database, const std::string& term);

  bool at_end() const { return it_ == end_; }
  Xapian::docid docid() const { return docid_; }  ///< never 0
  Xapian::termcount wdf() const { return it_.get_wdf(); }

  /// @throws Error kCorrupt if the list does not ascend; Xapian::Error.
  void next() {
    ++it_;
    take();
  }
  void skip_to(
      Xapian::docid docid);  ///< to the first one that is not before `docid`; @throws as next()

 private:
  void take() {
    if (at_end()) return;
    const Xapian::docid docid = *it_;
    if (docid <= docid_) refuse(docid);
    docid_ = docid;
  }
  [[noreturn]] void refuse(Xapian::docid docid) const;

  const std::string term_;
  Xapian::PostingIterator it_;
  const Xapian::PostingIterator end_;
  Xapian::docid docid_ = 0;
};

/// The documents that have a value in a slot, ascending.
class ValueReader {
 public:
  ValueReader(const Xapian::Database& database, Xapian::valueno slot);

  bool at_end() const { return it_ == end_; }
  Xapian::docid docid() const { return docid_; }  ///< never 0
  std::string value() const { return *it_; }
  void next();  ///< @throws as PostingReader::next()
  void skip_to(
      Xapian::docid docid);  ///< to the first one that is not before `docid`; @throws as next()

 private:
  void take();

  const Xapian::valueno slot_;
  Xapian::ValueIterator it_;
  const Xapian::ValueIterator end_;
  Xapian::docid docid_ = 0;
};

/// The terms of a database that begin with a prefix, in byte order.
class TermReader {
 public:
  TermReader(const Xapian::Database& database, const std::string& prefix);

  bool at_end() const { return it_ == end_; }
  const std::string& term() const { return term_; }
  Xapian::doccount termfreq() const { return it_.get_termfreq(); }  ///< as the table says

  /// @throws Error kCorrupt if the terms do not ascend; Xapian::Error. The same holds for
  /// skip_to().
  void next();
  void skip_to(const std::string& term);  ///< to the first one that is not before `term`

 private:
  void take();

  Xapian::TermIterator it_;
  const Xapian::TermIterator end_;
  std::string term_;
  bool started_ = false;
};

}  // namespace kindred
