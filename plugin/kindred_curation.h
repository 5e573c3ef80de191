/* Kindred for people who look after an index: its labels, its documents and their tags, the map,
 * documents whose labels are in doubt, changes by hand, and how good tags are.
 *
 * This is a part of kindred.h, which includes it, and whose conventions hold here as well. */
#include "plugin/kindred.h"

#ifndef KINDRED_PLUGIN_KINDRED_CURATION_H
#define KINDRED_PLUGIN_KINDRED_CURATION_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- labels ---- */

typedef struct kindred_label {
  kindred_string name;
  uint64_t documents; /* that people gave it to */
  uint64_t predicted; /* that have it as a predicted tag */
  uint64_t rejected;  /* that must not get it */
} kindred_label;

typedef struct kindred_labels_result {
  uint64_t revision;           /* of the index that was read */
  const kindred_label* labels; /* that some document has, or must not get; in byte order */
  size_t label_count;
} kindred_labels_result;

/* Which labels are there, and how many documents have them? Read from the database, label by label,
 * so it is quick for any number of documents. KINDRED_CORRUPT, KINDRED_DATABASE: it cannot be read.
 * Free *result with kindred_labels_free. */
KINDRED_API kindred_errc kindred_labels(const kindred_handle* handle,
                                        kindred_labels_result** result);
KINDRED_API void kindred_labels_free(kindred_labels_result* result);

/* ---- documents ---- */

typedef struct kindred_matching_request {
  size_t size;
  kindred_string query; /* a Xapian query, written as a filter; empty = all documents */
  uint64_t flags;       /* 0, or KINDRED_IDS and KINDRED_TITLES, added */
  int64_t offset;       /* leave out this many of the first documents, >= 0 */
  int64_t limit;        /* at most this many documents, >= 1; default: all */
} kindred_matching_request;

#define KINDRED_MATCHING_REQUEST_INIT \
  { sizeof(kindred_matching_request), {NULL, 0}, 0, 0, KINDRED_DEFAULT }

typedef struct kindred_matching_result {
  uint64_t revision;            /* of the snapshot that answered */
  uint64_t found;               /* documents that match, including those that are left out */
  const uint32_t* docids;       /* ascending */
  const kindred_string* ids;    /* KINDRED_IDS: of the documents, in their order; else NULL */
  const kindred_string* titles; /* KINDRED_TITLES: likewise */
  size_t count;
} kindred_matching_result;

/* Which documents match this query? There are no ranks: it is for lists, and to try a filter.
 * `request` may be NULL. KINDRED_INVALID_ARGUMENT: offset or limit out of range, a query as the
 * filters of kindred_related. Free *result with kindred_matching_free. */
KINDRED_API kindred_errc kindred_matching(const kindred_handle* handle,
                                          const kindred_matching_request* request,
                                          kindred_matching_result** result);
KINDRED_API void kindred_matching_free(kindred_matching_result* result);

/* A document and what the index holds about its tags. */
typedef struct kindred_document {
  uint32_t docid;
  int32_t opted_out; /* 1: it must not get predicted tags */
  int32_t pending;   /* 1: it is marked to be tagged later */
  kindred_string id;
  kindred_string title;
  const kindred_string* labels; /* that people gave it, in byte order */
  size_t label_count;
  const kindred_tag* predicted; /* confidence descending, then in byte order. A confidence is 0 if
                                   the index does not tell it */
  size_t predicted_count;
  const kindred_string* rejected; /* tags that it must not get, in byte order */
  size_t rejected_count;
} kindred_document;

typedef struct kindred_documents_result {
  uint64_t revision;                 /* of the index that was read */
  const kindred_document* documents; /* in the order of what was asked for */
  size_t document_count;
} kindred_documents_result;

/* The tags that documents of the index hold now, of each in turn; for tags that they would get, see
 * kindred_classify. `examples` are KINDRED_BY_ID or KINDRED_BY_DOCID. A document that was deleted
 * since the last refresh has its labels only. KINDRED_INVALID_ARGUMENT: another kind of example;
 * KINDRED_NOT_FOUND: an unknown id or docid. Free *result with kindred_documents_free. */
KINDRED_API kindred_errc kindred_documents(const kindred_handle* handle,
                                           const kindred_example* examples, size_t count,
                                           kindred_documents_result** result);
KINDRED_API void kindred_documents_free(kindred_documents_result* result);

/* ---- changes by hand ---- */

/* One change of the tags of the document with the unique id `id`. */
typedef struct kindred_edit {
  int32_t edit; /* a kindred_tag_edit */
  kindred_string id;
  kindred_string label; /* empty for KINDRED_OPT_OUT, KINDRED_OPT_IN and KINDRED_CLEAR_LABELS */
} kindred_edit;

/* Makes all these changes in one commit, then refreshes the handle: those of one document in their
 * order, and all of them or none. To accept a predicted tag is KINDRED_ADD_LABEL; to replace what
 * people said is KINDRED_CLEAR_LABELS, then KINDRED_ADD_LABEL for each label. documents[i] of the
 * result is the document of edits[i] after all changes; `result` may be NULL. Ends ingest and waits
 * as kindred_tag_documents does. Free *result with kindred_documents_free.
 * KINDRED_NOT_FOUND: no such id; KINDRED_INVALID_ARGUMENT: as kindred_edit_tag, or a label that is
 * not UTF-8 or names a system term of the index (settings: labels.system), which is no label;
 * KINDRED_DATABASE: as kindred_tag_documents. Nothing has changed then. */
KINDRED_API kindred_errc kindred_edit_tags(kindred_handle* handle, const kindred_edit* edits,
                                           size_t count, kindred_documents_result** result);

typedef struct kindred_delete_report {
  size_t size;
  uint64_t deleted; /* documents: all that have one of the ids */
  uint64_t unknown; /* ids that no document had */
} kindred_delete_report;

#define KINDRED_DELETE_REPORT_INIT \
  { sizeof(kindred_delete_report), 0, 0 }

/* Deletes the documents with these unique ids from the index, in one commit, then refreshes the
 * handle. An id that no document has is counted, and no error. An id that is there twice counts
 * once. Ends ingest and waits as kindred_tag_documents does. `report` may be NULL.
 * KINDRED_DATABASE: as kindred_tag_documents. Nothing has changed then. */
KINDRED_API kindred_errc kindred_delete_documents(kindred_handle* handle, const kindred_string* ids,
                                                  size_t count, kindred_delete_report* report);

/* ---- documents whose labels are in doubt ---- */

typedef struct kindred_suspects_request {
  size_t size;
  kindred_string query;      /* only documents that match this Xapian query are asked about */
  kindred_string filter;     /* only documents that match this Xapian query vote; empty = all */
  int64_t limit;             /* at most this many documents, >= 1; default 20 */
  kindred_progress progress; /* counts classified documents; NULL = none */
  void* progress_user;       /* passed to progress */
} kindred_suspects_request;

#define KINDRED_SUSPECTS_REQUEST_INIT \
  { sizeof(kindred_suspects_request), {NULL, 0}, {NULL, 0}, KINDRED_DEFAULT, NULL, NULL }

typedef struct kindred_suspect {
  uint32_t docid;
  kindred_string id;
  kindred_string title;
  const kindred_string* labels; /* that people gave it, in byte order */
  size_t label_count;
  kindred_tag weakest;   /* the label in doubt: of those that it has, the one with the smallest
                            confidence */
  kindred_tag strongest; /* of the labels that it lacks, the one with the largest */
  double margin;         /* of their confidences, above 0 */
  const kindred_tag* proposed; /* that it would get, as kindred_classification.tags */
  size_t proposed_count;
  const kindred_reason* reasons; /* one for each of these, in their order */
  size_t reason_count;
  const kindred_neighbor* neighbors;     /* the nearest voters, similarity descending */
  const kindred_string* neighbor_titles; /* of the neighbors, in their order */
  size_t neighbor_count;
} kindred_suspect;

typedef struct kindred_suspects_result {
  uint64_t revision;               /* of the snapshot that answered */
  uint64_t examined;               /* documents that match the query and have a label */
  uint64_t found;                  /* suspects, including those beyond the limit */
  const kindred_suspect* suspects; /* margin descending, then docid ascending */
  size_t suspect_count;
} kindred_suspects_result;

/* Which labels of people may be wrong? Every labeled document is classified by the others. It is a
 * suspect if a label that it lacks, and may get, gets more of the vote than one that it has: who
 * keeps a document as it is rejects that label (KINDRED_REMOVE_TAG). All labeled documents that
 * match the query are classified, so a large index takes minutes. `request` may be NULL.
 * KINDRED_INVALID_ARGUMENT: limit out of range, a query or filter as in kindred_related;
 * KINDRED_CANCELED: by progress; for the vote "unit" as kindred_topics. Free *result with
 * kindred_suspects_free. */
KINDRED_API kindred_errc kindred_suspects(const kindred_handle* handle,
                                          const kindred_suspects_request* request,
                                          kindred_suspects_result** result);
KINDRED_API void kindred_suspects_free(kindred_suspects_result* result);

/* ---- the map of topics, as a picture ---- */

typedef struct kindred_map_request {
  size_t size;
  uint64_t flags;       /* 0, or KINDRED_PLACES and KINDRED_IDS (of the places), added */
  kindred_string query; /* KINDRED_PLACES: only of documents that match this Xapian query */
} kindred_map_request;

#define KINDRED_MAP_REQUEST_INIT                \
  {                                             \
    sizeof(kindred_map_request), 0, { NULL, 0 } \
  }

typedef struct kindred_map_unit {
  double x; /* units of a row are 1 apart. On a hexagonal lattice odd rows lie 1/2 further right */
  double y; /* down; rows are 1 apart, on a hexagonal lattice sqrt(3)/2 */
  uint32_t topic;       /* its number */
  uint32_t documents;   /* when the map was made */
  double height;        /* mean distance to the units around it (U-matrix), in [0, about 1.4] */
  kindred_string label; /* the most frequent label of its documents when the map was made, or "" */
} kindred_map_unit;

typedef struct kindred_map_place {
  uint32_t docid;
  uint32_t unit;  /* its place in kindred_map_result.units, from 0, row by row */
  uint32_t topic; /* its number; 0: no place, since none of its terms is on the map */
} kindred_map_place;

typedef struct kindred_map_result {
  uint64_t revision;       /* of the index that the map was made of */
  uint64_t index_revision; /* of the snapshot that answered. It is another one after any commit,
                              also after one that changes no text */
  kindred_string stamp;    /* another one whenever another map is stored */
  uint32_t rows;
  uint32_t columns;
  int32_t hexagonal;             /* 1: hexagonal lattice; 0: rectangular */
  int32_t toroidal;              /* 1: opposite edges are joined */
  const kindred_map_unit* units; /* row by row */
  size_t unit_count;
  const kindred_map_place* places; /* KINDRED_PLACES: docid ascending */
  const kindred_string* place_ids; /* KINDRED_IDS: of the places, in their order; else NULL */
  size_t place_count;
} kindred_map_result;

/* The map as it can be drawn, and where the documents of the index lie now, those included that
 * came after the map was made. Places are computed anew, by all threads of the setting
 * backend.threads. The topics are those of kindred_topics. `request` may be NULL. Errors as
 * kindred_topics, and KINDRED_INVALID_ARGUMENT: a query as the filters of kindred_related. Free
 * *result with kindred_map_free. */
KINDRED_API kindred_errc kindred_map(const kindred_handle* handle,
                                     const kindred_map_request* request,
                                     kindred_map_result** result);
KINDRED_API void kindred_map_free(kindred_map_result* result);

/* ---- answers in JSON ---- */

typedef struct kindred_json {
  kindred_string json;
} kindred_json;

KINDRED_API void kindred_json_free(kindred_json* result);

/* The settings that hold for this handle, by section and key, as an object: {"index": {"id_prefix":
 * "Q", ...}, ...}. These are the defaults, and over them the profile, what the index remembers, and
 * the settings of kindred_open_options. A host that queries the index by itself finds here under
 * which prefixes and in which value slots it keeps what. Free *result with kindred_json_free. */
KINDRED_API kindred_errc kindred_get_settings(const kindred_handle* handle, kindred_json** result);

/* Which revision of which shard the current snapshot is of, in the order in which a stub lists
 * them, as an object: {"revision": 0, "shards": [{"uuid": "...", "revision": 12}, ...]}. A database
 * that is not one of several has one shard, and its revision twice. A revision is 0 where the shard
 * cannot tell: it is remote, in memory, or listed by another stub. Free *result with
 * kindred_json_free. */
KINDRED_API kindred_errc kindred_get_shards(const kindred_handle* handle, kindred_json** result);

/* ---- texts as the index analyzes them ---- */

typedef struct kindred_analyze_request {
  size_t size;
  kindred_string text;     /* malformed UTF-8 is read as U+FFFD */
  kindred_string language; /* as the "lang" of a record; empty = as the text of a query: the setting
                              analyzer.language, or the one that is detected */
} kindred_analyze_request;

#define KINDRED_ANALYZE_REQUEST_INIT                        \
  {                                                         \
    sizeof(kindred_analyze_request), {NULL, 0}, { NULL, 0 } \
  }

typedef struct kindred_word {
  kindred_string word; /* folded, as the index has it as a term without a prefix; "" = not at all */
  kindred_string term; /* the feature, prefix included; "" = none */
  uint32_t position;   /* of the word in the text, from 1; words that are not indexed count, too */
  int32_t stop_word;   /* 1: it is no feature since it is a stop word; else 0 */
  const kindred_string* joined; /* features of several words that end with this one */
  size_t joined_count;
} kindred_word;

typedef struct kindred_analysis {
  kindred_string language; /* by which the text was analyzed: an ISO 639 code */
  kindred_string prefix;   /* of features: "Z" where the index has stems, else "" */
  const kindred_word* words;
  size_t word_count;
} kindred_analysis;

/* The words of a text and the terms that they are in this index: stems of other languages than
 * Xapian knows, lemmas, spellings, and words of scripts without spaces. It reads nothing from the
 * database. KINDRED_INVALID_ARGUMENT: a NULL pointer. Free *result with
 * kindred_analysis_free. */
KINDRED_API kindred_errc kindred_analyze(const kindred_handle* handle,
                                         const kindred_analyze_request* request,
                                         kindred_analysis** result);
KINDRED_API void kindred_analysis_free(kindred_analysis* result);

/* ---- queries of words ---- */

typedef struct kindred_parse_request {
  size_t size;
  kindred_string query;   /* written as a filter, in UTF-8 */
  uint32_t most_frequent; /* a wildcard stands for so many of its terms, the most frequent ones; 0 =
                             for all, of which Xapian refuses more than 10,000 */
  int32_t partial;        /* 1: the last word may be the beginning of one; else 0 */
} kindred_parse_request;

#define KINDRED_PARSE_REQUEST_INIT \
  { sizeof(kindred_parse_request), {NULL, 0}, 100, 0 }

typedef struct kindred_query_word {
  kindred_string word;         /* folded */
  const kindred_string* terms; /* under which the index may have it, prefixes included */
  size_t term_count;
} kindred_query_word;

typedef struct kindred_query {
  kindred_string serialized;       /* for Xapian::Query::unserialise() */
  const kindred_query_word* words; /* that are wanted: not those behind NOT or a minus */
  size_t word_count;
} kindred_query;

/* A query that people typed, as a Xapian query for a search of the host: its words are made terms
 * by the analysis of the index, as those of filters are. It reads nothing from the database.
 * KINDRED_INVALID_ARGUMENT: a NULL pointer; a query that does not parse, or has no word and no
 * field. Free *result with kindred_query_free. */
KINDRED_API kindred_errc kindred_parse_query(const kindred_handle* handle,
                                             const kindred_parse_request* request,
                                             kindred_query** result);
KINDRED_API void kindred_query_free(kindred_query* result);

/* ---- how good it is ---- */

enum {
  KINDRED_PER_LABEL = 1, /* kindred_evaluate_request: measures of each label, "per_label" */
  KINDRED_CONFUSION = 2  /* kindred_evaluate_request: which label was taken for which, "confusion"
                            (null unless every document has exactly one label) */
};

typedef struct kindred_evaluate_request {
  size_t size;
  int64_t folds;  /* 0: each labeled document is classified by all others; 2 or more: they are
                     divided  into this many parts, and each part is classified by the others */
  int64_t seed;   /* of the division, >= 0 */
  uint64_t flags; /* 0, KINDRED_PER_LABEL, KINDRED_CONFUSION, or their sum */
  const kindred_classify_request* how; /* NULL = as tags are given; its flags must be 0 */
  kindred_progress progress;           /* counts classified documents; NULL = none */
  void* progress_user;                 /* passed to progress */
} kindred_evaluate_request;

#define KINDRED_EVALUATE_REQUEST_INIT \
  { sizeof(kindred_evaluate_request), 0, 0, 0, NULL, NULL, NULL }

/* How well do predicted tags agree with those that people gave? result->json is what `kindred
 * evaluate --json` prints. All labeled documents are classified, so a large index takes minutes.
 * `request` may be NULL. KINDRED_INVALID_ARGUMENT: folds or seed out of range, as kindred_classify;
 * KINDRED_NOT_FOUND: no document has a label; KINDRED_CANCELED: by progress. Free *result with
 * kindred_json_free. */
KINDRED_API kindred_errc kindred_evaluate(const kindred_handle* handle,
                                          const kindred_evaluate_request* request,
                                          kindred_json** result);

/* How far are the documents of each label from each other, and from those of other labels?
 * result->json is what `kindred geometry --json` prints. `progress`, which may be NULL, counts
 * documents whose nearest neighbor is found. KINDRED_UNSUPPORTED: more than 8,192 labels;
 * KINDRED_CANCELED: by progress. Free *result with kindred_json_free. */
KINDRED_API kindred_errc kindred_class_geometry(const kindred_handle* handle,
                                                kindred_progress progress, void* progress_user,
                                                kindred_json** result);

#ifdef __cplusplus
}
#endif

#endif
