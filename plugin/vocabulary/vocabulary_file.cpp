// The vocabulary of a database as a file: a section file with the members of Vocabulary::Stored.
#include "plugin/vocabulary/vocabulary_file.h"

#include <utility>

#include "config/error.h"
#include "config/text_front.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/section_file.h"

namespace kindred {
namespace {

constexpr std::string_view kVocabularyMagic = "kindred-vocab  1";

enum VocabularySection : std::uint32_t { kTermParts = 1, kTermTexts, kFoldedNames, kLanguages };

/// The languages, each behind the one before and a line end; the first, which is "", is left out.
std::string languages_text(const std::vector<std::string>& languages) {
  std::string text;
  for (std::size_t i = 1; i < languages.size(); ++i) text += languages[i] + '\n';
  return text;
}

std::vector<std::string> languages_in(std::string_view text) {
  std::vector<std::string> languages = {""};
  while (!text.empty()) languages.emplace_back(split_off(text, "\n"));
  return languages;
}

}  // namespace

std::string vocabulary_path(const std::string& database) {
  return index_file_path(database, "vocabulary");
}

std::shared_ptr<const Vocabulary> read_vocabulary(const std::string& database) {
  const GuardedFile file = index_file(vocabulary_path(database));
  if (!file.exists()) return nullptr;

  const SectionReader reader(file, "the vocabulary", kVocabularyMagic, 1);
  Vocabulary::Stored stored;
  stored.parts = reader.read<Vocabulary::Part>(kTermParts);
  stored.texts = reader.read_text(kTermTexts);
  stored.folded = reader.read_text(kFoldedNames);
  stored.languages = languages_in(reader.read_text(kLanguages));

  try {
    return std::make_shared<const Vocabulary>(std::move(stored), reader.stamp());
  } catch (const Error& e) {
    reader.refuse(e.what());
  }
}

void write_vocabulary(const std::string& database, const Vocabulary& vocabulary) {
  const Vocabulary::Stored& stored = vocabulary.stored();
  const std::string languages = languages_text(stored.languages);
  SectionWriter writer(kVocabularyMagic);
  writer.add(kTermParts, stored.parts);
  writer.add(kTermTexts, stored.texts);
  writer.add(kFoldedNames, stored.folded);
  writer.add(kLanguages, languages);
  writer.write(index_file(vocabulary_path(database)), 1);
}

bool remove_vocabulary(const std::string& database) {
  const std::string path = vocabulary_path(database);
  std::error_code fault;
  const bool removed = remove_index_file(path, fault);
  if (fault) throw Error(Errc::kNotFound, path + ": cannot be removed: " + fault.message());
  return removed;
}

std::string vocabulary_stamp(const std::string& database) {
  return index_file(vocabulary_path(database)).stamp();
}

}  // namespace kindred
