#include <pthread.h>

#include "plugin/query/filter_fields.h"
#include "plugin/query/query_lexemes.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::says;

namespace {

/// What reading a filter says after the filter itself; "" if it is good.
std::string fault(const std::string& filter) {
  const std::string what = test::message_of([&] { read_lexemes(filter, filter_fields()); });
  const auto at = what.find("': ");
  return at == std::string::npos ? what : what.substr(at + 3);
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kSmallStack = 1 << 20;  // frames are several times as large
#else
constexpr std::size_t kSmallStack = 256 << 10;
#endif

/// Runs body() in a thread with a small stack.
void run_in_small_thread(std::function<void()> body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, kSmallStack) == 0);
  const auto call = [](void* given) -> void* {
    (*static_cast<std::function<void()>*>(given))();
    return nullptr;
  };
  pthread_t thread;
  REQUIRE(pthread_create(&thread, &attributes, call, &body) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace

TEST_CASE("a filter that means what it says passes") {
  std::istringstream filters(
      "|moon|moon OR (sun NOT star)|label:science|label:topic::music|label:\"two words\"|"
      "label:\"a \"\"quoted\"\" (word\"|label:a\"b|label:it's:fine|id:http://x/y?z=1|"
      "title:moon|title:\"full moon\"|title:(moon sun)|-label:x +moon|(label:x)|( moon )|"
      "()|((moon OR sun) (a b))|http://example.org/x|12:30|std::string|C++ C# Na+|"
      "note: this|Re: moon|\"a phrase: with:colon (and brackets\"|"
      "\xE2\x80\x9Cmoon sun\xE2\x80\x9D|moon \"\" sun|o'clock Fred's AT&T 5'|a..b 1..5|"
      "moo* sun|well-known a.b@c.org /usr/local|a.b:c|P.T.O.|\xE6\x97\xA5\xE6\x9C\xAC:x|"
      "\xFF\xFE moon|moon: (sun)|a -- b + - c");
  for (std::string filter; std::getline(filters, filter, '|');) {
    CAPTURE(filter);
    CHECK(fault(filter).empty());
  }
}

TEST_CASE("an unknown field is an error that names its place, the nearest and the known ones") {
  CHECK(says(fault("tab:x"), {"byte 1: unknown field 'tab', did you mean 'tag'?",
                              "title, tag, label, predicted, rejected"}));
  CHECK(says(fault("moon labels:x"), {"byte 6: unknown field 'labels', did you mean 'label'?"}));
  CHECK(says(fault("\xC3\xA9 subject:x"), {"byte 4: unknown field 'subject'. Fields are"}));
  CHECK(says(fault("moon -tab:x"), {"byte 7: "}));
  CHECK(says(fault("(moon OR (tab:x))"), {"byte 11: "}));
  CHECK(says(fault("tab:\"x y\""), {"byte 1: "}));
  CHECK(says(fault("Label:x"), {"byte 1: unknown field 'Label', did you mean 'label'?"}));
  CHECK(says(fault("\"moon\" tab:(x)"), {"byte 8: "}));
  CHECK(says(fault("label:a tab:b"), {"byte 9: "}));
  CHECK(says(fault("label:"), {"byte 1: the field 'label' without a value"}));
  CHECK(says(fault("moon label: x"), {"byte 6: the field 'label' without a value"}));
  CHECK(says(fault("label:\"\""), {"byte 7: the field 'label' without a value"}));
  CHECK(says(fault("title:*"), {"byte 1: the field 'title' without a word"}));
}

TEST_CASE("quotes and brackets that do not match are errors that name their place") {
  CHECK(says(fault("moon \"full sun"), {"byte 6: a quote that is not closed"}));
  CHECK(says(fault("\""), {"byte 1: a quote"}));
  CHECK(says(fault("label:\"x"), {"byte 7: a quote"}));
  CHECK(says(fault("label:\"x\"\""), {"byte 7: a quote"}));
  CHECK(says(fault("title:\"x"), {"byte 7: a quote"}));
  CHECK(says(fault("((("), {"byte 3: a bracket that is not closed"}));
  CHECK(says(fault("a (b OR c"), {"byte 3: a bracket that is not closed"}));
  CHECK(says(fault("a) b"), {"byte 2: a bracket that was not opened"}));
  CHECK(says(fault("title:(a"), {"byte 7: a bracket that is not closed"}));
  CHECK(says(fault("a NOT(b c)"), {"byte 6: a bracket right behind a word"}));
}

TEST_CASE("a filter has bounds of length, parts and depth") {
  CHECK(fault(repeated("id:a1 ", 10000)).empty());
  CHECK(says(fault(std::string(65537, 'a')), {"at most 65536 bytes"}));
  CHECK(says(fault(repeated("a OR ", 300000)), {"at most 65536 bytes"}));
  CHECK(fault("b" + repeated(" OR a", 1000)).empty());
  CHECK(says(fault("b" + repeated(" OR a", 1001)), {"byte 5003: more than 1000 operators"}));
  CHECK(says(fault(repeated("a.b ", 1001)), {"more than 1000 operators, phrases"}));
  CHECK(says(fault(repeated("\"a\" ", 1001)), {"more than 1000"}));
  CHECK(says(fault(repeated("-a ", 1001)), {"more than 1000"}));
  CHECK(fault(repeated("(", 20) + "a" + repeated(")", 20)).empty());
  CHECK(says(fault(repeated("(", 21) + "a" + repeated(")", 21)), {"byte 21: more than 20"}));
}

TEST_CASE("the program's every way to a filter refuses it, and the largest do no harm") {
  const test::EngineOf engine;
  const auto refused = [&](const std::string& filter) {
    return test::message_of([&] { engine.matching(filter); });
  };
  CHECK(says(refused("tab:x"), {"filter 'tab:x': byte 1: unknown field"}));
  CHECK(says(refused("cat \"dog"), {"byte 5: a quote"}));
  CHECK(says(refused("((("), {"byte 3: a bracket"}));
  CHECK(says(refused("!!"), {"filter '!!': expected a Xapian query, found no word"}));
  CHECK(says(refused(" "), {"found no word"}));
  CHECK(says(refused("cat AND OR dog"), {"byte 5: expected words", "on both sides of AND"}));
  CHECK(says(refused("cat OR"), {"byte 5: ", "on both sides of OR"}));
  CHECK(says(refused("NOT !!"), {"byte 1: ", "on both sides of NOT"}));
  CHECK(says(refused("cat XOR ()"), {"byte 5: ", "on both sides of XOR"}));
  CHECK(says(refused("(AND cat)"), {"byte 2: ", "on both sides of AND"}));
  CHECK(says(refused("cat NEAR (dog)"), {"byte 5: NEAR stands between two words"}));
  CHECK(says(refused("cat* ADJ/2 dog"), {"byte 6: ADJ/2 stands between two words"}));
  CHECK(refused("cat -- dog").empty());
}

TEST_CASE("a query has at most 256 words, and a phrase 64") {
  const test::EngineOf engine;
  const auto refused = [&](const std::string& filter) {
    return test::message_of([&] { engine.matching(filter); });
  };
  CHECK(refused(repeated("cat ", 256)).empty());
  CHECK(says(refused(repeated("cat ", 300)), {"byte 1025: ", "at most 256 words", "at least 300"}));
  CHECK(says(refused("cat" + repeated(" OR dog", 256)), {"byte 1793: ", "at most 256 words"}));
  CHECK(refused(repeated("label:pets ", 5000)).empty());
  CHECK(refused('"' + repeated("cat ", 64) + '"').empty());
  CHECK(says(refused("dog \"" + repeated("cat ", 70) + '"'),
             {"byte 5: ", "at most 64 words in a phrase, found 70"}));
  CHECK(refused("cat" + repeated(" NEAR dog", 63)).empty());
  CHECK(says(refused("cat" + repeated(" ADJ dog", 64)), {"at most 64 words in NEAR or ADJ"}));
  CHECK(says(refused(repeated("\"" + repeated("cat ", 64) + "\" ", 5)),
             {"byte 1037: ", "at most 256 words"}));
}

TEST_CASE("a wildcard counts as the words of the index that it stands for") {
  std::string words;
  for (int i = 0; i < 300; ++i) words += (i < 240 ? "few" : "more") + std::to_string(i) + " ";
  const test::EngineOf engine({test::record("a", words)});
  const auto refused = [&](const std::string& filter) {
    return test::message_of([&] { engine.matching(filter); });
  };
  CHECK(engine.matching("few* more25*").size() == 1);
  CHECK(says(refused("few* more*"), {"byte 6: ", "at most 256 words"}));
  CHECK(says(refused(repeated("c* ", 20000)), {"byte 769: ", "at most 256 words"}));
}

TEST_CASE("an error of a long query shows what is around the place") {
  const std::string filter = repeated("a ", 4000) + "tab:x " + repeated("b ", 4000);
  const std::string what = test::message_of([&] { read_lexemes(filter, filter_fields()); });
  CHECK(says(what, {"filter '...", "a a tab:x b b", "byte 8001: unknown field 'tab'"}));
  CHECK(what.size() < 400);
}

TEST_CASE("the deepest filters fit the small stack of a thread of the host's") {
  const test::EngineOf engine;
  std::vector<std::string> filters = {repeated("cat.dog ", 128), repeated("\"cat dog\" ", 128),
                                      repeated("id:cat1 ", 8000), repeated("a ", 256)};
  for (const char* link : {" OR ", " AND ", " NOT ", " XOR "})
    filters.push_back("cat" + repeated(link + std::string("dog"), 255));
  filters.push_back("cat" + repeated(" NEAR dog", 63));
  for (const char* link : {" OR (cat XOR ", " NOT (cat XOR ", " AND (cat OR "})
    filters.push_back(repeated("(dog" + std::string(link), 10) + "cat" + std::string(20, ')'));
  std::size_t answered = 0;
  run_in_small_thread([&] {
    for (const std::string& filter : filters) {
      engine.matching(filter);
      ++answered;
    }
  });
  CHECK(answered == filters.size());
}
