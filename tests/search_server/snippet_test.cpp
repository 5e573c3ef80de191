#include "index/snippet.h"

#include "tests/fixtures/catch.h"

using search_server::SnippetPart;

namespace {

std::vector<SnippetPart> snippet_of(const std::string& text, const std::string& word) {
  Xapian::WritableDatabase database(std::string(), Xapian::DB_BACKEND_INMEMORY);
  Xapian::Document document;
  Xapian::TermGenerator generator;
  generator.set_stemmer(Xapian::Stem("en"));
  generator.set_document(document);
  generator.index_text(text);
  database.add_document(document);
  Xapian::Enquire enquire(database);
  enquire.set_query(word.empty() ? Xapian::Query::MatchAll
                                 : Xapian::Query("Z" + Xapian::Stem("en")(word)));
  return search_server::make_snippet(enquire.get_mset(0, 1), text, Xapian::Stem("en"));
}

std::string joined(const std::vector<SnippetPart>& parts) {
  std::string text;
  for (const SnippetPart& part : parts) text += part.hit ? "[" + part.text + "]" : part.text;
  return text;
}

}  // namespace

TEST_CASE("a snippet marks every form of a word that was asked for") {
  CHECK(joined(snippet_of("Rocks on a rock", "rocks")) == "[Rocks] on a [rock]");
}

TEST_CASE("markup in a snippet is text, as it was") {
  const std::string text = "<b>moon</b> & \"moon\" &amp; &lt; moon &gt; a<b";
  CHECK(joined(snippet_of(text, "moon")) ==
        "<b>[moon]</b> & \"[moon]\" &amp; &lt; [moon] &gt; a<b");
}

TEST_CASE("control characters in a text cannot mark hits") {
  CHECK(joined(snippet_of("a \x01moon\x02 b\x7f\n", "moon")) == "a  [moon]  b");
}

TEST_CASE("a long text is cut around what was asked for") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "filler ";
  const std::string snippet = joined(snippet_of(text + "moon", "moon"));
  CHECK(snippet.size() < 300);
  CHECK(snippet.find("[moon]") != std::string::npos);
  CHECK(snippet.starts_with("\u2026"));
}

TEST_CASE("without a word the snippet is the beginning of the text") {
  CHECK(joined(snippet_of("Rocks on a rock", "")) == "Rocks on a rock");
  CHECK(snippet_of("", "moon").empty());
}
