#pragma once

#include <string>

#include "plugin/readers/collected_terms.h"
#include "plugin/readers/decoded_text.h"

namespace kindred {

// Each hands the triples of a text to `skos`. What cannot be read is reported to `mistakes`, with
// the line, and what follows is left out. @throws what the source or `skos` throws.

/// Turtle, and N-Triples, which is a part of it. `name`: of the file, against which relative URIs
/// stay as they are.
void read_turtle(const ByteSource& source, SkosTerms& skos, CollectedTerms& mistakes);

/// RDF/XML. Nothing is loaded from elsewhere, and a document that declares entities is refused.
void read_rdf_xml(const ByteSource& source, SkosTerms& skos, CollectedTerms& mistakes);

}  // namespace kindred
