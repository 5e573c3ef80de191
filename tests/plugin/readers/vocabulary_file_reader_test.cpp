#include "plugin/readers/vocabulary_file_reader.h"

#include "tests/fixtures/error_code.h"

using namespace kindred;
using test::says;

namespace {

/// Hands a text out in pieces of so many bytes.
ByteSource in_pieces(const std::string& bytes, std::size_t size) {
  return [bytes, size, at = std::size_t{0}](std::span<char> room) mutable {
    const std::size_t count = std::min({size, room.size(), bytes.size() - at});
    bytes.copy(room.data(), count, at);
    at += count;
    return count;
  };
}

VocabularyFile read(const std::string& bytes, const std::string& name,
                    const std::string& id_prefix = "") {
  const VocabularyFile file = read_vocabulary_file(name, in_pieces(bytes, 1 << 20), id_prefix);
  CHECK(read_vocabulary_file(name, in_pieces(bytes, 7), id_prefix).terms == file.terms);
  CHECK(file.lines.size() == file.terms.size());
  return file;
}

/// "line: fault" of each mistake, one a line.
std::string mistakes_of(const VocabularyFile& file) {
  std::string text;
  for (const auto& mistake : file.mistakes)
    text += std::to_string(mistake.line) + ": " + mistake.fault + "\n";
  return text;
}

const Json kEarthquake = {
    {"id", "4015134-7"},
    {"names",
     {{{"text", "Erdbeben"}, {"language", "de"}}, {{"text", "Earthquake"}, {"language", "en"}}}},
    {"synonyms", {{{"text", "Beben"}, {"language", "de"}}}},
    {"broader", {"4016946-7"}}};

}  // namespace

TEST_CASE("a table without names of columns has ids and names") {
  const VocabularyFile file = read("1\tA \"Duty\" award\n\n2\tB\n3\n4\tC\tD\n", "x.tsv");
  CHECK(file.terms == Json{{{"id", "1"}, {"names", {{{"text", "A \"Duty\" award"}}}}},
                           {{"id", "2"}, {"names", {{{"text", "B"}}}}},
                           {{"id", "3"}}});
  CHECK(file.lines == std::vector<std::uint64_t>{1, 3, 4});
  CHECK(says(mistakes_of(file), {"5: has 3 fields, expected an id and a name"}));
}

TEST_CASE("columns of a table are known by the names in its first line, in any order") {
  const VocabularyFile file = read(
      "Name;ID;Lang;synonyms;Broader;Use instead;deprecated;Note;color\r\n"
      "Erdbeben;4015134-7;de;Beben;4016946-7;;no;;red\r\n"
      "Earthquake;4015134-7;en\r\n"
      "Quake;7;en;a | b||c;;4015134-7|8;TRUE;old\r\n"
      "Quake;9;en;;;;perhaps\r\n",
      "x.csv");
  CHECK(file.terms[0] == kEarthquake);
  CHECK(file.terms[1] == Json{{"id", "7"},
                              {"names", {{{"text", "Quake"}, {"language", "en"}}}},
                              {"synonyms",
                               {{{"text", "a"}, {"language", "en"}},
                                {{"text", "b"}, {"language", "en"}},
                                {{"text", "c"}, {"language", "en"}}}},
                              {"use_instead", {"4015134-7", "8"}},
                              {"note", "old"},
                              {"deprecated", true}});
  CHECK(file.lines == std::vector<std::uint64_t>{2, 4});
  CHECK(file.unread == std::vector<std::string>{"color"});
  CHECK(says(mistakes_of(file), {"5: deprecated: expected true or false, found 'perhaps'"}));
}

TEST_CASE("two rows with one id and one language are two terms, which is for others to judge") {
  CHECK(read("id,name,language\n1,a,en\n1,b,en\n", "x.csv").terms.size() == 2);
  CHECK(read("1,a\n1,b\n", "x.csv").terms.size() == 2);
}

TEST_CASE("SKOS is read from Turtle, N-Triples and RDF/XML alike") {
  const std::string turtle = R"(
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix gnd: <https://d-nb.info/gnd/> .
<https://d-nb.info/> a skos:ConceptScheme ; skos:prefLabel "GND" .
gnd:4015134-7 a skos:Concept ;
  skos:prefLabel "Erdbeben"@de , "Earthquake"@en ; skos:altLabel "Beben"@de ;
  skos:broader gnd:4016946-7 ; skos:related [ skos:prefLabel "nobody" ] .
)";
  const std::string triples = R"(# a comment
<https://d-nb.info/gnd/4015134-7> <http://www.w3.org/2004/02/skos/core#prefLabel> "Erdbeben"@de .
<https://d-nb.info/gnd/4015134-7> <http://www.w3.org/2004/02/skos/core#prefLabel> "Earthquake"@en .
<https://d-nb.info/gnd/4015134-7> <http://www.w3.org/2004/02/skos/core#altLabel> "Beben"@de .
<https://d-nb.info/gnd/4016946-7> <http://www.w3.org/2004/02/skos/core#narrower> <https://d-nb.info/gnd/4015134-7> .
)";
  const std::string xml = R"(<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:skos="http://www.w3.org/2004/02/skos/core#" xml:base="https://d-nb.info/gnd/">
  <skos:Concept rdf:about="4015134-7">
    <skos:prefLabel xml:lang="de">Erdbeben</skos:prefLabel>
    <skos:prefLabel xml:lang="en"><![CDATA[Earth]]>quake</skos:prefLabel>
    <skos:altLabel xml:lang="de">Beben</skos:altLabel>
    <skos:broader><skos:Concept rdf:about="https://d-nb.info/gnd/4016946-7"/></skos:broader>
  </skos:Concept>
</rdf:RDF>
)";
  for (const auto& [text, name] : {std::pair(turtle, "x.ttl"),
                                   {triples, "x.nt"},
                                   {xml, "x.rdf"},
                                   {turtle, "-"},
                                   {triples, "-"},
                                   {xml, "-"}}) {
    INFO(name << text);
    const VocabularyFile file = read(text, name, "https://d-nb.info/gnd/");
    CHECK(mistakes_of(file).empty());
    REQUIRE_FALSE(file.terms.empty());
    CHECK(file.terms[0] == kEarthquake);
  }
  CHECK(read(turtle, "x.ttl").terms[0]["id"] == "https://d-nb.info/gnd/4015134-7");
  CHECK(read(turtle, "x.ttl").terms.size() == 1);
}

TEST_CASE("a large file of SKOS is read to its end, however its bytes come") {
  std::string triples;
  for (int i = 0; i < 20'000; ++i)
    triples += "<a:" + std::to_string(i) + "> <http://www.w3.org/2004/02/skos/core#prefLabel> \"" +
               std::to_string(i) + "\" .\n";
  const VocabularyFile file = read(triples, "x.nt", "a:");
  CHECK(mistakes_of(file).empty());
  REQUIRE(file.terms.size() == 20'000);
  CHECK(file.terms.back()["id"] == "19999");
}

TEST_CASE("brackets that nest too deep are a mistake, and no danger") {
  for (const char* const open : {"[ <a:p> ", "( "}) {
    for (const char* const begin : {"<a:1> <a:p> ", ""}) {
      std::string turtle = begin;
      for (int i = 0; i < 300'000; ++i) turtle += open;
      CHECK(says(mistakes_of(read(turtle, "x.ttl")), {"nested too deep"}));
    }
  }
}

TEST_CASE("deprecated concepts say what took their place") {
  const VocabularyFile file = read(
      "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
      "<a:1> owl:deprecated true ; <http://purl.org/dc/terms/isReplacedBy> <a:2> .\n",
      "x.ttl", "a:");
  CHECK(file.terms == Json{{{"id", "1"}, {"use_instead", {"2"}}, {"deprecated", true}}});
}

TEST_CASE("half a file of SKOS is a mistake with its line, and what is before it is read") {
  const std::string begin = "<a:1> <http://www.w3.org/2004/02/skos/core#prefLabel> \"one\" .\n";
  const VocabularyFile turtle = read(begin + "<a:2> <a:p> \"tw", "x.ttl");
  CHECK(turtle.terms.size() == 1);
  CHECK(says(mistakes_of(turtle), {"2: ", "what follows was not read"}));

  const VocabularyFile xml = read(
      "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
      "xmlns:s=\"http://www.w3.org/2004/02/skos/core#\">\n"
      "<s:Concept rdf:about=\"a:1\"><s:prefLabel>one</s:prefLabel></s:Concept>\n<s:Concept",
      "x.rdf");
  CHECK(xml.terms.size() == 1);
  CHECK(says(mistakes_of(xml), {"3: ", "what follows was not read"}));
  CHECK(says(mistakes_of(read("<a><b/></a>", "x.xml")),
             {"1: expected the element rdf:RDF, found a"}));
}

TEST_CASE("entities of XML are refused, and neither expanded nor loaded") {
  const std::string laughs =
      "<!DOCTYPE r [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>\n"
      "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">&b;</rdf:RDF>";
  const std::string outside =
      "<!DOCTYPE r [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>\n<r>&a;</r>";
  for (const std::string& text : {laughs, outside})
    CHECK(says(mistakes_of(read(text, "x.rdf")), {"the entity 'a'", "without entities"}));
}

TEST_CASE("JSON Lines have the terms as the question takes them, and mistakes with their lines") {
  const VocabularyFile file = read(
      kEarthquake.dump() +
          "\n\n{\"id\":\"2\",\"names\":[{\"text\":\"b\"}],\"nmes\":[]}\nnot JSON\n{\"id\":7}\n" +
          "{\"id\":\"3\"}",
      "x.jsonl");
  REQUIRE(file.terms.size() == 2);
  CHECK(file.terms[0]["synonyms"] == kEarthquake["synonyms"]);
  CHECK(file.lines == std::vector<std::uint64_t>{1, 6});
  CHECK(says(mistakes_of(file), {"3: term: unknown key 'nmes'; did you mean 'names'?",
                                 "4: is not a JSON object", "5: term.id: expected"}));
}

TEST_CASE("a file with more terms than a vocabulary may have is refused before its end") {
  std::uint64_t lines = 0;
  const ByteSource endless = [&](std::span<char> room) {
    std::size_t at = 0;
    for (; at + 20 < room.size(); ++lines)
      at += static_cast<std::size_t>(
          std::snprintf(room.data() + at, 20, "%llu\tx\n", static_cast<unsigned long long>(lines)));
    return at;
  };
  CHECK(test::code_of([&] { read_vocabulary_file("x.tsv", endless, ""); }, "1000000 terms") ==
        Errc::kInvalidArgument);
  CHECK(lines < 1'100'000);
}
