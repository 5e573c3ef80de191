#include "config/settings.h"

#include <sys/stat.h>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "config/error.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using kindred::DeviceList;
using kindred::Errc;
using kindred::Error;
using kindred::parse_device_list;
using kindred::parse_settings;
using kindred::Settings;

namespace {

/// The message that parsing `toml` ends with; "" if it is accepted.
std::string complaint(const std::string& toml) {
  try {
    parse_settings(toml, "site.toml");
  } catch (const Error& e) {
    CHECK(e.code() == Errc::kInvalidArgument);
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("config/kindred.toml states every default") {
  const std::string path = KINDRED_SOURCE_DIR "/config/kindred.toml";
  const Settings d;
  const Settings s = kindred::load_settings(path);
  CHECK(s.analyzer.language == d.analyzer.language);
  CHECK(s.analyzer.fold_accents == d.analyzer.fold_accents);
  CHECK(s.analyzer.filters == d.analyzer.filters);
  CHECK(s.analyzer.min_word_length == d.analyzer.min_word_length);
  CHECK(s.analyzer.max_word_length == d.analyzer.max_word_length);
  CHECK(s.analyzer.max_word_bytes == d.analyzer.max_word_bytes);
  CHECK(s.analyzer.numbers == d.analyzer.numbers);
  CHECK(s.analyzer.stop_words == d.analyzer.stop_words);
  CHECK(s.analyzer.protected_words == d.analyzer.protected_words);
  CHECK(s.analyzer.stem_overrides == d.analyzer.stem_overrides);
  CHECK(s.analyzer.ngrams == d.analyzer.ngrams);
  CHECK(s.analyzer.units == d.analyzer.units);
  CHECK(s.analyzer.whole_tokens == d.analyzer.whole_tokens);
  CHECK(s.index.body_fields == d.index.body_fields);
  CHECK(s.index.profile == d.index.profile);
  CHECK(s.index.id_prefix == d.index.id_prefix);
  CHECK(s.index.not_ids == d.index.not_ids);
  CHECK(s.index.id_scheme == d.index.id_scheme);
  CHECK(s.index.title_fields == d.index.title_fields);
  CHECK(s.index.directory == d.index.directory);
  CHECK(s.index.title_slot == d.index.title_slot);
  CHECK(s.labels.system == d.labels.system);
  CHECK(s.filter.fields == d.filter.fields);
  CHECK(s.filter.text_fields == d.filter.text_fields);
  CHECK(s.index.title_boost == d.index.title_boost);
  CHECK(s.index.positions == d.index.positions);
  CHECK(s.index.batch == d.index.batch);
  CHECK(s.index.sample_bytes == d.index.sample_bytes);
  CHECK(s.index.read_only == d.index.read_only);
  CHECK(s.index.max_line_mb == d.index.max_line_mb);
  CHECK(s.labels.prefix == d.labels.prefix);
  CHECK(s.labels.predicted_prefix == d.labels.predicted_prefix);
  CHECK(s.labels.rejected_prefix == d.labels.rejected_prefix);
  CHECK(s.labels.pending_term == d.labels.pending_term);
  CHECK(s.labels.opt_out_term == d.labels.opt_out_term);
  CHECK(s.labels.tagged_term == d.labels.tagged_term);
  CHECK(s.labels.prediction_slot == d.labels.prediction_slot);
  CHECK(s.labels.learn_from_predicted == d.labels.learn_from_predicted);
  CHECK(s.mirror.term_prefixes == d.mirror.term_prefixes);
  CHECK(s.mirror.min_df == d.mirror.min_df);
  CHECK(s.mirror.max_df == d.mirror.max_df);
  CHECK(s.weighting.smart == d.weighting.smart);
  CHECK(s.classify.k == d.classify.k);
  CHECK(s.classify.threshold == d.classify.threshold);
  CHECK(s.classify.max_labels == d.classify.max_labels);
  CHECK(s.classify.never == d.classify.never);
  CHECK(s.classify.vote == d.classify.vote);
  CHECK(s.classify.min_similarity == d.classify.min_similarity);
  CHECK(s.classify.prototypes == d.classify.prototypes);
  CHECK(s.classify.use_tuning == d.classify.use_tuning);
  CHECK(s.classify.auto_tune == d.classify.auto_tune);
  CHECK(s.related.k == d.related.k);
  CHECK(s.related.threshold == d.related.threshold);
  CHECK(s.related.slot == d.related.slot);
  CHECK(s.related.unlike_weight == d.related.unlike_weight);
  CHECK(s.ingest.threads == d.ingest.threads);
  CHECK(s.ingest.queue == d.ingest.queue);
  CHECK(s.ingest.queue_mb == d.ingest.queue_mb);
  CHECK(s.ingest.batch_mb == d.ingest.batch_mb);
  CHECK(s.ingest.commit_seconds == d.ingest.commit_seconds);
  CHECK(s.ingest.on_failure == d.ingest.on_failure);
  CHECK(s.ingest.dead_letters == d.ingest.dead_letters);
  CHECK(s.backend.kind == d.backend.kind);
  CHECK(s.backend.threads == d.backend.threads);
  CHECK(s.backend.device == d.backend.device);
  CHECK(s.backend.devices == d.backend.devices);
  CHECK(s.backend.layout == d.backend.layout);
  CHECK(s.backend.memory_mb == d.backend.memory_mb);
  CHECK(s.backend.coalesce_us == d.backend.coalesce_us);
  CHECK(s.topics.rows == d.topics.rows);
  CHECK(s.topics.columns == d.topics.columns);
  CHECK(s.topics.epochs == d.topics.epochs);
  CHECK(s.topics.lattice == d.topics.lattice);
  CHECK(s.topics.seed == d.topics.seed);
  CHECK(s.topics.count == d.topics.count);
  CHECK(s.topics.min_df == d.topics.min_df);
  CHECK(s.topics.partition == d.topics.partition);
  CHECK(s.topics.memory_mb == d.topics.memory_mb);
  CHECK(s.topics.on_ingest == d.topics.on_ingest);
  CHECK(s.topics.prefix == d.topics.prefix);
  CHECK(s.topics.unit_prefix == d.topics.unit_prefix);
  CHECK(s.topics.slot == d.topics.slot);
}

TEST_CASE("every setting that is known stands in config/kindred.toml") {
  // Each key is renamed in turn; the complaint must suggest the key itself, so it is a known one,
  // and their number must be that of the fields above.
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
  CHECK(keys == 99);
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

TEST_CASE("an empty file leaves the defaults, a key changes one of them") {
  CHECK(parse_settings("", "x").classify.k == Settings{}.classify.k);
  const Settings s = parse_settings("[classify]\nk = 7\nthreshold = 1\n", "x");
  CHECK(s.classify.k == 7);
  CHECK(s.classify.threshold == 1.0);
  CHECK(s.classify.max_labels == Settings{}.classify.max_labels);
}

TEST_CASE("a fault names file, line, key and what was expected") {
  CHECK(complaint("[classify]\n\nkk = 3\n") ==
        "site.toml:3: unknown key 'classify.kk'; did you mean 'classify.k'?");
  CHECK(complaint("[clasify]\nk = 3\n") ==
        "site.toml:2: unknown key 'clasify.k'; did you mean 'classify.k'?");
  CHECK(complaint("k = 3\n").find("site.toml:1: unknown key 'k'") == 0);
  CHECK(complaint("[classify]\nk = \"many\"\n") ==
        "site.toml:2: classify.k: expected a whole number");
  CHECK(complaint("[classify]\nk = 2.5\n") == "site.toml:2: classify.k: expected a whole number");
  CHECK(complaint("[analyzer]\nnumbers = 1\n") ==
        "site.toml:2: analyzer.numbers: expected true or false");
  CHECK(complaint("[index]\npositions = \"no\"\n") ==
        "site.toml:2: index.positions: expected true or false");
  CHECK(complaint("[mirror]\nterm_prefixes = [1]\n") ==
        "site.toml:2: mirror.term_prefixes: expected a list of strings");
  CHECK(complaint("[classify]\nthreshold = 1.5\n") ==
        "site.toml:2: classify.threshold: expected a number from 0 to 1 (got 1.5)");
  CHECK(complaint("[classify]\nk = 0\n").find("site.toml:2: classify.k: expected") == 0);
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
  CHECK(complaint("[ingest]\nqueue = 0\n").find("site.toml:2: ingest.queue: expected") == 0);
  CHECK(complaint("[backend]\ndevice = 256\n").find("site.toml:2: backend.device: expected") == 0);
  CHECK(complaint("[backend]\ndevices = [0, 256]\n") ==
        "site.toml:2: backend.devices: expected numbers from 0 to 255 (got 256)");
  CHECK(complaint("[backend]\ndevices = [\"0\"]\n") ==
        "site.toml:2: backend.devices: expected a list of whole numbers, or \"all\"");
  CHECK(complaint("[backend]\ndevices = \"both\"\n").find("or \"all\"") != std::string::npos);
  CHECK(complaint("[backend]\nlayout = \"split\"\n").find("auto, replicated or sharded") !=
        std::string::npos);
  CHECK(complaint("[backend]\nmemory_mb = -1\n").find("site.toml:2: backend.memory_mb") == 0);
  CHECK(complaint("[backend]\ncoalesce_us = 100001\n").find("from 0 to 100000") !=
        std::string::npos);
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
  CHECK(complaint("[classify]\nk = 3\nk = 4\n").find("site.toml:3: ") == 0);
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
  CHECK(complaint("[labels]\ntagged_term = \"XNOTAG\"\n") ==
        "site.toml:2: labels.tagged_term" + other + "labels.opt_out_term");
  CHECK(complaint("[labels]\nopt_out_term = \"XTAGGED\"\n") ==
        "site.toml:2: labels.tagged_term" + other + "labels.opt_out_term");
  for (const std::string prefix : {"Z", "S", "L"}) {
    CHECK(complaint("[index]\nid_prefix = \"" + prefix + "\"\n")
              .find("site.toml:2: index.id_prefix") == 0);
    CHECK(complaint("[labels]\nprefix = \"" + prefix + "\"\n").find("site.toml:2: labels.prefix") ==
          0);
  }
  for (const std::string prefix : {"K", "Q", "XAUTO", "XTAGGED", "XUNIT"}) {
    CHECK(complaint("[mirror]\nterm_prefixes = [\"\", \"" + prefix + "\"]\n")
              .find("site.toml:2: mirror.term_prefixes: expected prefixes other than") == 0);
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
  CHECK(complaint("[classify]\nthreshold = nan\n").find("classify.threshold: expected") !=
        std::string::npos);
}

TEST_CASE("a settings file that cannot be read is named") {
  const kindred::test::TemporaryDirectory directory;
  const auto check_refused = [](const std::string& path, Errc code) {
    try {
      kindred::load_settings(path);
      FAIL("accepted " << path);
    } catch (const Error& e) {
      CHECK(e.code() == code);
      CHECK(std::string(e.what()).find(path) == 0);
    }
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
