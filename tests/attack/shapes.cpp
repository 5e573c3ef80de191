#include "tests/attack/damage.h"

#include <xapian.h>
#include <filesystem>
#include <fstream>
#include <random>

#include "plugin/engine.h"
#include "plugin/input/record.h"
#include "plugin/input/record_reader.h"
#include "plugin/learning.h"
#include "plugin/writing/ingest.h"
#include "plugin/writing/stored_answers.h"
#include "tests/fixtures/on_cpu.h"

namespace kindred::attack {
namespace {

constexpr const char* kData = KINDRED_SOURCE_DIR "/tests/data/";

void ingest(const std::string& path, const std::string& records) {
  Ingest ingest(path, test::on_cpu(1));
  RecordReader reader(kData + records);
  while (const auto line = reader.next()) ingest.add(parse_record(line->text));
  ingest.commit();
}

void make_own(const std::string& path) {
  ingest(path, "topics.jsonl");
  ingest(path, "unlabeled.jsonl");
  Engine engine(path, test::on_cpu(1));
  TrainTopicsRequest request;
  request.epochs = 2;
  train_topics(engine, request);
  assign_topics(engine);
}

void make_large(const std::string& path) {
  std::mt19937 random(5);
  Xapian::WritableDatabase database(path, Xapian::DB_CREATE_OR_OVERWRITE, 2048);
  for (unsigned i = 1; i <= 3000; ++i) {
    Xapian::Document document;
    for (unsigned t = 0; t < 12; ++t) {
      const unsigned span = t < 6 ? 30 : 3000;
      document.add_term("Zw" + std::to_string(random() % span),
                        1 + static_cast<unsigned>(random() % 3));
    }
    document.add_boolean_term("Q" + std::to_string(i * 3));
    if (i % 3 != 0) document.add_boolean_term("K" + std::to_string(random() % 9));
    document.set_data("{\"title\": \"document " + std::to_string(i) + "\"}");
    database.replace_document(i * 3, document);  // docids with gaps
  }
  database.commit();
}

void make_mail(const std::string& path) {
  std::mt19937 random(6);
  Xapian::WritableDatabase database(path, Xapian::DB_CREATE_OR_OVERWRITE);
  for (unsigned i = 1; i <= 200; ++i) {
    Xapian::Document document;
    for (unsigned t = 0; t < 20; ++t) {
      const std::string word = "word" + std::to_string(random() % 400);
      document.add_posting(word, t + 1);
      document.add_term("Z" + word);
      document.add_posting("XSUBJECT" + word, t + 1);
    }
    document.add_boolean_term("Q" + std::to_string(i) + "@example.org");
    document.add_boolean_term("G00000000000000" + std::to_string(i / 3));
    document.add_boolean_term("Tmail");
    for (const char* tag : {"inbox", "unread", "work"}) {
      if (random() % 2 != 0) document.add_boolean_term(std::string("K") + tag);
    }
    for (unsigned slot = 0; slot < 4; ++slot) {
      document.add_value(slot, "value" + std::to_string(random() % 1000));
    }
    database.add_document(document);
  }
  database.commit();
}

}  // namespace

std::vector<Shape> make_shapes(const std::string& folder) {
  const std::string own = folder + "/own", large = folder + "/large", mail = folder + "/mail";
  make_own(own);
  make_large(large);
  make_mail(mail);
  const std::string file = folder + "/single-file";
  Xapian::Database(own).compact(file, Xapian::DBCOMPACT_SINGLE_FILE);
  const std::string stub = folder + "/stub";
  std::filesystem::create_directory(stub);
  for (const char* shard : {"one", "two"}) {
    Xapian::Database(own).compact(stub + "/" + shard, Xapian::DBCOMPACT_SINGLE_FILE);
  }
  std::ofstream(stub + "/XAPIANDB") << "auto one\nauto two\n";
  return {{"own", own}, {"large", large}, {"mail", mail}, {"single-file", file}, {"stub", stub}};
}

}  // namespace kindred::attack
