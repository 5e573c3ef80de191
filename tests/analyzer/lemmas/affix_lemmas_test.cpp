// Lemmas by the affix rules of dictionaries: Hunspell itself is the oracle, on dictionaries drawn
// by chance and, if asked for by their tag, on those that are installed.
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <fstream>
#include <hunspell/hunspell.hxx>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analyzer/lemmas/affix_lemmas_reader.h"
#include "analyzer/lemmas/dictionary_entries.h"
#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::TemporaryDirectory;

namespace {

using Lemmas = std::set<std::string>;

/// The lemmas that Hunspell names for one of two spellings, compounds left out.
Lemmas told_by(Hunspell& hunspell, const std::string& word, const std::string& capital) {
  Lemmas lemmas;
  for (const std::string& spelling : {word, capital}) {
    std::vector<std::string> found = hunspell.analyze(spelling);
    std::erase_if(found, [](const std::string& one) { return one.find("pa:") != one.npos; });
    for (const std::string& lemma : hunspell.stem(found)) lemmas.insert(lemma);
  }
  return lemmas;
}

Lemmas own(const AffixLemmas& dictionary, const std::string& word, const std::string& capital) {
  const std::vector<std::string> lemmas = dictionary.lemmas_of(word, capital);
  return {lemmas.begin(), lemmas.end()};
}

/// Draws a dictionary over few letters, so that affixes, entries and words often meet.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed), form_(one_of({"", "long", "num", "UTF-8"})) {}

  std::string affix_file() {
    std::string text = "SET UTF-8\n";
    if (!form_.empty()) text += "FLAG " + form_ + "\n";
    text += "NEEDAFFIX " + flag('n') + "\nFORBIDDENWORD " + flag('f') + "\nONLYINCOMPOUND " +
            flag('o') + "\nCIRCUMFIX " + flag('x') + "\n";
    if (chance(2)) text += "FULLSTRIP\n";
    if (chance(4)) text += "ICONV 1\nICONV ea \xC3\xA9\nOCONV 1\nOCONV bb b\n";
    for (const char name : {'P', 'Q'}) text += rules("PFX", name);
    for (const char name : {'A', 'B', 'C', 'D', 'E'}) text += rules("SFX", name);
    return text;
  }

  std::string dictionary() {
    std::string text = "60\n";
    for (int i = 0; i < 60; ++i) {
      std::string word = letters(1, 4);
      if (chance(6)) word[0] = word[0] == 'a' ? 'A' : word[0];
      if (chance(8)) word += "B";
      text += word + with_flags("ABCDEPQ", 3, "nfo") + (chance(9) ? " st:" + letters(2, 3) : "");
      text += chance(9) ? " po:verb\n" : "\n";
    }
    return text;
  }

  std::string letters(int least, int most, const std::string& last = "\xC3\xA9") {
    std::string text;
    for (int i = least + pick(most - least + 1); i > 0; --i) text += one_of({"a", "b", "e", last});
    return text;
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool chance(int of) { return pick(of) == 0; }

  std::string one_of(const std::vector<std::string>& texts) {
    return texts[static_cast<std::size_t>(pick(static_cast<int>(texts.size())))];
  }

  std::string flag(char name) const {
    if (form_ == "num") return std::to_string(static_cast<int>(name));
    return form_ == "long" ? std::string("x") + name : std::string(1, name);
  }

  /// "" or a slash with flags: some of `names`, and seldom a mark.
  std::string with_flags(const std::string& names, int most, const std::string& marks) {
    std::string text;
    const auto add = [&](char name) {
      text += (text.empty() ? "/" : form_ == "num" ? "," : "") + flag(name);
    };
    for (int i = pick(most + 1); i > 0; --i) add(names[static_cast<std::size_t>(pick(7))]);
    if (chance(6)) add(marks[static_cast<std::size_t>(pick(static_cast<int>(marks.size())))]);
    return text;
  }

  std::string rules(const std::string& kind, char name) {
    const int count = 1 + pick(4);
    std::string text = kind + ' ' + flag(name) + (chance(4) ? " N " : " Y ");
    text += std::to_string(count) + '\n';
    for (int i = 0; i < count; ++i) {
      const std::string strip = chance(2) ? "0" : letters(1, 2, "b");
      const std::string append = chance(6) ? "0" : letters(1, 2);
      const std::string flags = chance(2) ? with_flags("ABCDEPQ", 2, "nox") : "";
      const std::string inner = one_of({"", "", "[^a]", "[ab\xC3\xA9]", "."});
      std::string condition = strip == "0" ? inner : kind == "PFX" ? strip + inner : inner + strip;
      text += kind + ' ' + flag(name) + ' ' + strip + ' ' + append + flags + ' ' +
              (condition.empty() ? "." : condition) + (chance(3) ? " is:past\n" : "\n");
    }
    return text;
  }

  std::mt19937 random_;
  std::string form_;
};

std::string with_capital(const std::string& word) {
  auto text = icu::UnicodeString::fromUTF8(word);
  const UChar32 first = text.char32At(0);
  text.replace(0, U16_LENGTH(first), icu::UnicodeString(u_totitle(first)));
  std::string result;
  return text.toUTF8String(result);
}

/// In lower case; "" if there are other characters than letters.
std::string plain(const std::string& word) {
  const auto text = icu::UnicodeString::fromUTF8(word).toLower(icu::Locale::getRoot());
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1))
    if (!u_isalpha(text.char32At(i))) return "";
  std::string result;
  return text.toUTF8String(result);
}

/// Writes a dictionary, and reads it in both ways.
struct Written {
  TemporaryDirectory folder;
  DictionaryFiles files;

  Written(const std::string& affixes, const std::string& dictionary)
      : files{"xx", std::string(folder / "xx")} {
    std::ofstream(files.aff(), std::ios::binary) << affixes;
    std::ofstream(files.dic(), std::ios::binary) << dictionary;
  }
};

}  // namespace

TEST_CASE("lemmas by affix rules are Hunspell's, for dictionaries drawn by chance") {
  std::size_t known = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    Draw draw(seed);
    const std::string affixes = draw.affix_file();
    const Written written(affixes, draw.dictionary());
    const auto dictionary = read_affix_lemmas(written.files);
    REQUIRE(dictionary);
    Hunspell hunspell(written.files.aff().c_str(), written.files.dic().c_str());
    for (int i = 0; i < 300; ++i) {
      const std::string word = draw.letters(1, 7), capital = with_capital(word);
      if (word.starts_with("ea"))
        continue;  // Hunspell replaces nothing in "Ea", and so asks for "ea"
      INFO("seed " << seed << ", word " << word << '\n' << affixes);
      const Lemmas expected = told_by(hunspell, word, capital);
      REQUIRE(own(*dictionary, word, capital) == expected);
      known += expected.size();
    }
  }
  CHECK(known > 9000);
}

TEST_CASE("dictionaries with damaged bytes are read or left to Hunspell, and asked without harm") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    Draw draw(seed);
    std::string affixes = draw.affix_file(), entries = draw.dictionary();
    std::mt19937 random(seed);
    for (std::string* text : {&affixes, &entries})
      for (int i = 0; i < 2; ++i) (*text)[random() % text->size()] = static_cast<char>(random());
    affixes = "SET UTF-8\n" + affixes;
    const Written written(affixes, entries);
    try {
      const auto dictionary = read_affix_lemmas(written.files);
      for (int i = 0; dictionary && i < 50; ++i) {
        const std::string word = draw.letters(1, 7);
        for (const std::string& lemma : dictionary->lemmas_of(word, with_capital(word)))
          CHECK(is_utf8(lemma));
      }
    } catch (const Error& e) {
      CHECK(e.code() == Errc::kUnsupported);  // SET with a name that ICU does not know
    }
  }
}

TEST_CASE("words are replaced before they are looked up, and lemmas afterwards") {
  const Written written(
      "SET UTF-8\nICONV 2\nICONV ij \xC4\xB3\nICONV i \xC4\xB1\nOCONV 1\nOCONV \xC4\xB3 ij\n"
      "SFX S Y 1\nSFX S 0 en .\n",
      "2\nt\xC4\xB3"
      "d/S\nij\n");
  const auto dictionary = read_affix_lemmas(written.files);
  REQUIRE(dictionary);
  CHECK(own(*dictionary, "tijden", "Tijden") == Lemmas{"tijd"});
  CHECK(own(*dictionary, "ij", "Ij").empty());
}

TEST_CASE("flags may be numbers of a table") {
  const Written written("AF 2\nAF S\nAF SN # no word itself\nNEEDAFFIX N\nSFX S Y 1\nSFX S 0 s .\n",
                        "2\ncat/1\nscissor/2\n");
  const auto dictionary = read_affix_lemmas(written.files);
  REQUIRE(dictionary);
  CHECK(own(*dictionary, "cats", "Cats") == Lemmas{"cat"});
  CHECK(own(*dictionary, "scissors", "Scissors") == Lemmas{"scissor"});
  CHECK(own(*dictionary, "scissor", "Scissor").empty());
}

TEST_CASE("dictionaries whose affixes mean more are left to Hunspell") {
  const auto is_followed = [](const std::string& affixes, const std::string& entries) {
    return read_affix_lemmas(Written(affixes, entries).files) != nullptr;
  };
  const std::string rule = "SFX S Y 1\nSFX S 0 s .";
  CHECK(is_followed(rule + "\n", "1\ncat/S\n"));
  CHECK_FALSE(is_followed("IGNORE x\n" + rule + "\n", "1\ncat/S\n"));
  CHECK_FALSE(is_followed("COMPLEXPREFIXES\n" + rule + "\n", "1\ncat/S\n"));
  CHECK_FALSE(is_followed("ICONV 1\nICONV _a b\n" + rule + "\n", "1\ncat/S\n"));
  CHECK_FALSE(is_followed(rule + " ds:plural\n", "1\ncat/S\n"));
  CHECK_FALSE(is_followed(rule + "\n", "1\ncat/S sp:x\n"));
  CHECK_FALSE(is_followed("SFX S Y 1\nSFX S 0 s [^a\n", "1\ncat/S\n"));
  CHECK_FALSE(is_followed("SFX S Y 2\nSFX S 0 s .\n", "1\ncat/S\n"));
}

TEST_CASE("lemmas by affix rules are Hunspell's, for installed dictionaries", "[.installed]") {
  for (const DictionaryFiles& files : installed_dictionaries({})) {
    const AffixFile file(read_dictionary_file(files.aff()));
    const auto dictionary = read_affix_lemmas(files);
    if (!dictionary || file.encoding != "UTF-8") continue;
    Hunspell hunspell(files.aff().c_str(), files.dic().c_str());
    std::mt19937 random(42);
    std::size_t count = 0, known = 0;
    for_each_word(files, [&](std::string word) {
      const AffixRule& rule = file.rules[random() % file.rules.size()];
      if (!rule.is_prefix && word.ends_with(rule.strip))
        word = word.substr(0, word.size() - rule.strip.size()) + rule.append;
      word = plain(word);
      if (word.empty() || random() % 16 != 0) return;
      const std::string capital = with_capital(word);
      const Lemmas lemmas = own(*dictionary, word, capital);
      INFO(files.name << ", word " << word);
      CHECK(lemmas == told_by(hunspell, word, capital));
      ++count;
      known += !lemmas.empty();
    });
    WARN(files.name << ": " << count << " words, " << known << " of them known");
  }
}
