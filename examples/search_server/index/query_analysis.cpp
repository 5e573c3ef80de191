#include "index/query_analysis.h"

namespace search_server {
namespace {

class IndexStem : public Xapian::StemImplementation {
 public:
  explicit IndexStem(const QueryAnalysis& analysis) : analysis_(analysis) {}
  std::string operator()(const std::string& word) override { return analysis_.stem(word); }
  std::string get_description() const override { return "stems of the index"; }

 private:
  const QueryAnalysis& analysis_;
};

}  // namespace

Xapian::Stem index_stemmer(const Xapian::Database& database, const QueryAnalysis& analysis) {
  const bool stemmed = database.allterms_begin("Z") != database.allterms_end("Z");
  return stemmed ? Xapian::Stem(new IndexStem(analysis)) : Xapian::Stem();
}

}  // namespace search_server
