#include "config/settings.h"

#include <sys/stat.h>

#include "config/setting_keys.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;

namespace {

/// The message that parsing `toml` ends with; "" if it is accepted.
std::string complaint(const std::string& toml) {
  return kindred::test::message_of([&] { parse_settings(toml, "site.toml"); });
}

}  // namespace

TEST_CASE("config/kindred.toml states every default") {
  const std::string path = KINDRED_SOURCE_DIR "/config/kindred.toml";
  CHECK(settings_json(kindred::load_settings(path)) == settings_json(Settings{}));
}

TEST_CASE("every setting that is known stands in config/kindred.toml") {
  // Each key is renamed in turn; the complaint must suggest the key itself, so it is a known one,
  // and their number must be that of all.
  const std::string text = kindred::test::file_text(KINDRED_SOURCE_DIR "/config/kindred.toml");
  std::istringstream lines(text);
  std::size_t keys = 0, begin = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = std::exchange(begin, begin + line.size() + 1);
    const auto equals = line.find(" = ");
    if (line.empty() || line[0] == '#' || line[0] == ' ' || equals == std::string::npos) continue;
    ++keys;
    std::string broken = text;
    broken.insert(at + equals, "z");
    CHECK(complaint(broken).find("did you mean '") != std::string::npos);
    CHECK(complaint(broken).find("." + line.substr(0, equals) + "'?") != std::string::npos);
  }
  CHECK(keys == kindred::known_keys().size());
}

TEST_CASE("devices are numbers, or all") {
  const auto devices = [](const std::string& value) {
    return parse_settings("[backend]\ndevices = " + value + "\n", "x").backend.devices;
  };
  CHECK(devices("[]") == DeviceList());
  CHECK(devices("[2, 0, 0]") == DeviceList{false, {2, 0, 0}});
  CHECK(devices("\"all\"") == DeviceList{true, {}});
  for (const DeviceList& list : {DeviceList(), DeviceList{false, {3, 1}}, DeviceList{true, {}}}) {
    Settings settings;
    settings.backend.devices = list;
    CHECK(devices(setting_text(settings, "backend.devices")) == list);
  }
  CHECK(parse_device_list("0,12") == DeviceList{false, {0, 12}});
  CHECK(parse_device_list("all") == DeviceList{true, {}});
  for (const char* wrong : {"", "x", "0,", ",0", "0;1", "0 1", "all,0"}) {
    CAPTURE(wrong);
    CHECK(parse_device_list(wrong) == std::nullopt);
  }
}

TEST_CASE("a setting is given as a text of its type") {
  Settings settings;
  set_value(settings, "backend.devices", "0,1");
  CHECK(settings.backend.devices == DeviceList{false, {0, 1}});
  CHECK_THROWS_AS(set_value(settings, "classify.neighbors", "1\nx = 2"), Error);
}

TEST_CASE("an empty file leaves the defaults, a key changes one of them") {
  CHECK(parse_settings("", "x").classify.neighbors == Settings{}.classify.neighbors);
  const Settings s = parse_settings("[classify]\nneighbors = 7\nmin_confidence = 1\n", "x");
  CHECK(s.classify.neighbors == 7);
  CHECK(s.classify.min_confidence == 1.0);
  CHECK(s.classify.limit == Settings{}.classify.limit);
}

TEST_CASE("a fault names file, line, key and what was expected") {
  CHECK(complaint("[classify]\n\nneighbor = 3\n") ==
        "site.toml:3: unknown key 'classify.neighbor'; did you mean 'classify.neighbors'?");
  CHECK(complaint("[clasify]\nneighbors = 3\n") ==
        "site.toml:2: unknown key 'clasify.neighbors'; did you mean 'classify.neighbors'?");
  CHECK(complaint("k = 3\n").find("site.toml:1: unknown key 'k'") == 0);
  CHECK(complaint("[classify]\nneighbors = \"many\"\n") ==
        "site.toml:2: classify.neighbors: expected a whole number");
  CHECK(complaint("[classify]\nneighbors = 2.5\n") ==
        "site.toml:2: classify.neighbors: expected a whole number");
  CHECK(complaint("[analyzer]\nunits = 1\n") ==
        "site.toml:2: analyzer.units: expected true or false");
  CHECK(complaint("[index]\npositions = \"no\"\n") ==
        "site.toml:2: index.positions: expected true or false");
  CHECK(complaint("[mirror]\nterm_prefixes = [1]\n") ==
        "site.toml:2: mirror.term_prefixes: expected a list of strings");
  CHECK(complaint("[classify]\nmin_confidence = 1.5\n") ==
        "site.toml:2: classify.min_confidence: expected a number from 0 to 1 (got 1.5)");
  CHECK(
      complaint("[classify]\nneighbors = 0\n").find("site.toml:2: classify.neighbors: expected") ==
      0);
  CHECK(complaint("[classify]\nvote = \"most\"\n").find("site.toml:2: classify.vote: expected") ==
        0);
  CHECK(complaint("[weighting]\nsmart = \"ltx\"\n").find("site.toml:2: weighting.smart") == 0);
  CHECK(complaint("[weighting]\nsmart = \"Lnn\"\n") ==
        "site.toml:2: weighting.smart: expected the letter c after L, or l in place of L (got "
        "'Lnn')");
  CHECK(complaint("[backend]\nkind = \"gpu\"\n").find("auto, cpu or cuda") != std::string::npos);
  CHECK(complaint("[ingest]\non_failure = \"drop\"\n")
            .find("index_untagged, reject or dead_letter") != std::string::npos);
  CHECK(complaint("[ingest]\non_failure = \"dead_letter\"\n")
            .find("site.toml:2: ingest.dead_letters: expected a file") == 0);
  CHECK(complaint("[backend]\ndevices = [0, 256]\n") ==
        "site.toml:2: backend.devices: expected numbers from 0 to 255 (got 256)");
  CHECK(complaint("[backend]\ndevices = [\"0\"]\n") ==
        "site.toml:2: backend.devices: expected a list of whole numbers, or \"all\"");
  CHECK(complaint("[backend]\ndevices = \"both\"\n").find("or \"all\"") != std::string::npos);
  CHECK(complaint("[backend]\nmemory_mb = -1\n").find("site.toml:2: backend.memory_mb") == 0);
  CHECK(complaint("[labels]\nprefix = \"tag\"\n").find("site.toml:2: labels.prefix") == 0);
  CHECK(complaint("[labels]\nprefix = \"XAUTO\"\n").find("a prefix other") != std::string::npos);
  CHECK(
      complaint("[labels]\nrejected_prefix = \"XAUTO\"\n") ==
      "site.toml:2: labels.rejected_prefix: expected a prefix other than labels.predicted_prefix");
  CHECK(complaint("[analyzer]\nfilters = [\"stemm\"]\n").find("did you mean 'stem'") !=
        std::string::npos);
  CHECK(complaint("[analyzer]\nfilters = [\"stem\", \"stem\"]\n").find("at most once") !=
        std::string::npos);
  CHECK(complaint("[classify\nk = 3\n").find("site.toml:1: ") == 0);
  CHECK(complaint("[classify]\nneighbors = 3\nk = 4\n").find("site.toml:3: ") == 0);
}

TEST_CASE("a value that is wrong by itself is named before two that do not go together") {
  const std::string pair = "[ingest]\non_failure = \"dead_letter\"\n";
  CHECK(complaint(pair + "[backend]\nthreads = -1\n") ==
        "site.toml:4: backend.threads: expected a number from 0 to 1024 (got -1)");
  CHECK(complaint(pair + "[mirror]\nsave = \"often\"\n") ==
        "site.toml:4: mirror.save: expected auto, never, close or follow (got 'often')");
}

TEST_CASE("no prefix or slot has two meanings, and a conflict names both settings") {
  const std::string other = ": expected a prefix other than ";
  CHECK(complaint("[index]\nid_prefix = \"K\"\n") ==
        "site.toml:2: labels.prefix" + other + "index.id_prefix");
  CHECK(complaint("[labels]\nprefix = \"Q\"\n") ==
        "site.toml:2: labels.prefix" + other + "index.id_prefix");
  CHECK(complaint("\n[topics]\nprefix = \"Q\"\n") ==
        "site.toml:3: topics.prefix" + other + "index.id_prefix");
  CHECK(complaint("[topics]\nunit_prefix = \"XNOT\"\n") ==
        "site.toml:2: topics.unit_prefix" + other + "labels.rejected_prefix");
  CHECK(complaint("[topics]\nprefix = \"XTAGGED\"\n") ==
        "site.toml:2: topics.prefix" + other + "XTAGGED, which marks documents");
  for (const std::string prefix : {"Z", "S", "L"}) {
    CHECK(complaint("[index]\nid_prefix = \"" + prefix + "\"\n")
              .find("site.toml:2: index.id_prefix") == 0);
    // Where a program has labels under L, languages are elsewhere.
    const std::string refused = prefix == "L" ? "" : "site.toml:2: labels.prefix";
    CHECK(complaint("[labels]\nprefix = \"" + prefix + "\"\n").starts_with(refused));
    CHECK(complaint("[labels]\nprefix = \"" + prefix + "\"\n").empty() == refused.empty());
  }
  for (const std::string prefix : {"K", "Q", "XAUTO", "XTAGGED", "XUNIT"}) {
    CHECK(complaint("[mirror]\nterm_prefixes = [\"\", \"" + prefix + "\"]\n")
              .find("site.toml:2: mirror.term_prefixes: expected ") == 0);
  }
  CHECK(complaint("[labels]\nprediction_slot = 7002\n") ==
        "site.toml:2: topics.slot: expected a slot other than labels.prediction_slot");
  CHECK(complaint("[topics]\nslot = 7001\n").find("site.toml:2: topics.slot: expected a slot") ==
        0);
  Settings settings;
  settings.topics.slot = settings.labels.prediction_slot;
  CHECK_THROWS_AS(kindred::check_settings(settings), Error);
}

TEST_CASE("the prefixes of other programs' indexes go together") {
  CHECK(complaint("[index]\nid_prefix = \"XP\"\n[labels]\nprefix = \"XT\"\n") == "");
  CHECK(complaint("[index]\nid_prefix = \"U\"\n[labels]\nprefix = \"XSECTION\"\n") == "");
  CHECK(complaint("[mirror]\nterm_prefixes = [\"\", \"Z\", \"ZS\", \"S\", \"XT\"]\n") == "");
}

TEST_CASE("letters outside of ASCII stand in strings and comments only") {
  const std::string refused = ": expected ASCII outside of quotes and comments";
  const auto line_of = [&](const std::string& toml) {
    const std::string what = complaint(toml);
    return what.find(refused) == std::string::npos ? "other: " + what
                                                   : what.substr(0, what.find(refused));
  };
  CHECK(line_of("é = 1\n") == "site.toml:1");
  CHECK(line_of("\n[classify]\nké = 1\n") == "site.toml:3");
  CHECK(line_of("[classify]\r\nk\xF0\x9F\x98\x80 = 1\r\n") == "site.toml:2");
  CHECK(line_of("[é]\n") == "site.toml:1");
  CHECK(line_of("[classify]\na.é.b = 1") == "site.toml:2");
  CHECK(line_of("[classify]\nnever = [\n\"é\", # é\né]") == "site.toml:4");
  CHECK(line_of("[classify]\nnever = { é = 1 }") == "site.toml:2");
  CHECK(line_of("k = \xFF\n") == "site.toml:1");
  CHECK(line_of("# é\n\"a\\\"é\" = 'é\\'\né = 1\n") == "site.toml:3");
  CHECK(line_of("a = \"\"\"\né \\\"\"\" \"\" é\"\"\"\"\"\né = 1\n") == "site.toml:3");
  CHECK(line_of("a = \'\'\'\né \'\' é \\\'\'\'\'\né = 1\n") == "site.toml:3");
  CHECK(line_of("a = \"\"\né = ''\n") == "site.toml:2");
  // Allowed there, or not TOML for another reason, which the parser reports.
  const Settings s = parse_settings(
      "\xEF\xBB\xBF# Größe\n[classify] # é\nnever = [\"日本\", 'é', \"\"\"\né\"\"\"]\n", "x");
  CHECK(s.classify.never == std::vector<std::string>{"日本", "é", "é"});
  CHECK(complaint("[classify]\n\"ké\" = 1\n").find("site.toml:2: unknown key 'classify.ké'") == 0);
  CHECK(complaint("[classify.\"é\"]\n'ü'.k = 1\n").find("site.toml:") == 0);
  CHECK(complaint("[classify]\nnever = [\"a\", +'é']\n").find("site.toml:2: a quote inside") == 0);
  CHECK(complaint("[classify]\nvote = \"a\"'é'\n").find("site.toml:2: a quote inside") == 0);
  CHECK(complaint("[classify]\nnever = [ # é\n  'é',\n  \"\"\"é\"\"\" ]\n") == "");
  CHECK(parse_settings("[classify]\nnever = [\"\"\"b\\\n\n é\"\"\"]\n", "x").classify.never ==
        std::vector<std::string>{"bé"});
  CHECK(complaint("k = \"\"\"b\n\\é\"\"\"\n").find("site.toml:2: ") == 0);
  CHECK(complaint("k = \"\\é\"\n").find("site.toml:1: ") == 0);
  CHECK(complaint("[classify]\nnever = [\"\\\\é\", \"\\\"é\"]\n") == "");
  CHECK(complaint("k = \"é\n").find("site.toml:1: ") == 0);
}

TEST_CASE("a key of very many parts is refused, however many they are") {
  std::string key = "a";
  for (int i = 0; i < 500000; ++i) key += ".a";
  CHECK(complaint(key + " = 1\n").find("site.toml:1: a key of more than 20 parts") == 0);
  CHECK(complaint("\n[" + key + "]\n").find("site.toml:2: a key of more than 20 parts") == 0);
}

TEST_CASE("NaN is no threshold") {
  CHECK(complaint("[classify]\nmin_confidence = nan\n").find("classify.min_confidence: expected") !=
        std::string::npos);
}

TEST_CASE("a settings file that cannot be read is named") {
  const kindred::test::TemporaryDirectory directory;
  const auto check_refused = [](const std::string& path, Errc code) {
    const auto load = [&] { kindred::load_settings(path); };
    CHECK(kindred::test::message_of(load, code).find(path) == 0);
  };
  check_refused(directory / "absent.toml", Errc::kNotFound);
  check_refused(directory / ".", Errc::kInvalidArgument);
  check_refused("/dev/zero", Errc::kInvalidArgument);
  REQUIRE(mkfifo((directory / "fifo").c_str(), 0600) == 0);
  check_refused(directory / "fifo", Errc::kInvalidArgument);
  std::ofstream(directory / "long") << std::string((1 << 20) + 1, '\n');
  check_refused(directory / "long", Errc::kInvalidArgument);
}

TEST_CASE("fields of the body have a key of the user's own, and a number of times") {
  CHECK(parse_settings("[index]\nbody_fields = [\"abstract=2\"]", "site.toml")
            .index.body_fields.size() == 1);
  for (const char* field : {"abstract", "abstract=0", "abstract=1001", "=2", "text=2", "a=2x"}) {
    INFO(field);
    CHECK(complaint("[index]\nbody_fields = [\"" + std::string(field) + "\"]")
              .starts_with("site.toml:2: index.body_fields: expected KEY=TIMES"));
  }
  CHECK(complaint("[index]\nbody_fields = [\"a=2\", \"a=3\"]").ends_with("(got 'a=3')"));
  CHECK(complaint("[analyzer]\nngrams = 3").starts_with("site.toml:2: analyzer.ngrams"));
}
