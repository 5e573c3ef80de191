#include "plugin/store/terms.h"

#include "tests/fixtures/catch.h"

using kindred::fits_term;
using kindred::prefixed_term;
using kindred::value_under;
using namespace std::string_literals;

TEST_CASE("a colon goes between a long prefix and a capital or a colon") {
  CHECK(prefixed_term("XT", "role::program") == "XTrole::program");
  CHECK(prefixed_term("XT", "Role") == "XT:Role");
  CHECK(prefixed_term("XT", ":x") == "XT::x");
  CHECK(prefixed_term("XT", "7zip") == "XT7zip");
  CHECK(prefixed_term("XT", "Élan") == "XTÉlan");
  CHECK(prefixed_term("K", "Inbox") == "KInbox");
  CHECK(prefixed_term("Q", ":x") == "Q:x");
  CHECK(prefixed_term("", "Word") == "Word");
  CHECK(prefixed_term("XT", "") == "XT");
  CHECK(prefixed_term("XFOLDER:", "Mail") == "XFOLDER:Mail");
}

TEST_CASE("a term has a value under its own prefix only") {
  CHECK(value_under("XT", "XTrole::program") == "role::program");
  CHECK(value_under("XT", "XT:Role") == "Role");
  CHECK(value_under("XT", "XT::x") == ":x");
  CHECK_FALSE(value_under("XT", "XTAGx"));
  CHECK_FALSE(value_under("XTAG", "XTx"));
  CHECK(value_under("K", "Kinbox") == "inbox");
  CHECK(value_under("K", "KInbox") == "Inbox");
  CHECK(value_under("XFOLDER", "XFOLDER:mail") == "mail");
}

TEST_CASE("stems and unprefixed terms are told apart") {
  CHECK(value_under("Z", "Zcat") == "cat");
  CHECK(value_under("Z", "Zéla") == "éla");
  CHECK_FALSE(value_under("Z", "ZScat"));
  CHECK(value_under("ZS", "ZScat") == "cat");
  CHECK_FALSE(value_under("ZS", "ZSUcat"));
  CHECK(value_under("", "cat") == "cat");
  CHECK(value_under("", "42") == "42");
  CHECK_FALSE(value_under("", "Kcat"));
  CHECK_FALSE(value_under("S", "Zcat"));
}

TEST_CASE("an empty value is no value") {
  CHECK_FALSE(value_under("K", "K"));
  CHECK_FALSE(value_under("XT", "XT:"));
  CHECK_FALSE(value_under("", ""));
}

TEST_CASE("every value comes back from under its prefix") {
  for (const std::string prefix : {"K", "Q", "Z", "X", "XT", "ZS", "XUNTAGGED"}) {
    for (const std::string& value : {"a"s, "A"s, ":"s, "::"s, ":A"s, "Zed"s, "é"s, "7"s, "\0"s}) {
      CAPTURE(prefix, value);
      CHECK(value_under(prefix, prefixed_term(prefix, value)) == value);
    }
  }
}

TEST_CASE("a term holds 245 bytes, of which a zero byte takes two") {
  CHECK(fits_term(std::string(245, 'x')));
  CHECK_FALSE(fits_term(std::string(246, 'x')));
  CHECK(fits_term(std::string(243, 'x') + '\0'));
  CHECK_FALSE(fits_term(std::string(244, 'x') + '\0'));
  CHECK_FALSE(fits_term(""));
}
