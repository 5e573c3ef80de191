#pragma once

#include <xapian.h>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace kindred::test {

using Terms = std::vector<std::string>;

inline Xapian::docid docid_of(const Xapian::Database& database, const std::string& id) {
  const auto it = database.postlist_begin("Q" + id);
  REQUIRE(it != database.postlist_end("Q" + id));
  return *it;
}

inline Xapian::Document document(const Xapian::Database& database, const std::string& id) {
  return database.get_document(docid_of(database, id));
}

inline Terms terms_with(const Xapian::Document& document, const std::string& prefix) {
  Terms terms;
  for (auto it = document.termlist_begin(); it != document.termlist_end(); ++it) {
    if ((*it).starts_with(prefix)) terms.push_back(*it);
  }
  return terms;
}

/// The terms under a prefix of the document of an id, as they are on disk.
inline Terms terms_on_disk(const std::string& path, const std::string& id,
                           const std::string& prefix) {
  return terms_with(document(Xapian::Database(path), id), prefix);
}

/// What another program may do to a document: take a term off, put a term on.
inline void change_term(const std::string& path, const std::string& id, const std::string& remove,
                        const std::string& add = {}) {
  Xapian::WritableDatabase database(path, Xapian::DB_OPEN);
  const Xapian::docid docid = docid_of(database, id);
  Xapian::Document changed = database.get_document(docid);
  if (!remove.empty()) changed.remove_term(remove);
  if (!add.empty()) changed.add_boolean_term(add);
  database.replace_document(docid, changed);
  database.commit();
}

}  // namespace kindred::test
