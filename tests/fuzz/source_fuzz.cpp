// What a KnnSource or a TagSpy reads that another process sent, and searches with what passes the
// checks.
#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "plugin/documents/tag_spy.h"
#include "plugin/related/knn_source.h"

namespace {

using namespace kindred;

Xapian::Database three_documents() {
  Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
  for (const char* tag : {"Ka", "XAUTOb", "XTOPIC1"}) {
    Xapian::Document document;
    document.add_boolean_term(tag);
    database.add_document(document);
  }
  return database;
}

/// Calls `use`, which may find that the bytes were not sent by a source or spy, or not for this
/// database.
template <typename Use>
void tolerant(const Use& use) {
  try {
    use();
  } catch (const Xapian::SerialisationError&) {
  } catch (const Xapian::InvalidOperationError&) {
  }
}

void search(const Xapian::Database& database, KnnSource& source, TagSpy& spy) {
  Xapian::Enquire enquire(database);
  enquire.set_query(Xapian::Query(&source));
  enquire.add_matchspy(&spy);
  const Xapian::MSet matches = enquire.get_mset(0, 10, database.get_doccount());
  if (matches.size() > 3) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Xapian::Database database = three_documents();
  static const Xapian::Registry registry;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  tolerant([&] {
    const std::unique_ptr<KnnSource> source(KnnSource().unserialise(bytes));
    const std::unique_ptr<KnnSource> again(source->unserialise(source->serialise()));
    TagSpy spy;
    search(database, *again, spy);
  });
  tolerant([&] {
    const std::unique_ptr<TagSpy> spy(TagSpy().unserialise(bytes, registry));
    KnnSource none;
    search(database, none, *spy);
  });
  tolerant([&] {
    TagSpy spy, sum;
    spy.merge_results(bytes);
    sum.merge_results(spy.serialise_results());
    if (sum.labels() != spy.labels() || sum.total() != spy.total()) __builtin_trap();
  });
  return 0;
}
