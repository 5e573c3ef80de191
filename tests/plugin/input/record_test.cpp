#include "plugin/input/record.h"

#include "analyzer/text/utf8.h"
#include "plugin/input/document_data.h"
#include "tests/fixtures/error_code.h"

using namespace kindred;
using test::says;
using namespace std::string_literals;

namespace {

std::string fault(const std::string& json) {
  return test::message_of([&] { parse_record(json); });
}

std::string fault(const Record& record) {
  return test::message_of([&] { check_record(record, Settings{}); });
}

Record record_with_id() {
  Record record;
  record.id = "1";
  return record;
}

}  // namespace

TEST_CASE("a record has its keys, and keeps the others as fields") {
  const Record r = parse_record(
      R"({"id":"a","title":"T","text":"body","labels":["x","y"],"lang":"pt","url":"http://e/","n":3,)"
      R"("list":[1,"é"]})");
  CHECK(r.id == "a");
  CHECK(r.title == "T");
  CHECK(r.text == "body");
  CHECK(r.labels == std::vector<std::string>{"x", "y"});
  CHECK(r.language == "pt");
  CHECK_FALSE(r.terms);
  CHECK(r.fields == std::map<std::string, std::string>{
                        {"url", "http://e/"}, {"n", "3"}, {"list", R"([1,"é"])"}});
}

TEST_CASE("null is as good as absent, and so is everything") {
  const Record r = parse_record(R"({"id":null,"labels":null,"terms":null,"x":null})");
  CHECK(r.id.empty());
  CHECK(r.labels.empty());
  CHECK_FALSE(r.terms);
  CHECK(r.fields.empty());
  CHECK(parse_record("{}").text.empty());
}

TEST_CASE("an id may be a whole number") {
  CHECK(parse_record(R"({"id":42})").id == "42");
  CHECK(parse_record(R"({"id":-7})").id == "-7");
  CHECK(parse_record(R"({"id":18446744073709551615})").id == "18446744073709551615");
  CHECK(says(fault(R"({"id":1.5})"), {"id: expected a string or a whole number"}));
  CHECK(says(fault(R"({"id":true})"), {"id: expected"}));
}

TEST_CASE("duplicated labels collapse and keep their order") {
  CHECK(parse_record(R"({"labels":["b","a","b","c","a"]})").labels ==
        std::vector<std::string>{"b", "a", "c"});
}

TEST_CASE("terms come in byte order with whole counts") {
  const Record r = parse_record(R"({"terms":{"b":2,"a":65535,"B":1}})");
  REQUIRE(r.terms);
  CHECK(*r.terms == TermBag{{"B", 1}, {"a", 65535}, {"b", 2}});
  for (const auto* count :
       {"0", "-1", "1.5", "65536", "4294967295", "4294967296", "\"3\"", "null"}) {
    CAPTURE(count);
    CHECK(says(fault(R"({"terms":{"a":)"s + count + "}}"), {"terms: 'a': expected a whole"}));
  }
  CHECK(says(fault(R"({"terms":["a"]})"), {"terms: expected an object"}));
}

TEST_CASE("an error names the key that is wrong") {
  CHECK(says(fault(R"({"text":1})"), {"text: expected a string, found number"}));
  CHECK(says(fault(R"({"title":[]})"), {"title: expected a string, found array"}));
  CHECK(says(fault(R"({"lang":{}})"), {"lang: expected a string"}));
  CHECK(says(fault(R"({"labels":"x"})"), {"labels: expected a list of strings"}));
  CHECK(says(fault(R"({"labels":["x",1]})"), {"labels: expected a string"}));
  CHECK(says(fault("[1]"), {"expected a JSON object, found array"}));
  CHECK(says(fault("3"), {"expected a JSON object"}));
  CHECK(says(fault("{\"id\":"), {"not JSON at byte"}));
  CHECK(says(fault(""), {"not JSON"}));
  CHECK(says(fault("{} {}"), {"not JSON"}));
  CHECK(fault(R"({"id": "a", "mass": 1e999})") == "number overflow parsing '1e999'");
}

TEST_CASE("a fault in a long line does not repeat the line") {
  CHECK(fault("{\"text\":\"" + std::string(1000000, 'x')).size() < 300);
}

TEST_CASE("malformed UTF-8 becomes U+FFFD and loses nothing else") {
  CHECK(parse_record("{\"text\":\"caf\xE9 noir\"}").text == "caf\uFFFD noir");
  CHECK(repair_utf8("a\xC0\xAF"
                    "b") == "a\uFFFD\uFFFDb");
  CHECK(repair_utf8("\xE2\x82") == "\uFFFD");
  CHECK(repair_utf8("\xF0\x9F\x98x") == "\uFFFDx");
  CHECK(repair_utf8("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");
  CHECK(repair_utf8("\xF4\x90\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");
  CHECK(repair_utf8("\x80z") == "\uFFFDz");
  CHECK(repair_utf8("é€😀\0x"s) == "é€😀\0x"s);
}

TEST_CASE("half a surrogate pair becomes U+FFFD and a whole one a character") {
  CHECK(parse_record(R"({"text":"a\ud83d b"})").text == "a\uFFFD b");
  CHECK(parse_record(R"({"text":"\uDE00\ud83d\ude00\ud83d"})").text == "\uFFFD😀\uFFFD");
  CHECK(parse_record(R"({"text":"\\ud83d \ud83d"})").text == "\\ud83d \uFFFD");
}

TEST_CASE("names are not repaired, as two of them could become one") {
  const char* const broken[] = {"\xE9", "\xFF", "\xED\xA0\x80", "\\ud800", "\\udfff"};
  for (const std::string name : broken) {
    CAPTURE(name);
    const std::string what = "expected UTF-8";
    CHECK(fault("{\"id\":\"a" + name + "\"}").find("id: " + what) == 0);
    CHECK(fault("{\"labels\":[\"x\",\"" + name + "\"]}").find("labels: " + what) == 0);
    CHECK(fault("{\"rejected_labels\":[\"" + name + "\"]}").find("rejected_labels: " + what) == 0);
    CHECK(fault("{\"terms\":{\"" + name + "\":1}}").find("terms: " + what) == 0);
    CHECK(fault("{\"id\":\"a\",\"title\":\"" + name + "\",\"url\":\"" + name + "\"}").empty());
  }
  // Where the damage collides with a name that is whole, too.
  CHECK(says(fault("{\"labels\":[\"\uFFFD\",\"\xFF\"]}"), {"labels: "}));
  CHECK(says(fault("{\"labels\":[\"?\",\"\xFF\"]}"), {"labels: "}));
}

TEST_CASE("U+FFFD itself is a character like any other, beside damage as well") {
  const Record r =
      parse_record("{\"id\":\"a\uFFFD\",\"labels\":[\"\\ufffd\",\"?\"],\"text\":\"\xFF \\ud800\"}");
  CHECK(r.id == "a\uFFFD");
  CHECK(r.labels == std::vector<std::string>{"\uFFFD", "?"});
  CHECK(r.text == "\uFFFD \uFFFD");
}

TEST_CASE("nesting is limited, so that no input overflows the stack") {
  const auto nested = [](std::size_t depth) {
    return "{\"x\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  CHECK(fault(nested(50)).empty());
  CHECK(says(fault(nested(1000000)), {"levels deep"}));
}

TEST_CASE("a damaged line is read or refused, whatever the damage") {
  const std::string whole = R"({"id":"a-1","title":"T","text":"caf\u00e9 \ud83d\ude00","n":5.1,)"
                            R"("terms":{"cat":3},"labels":["x"],"lang":"en","auto_tag":true})";
  const std::string parts[] = {
      "\"", "{", "}",   "[",    "]",       "\\",    "null",
      ",",  ":", "\0"s, "\xff", "\\ud800", "1e999", "99999999999999999999"};
  std::mt19937_64 random(1);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string line = whole;
    for (auto damage = 1 + random() % 4; damage > 0; --damage) {
      const std::size_t at = random() % line.size();
      const std::string& part = parts[random() % std::size(parts)];
      line.replace(at, random() % 3, part);
    }
    CAPTURE(i, line);
    if (!fault(line).empty()) ++refused;
  }
  CHECK(refused > 2000);
  CHECK(refused < 5000);
}

TEST_CASE("a record that Xapian cannot store is refused by key") {
  Record record = record_with_id();
  CHECK(fault(record).empty());
  record.id = "";
  CHECK(says(fault(record), {"id: "}));
  record.id = std::string(244, 'i');
  CHECK(fault(record).empty());
  record.id = std::string(245, 'i');
  CHECK(says(fault(record), {"id: ", "245"}));
  record.id = std::string(123, '\0');
  CHECK(says(fault(record), {"id: "}));
}

TEST_CASE("labels and terms have limits too") {
  Record record = record_with_id();
  record.labels = {"ok", ""};
  CHECK(says(fault(record), {"labels: "}));
  record.labels = {std::string(245, 'l')};
  CHECK(says(fault(record), {"labels: "}));
  record.labels.clear();
  record.terms = TermBag{{"a", 1}, {"b", 0}};
  CHECK(says(fault(record), {"terms: 'b'"}));
  record.terms = TermBag{{std::string(245, 't'), 1}};
  CHECK(says(fault(record), {"terms: "}));
  record.terms = TermBag{{"", 1}};
  CHECK(says(fault(record), {"terms: "}));
}

TEST_CASE("a label has room under the prefixes of predicted and rejected tags") {
  Record record = record_with_id();
  const Settings settings;
  const std::size_t longest = 245 - std::max(settings.labels.predicted_prefix.size(),
                                             settings.labels.rejected_prefix.size());
  for (auto* labels : {&record.labels, &record.rejected_labels}) {
    *labels = {std::string(longest, 'l')};
    CHECK(fault(record).empty());
    *labels = {std::string(longest + 1, 'l')};
    CHECK(says(fault(record), {"245", "prefix"}));
    *labels = {std::string(longest / 2, '\0') + "xx"};
    CHECK(says(fault(record), {"245", "zero byte"}));
    labels->clear();
  }
}

TEST_CASE("labels of one look are one label: forms of Unicode, white space at the ends") {
  const Record record = parse_record(
      R"({"id": 1, "labels": ["Caf\u00e9", "Cafe\u0301", " Caf\u00e9\t", "\u00a0Caf\u00e9\u202f", "a  b"],)"
      R"( "rejected_labels": ["\u1112\u1161\u11ab", "\ud55c", "x\n"]})");
  CHECK(record.labels == std::vector<std::string>{"Caf\u00e9", "a  b"});
  CHECK(record.rejected_labels == std::vector<std::string>{"\ud55c", "x"});
  Record blank = parse_record(R"({"id": 1, "labels": [" \u3000"]})");
  CHECK(says(fault(blank), {"labels: ", "empty"}));
}

TEST_CASE("a record that says so has escapes for bytes that are not UTF-8") {
  const Record record = parse_record(
      R"({"escaped_strings":true,"id":"C:\\\\a\\xff","labels":["\\xc3("],"title":"\\\\ \\xff",)"
      R"("terms":{"\\xfe":2},"k\\xff":"\\x80","list":["a\\\\b"]})");
  CHECK(record.id == "C:\\a\xFF");
  CHECK(record.labels == std::vector<std::string>{"\xC3("});
  CHECK(record.title == "\\ \uFFFD");
  CHECK(*record.terms == TermBag{{"\xFE", 2}});
  CHECK(record.fields ==
        std::map<std::string, std::string>{{"k\xFF", "\x80"}, {"list", R"(["a\\b"])"}});
  CHECK(fault(record).empty());
  CHECK(fault(R"({"escaped_strings":true,"id":"\\y"})").starts_with("escaped_strings: '\\y'"));
  CHECK(parse_record(R"({"dead_letter":{"reason":"'\\y'"},"escaped_strings":true,"id":"\\xff"})")
            .id == "\xFF");
  CHECK(parse_record(R"({"escaped_strings":"x\\\\"})").fields.at("escaped_strings") == "x\\\\");
}

TEST_CASE("counts and their sum stay far below what Xapian has room for") {
  Record record = record_with_id();
  record.terms = TermBag{{"a", 65535}};
  CHECK(fault(record).empty());
  record.terms = TermBag{{"a", 65536}};
  CHECK(says(fault(record), {"terms: 'a'", "65535"}));
  record.terms = TermBag{{"a", 4294967295u}};
  CHECK(says(fault(record), {"terms: "}));
  record.terms = TermBag(16384, TermCount{"a", 65535});  // one term, repeated
  CHECK(fault(record).empty());
  record.terms->resize(17000, TermCount{"a", 65535});
  CHECK(says(fault(record), {"terms: too much"}));
}

TEST_CASE("a title and a text are no longer than a document can count") {
  Record record = record_with_id();
  Settings settings;
  settings.index.title_boost = 1000;
  record.title = std::string(268000, 'x');
  CHECK_NOTHROW(check_record(record, settings));
  record.title += std::string(1000, 'x');
  CHECK_THROWS_AS(check_record(record, settings), Error);
  settings.index.title_boost = 3;
  CHECK_NOTHROW(check_record(record, settings));
}

TEST_CASE("document data has a line a field and no other newlines") {
  Record record;
  record.id = "7";
  record.title = "a\nb\r\nc";
  record.text = "caf\u00E9 noir";
  record.labels = {"x=y", "z"};
  record.language = "fr";
  record.fields = {{"u=r\nl", "v=1"}};
  const std::string data = document_data(record, 4);
  CHECK(data ==
        "id=7\ntitle=a b  c\nsample=caf\u2026\nlang=fr\nlabel=x=y\nlabel=z\nu_r l=v=1\n"
        "kindred={\"title\":\"n1r1n0\",\"cut\":true,\"keys\":{\"u=r\\nl\":\"v=1\"}}\n");
  CHECK(document_field(data, "title") == "a b  c");
  CHECK(document_field(data, "label") == "x=y");
  CHECK(document_field(data, "lab").empty());
  CHECK(document_field("title=no line end", "title") == "no line end");
  CHECK(document_field("", "title").empty());
}

TEST_CASE("the sample ends with a whole word or character, and 0 keeps all of it") {
  Record record;
  record.text = "é😀";
  CHECK(document_data(record, 1) == "kindred={\"cut\":true}\n");
  CHECK(document_field(document_data(record, 5), "sample") == "é\u2026");
  CHECK(document_data(record, 6) == "sample=é😀\n");
  CHECK(document_data(record, 0) == "sample=é😀\n");
  record.text = "one two three";
  CHECK(document_field(document_data(record, 9), "sample") == "one two\u2026");
  record.text = "one two\u2026";
  CHECK(document_data(record, 8) == "sample=one two\u2026\n");
}

TEST_CASE("a vector of weights becomes counts of hundredths") {
  const Record record =
      parse_record(R"({"id":"1","vector":{"moon":1.234,"sun":0.004,"Mars":655.35}})");
  CHECK(*record.terms == TermBag{{"Mars", 65535}, {"moon", 123}});
  CHECK(parse_record(R"({"vector":{}})").terms->empty());
  CHECK(*parse_record(R"({"vector":{"a":2}})").terms == TermBag{{"a", 200}});
}

TEST_CASE("a vector with other weights is refused, and so are two kinds of features") {
  for (const char* weight : {"-1", "655.36", "1e300", "\"1\"", "true", "[]"}) {
    INFO(weight);
    CHECK(fault(R"({"vector":{"moon":)" + std::string(weight) + "}}")
              .starts_with("vector: 'moon': expected a number from 0 to 655.35, found"));
  }
  CHECK(fault(R"({"vector":[1]})").starts_with("vector: expected an object of weights"));
  CHECK(fault(R"({"terms":{"a":1},"vector":{"a":1}})") ==
        "vector: expected either terms or vector, found both");
}

TEST_CASE("a record with more labels than one document may have is refused with their number") {
  Settings settings;
  settings.labels.max_per_document = 3;
  Record record;
  record.id = "many";
  for (auto* labels : {&record.labels, &record.rejected_labels}) {
    *labels = {"a", "b", "c"};
    CHECK_NOTHROW(check_record(record, settings));
    labels->push_back("d");
    const std::string message = test::message_of([&] { check_record(record, settings); });
    CHECK(test::says(message, {"labels", "at most 3", "labels.max_per_document", "found 4"}));
    labels->clear();
  }
  record.predicted.assign(4, {"a", 0.5});
  CHECK_THROWS_AS(check_record(record, settings), Error);
}
