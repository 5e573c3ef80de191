// Stands in for hunspell_lemmas.cpp in a build without Hunspell.
#include "analyzer/lemmas/hunspell_lemmas.h"
#include "config/error.h"

namespace kindred {

std::shared_ptr<const LemmaSource> open_hunspell(const DictionaryFiles& files, const Language&) {
  throw Error(Errc::kUnsupported,
              "analyzer.lemmas: expected lists of lemmas, for this build has no "
              "Hunspell to read " +
                  files.dic());
}

std::string hunspell_version() { return ""; }

}  // namespace kindred
