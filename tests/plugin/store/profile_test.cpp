// Profiles of other programs' indexes, made in memory as those programs make them.
#include "config/profiles.h"

#include <xapian.h>

#include "analyzer/analysis_record.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/remembered.h"
#include "plugin/store/settled_settings.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;

namespace {

using Terms = std::vector<std::string>;

Xapian::WritableDatabase empty_database() {
  return Xapian::WritableDatabase("", Xapian::DB_BACKEND_INMEMORY);
}

Xapian::docid add_document(Xapian::WritableDatabase& database, const Terms& terms,
                           const std::string& data) {
  Xapian::Document document;
  for (const std::string& term : terms) document.add_term(term);
  document.set_data(data);
  return database.add_document(document);
}

Settings settled(const Xapian::Database& database, const Settings& settings = {}) {
  DatabaseReader reader(database);
  return settled_settings(reader, "it", settings);
}

/// As Recoll writes it: unprefixed words without stems, a title as caption=, marks in fields.
Xapian::Database recoll_index() {
  Xapian::WritableDatabase database = empty_database();
  database.set_metadata("RCL_IDX_VERSION_KEY", "1");
  add_document(
      database,
      {"Q/home/me/moon.html|", "Ttext/html", "moon", "rocket", "Smoon", "KXXST", "Kspace", "KXXND"},
      "url=file:///home/me/moon.html\nmtype=text/html\ncaption=The moon\n");
  add_document(database, {"Q/home/me/mars.html|", "Ttext/html", "mars", "rocket", "KXXST", "KXXND"},
               "url=file:///home/me/mars.html\nmtype=text/html\ncaption=Mars\n");
  add_document(database, {"Q/home/me/bread.html|", "bread"}, "");
  return database;
}

/// As xapian-haystack 2.1 writes it: fields under X and their name, ids of application and model.
Xapian::Database haystack_index() {
  Xapian::WritableDatabase database = empty_database();
  add_document(database,
               {"QQ000000000001", "Qblog.entry.1", "CONTENTTYPEblog.entry", "Zmoon", "moon",
                "XTITLEmoon", "ZXTITLEmoon", "XTAGS^", "XTAGSspace", "ZXTAGSspace", "XTAGS$",
                "XTAGS_EXACT^", "XTAGS_EXACTspace"},
               "\x80\x04 a pickle");
  add_document(database,
               {"QQ000000000002", "Qblog.entry.2", "CONTENTTYPEblog.entry", "Zmoon", "moon",
                "XTAGS^", "XTAGS$"},
               "\x80\x04 a pickle");
  add_document(database, {"QQ000000000003", "Qblog.entry.3", "Zbread", "bread"},
               "\x80\x04 a pickle");
  return database;
}

}  // namespace

TEST_CASE("every profile is good, names its sources, and is known by its name") {
  for (const Profile& profile : profiles()) {
    const std::string name(profile.name);
    CAPTURE(name);
    const Settings settings = parse_settings(profile.settings, name);
    CHECK(settings.given.size() >= 3);
    CHECK(profile.settings.find("# ") != std::string_view::npos);
    CHECK(find_profile(name) == &profile);
    CHECK(listed_profiles().find(name) != std::string::npos);
    Settings chosen;
    chosen.index.profile = name;
    check_settings(chosen);
  }
  CHECK(find_profile("none") == nullptr);
}

TEST_CASE("an index of Recoll is known, and its marks are no labels") {
  const Engine engine(recoll_index(), {});
  CHECK(engine.status().profile == "recoll");
  CHECK(engine.guess_settings(engine.prefixes()).profile == "recoll");
  CHECK(engine.labels() == std::vector<std::string>{"space"});
  CHECK(engine.status().labeled == 1);
  const auto results = test::related_to(engine, UniqueId{"/home/me/mars.html|"},
                                        "mime:text/html caption:moon keyword:space");
  REQUIRE(results.size() == 1);
  CHECK(results[0].title == "The moon");
  CHECK(results[0].id == "/home/me/moon.html|");
}

TEST_CASE("an index of xapian-haystack is known, and its field tags holds the labels") {
  const Engine engine(haystack_index(), {});
  CHECK(engine.status().profile == "xapian-haystack");
  CHECK(engine.labels() == std::vector<std::string>{"space"});
  const auto results = test::related_to(engine, UniqueId{"blog.entry.2"},
                                        "django_ct:blog.entry title:moon tags:space");
  REQUIRE(results.size() == 1);
  CHECK(results[0].id == "blog.entry.1");
}

TEST_CASE("an index of mu is known: words, tags, ids that it has folded, and titles in Lisp") {
  for (const char* folder : {"maildir", "root-maildir"}) {  // 1.8, and later ones
    Xapian::WritableDatabase database = empty_database();
    database.set_metadata("schema-version", "500");
    database.set_metadata(folder, "/home/me/mail");
    const std::string cut(239, 'x');
    add_document(database, {"Iuni.o@ex.org", "Bsoup", "Scook", "Scook oven 37", "Xfood", "Gs"},
                 R"((:path "/a :subject \"x\"" :from ((:name "n :subject " :subject "no")))"
                 R"( :subject "q\"uo\\te 3" :tags ("food")))");
    add_document(database, {"I" + cut, "Bsoup", "Xauto/food"}, "(:subject \"cut");
    const Engine engine(database, {});
    CHECK(engine.status().profile == "mu");
    CHECK(engine.status().terms == 2);
    CHECK(engine.labels() == std::vector<std::string>{"food"});
    CHECK(engine.docid_of("\u00DCn\u00EF.\u00D8@Ex.ORG") == 1);
    CHECK(engine.docid_of("msgid:" + cut + "XX@Ex.org") == 2);
    CHECK(engine.titles(std::vector<Xapian::docid>{1, 2}) ==
          std::vector<std::string>{"q\"uo\\te 3", "cut"});
  }
}

TEST_CASE("what the user has set goes before the profile, also if it is a default") {
  const Xapian::Database database = haystack_index();
  CHECK(settled(database).labels.prefix == "XTAGS");
  const Settings set = settled(database, parse_settings("[labels]\nprefix = \"K\"\n", "site"));
  CHECK(set.index.profile == "xapian-haystack");
  CHECK(set.labels.prefix == "K");
  CHECK(set.labels.system == std::vector<std::string>{"^", "$", "_EXACT*"});
  Settings in_code;
  in_code.labels.prefix = "XTOPICS";
  CHECK(settled(database, in_code).labels.prefix == "XTOPICS");
  const Settings again = settled(database, set);
  CHECK(settings_text(again) == settings_text(set));
}

TEST_CASE("a profile can be chosen or left out") {
  const Xapian::Database database = haystack_index();
  Settings none;
  none.index.profile = "none";
  CHECK(settled(database, none).labels.prefix == "K");
  CHECK(settled(database, none).index.profile == "none");
  Settings chosen;
  chosen.index.profile = "apt-xapian-index";
  CHECK(settled(database, chosen).labels.prefix == "XT");
  CHECK_THROWS_WITH(
      parse_settings("[index]\nprofile = \"lucene\"\n", "site.toml"),
      "site.toml:2: index.profile: expected auto, none, notmuch, omega, apt-xapian-index, recoll, "
      "xapian-haystack, mu, zim, public-inbox, flatcurve, fts-xapian, cyrus, akonadi, sup, doxygen "
      "(got 'lucene')");
}

TEST_CASE("a detected profile that contradicts the settings is left out") {
  Settings settings;
  settings.topics.prefix = "XTAGS";
  CHECK(settled(haystack_index(), settings).index.profile == "none");
  settings.index.profile = "xapian-haystack";
  CHECK_THROWS_WITH(settled(haystack_index(), settings),
                    "topics.prefix: expected a prefix other than labels.prefix with the profile "
                    "xapian-haystack");
}

TEST_CASE("ids of Omega are found under Q, else under U") {
  Xapian::WritableDatabase database = empty_database();
  Settings omega;
  omega.index.profile = "omega";
  CHECK(settled(database, omega).index.id_prefix == "Q");
  add_document(database, {"U/moon.html", "moon"}, "url=/moon.html\ncaption=The moon\n");
  CHECK(detected_profile(database) == "omega");
  CHECK(settled(database, omega).index.id_prefix == "U");
  add_document(database, {"Q7", "mars"}, "title=Mars\n");
  CHECK(settled(database, omega).index.id_prefix == "Q");
}

TEST_CASE("an index that says nothing of its program has no profile") {
  Xapian::WritableDatabase database = empty_database();
  CHECK(detected_profile(database) == "none");
  add_document(database, {"Qa", "Kspace", "Umoon", "XPvim", "moon"}, "id=a\ntitle=The moon\n");
  CHECK(detected_profile(database) == "none");
}

TEST_CASE("prefixes are counted with their terms and documents") {
  Xapian::WritableDatabase database = empty_database();
  add_document(database, {"Qa", "Kspace", "Kscience", "moon", "Zmoon", "XTAGSfoo", "XNOTAG"}, "");
  add_document(database, {"Qb", "Kspace", "mars", "ZSmars", "XTAGS:Bar", "\xC3\xA9t\xC3\xA9"}, "");
  add_document(database, {}, "");
  const Engine engine(database, {});
  std::vector<std::string> found;
  for (const PrefixCount& count : engine.prefixes()) {
    found.push_back(count.prefix + " " + std::to_string(count.terms) + " " +
                    std::to_string(count.documents));
  }
  CHECK(found == std::vector<std::string>{"K 2 2", "Q 2 2", "XNOTAG 1 1", "XTAGS 2 2"});
}

TEST_CASE("prefixes of a stub are counted over its shards") {
  const test::TemporaryDirectory directory;
  Xapian::WritableDatabase one(directory / "one", Xapian::DB_CREATE);
  Xapian::WritableDatabase other(directory / "other", Xapian::DB_CREATE);
  add_document(one, {"Qa", "Kspace", "Kscience", "moon", "XTAGSfoo"}, "");
  add_document(other, {"Qb", "Kspace", "mars", "XTAGSfoo", "XTAGSother"}, "");
  add_document(other, {"Qc", "Kspace"}, "");
  one.commit();
  other.commit();
  test::put_file(directory / "stub", "auto one\nauto other\n");
  const Engine engine(directory / "stub", Settings{});
  std::vector<std::string> found;
  for (const PrefixCount& count : engine.prefixes())
    found.push_back(count.prefix + " " + std::to_string(count.terms) + " " +
                    std::to_string(count.postings) + " " + std::to_string(count.documents));
  CHECK(found == std::vector<std::string>{"K 2 4 3", "Q 3 3 3", "XTAGS 2 3 2"});
}

TEST_CASE("values that are no labels neither vote nor count as labels") {
  Xapian::WritableDatabase database = empty_database();
  add_document(database, {"Qa", "Kinbox", "Kspace", "moon"}, "");
  add_document(database, {"Qb", "Kinbox", "moon"}, "");
  add_document(database, {"Qc", "bread"}, "");
  Settings settings;
  settings.labels.system = {"inbox"};
  const Engine engine(database, settings);
  CHECK(engine.labels() == std::vector<std::string>{"space"});
  CHECK(engine.status().labeled == 1);
  CHECK(engine.classify(UniqueId{"b"}).tags.at(0).label == "space");
}

TEST_CASE("an index refuses settings made in code that analyze otherwise than it records") {
  Xapian::WritableDatabase database = empty_database();
  add_document(database, {"Qa", "Zmoon"}, "");
  record_analysis(database, analysis_record(Settings{}));
  CHECK(Engine(database, Settings{}).status().analysis.recorded);
  Settings other;
  other.analyzer.fold_accents = true;
  other.analyzer.language = "de";
  const auto open = [&] { Engine engine(database, other); };
  CHECK(test::code_of(open,
                      "analyzer.fold_accents: false there, true here; "
                      "analyzer.language: \"en\" there, \"de\" here") == Errc::kInvalidArgument);
}

TEST_CASE("stems of another program keep their spelling, unless the filters are named") {
  Xapian::WritableDatabase database = empty_database();
  add_document(database, {"Qa", "Zmuell"}, "");
  const auto normalizes = [&](const Settings& settings) {
    const Engine engine(database, settings);
    const auto& filters = engine.settings().analyzer.filters;
    return std::find(filters.begin(), filters.end(), "normalize") != filters.end();
  };
  CHECK_FALSE(normalizes({}));
  Settings named;
  named.given = {"analyzer.filters"};
  CHECK(normalizes(named));
  record_analysis(database, analysis_record(Settings{}));
  CHECK(normalizes({}));
}

TEST_CASE("settings that a host remembered with a decimal comma or grouped digits are read") {
  for (const auto& [confidence, boost, slot] :
       {std::array{"0,625", "1.000", "12.345"}, std::array{"0,625", "1 000", "12 345"},
        std::array{"0.625", "1,000", "12,345"}, std::array{"0,625", "1\u202f000", "12\u202f345"},
        std::array{"6,25e-1", "1'000", "12'345"}, std::array{"0.625", "1000", "12345"}}) {
    Xapian::WritableDatabase database = empty_database();
    add_document(database, {"Qa", "Zmoon"}, "");
    database.set_metadata(
        "kindred.settings",
        std::string("[analyzer]\ndetect_confidence = 0,5\n[classify]\nmin_confidence = ") +
            confidence + "\n[index]\ntitle_boost = " + boost + "\ntitle_slot = " + slot + "\n");
    AnalysisRecord record = analysis_record(Settings{});
    record_analysis(database, record);
    const Settings settings = Engine(database, Settings{}).settings();
    CHECK(settings.classify.min_confidence == 0.625);
    CHECK(settings.index.title_boost == 1000);
    CHECK(settings.index.title_slot == 12345);
  }
}

TEST_CASE("other versions than an index records are told once, and refuse nothing") {
  Xapian::WritableDatabase database = empty_database();
  add_document(database, {"Qa", "Zmoon"}, "");
  AnalysisRecord record = analysis_record(Settings{});
  record.versions["ICU"] = "12.3";
  record.rules.erase("analyzer.lemmas");  // as an earlier version records
  record_analysis(database, record);
  std::vector<std::string> told;
  const Engine engine(database, Settings{}, [&](const std::string& text) {
    if (text.find("other versions") != std::string::npos) told.push_back(text);
  });
  REQUIRE(told.size() == 1);
  CHECK(told[0].find("ICU: 12.3 there, ") != std::string::npos);
  CHECK(engine.status().analysis.other_versions == told[0]);
}
