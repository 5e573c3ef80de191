#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/ask/question.h"
#include "plugin/readers/decoded_text.h"

namespace kindred {

/// What a file says of a vocabulary.
struct VocabularyFile {
  struct Mistake {
    std::uint64_t line = 0;  ///< 1-based; 0: not known
    std::string fault;
  };

  Json terms = Json::array();         ///< as the question "load_vocabulary" takes them
  std::vector<std::uint64_t> lines;   ///< of each term; 0: not known, as in SKOS
  std::vector<Mistake> mistakes;      ///< what could not be read, of ten thousand at most
  std::vector<std::string> unread{};  ///< columns whose names say nothing
};

/// Reads a vocabulary:
///
/// - CSV or TSV: id and name; or columns by their names in the first line: id, name, language,
///   synonym, broader, use instead, note, deprecated. A | parts several values of one field. Rows
///   with one id and several languages are one term.
/// - SKOS in Turtle or N-Triples, or in RDF/XML without entities: prefLabel, altLabel, hiddenLabel,
///   broader, narrower, definition, scopeNote, owl:deprecated, dcterms:isReplacedBy.
/// - JSON Lines: the terms as the question takes them.
///
/// The end of the name says which it is (.csv, .tsv, .tab, .ttl, .nt, .rdf, .xml, .jsonl, and .gz
/// behind it), else the content.
/// @param id_prefix taken off the ids of SKOS that begin with it; "" for nothing
/// @throws Error as InputFile; kInvalidArgument for more terms than a vocabulary may have.
VocabularyFile read_vocabulary_file(const std::string& path, const std::string& id_prefix);

/// The same of what a source has; `name` stands for its path.
VocabularyFile read_vocabulary_file(const std::string& name, ByteSource source,
                                    const std::string& id_prefix);

}  // namespace kindred
