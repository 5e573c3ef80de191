#pragma once

#include <xapian.h>
#include <string>
#include <type_traits>
#include <utility>

namespace kindred {

// Xapian returns whatever a table says, even if the table is damaged, or overwritten by a writer
// while it is read. These readers go forward or throw, so every loop over one ends.

/// @throws Error kCorrupt: the list of a slot, or of a term, is damaged.
[[noreturn]] void refuse_order(bool is_slot, const std::string& name, Xapian::docid docid,
                               Xapian::docid before);

/// The documents of a list of Xapian, ascending.
template <typename Iterator>
class DocumentReader {
 public:
  bool at_end() const { return it_ == end_; }
  Xapian::docid docid() const { return docid_; }  ///< never 0

  /// @throws Error kCorrupt if the list does not ascend; Xapian::Error.
  void next() {
    ++it_;
    read_current();
  }
  /// To the first one that is not before `docid`. @throws as next().
  void skip_to(Xapian::docid docid) {
    if (at_end() || docid <= docid_) return;
    it_.skip_to(docid);
    read_current();
  }

 protected:
  /// `name`: the term, or the slot.
  DocumentReader(std::string name, Iterator it) : it_(std::move(it)), name_(std::move(name)) {
    read_current();
  }
  Iterator it_;

 private:
  static constexpr bool kHasValues = std::is_same_v<Iterator, Xapian::ValueIterator>;

  void read_current() {
    if (at_end()) return;
    Xapian::docid docid = 0;
    if constexpr (kHasValues) {
      docid = it_.get_docid();
    } else {
      docid = *it_;
    }
    if (docid <= docid_) refuse_order(kHasValues, name_, docid, docid_);
    docid_ = docid;
  }

  const std::string name_;
  const Iterator end_;
  Xapian::docid docid_ = 0;
};

/// The documents that have a term; "" stands for all documents.
class PostingReader : public DocumentReader<Xapian::PostingIterator> {
 public:
  /// @throws Error kCorrupt if the database claims more documents than it has; Xapian::Error.
  PostingReader(const Xapian::Database& database, const std::string& term);
  Xapian::termcount wdf() const { return it_.get_wdf(); }
};

/// The documents that have a value in a slot.
class ValueReader : public DocumentReader<Xapian::ValueIterator> {
 public:
  ValueReader(const Xapian::Database& database, Xapian::valueno slot)
      : DocumentReader(std::to_string(slot), database.valuestream_begin(slot)) {}
  std::string value() const { return *it_; }
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
  void read_current();

  Xapian::TermIterator it_;
  const Xapian::TermIterator end_;
  std::string term_;
  bool started_ = false;
};

}  // namespace kindred
