#pragma once

#include <xapian.h>

#include "config/api.h"
#include "plugin/answers/neighborhood.h"
#include "plugin/engine.h"

namespace kindred {

/// Similarity as a weight in a Xapian query, for databases that other machines serve. Where a
/// KnnSource needs a server that has registered that class, this query is made of what every server
/// knows, xapian-tcpsrv included: for each document of the neighborhood its unique id, and its
/// similarity as a fixed weight. The weights have the same bits as those of a KnnSource.
///
///     Xapian::Query query(Xapian::Query::OP_OR, words,
///                         remote_query(engine, engine.neighborhood(request)));
///
/// A document matches under its id in whatever database has it, at any revision; one without a
/// unique id does not match. The query takes about 100 bytes and two posting lists for each
/// document, so it is for tens or hundreds of them. Each thread needs a Xapian::Query of its own.
/// The engine may have been refreshed since the neighborhood was made.
KINDRED_API Xapian::Query remote_query(const Engine& engine, const Neighborhood& neighborhood);

}  // namespace kindred
