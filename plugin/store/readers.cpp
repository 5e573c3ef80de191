#include "plugin/store/readers.h"

#include "config/error.h"

namespace kindred {
namespace {

/// If no docid is missing, Xapian counts from 1 to the number in the header of the database, and
/// looks at nothing else. So the last document has to be checked.
void check_last_document(const Xapian::Database& database) {
  const Xapian::docid last = database.get_lastdocid();
  if (last == 0 || database.get_doccount() != last) return;

  try {
    database.get_doclength(last);
  } catch (const Xapian::DocNotFoundError&) {
    throw Error(Errc::kCorrupt, "the database is damaged: it says that it has " +
                                    std::to_string(last) + " documents, but not the last of them");
  }
}

Xapian::PostingIterator list_of(const Xapian::Database& database, const std::string& term) {
  if (term.empty()) check_last_document(database);
  return database.postlist_begin(term);
}

}  // namespace

void refuse_order(bool is_slot, const std::string& name, Xapian::docid docid,
                  Xapian::docid before) {
  std::string list = "the posting list of '" + name + "'";
  if (name.empty()) list = "the list of documents";
  if (is_slot) list = "value slot " + name;
  throw Error(Errc::kCorrupt, list + " is damaged: docid " + std::to_string(docid) +
                                  " comes after " + std::to_string(before));
}

PostingReader::PostingReader(const Xapian::Database& database, const std::string& term)
    : DocumentReader(term, list_of(database, term)) {}

TermReader::TermReader(const Xapian::Database& database, const std::string& prefix)
    : it_(database.allterms_begin(prefix)), end_(database.allterms_end(prefix)) {
  read_current();
}

void TermReader::next() {
  ++it_;
  read_current();
}

void TermReader::skip_to(const std::string& term) {
  it_.skip_to(term);
  if (at_end()) return;
  if (*it_ != term_) read_current();
}

void TermReader::read_current() {
  if (at_end()) return;
  std::string term = *it_;
  if (started_ && term <= term_) {
    throw Error(Errc::kCorrupt,
                "the list of terms is damaged: '" + term + "' comes after '" + term_ + "'");
  }
  term_ = std::move(term);
  started_ = true;
}

}  // namespace kindred
