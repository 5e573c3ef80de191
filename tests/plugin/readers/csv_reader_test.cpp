#include "plugin/readers/csv_reader.h"

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::says;

namespace {

/// Hands a text out in pieces of so many bytes.
ByteSource pieces(const std::string& bytes, std::size_t size) {
  return [bytes, size, at = std::size_t{0}](std::span<char> room) mutable {
    const std::size_t count = std::min({size, room.size(), bytes.size() - at});
    bytes.copy(room.data(), count, at);
    at += count;
    return count;
  };
}

/// "line:field|field" of each row, joined by spaces; "line!" for one with a fault.
std::string rows_of(CsvReader& reader) {
  std::string text;
  while (const auto row = reader.next()) {
    text +=
        (text.empty() ? "" : " ") + std::to_string(row->line) + (row->fault.empty() ? ":" : "!");
    for (std::size_t i = 0; i < row->fields.size(); ++i)
      text += (i == 0 ? "" : "|") + row->fields[i];
  }
  return text;
}

/// The rows of a table with this name, which must not depend on how its bytes come.
std::string rows(const std::string& bytes, const std::string& name = "a.csv") {
  CsvReader whole(name, pieces(bytes, 1 << 20));
  const std::string text = rows_of(whole);
  CsvReader single(name, pieces(bytes, 1));
  CHECK(rows_of(single) == text);
  return text;
}

/// A text of ASCII and umlauts of Latin-1 as UTF-16.
std::string utf16(const std::string& latin1, bool is_big) {
  std::string text = is_big ? "\xFE\xFF" : "\xFF\xFE";
  for (const char c : latin1) text += is_big ? std::string{'\0', c} : std::string{c, '\0'};
  return text;
}

}  // namespace

TEST_CASE("a table is read by the rules of RFC 4180, with the line where each row starts") {
  CHECK(rows("a,b\nc,d\n") == "1:a|b 2:c|d");
  CHECK(rows("a,\"b, \"\"c\"\"\"\n,\n") == "1:a|b, \"c\" 2:|");
  CHECK(rows("a,\"two\nlines\"\nb,c") == "1:a|two\nlines 3:b|c");
  CHECK(rows("a,\"\n\n\"\n\n \nb,c") == "1:a|\n\n 6:b|c");
  CHECK(rows("").empty());
  CHECK(rows("\n \n").empty());
  CHECK(rows("a , \"b \" ,c") == "1:a|b |c");
}

TEST_CASE("lines of a table may end as on any system, and the last one without an end") {
  CHECK(rows("a,b\r\nc,d\r\n") == "1:a|b 2:c|d");
  CHECK(rows("a,b\rc,d\r\re,f") == "1:a|b 2:c|d 4:e|f");
  CHECK(rows("a,\"b\r\nc\"\r\nd,e") == "1:a|b\r\nc 3:d|e");
}

TEST_CASE("the first line of a table says what separates fields, and .tsv says it by name") {
  CHECK(rows("a;b,c;d\n1,5;2") == "1:a|b,c|d 2:1,5|2");
  CHECK(rows("a\tb\n1;2;3\t4") == "1:a|b 2:1;2;3|4");
  CHECK(rows("\"a;b;c\",d\n1;2") == "1:a;b;c|d 2:1;2");
  CHECK(rows("one\ntwo") == "1:one 2:two");
  CHECK(rows("4, 5, 6\n", "x.tsv") == "1:4, 5, 6");
  CHECK(rows("4, 5, 6\ta\n", "x.tab.gz") == "1:4, 5, 6|a");

  CsvReader reader("a.csv", pieces("a;b\n", 99));
  CHECK(reader.separator() == ',');
  reader.next();
  CHECK(reader.separator() == ';');
}

TEST_CASE("with tabs, a quote that does not enclose a field is a character like others") {
  CHECK(rows("1\t\"Duty\" award\n2\tCity\n", "x.tsv") == "1:1|\"Duty\" award 2:2|City");
  CHECK(rows("1\t\"open\n2\tb\"\n3\tc", "x.tsv") == "1:1|\"open 2:2|b\" 3:3|c");
  CHECK(rows("1\t\"a \"\"b\"\"\"\t\n\t\t", "x.tsv") == "1:1|a \"b\"| 2:||");
  CHECK(rows("1\t\"two\nlines\"\n2\tx", "x.tsv") == "1:1|two\nlines 3:2|x");
}

TEST_CASE("a row with a fault costs no other row") {
  CHECK(rows("a,b\nc,\"open\nd,e\nf,g") == "1:a|b 2! 3:d|e 4:f|g");
  CHECK(rows("a,b\nc,d \"e\"\n\"f\"g,h\ni,j") == "1:a|b 2! 3! 4:i|j");

  CsvReader reader("a.csv", pieces("a,\"b\n", 99));
  CHECK(says(reader.next()->fault, {"quote"}));
}

TEST_CASE("a row that is too long is skipped, and memory does not hold it") {
  const std::string bytes =
      "a,b\n" + std::string(5'000'000, 'x') + "\r\nc,\"" + std::string(200'000, '\n') + "\"\nd,e\n";
  CsvReader reader("a.csv", pieces(bytes, 1 << 20), 100'000);
  CHECK(rows_of(reader) == "1:a|b 2! 3! 200003! 200004:d|e");
}

TEST_CASE("what spreadsheets write in UTF-8, UTF-16 and Windows-1252 is the same table") {
  const std::string expected = "1:id|name 2:1|B\xC3\xA4r";
  CHECK(rows("id,name\n1,B\xC3\xA4r") == expected);
  CHECK(rows("\xEF\xBB\xBFid,name\n1,B\xC3\xA4r") == expected);
  CHECK(rows("id;name\n1;B\xE4r") == expected);
  CHECK(rows(utf16("id\tname\r\n1\tB\xE4r\r\n", false)) == expected);
  CHECK(rows(utf16("id\tname\r\n1\tB\xE4r\r\n", true)) == expected);
  CHECK(rows("id,name\n1,\x80 5\x96"
             "6") ==
        "1:id|name 2:1|\xE2\x82\xAC 5\xE2\x80\x93"
        "6");
}

TEST_CASE(
    "Windows-1252 is told from UTF-8 by its first characters beyond ASCII, wherever they are") {
  const std::string plain(300'000, '\n');
  CHECK(rows("a,b\n" + plain + "c,\xFC\n") == "1:a|b 300002:c|\xC3\xBC");
  CHECK(rows("a,b\n" + plain + "c,\xC3\xBC\n") == "1:a|b 300002:c|\xC3\xBC");

  // A text that is UTF-8 but for one line is UTF-8, and that line has a fault.
  CHECK(rows("a,\xC3\xBC\nb,\xC3\xBC\nc,\xFC\nd,e") == "1:a|\xC3\xBC 2:b|\xC3\xBC 3! 4:d|e");
  CHECK(rows(std::string("a,b\nc,\0d\n", 9)) == "1:a|b 2!");
}

TEST_CASE("a header has each name once, and its errors name file and line") {
  CsvReader good("a.csv", pieces("\n id ,\"the name\",\n1,2", 99));
  CHECK(good.header() == std::vector<std::string>{"id", "the name", ""});
  CHECK(rows_of(good) == "3:1|2");

  const auto fault = [](const std::string& bytes) {
    CsvReader reader("dir/a.csv", pieces(bytes, 99));
    return test::message_of([&] { reader.header(); });
  };
  CHECK(says(fault(""), {"dir/a.csv", "empty"}));
  CHECK(says(fault("\na,b,a\n"), {"dir/a.csv:2", "two columns", "'a'"}));
  CHECK(says(fault("a,\"b"), {"dir/a.csv:1", "quote"}));
}

TEST_CASE("a table is read from a file, and one that cannot be read is named") {
  const test::TemporaryDirectory directory;
  test::put_file(directory / "a.tsv", "1\tx\n");
  CsvReader reader(directory / "a.tsv");
  CHECK(rows_of(reader) == "1:1|x");
  CHECK(reader.place(7) == directory / "a.tsv" + ":7");
  CHECK(test::code_of([&] { CsvReader missing(directory / "b.csv"); }, "b.csv") == Errc::kNotFound);
}
