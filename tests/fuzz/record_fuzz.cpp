// The way of a line: from the bytes of a file (plain or gzip) to a record to a document of Xapian.
// No input may cause any exception but Error, and the document keeps what the record has.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "analyzer/analyzer.h"
#include "config/error.h"
#include "plugin/documents/features.h"
#include "plugin/input/document_data.h"
#include "plugin/input/record.h"
#include "plugin/input/record_reader.h"
#include "tests/fuzz/input_folder.h"

namespace {

using namespace kindred;

bool is_kept(const Record& record, const KeptRecord& kept) {
  return kept.record.title == record.title && kept.record.fields == record.fields &&
         kept.record.json_fields == record.json_fields && kept.record.language == record.language &&
         (kept.is_cut || kept.record.text == record.text);
}

void use(const RecordLine& line) {
  static const Settings settings;
  static Analyzer analyzer(settings.analyzer);
  try {
    const Record record = parse_record(line.text);
    check_record(record, settings);
    TermBag features;
    const Xapian::Document document = make_document(record, settings, analyzer, features);
    const auto kept = kept_record(document.get_data(), record.id);
    if (!kept || !is_kept(record, *kept)) std::abort();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::InputFolder folder;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    RecordReader reader(folder.put("records.jsonl", input), 5000);
    while (const auto line = reader.next()) use(*line);
  } catch (const Error&) {
  }
  return 0;
}
