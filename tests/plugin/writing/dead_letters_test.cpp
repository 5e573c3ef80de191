// The lines that hold records which failed: what they keep, and what reads them again.
#include "plugin/writing/dead_letters.h"

#include <nlohmann/json.hpp>

#include "plugin/input/record.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using nlohmann::json;
using test::code_of;

TEST_CASE("a dead letter is the record as it was, byte for byte, beside the reason") {
  const std::string members = R"("id":"a\"}", "n": 1.50,"text":"{\"dead_letter\":{","m":1.0e5)";
  const std::string letter = dead_letter("{" + members + "}", "no \"voters\"", {"f.jsonl", 7});
  CHECK(letter ==
        R"({"dead_letter":{"reason":"no \"voters\"","file":"f.jsonl","line":7},)" + members + "}");
  CHECK(dead_letter("{}", "r", {}) == R"({"dead_letter":{"reason":"r"}})");
  const std::string good = dead_letter(R"( {"id":"b","labels":["x"],"url":"u"} )", "r", {});
  const Record record = parse_record(good);
  CHECK(record.id == "b");
  CHECK(record.labels == std::vector<std::string>{"x"});
  CHECK(record.fields == std::map<std::string, std::string>{{"url", "u"}});
}

TEST_CASE("a record that fails again has the last reason only") {
  const std::string first = dead_letter(R"({"id":"a","text":"x"})", "first } \" reason", {"f", 1});
  CHECK(dead_letter(first, "second", {"g", 2}) ==
        R"({"dead_letter":{"reason":"second","file":"g","line":2},"id":"a","text":"x"})");
}

TEST_CASE("what is no record is kept to be mended, and refused as long as it is not") {
  const std::string raw = dead_letter("{\"id\": \"a\", oops", "not JSON", {"f", 3});
  CHECK(json::parse(raw)["dead_letter"]["raw"] == "{\"id\": \"a\", oops");
  CHECK(code_of([&] { parse_record(raw); }, "'raw'") == Errc::kInvalidArgument);
  CHECK(dead_letter(raw, "dead_letter: ...", {"g", 1}) == raw);
  const std::string bytes = dead_letter("\xff\xfe{", "not JSON", {});
  CHECK(json::parse(bytes)["dead_letter"]["base64"] == "//57");
  CHECK(json::parse(dead_letter("\xff", "r", {}))["dead_letter"]["base64"] == "/w==");
  CHECK(json::parse(dead_letter("\xff\xfe", "r", {}))["dead_letter"]["base64"] == "//4=");
  CHECK(code_of([&] { parse_record(bytes); }, "'base64'") == Errc::kInvalidArgument);
  CHECK(json::parse(dead_letter("", "too long", {"f", 1}))["dead_letter"].size() == 3);
}

TEST_CASE("a key dead_letter of somebody else is a field as any other") {
  const Record record = parse_record(R"({"id":"a","dead_letter":"office"})");
  CHECK(record.fields.at("dead_letter") == "office");
}

TEST_CASE("a record as JSON is read as the same record") {
  Record record;
  record.id = "a/1";
  record.title = "T";
  record.text = "line\nline \"quoted\"";
  record.labels = {"x", "y"};
  record.replaces_labels = true;
  record.rejected_labels = {"z"};
  record.auto_tag = false;
  record.language = "de";
  record.fields = {{"url", "u"}, {"n", "7"}};
  record.terms = TermBag{{"ab", 2}, {"cd", 1}};
  const Record read = parse_record(record_json(record));
  CHECK(read.id == record.id);
  CHECK(read.title == record.title);
  CHECK(read.text == record.text);
  CHECK(read.labels == record.labels);
  CHECK(read.replaces_labels);
  CHECK(read.rejected_labels == record.rejected_labels);
  CHECK(read.auto_tag == record.auto_tag);
  CHECK(read.language == record.language);
  CHECK(read.fields == record.fields);
  CHECK(read.terms == record.terms);
  Record silent;
  silent.id = "b";
  CHECK(record_json(silent) == R"({"id":"b"})");
}

TEST_CASE_METHOD(
    test::TemporaryPath,
    "dead letters are appended, each on a line of its own, and written when they are flushed") {
  {
    DeadLetters letters(path);
    letters.add("{\"a\":1}");
    CHECK(test::file_text(path).empty());
    letters.flush();
    CHECK(test::file_text(path) == "{\"a\":1}\n");
  }
  std::filesystem::resize_file(path, 4);  // a crash in the middle of a line
  DeadLetters letters(path);
  letters.add("{\"b\":2}");
  letters.flush();
  letters.flush();
  CHECK(test::file_text(path) == "{\"a\"\n{\"b\":2}\n");
}

TEST_CASE("a file that cannot take dead letters is named") {
  test::TemporaryDirectory directory;
  const std::string none = directory / "no/such/dead.jsonl";
  CHECK(code_of([&] { DeadLetters letters(none); }, none) == Errc::kNotFound);
  CHECK(code_of([] { DeadLetters letters("/dev/null"); },
                "/dev/null: Is a device, expected a regular file") == Errc::kInvalidArgument);
}
