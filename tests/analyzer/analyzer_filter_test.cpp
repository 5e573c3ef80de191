// Every filter of the analyzer, their order, and the files of words they read.
#include "analyzer/analyzer.h"
#include "tests/analyzer/only_filters.h"
#include "tests/fixtures/error_code.h"

using namespace kindred;
using test::only_filters;

namespace {

// A file with this content, removed at the end.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& content) {
    static int number = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("kindred_words_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + "_" +
              std::to_string(number++)))
                .string();
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~ScratchFile() { std::remove(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// "word/term" of every token, with a space between.
std::string analyzed(const AnalyzerSettings& settings, std::string_view text,
                     std::string_view language = {}) {
  Analyzer analyzer(settings, language);
  std::string joined;
  for (const Token& t : analyzer.tokens(text))
    joined += (joined.empty() ? "" : " ") + t.word + "/" + t.term;
  return joined;
}

Error error_of(const AnalyzerSettings& settings, std::string_view language = {}) {
  return test::error_of([&] { Analyzer(settings, language); });
}

}  // namespace

TEST_CASE("without filters a word is its own term") {
  CHECK(analyzed(only_filters({}), "The Dogs' l'eau 12") == "the/the dogs/dogs l'eau/l'eau 12/12");
}

TEST_CASE("elision takes articles off in French, Italian and Catalan, with either apostrophe") {
  const auto settings = only_filters({"elision"});
  CHECK(analyzed(settings, "L'été d’abord qu'il aujourd'hui", "fr") ==
        "été/été abord/abord il/il aujourd'hui/aujourd'hui");
  CHECK(analyzed(settings, "Dell'arte nell’acqua un'ora", "it") == "arte/arte acqua/acqua ora/ora");
  CHECK(analyzed(settings, "L'aigua d'or", "ca") == "aigua/aigua or/or");
  CHECK(analyzed(settings, "L'été d'or", "en") == "l'été/l'été d'or/d'or");
}

TEST_CASE("possessive takes 's off English and Dutch words, with either apostrophe") {
  const auto settings = only_filters({"possessive"});
  CHECK(analyzed(settings, "Dog's Cat’s it's O'Neill's dogs'") ==
        "dog/dog cat/cat it/it o'neill/o'neill dogs/dogs");
  CHECK(analyzed(settings, "'s gravenhage's", "sv") == "s/s gravenhage's/gravenhage's");
  CHECK(analyzed(settings, "auto's", "nl") == "auto/auto");
}

TEST_CASE("what follows the apostrophe of a Turkish name goes") {
  const auto settings = only_filters({"possessive"});
  CHECK(analyzed(settings, "İzmir'de Ankara’nın", "tr") == "izmir/izmir ankara/ankara");
}

TEST_CASE("normalize gives the term one of several spellings, and keeps the word") {
  const auto settings = only_filters({"normalize"});
  CHECK(analyzed(settings, "Mueller neue Quelle", "de") ==
        "mueller/müller neue/neue quelle/quelle");
  CHECK(analyzed(settings, "ёлка", "ru") == "ёлка/елка");
  CHECK(analyzed(settings, "Љубав", "sr") == "љубав/ljubav");
  CHECK(analyzed(settings, "圖書館", "zh") == "圖書館/图书馆");
  CHECK(analyzed(settings, "Mueller", "en") == "mueller/mueller");
}

TEST_CASE("stop words are dropped in their other spellings, too") {
  CHECK(analyzed(only_filters({"stop_words"}), "ueber", "de") == "ueber/");
}

TEST_CASE("Chinese, Japanese and Korean words can be pairs of characters") {
  auto settings = only_filters({});
  settings.cjk = "bigrams";
  CHECK(analyzed(settings, "東京都 abc 학교에서", "ja") ==
        "東京/東京 京都/京都 abc/abc 학교/학교 교에/교에 에서/에서");
  CHECK(analyzed(settings, "猫。ﾃﾞｰﾀ", "ja") == "猫/猫 デー/デー ータ/ータ");
}

TEST_CASE("length counts bytes, and drops the word itself") {
  const AnalyzerSettings settings = only_filters({"length"});
  const std::string longest(kMaxWordBytes, 'a');
  CHECK(analyzed(settings, longest + " a" + longest) == longest + "/" + longest + " /");
}

TEST_CASE("numbers are kept or dropped as features, never as words") {
  const std::string text = "2024 3.14 1,000,000 1st x2 ٣ ½ 三";
  CHECK(analyzed(only_filters({}), text) ==
        "2024/2024 3.14/3.14 1,000,000/1,000,000 1st/1st x2/x2 ٣/٣ 1⁄2/1⁄2 三/三");
  CHECK(analyzed(only_filters({"numbers"}), text) ==
        "2024/ 3.14/ 1,000,000/ 1st/1st x2/x2 ٣/ 1⁄2/ 三/三");
}

TEST_CASE("stop words lose their term and keep their word") {
  AnalyzerSettings settings = only_filters({"elision", "possessive", "stop_words"});
  CHECK(analyzed(settings, "The cat can’t IT's") == "the/ cat/cat can't/ it/");
  CHECK(analyzed(settings, "C'est l'été qu'il", "fr") == "est/ été/ il/");
  settings.stop_words = "none";
  CHECK(analyzed(settings, "The cat") == "the/the cat/cat");
}

TEST_CASE("stop words can come from a file") {
  const ScratchFile file("\xEF\xBB\xBF# colors\r\n\r\n  Red \r\nGr\xC3\x9Cn\nblue");
  AnalyzerSettings settings;
  settings.stop_words = file.path();
  CHECK(analyzed(settings, "the red blue grün cat") == "the/the red/ blue/ grün/ cat/cat");
  Analyzer analyzer(settings);
  CHECK(analyzer.is_stop_word("red"));
  CHECK_FALSE(analyzer.is_stop_word("the"));
}

TEST_CASE("accents fold in stop words and overrides as in texts") {
  const ScratchFile stems("Señor\nCAFÉS\tCafé\n");
  AnalyzerSettings settings;
  settings.fold_accents = true;
  settings.stem_overrides = stems.path();
  CHECK(analyzed(settings, "también señor cafés", "es") == "tambien/ senor/senor cafes/cafe");
}

TEST_CASE("words that overrides name alone are not stemmed") {
  const ScratchFile stems("Running\ngeese\tgoose\n");
  AnalyzerSettings settings;
  settings.stem_overrides = stems.path();
  CHECK(analyzed(settings, "running runs geese") == "running/running runs/run geese/goose");
}

TEST_CASE("filters run in the order of the settings") {
  const ScratchFile stems("running\nruns\tthe\n");
  AnalyzerSettings settings = only_filters({"stem", "stem_overrides"});
  settings.stem_overrides = stems.path();
  CHECK(analyzed(settings, "running") == "running/run");
  settings.filters = {"stop_words", "possessive"};
  CHECK(analyzed(settings, "it's") == "it/it");
  settings.filters = {"possessive", "stop_words"};
  CHECK(analyzed(settings, "it's") == "it/");
  settings.filters = {"stem_overrides", "stop_words"};
  CHECK(analyzed(settings, "runs") == "runs/the");  // stop words look at the word
}

TEST_CASE("term_of and is_stop_word answer for single words") {
  Analyzer analyzer(AnalyzerSettings{});
  CHECK(analyzer.term_of("libraries") == "librari");
  CHECK(analyzer.term_of("the") == "");
  CHECK(analyzer.term_of("") == "");
  CHECK(analyzer.term_of(std::string(100, 'x')) == "");
  CHECK(analyzer.is_stop_word("the"));
  CHECK_FALSE(analyzer.is_stop_word("libraries"));
  CHECK_FALSE(Analyzer(only_filters({"stem"})).is_stop_word("the"));
}

TEST_CASE("an unknown filter is refused by name") {
  const Error unknown = error_of(only_filters({"stem", "steam"}));
  CHECK(unknown.code() == Errc::kInvalidArgument);
  CHECK(std::string(unknown.what()) == "analyzer.filters: expected known filters, not 'steam'");
}

TEST_CASE("word-list files that cannot be read are named") {
  for (auto file : {&AnalyzerSettings::stop_words, &AnalyzerSettings::stem_overrides}) {
    AnalyzerSettings settings;
    for (const auto& [path, code] :
         std::vector<std::pair<std::string, Errc>>{{"/nonexistent/words.txt", Errc::kNotFound},
                                                   {"/", Errc::kInvalidArgument},
                                                   {"/dev/zero", Errc::kInvalidArgument}}) {
      settings.*file = path;
      const Error error = error_of(settings);
      CHECK(error.code() == code);
      CHECK(std::string(error.what()).find(path + ": this file of ") == 0);
      CHECK(std::string(error.what()).find(" cannot be read: ") != std::string::npos);
    }
  }
}

TEST_CASE("faults in a word list are named by file, line and what was expected") {
  const auto message = [](std::string AnalyzerSettings::*which, const std::string& content) {
    const ScratchFile file(content);
    AnalyzerSettings settings;
    settings.*which = file.path();
    const Error error = error_of(settings);
    CHECK(error.code() == Errc::kInvalidArgument);
    const std::string what = error.what();
    REQUIRE(what.find(file.path()) == 0);
    return what.substr(file.path().size());
  };
  const auto stop = &AnalyzerSettings::stop_words;
  const auto stems = &AnalyzerSettings::stem_overrides;
  CHECK(message(stop, "a\n\nb c\n") == ", line 3: expected one word, found \"b c\"");
  CHECK(message(stop, "# x\n\xFF\n") ==
        ", line 2: expected UTF-8, found a malformed byte sequence");
  CHECK(message(stop, "\xC2\xAD\n") == ", line 1: folding leaves nothing of the word");
  CHECK(message(stems, "a\tb\nmice mouse\n") ==
        ", line 2: expected word TAB stem, found \"mice mouse\"");
  CHECK(message(stems, "a\tb\tc\n") == ", line 1: expected word TAB stem, found \"a\\tb\\tc\"");
  CHECK(message(stems, "A\tb\na\tc\n") == ", line 2: \"a\" has the stem \"b\" already");
}
