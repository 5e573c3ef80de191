// Hosts whose numbers have a decimal comma, or groups of digits: what the library writes and
// answers has the bytes that it has in the classic locale.
#include <clocale>
#include <locale>

#include "tests/c_api/opened_index.h"

using kindred::test::OpenedIndex;
using kindred::test::result_of;
using kindred::test::str;

namespace {

struct Punctuation : std::numpunct<char> {
  Punctuation(char point, char separator, std::string grouping)
      : point_(point), separator_(separator), grouping_(std::move(grouping)) {}
  char do_decimal_point() const override { return point_; }
  char do_thousands_sep() const override { return separator_; }
  std::string do_grouping() const override { return grouping_; }

 private:
  char point_, separator_;
  std::string grouping_;
};

std::locale locale_of(char point, char separator, const std::string& grouping) {
  return {std::locale::classic(), new Punctuation(point, separator, grouping)};
}

/// The locales of Germany, France, India and Switzerland by their punctuation, and of Germany,
/// France and Turkey by name, also for C, where the machine has them.
std::vector<std::locale> foreign_locales() {
  std::vector<std::locale> locales = {locale_of(',', '.', "\3"), locale_of(',', ' ', "\3"),
                                      locale_of('.', ',', "\3\2"), locale_of('.', '\'', "\1")};
  for (const char* const name : {"de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8"}) {
    try {
      locales.emplace_back(name);
    } catch (const std::exception&) {  // not on this machine
    }
  }
  return locales;
}

/// The process is a host of this locale until the end of the scope.
class HostLocale {
 public:
  explicit HostLocale(const std::locale& locale) { std::locale::global(locale); }
  ~HostLocale() { std::locale::global(std::locale::classic()); }
  HostLocale(const HostLocale&) = delete;
  HostLocale& operator=(const HostLocale&) = delete;
};

constexpr const char* kSettings =
    "[classify]\nmin_confidence = 0.125\n[index]\ntitle_boost = 123\ntitle_slot = 1001\n";

/// Makes an index of two labels, and tunes it.
void make_index(const std::string& path) {
  const OpenedIndex index(path, kSettings);
  for (int i = 0; i < 60; ++i) {
    const bool sea = i % 2 == 0;
    const std::string number = std::to_string(i);
    const std::string record = "{\"id\":\"" + number + "\",\"labels\":[\"" +
                               (sea ? "sea" : "kitchen") + "\"],\"text\":\"" +
                               (sea ? "harbor tide" : "bread dough") + " word" +
                               std::to_string(i % 7) + "\"}";
    REQUIRE(kindred_ingest(index.handle, record.data(), record.size(), nullptr) == KINDRED_OK);
  }
  REQUIRE(kindred_end_ingest(index.handle, nullptr) == KINDRED_OK);
  REQUIRE(result_of(index.handle, "tune", "").find("\"tuned\":true") != std::string::npos);
}

/// "" if the index opens with the settings that it was made with, and follows its tuning.
std::string fault_of(const std::string& path) {
  const OpenedIndex index(path, kSettings);
  const std::string status = result_of(index.handle, "status", "");
  return status.find("\"tuning\":{") != std::string::npos ? "" : status;
}

std::string refusal(const std::string& path, std::string_view settings) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  options.settings = str(settings);
  kindred_handle* handle = nullptr;
  CHECK(kindred_open(path.data(), path.size(), &options, &handle) == KINDRED_INVALID_ARGUMENT);
  return kindred_last_error();
}

/// What questions with numbers in them are answered, wrong ones included.
std::vector<std::string> answers_of(const std::string& path) {
  const OpenedIndex index(path, "[topics]\nmemory_mb = 1\n");
  std::vector<std::string> answers = {result_of(index.handle, "settings", "")};
  for (const char* const wrong :
       {"[classify]\nmin_confidence = 1.5\n", "[classify]\nneighbors = 123456789012\n",
        "[index]\ntitle_slot = 2002\n"})
    answers.push_back(refusal(path, wrong));
  answers.push_back(result_of(index.handle, "duplicates", "{\"min_similarity\": 1.5}"));
  answers.push_back(result_of(index.handle, "related", "{\"like\": [{\"id\": \"1\"}]}"));
  answers.push_back(result_of(index.handle, "train_topics", "{\"rows\": 1000, \"columns\": 1000}"));
  return answers;
}

}  // namespace

TEST_CASE("an index that was made under one locale opens under every other") {
  const kindred::test::TemporaryDirectory directory;
  const std::string own = directory / "own";
  make_index(own);
  int made = 0;
  for (const std::locale& locale : foreign_locales()) {
    const std::string path = directory / std::to_string(made++);
    INFO(made << ' ' << locale.name());
    {
      const HostLocale host(locale);
      make_index(path);
      CHECK(fault_of(path) == "");
      CHECK(fault_of(own) == "");
    }
    CHECK(fault_of(path) == "");
  }
}

TEST_CASE("answers have the same bytes under every locale of the host") {
  const kindred::test::TemporaryDirectory directory;
  const std::string path = directory / "db";
  make_index(path);
  const std::vector<std::string> expected = answers_of(path);
  for (const std::locale& locale : foreign_locales()) {
    INFO(locale.name());
    const HostLocale host(locale);
    CHECK(answers_of(path) == expected);
  }
}
