#include "tests/attack/damage.h"

#include <xapian.h>
#include <exception>
#include <functional>
#include <vector>

namespace kindred::attack {
namespace {

/// Runs body(), and ignores any exception.
void attempt(const std::function<void()>& body) {
  try {
    body();
  } catch (const Xapian::Error&) {
  } catch (const std::exception&) {  // of the standard library, because of a damaged length
  }
}

void read_postings(const Xapian::Database& database, const std::string& term) {
  Xapian::docid last = 0;
  const auto end = database.postlist_end(term);
  for (auto it = database.postlist_begin(term); it != end && *it > last; ++it) {
    it.get_wdf();
    last = *it;
  }
}

void read_lists(const Xapian::Database& database) {
  std::string last;
  for (auto it = database.allterms_begin(); it != database.allterms_end(); ++it) {
    const std::string term = *it;
    if (!last.empty() && term <= last) break;
    last = term;
    it.get_termfreq();
    attempt([&] { read_postings(database, term); });
  }
}

void read_slot(const Xapian::Database& database, Xapian::valueno slot) {
  Xapian::docid last = 0;
  const auto end = database.valuestream_end(slot);
  for (auto it = database.valuestream_begin(slot); it != end && it.get_docid() > last; ++it) {
    last = it.get_docid();
  }
}

void read_document(const Xapian::Database& database, Xapian::docid docid) {
  const Xapian::Document document = database.get_document(docid);
  attempt([&] { document.get_data(); });
  attempt([&] {
    for (auto it = document.termlist_begin(); it != document.termlist_end(); ++it) it.get_wdf();
  });
  attempt([&] {
    for (auto it = document.values_begin(); it != document.values_end(); ++it) it.get_valueno();
  });
}

/// Skips, as queries and readers of one prefix do.
void skip(const Xapian::Database& database) {
  for (const char* prefix : {"K", "L", "Q", "S", "XKP", "Z", "Z[", "[", "a"}) {
    attempt([&] {
      auto it = database.allterms_begin();
      it.skip_to(prefix);
    });
    attempt([&] { database.allterms_begin(prefix); });
  }
  attempt([&] {
    Xapian::Enquire enquire(database);
    enquire.set_query(Xapian::Query(Xapian::Query::OP_OR, Xapian::Query("Zmoon"),
                                    Xapian::Query(Xapian::Query::OP_WILDCARD, "w")));
    enquire.get_mset(0, database.get_doccount());
  });
}

constexpr Xapian::docid kDocids = 10000;  // more than a shape has
constexpr Xapian::valueno kSlots[] = {7001, 7002};

/// Adds and replaces documents of some words with positions, as ingest does.
void add_texts(const std::string& path) {
  Xapian::WritableDatabase database(path, Xapian::DB_OPEN);
  Xapian::Document document;
  Xapian::termpos position = 0;
  for (const char* word : {"another", "moon", "text", "word1", "word2"}) {
    document.add_posting(word, ++position);
    document.add_term(std::string("Z") + word);
  }
  document.set_data("{}");
  attempt([&] { database.add_document(document); });
  attempt([&] { database.replace_document("Qmoon-2", document); });
  database.commit();
}

}  // namespace

int read_by_xapian(const std::string& path) {
  attempt([&] {
    const Xapian::Database database(path);
    attempt([&] { read_postings(database, ""); });
    attempt([&] { read_lists(database); });
    attempt([&] { skip(database); });
    for (Xapian::valueno slot = 0; slot < 256; ++slot) attempt([&] { read_slot(database, slot); });
    for (const Xapian::valueno slot : kSlots) attempt([&] { read_slot(database, slot); });
    for (Xapian::docid docid = 1; docid < kDocids; ++docid) {
      attempt([&] { read_document(database, docid); });
    }
  });
  return 0;
}

int write_by_xapian(const std::string& path) {
  attempt([&] { add_texts(path); });
  attempt([&] {
    Xapian::WritableDatabase database(path, Xapian::DB_OPEN);
    for (Xapian::docid docid = 1; docid < kDocids; ++docid) {
      attempt([&] {
        Xapian::Document document = database.get_document(docid);
        document.add_boolean_term("XKPlain");
        for (const Xapian::valueno slot : kSlots) document.add_value(slot, "value");
        database.replace_document(docid, document);
      });
    }
    database.commit();
  });
  return 0;
}

}  // namespace kindred::attack
