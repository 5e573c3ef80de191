/* Kindred for hosts in any language: related documents and automatic tags from a Xapian index.
 *
 * This header, with kindred_curation.h, which it includes, is complete: valid C99 and C++, without
 * other headers of Kindred. docs/abi.md has the versioning policy and a whole host. These
 * conventions hold for every function:
 *
 *  1. Status. Calls that can fail return a kindred_errc; KINDRED_OK is 0. Values never change
 *     their meaning. New ones may be added: treat an unknown one as KINDRED_INTERNAL.
 *  2. Error text. kindred_last_error() has a sentence on the last failure of the calling thread.
 *  3. Output. A call that fails writes nothing through its pointers.
 *  4. Strings are pointer and length, UTF-8 unless said otherwise, and may hold zero bytes. A
 *     length of 0 is the empty string, whatever the pointer. Strings from the library are followed
 *     by a zero byte that the length does not count.
 *  5. Ownership. The caller keeps what it passes, and may free it when the call returns. What the
 *     library hands out is freed by its own *_free functions, and by nothing else. They do nothing
 *     for NULL.
 *  6. Handles are made by kindred_open and ended by kindred_close, which does nothing for NULL.
 *  7. Threads. Any number of threads may use one handle at once. Queries run side by side on an
 *     immutable snapshot, and never wait for ingest or a refresh. Only what they need from Xapian
 *     itself (titles, filters, and tags that were taken off) is read by one thread at a time.
 *     No other call may use the argument of kindred_close or a *_free function meanwhile.
 *  8. Growing structs begin with `size`: set it to sizeof, as the *_INIT initializers do. Later
 *     versions append members, in which 0 means "as before", so old hosts work with a new library.
 *     A member that an older library does not know must be 0 (else KINDRED_UNSUPPORTED). Structs
 *     without `size` never change, with one exception: result objects, which only the library
 *     makes, may gain members at their end.
 *  9. The library never prints, exits, aborts or installs signal handlers, and lets no C++
 *     exception out. Calls block until they are done; none waits for input. */
#ifndef KINDRED_PLUGIN_KINDRED_H
#define KINDRED_PLUGIN_KINDRED_H

#include <stddef.h>
#include <stdint.h>

#ifndef KINDRED_API
#define KINDRED_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong, for callers to branch on. */
typedef enum kindred_errc {
  KINDRED_OK = 0,
  KINDRED_INVALID_ARGUMENT = 1, /* a mistake of the caller: shape, range, encoding, settings */
  KINDRED_NOT_FOUND = 2,        /* no such document, database or file */
  KINDRED_CORRUPT = 3,          /* a file or a database fails its checks */
  KINDRED_UNSUPPORTED = 4,      /* this build, version or machine cannot do it */
  KINDRED_OUT_OF_MEMORY = 5,    /* host or device; the call changed nothing */
  KINDRED_DEVICE = 6,           /* the accelerator failed; open a new handle */
  KINDRED_DATABASE = 7,         /* an error of Xapian; its text is passed on */
  KINDRED_INTERNAL = 8,         /* a bug in Kindred */
  KINDRED_CANCELED = 9 /* a callback of the host canceled the call; nothing changed, unless the
                          function says what stays */
} kindred_errc;

/* The text of the last failure in the calling thread, or "" if there was none. Never NULL. It is
 * one line of valid UTF-8 that may be shown as it is: control characters and the like are written
 * as escapes. It stays until the next call in this thread that fails. */
KINDRED_API const char* kindred_last_error(void);

/* Bytes and their number. Borrowed in requests; in results, owned by the result object. */
typedef struct kindred_string {
  const char* data;
  size_t size;
} kindred_string;

/* One opened database. */
typedef struct kindred_handle kindred_handle;

/* ---- open and close ---- */

/* Receives one message, which may be shown as it is, like kindred_last_error(). It may be called
 * from any thread that is in a call of the library, and from several at once. It must not throw,
 * and must not call the library. */
typedef void (*kindred_log)(void* user, const char* message, size_t size);

enum {
  KINDRED_CREATE = 1,    /* kindred_open: if there is no database, make an empty one */
  KINDRED_HOST_TUNES = 2 /* kindred_open: ingest and tagging runs of this handle give tags at once,
                            and do not tune first where that is due. The host does, beside them:
                            kindred_status.tuning_due, KINDRED_IF_DUE */
};

/* Receives what became of one record that was ingested (below), when it is on disk or refused for
 * good: each record once, in the order in which they were handed in. A thread of ingest calls it,
 * or the one that ingests, at any time until kindred_end_ingest or kindred_close returns, and never
 * twice at once. It must not throw, and must not call the library with this handle. The report and
 * its texts are valid until it returns. */
typedef struct kindred_document_report kindred_document_report;
typedef void (*kindred_on_document)(void* user, const kindred_document_report* report);

typedef struct kindred_open_options {
  size_t size;
  uint64_t flags;                  /* 0, or KINDRED_CREATE and KINDRED_HOST_TUNES, added */
  kindred_string settings_path;    /* a TOML file over the defaults; empty = none */
  kindred_string settings;         /* TOML text over the defaults; empty = none. Not both */
  kindred_log log;                 /* NULL = silent */
  void* log_user;                  /* passed to log; must outlive the handle */
  kindred_on_document on_document; /* NULL = records are not reported one by one */
  void* on_document_user;          /* passed to on_document; must outlive the handle */
} kindred_open_options;

#define KINDRED_OPEN_OPTIONS_INIT \
  { sizeof(kindred_open_options), 0, {NULL, 0}, {NULL, 0}, NULL, NULL, NULL, NULL }

/* Opens the database at the path `database`, which is in the encoding of the file system: anything
 * that Xapian opens (a directory, a single file, a stub). Mirrors it in memory, which takes 0.13 us
 * (measured) per posting of a feature. `options` may be NULL. Close *handle with kindred_close.
 * KINDRED_NOT_FOUND: no such database or settings file; KINDRED_CORRUPT: the database is damaged;
 * KINDRED_DATABASE: it cannot be read, or a writer has committed too fast for 20 seconds;
 * KINDRED_INVALID_ARGUMENT: wrong settings (the text has line and key); KINDRED_UNSUPPORTED: no
 * such backend. */
KINDRED_API kindred_errc kindred_open(const char* database, size_t database_size,
                                      const kindred_open_options* options, kindred_handle** handle);

/* Ends the handle. Results taken from it stay valid. If it has ingested, commits what is not yet
 * committed, and releases the write lock. It cannot report a failure of that commit: call
 * kindred_commit before. */
KINDRED_API void kindred_close(kindred_handle* handle);

/* ---- status and refresh ---- */

typedef struct kindred_status {
  size_t size;
  uint64_t documents;
  uint64_t terms;    /* distinct features */
  uint64_t nonzeros; /* (document, feature) pairs */
  uint64_t labels;   /* distinct tags given by people */
  uint64_t labeled;  /* documents with such a tag: the voters */
  uint64_t revision; /* of the snapshot; 0 if the database cannot tell: see kindred_get_shards */
  uint64_t bytes;    /* main memory of the snapshot */
  char uuid[64];     /* texts end in a zero byte; a text that is too long is cut at a character */
  char backend[16];  /* which one answers: "cpu" or "cuda" */
  char device[128];  /* the processor, for people */
  uint64_t device_bytes;       /* memory of the snapshot on the device; 0 for "cpu" */
  char compute_capability[16]; /* of the CUDA device, such as "9.0"; "" for "cpu" */
  uint64_t tagged;             /* documents with a predicted tag */
  uint64_t pending;            /* documents marked to be tagged later */
  uint64_t opted_out;          /* documents that must not get predicted tags */
  uint64_t rejected;           /* (document, tag) pairs: the document must not get the tag */
  uint64_t tuned;              /* 1 if tags follow a tuning of this index, else 0 */
  char profile[32];            /* whose index it is, such as "notmuch", or "none" */
  uint64_t tuning_due;         /* 1 if ingest or tagging will tune first: see KINDRED_IF_DUE,
                                  KINDRED_HOST_TUNES */
} kindred_status;

#define KINDRED_STATUS_INIT \
  { sizeof(kindred_status), 0, 0, 0, 0, 0, 0, 0, "", "", "", 0, "", 0, 0, 0, 0, 0, "", 0 }

/* Describes the current snapshot. Set status->size before. */
KINDRED_API kindred_errc kindred_get_status(const kindred_handle* handle, kindred_status* status);

/* Follows the database. If its revision has changed, builds a new snapshot beside the old one and
 * swaps them. Of a glass database only the documents that changed are read, and the snapshots share
 * what did not; of others everything is read, as by kindred_open, and held twice meanwhile. Running
 * queries finish on the old snapshot. Refreshes wait for each other. With the setting mirror.follow
 * a thread of the library refreshes by itself.
 * Fails with the codes of kindred_open, also if a tuning is damaged. The old snapshot then goes on
 * answering, and the next call tries again.
 * *changed becomes 1 if there is a new snapshot, else 0; `changed` may be NULL. */
KINDRED_API kindred_errc kindred_refresh(kindred_handle* handle, int* changed);

/* The same, for a writer that has committed and knows which documents it has added, replaced or
 * deleted since the last refresh: their `count` Xapian docids, in any order. It helps where the
 * database itself does not tell what changed: a single file, a remote database. There only these
 * documents are read; if the database's counts say that one is missing, or if it has no term lists,
 * everything is. Errors and `changed` as kindred_refresh; KINDRED_INVALID_ARGUMENT: docids is NULL
 * though count is not 0, or a docid is 0. */
KINDRED_API kindred_errc kindred_documents_changed(kindred_handle* handle, const uint32_t* docids,
                                                   size_t count, int* changed);

/* Saves the mirror of the current snapshot, beside the database or in the folder of the setting
 * mirror.directory. Whoever opens the database from then on, by whatever means, starts with it and
 * reads only what has changed since. KINDRED_UNSUPPORTED: changes of this kind of database cannot
 * be followed; KINDRED_DATABASE: the file cannot be written. */
KINDRED_API kindred_errc kindred_save_mirror(const kindred_handle* handle);

/* ---- progress ---- */

/* How far a call has come. */
typedef struct kindred_step {
  size_t size;
  uint64_t done; /* documents so far */
  uint64_t all;  /* documents that will be */
} kindred_step;

/* Called now and then, in the thread that made the call. Returns 0 to go on; any other value
 * cancels. It must not throw, and must not call the library with this handle. */
typedef int (*kindred_progress)(void* user, const kindred_step* step);

/* ---- questions ---- */

/* How an example is given. */
typedef enum kindred_example_kind {
  KINDRED_BY_ID = 1,    /* a document of the index; `value` is its unique id */
  KINDRED_BY_DOCID = 2, /* a document of the index; `docid` is its Xapian docid */
  KINDRED_BY_TEXT = 3,  /* `value` is plain text; malformed UTF-8 is read as U+FFFD */
  KINDRED_BY_JSON = 4   /* `value` is a record as for kindred_ingest, but it needs no id */
} kindred_example_kind;

typedef struct kindred_example {
  int32_t kind;         /* a kindred_example_kind */
  uint32_t docid;       /* for KINDRED_BY_DOCID */
  kindred_string value; /* for the others */
} kindred_example;

/* In requests: leaves a number to the settings or, for tags, to the tuning of the index. */
#define KINDRED_DEFAULT (-1)

enum {
  KINDRED_EXPLAIN = 1,   /* kindred_related_request: fill the terms; kindred_classify_request:
                            fill the reasons, the near misses and the neighbors;
                            kindred_candidates_request: fill the reason */
  KINDRED_NEIGHBORS = 2, /* kindred_classify_request: fill the neighbors */
  KINDRED_INCLUDE_PREDICTED = 4, /* kindred_candidates_request: also documents that have the label
                                    as a predicted tag */
  KINDRED_TITLES = 8, /* kindred_classify_request, kindred_candidates_request: fill the titles of
                         the neighbors, if there are neighbors; kindred_matching_request: fill the
                         titles */
  KINDRED_IDS = 16,   /* kindred_matching_request, kindred_map_request: fill the ids */
  KINDRED_PLACES = 32 /* kindred_map_request: fill the places */
};

typedef struct kindred_related_request {
  size_t size;
  const kindred_example* like; /* one or more, unless like_query gives some; their unit vectors
                                  are averaged */
  size_t like_count;
  const kindred_example* unlike; /* counter-examples (Rocchio): results are unlike these */
  size_t unlike_count;
  kindred_string filter; /* only documents that match this Xapian query; empty = all */
  int64_t k;             /* at most this many results, >= 1 */
  double threshold;      /* least similarity, in [0, 1] */
  uint64_t flags;        /* 0 or KINDRED_EXPLAIN */
  /* Xapian queries, written as filters; empty = none. Of the documents that match, the best by BM25
   * are examples, or counter-examples, besides those above. */
  kindred_string like_query;
  kindred_string unlike_query;
  int64_t query_top; /* how many documents each query gives, at most; 0 = 10 */
  double fold;       /* results that pairs of at least this similarity connect (single linkage) are
                        one result, in [0, 1]; 0 = off */
} kindred_related_request;

#define KINDRED_RELATED_REQUEST_INIT                                               \
  {                                                                                \
    sizeof(kindred_related_request), NULL, 0, NULL, 0, {NULL, 0}, KINDRED_DEFAULT, \
        KINDRED_DEFAULT, 0, {NULL, 0}, {NULL, 0}, 0, 0                             \
  }

/* A term that both share, and its part of the similarity. */
typedef struct kindred_term {
  kindred_string term; /* as the index spells it, prefix included */
  double contribution;
} kindred_term;

typedef struct kindred_related_document {
  uint32_t docid;
  float similarity; /* cosine, or dot product if weighting.smart ends in n, in [0, 1] */
  kindred_string id;
  kindred_string title;      /* or, if it has none, the first words (not in kindred_documents) */
  const kindred_term* terms; /* KINDRED_EXPLAIN: largest first, adding up to the similarity */
  size_t term_count;
} kindred_related_document;

/* A document that was folded: a near-duplicate of a better result. */
typedef struct kindred_folded_document {
  uint32_t docid;
  float similarity; /* to the examples */
  kindred_string id;
  size_t result; /* that it is folded under: its place in `documents`, from 0 */
} kindred_folded_document;

typedef struct kindred_related_result {
  uint64_t revision;                         /* of the snapshot that answered */
  const kindred_related_document* documents; /* similarity descending, then docid ascending */
  size_t document_count;
  const kindred_folded_document* folded; /* `fold`: by their result, then as results are ordered */
  size_t folded_count;
} kindred_related_result;

/* Which documents are like these? The examples and counter-examples themselves are never results,
 * nor are documents that share no feature with the examples. An example without a known term finds
 * nothing, which is not an error. With `fold`, a copy of an example is a result, once; at most
 * 16 k + 1000 documents are looked at, so there may be fewer than k results where more are folded.
 * KINDRED_INVALID_ARGUMENT: no example, k < 1, query_top < 0, threshold or fold outside [0, 1],
 * a filter or query that does not parse, names an unknown field or
 * leaves a quote or bracket open (the text has the byte), a record that is not JSON;
 * KINDRED_NOT_FOUND: an unknown id or docid, or a like_query or unlike_query that matches no
 * document. Free *result with kindred_related_free. */
KINDRED_API kindred_errc kindred_related(const kindred_handle* handle,
                                         const kindred_related_request* request,
                                         kindred_related_result** result);
KINDRED_API void kindred_related_free(kindred_related_result* result);

typedef struct kindred_store_related_request {
  size_t size;
  kindred_string query;  /* documents that get a value: those that match this; empty = all */
  kindred_string filter; /* only documents that match this Xapian query are related; empty = all */
  int64_t k;             /* at most this many ids, >= 1 */
  double threshold;      /* least similarity, in [0, 1] */
  uint64_t flags;        /* 0 or KINDRED_RESTART: start over, do not continue an interrupted run */
  kindred_progress progress; /* as kindred_tag_request.progress; NULL = none */
  void* progress_user;       /* passed to progress */
} kindred_store_related_request;

#define KINDRED_STORE_RELATED_REQUEST_INIT                                                         \
  {                                                                                                \
    sizeof(kindred_store_related_request), {NULL, 0}, {NULL, 0}, KINDRED_DEFAULT, KINDRED_DEFAULT, \
        0, NULL, NULL                                                                              \
  }

/* What a run did. The members after `examined` count documents among those. */
typedef struct kindred_store_related_report {
  size_t size;
  uint64_t revision;  /* of the index that was asked */
  uint64_t matched;   /* documents that the request is about */
  uint64_t continued; /* of these, done by an interrupted run before */
  uint64_t examined;  /* of these, done by this run */
  uint64_t gone;      /* were deleted meanwhile */
  uint64_t written;   /* had other related documents before, or none */
} kindred_store_related_report;

#define KINDRED_STORE_RELATED_REPORT_INIT \
  { sizeof(kindred_store_related_report), 0, 0, 0, 0, 0, 0 }

/* Stores in documents of the index the ids of their related documents, the most similar first, with
 * a tab between two, in the value slot of the setting related.slot, for programs that read the
 * index and do not load Kindred. Ends ingest, takes the write lock, commits, continues an
 * interrupted run and refreshes as kindred_tag_documents does. `request` and `report` may be NULL.
 * Errors as kindred_related, and KINDRED_DATABASE: another writer holds the lock, or Xapian
 * failed. */
KINDRED_API kindred_errc kindred_store_related(kindred_handle* handle,
                                               const kindred_store_related_request* request,
                                               kindred_store_related_report* report);

typedef struct kindred_classify_request {
  size_t size;
  kindred_string filter; /* only documents that match this Xapian query vote; empty = all */
  int64_t k;             /* nearest voters, >= 1 */
  double threshold;      /* a tag needs this confidence, in [0, 1] */
  int64_t max_labels;    /* at most this many tags, >= 1 */
  uint64_t flags;        /* 0, KINDRED_NEIGHBORS, KINDRED_EXPLAIN, KINDRED_TITLES, or their sum */
  /* In the following members, 0 or empty leaves the choice to the tuning or the settings. */
  kindred_string vote;       /* majority, similarity, best, nearest, prototype, centroid, profile,
                                blend (needs an index that `kindred tune` has tuned so) or unit
                                (needs a map: kindred_train_topics) */
  kindred_string prototypes; /* for "prototype": only documents that match this query vote */
  double min_similarity;     /* neighbors below it do not vote, in [0, 1] */
} kindred_classify_request;

#define KINDRED_CLASSIFY_REQUEST_INIT                                              \
  {                                                                                \
    sizeof(kindred_classify_request), {NULL, 0}, KINDRED_DEFAULT, KINDRED_DEFAULT, \
        KINDRED_DEFAULT, 0, {NULL, 0}, {NULL, 0}, 0                                \
  }

/* A tag and how sure the vote is of it, in [0, 1]. */
typedef struct kindred_tag {
  kindred_string label;
  double confidence;
} kindred_tag;

/* A voter, with the tags that people gave it. */
typedef struct kindred_neighbor {
  uint32_t docid;
  float similarity; /* as that of a related document, in (0, 1] */
  kindred_string id;
  const kindred_string* labels;
  size_t label_count;
} kindred_neighbor;

/* A neighbor that votes for a tag, and its part of the votes of all neighbors, in [0, 1]. */
typedef struct kindred_voter {
  const kindred_neighbor* neighbor;
  double share;
} kindred_voter;

/* Why a tag was given. */
typedef struct kindred_reason {
  kindred_string label;
  double threshold;            /* that its confidence had to reach; 0 if its rank decided */
  const kindred_voter* voters; /* the neighbors that have the label, nearest first */
  size_t voter_count;
  const kindred_term* terms; /* that make them similar, the largest part first, at most ten */
  size_t term_count;
} kindred_reason;

/* A label that got a score but was not given. */
typedef struct kindred_near_miss {
  kindred_string label;
  double confidence;
  double threshold; /* that its confidence had to reach; infinite if nothing reaches it */
} kindred_near_miss;

typedef struct kindred_classification {
  uint64_t revision;       /* of the snapshot that answered */
  const kindred_tag* tags; /* confidence descending, then label ascending */
  size_t tag_count;        /* 0 if no label reaches the threshold */
  const kindred_tag* best; /* the strongest label, even below the threshold; may be NULL */
  const kindred_neighbor* neighbors; /* KINDRED_NEIGHBORS: similarity descending */
  size_t neighbor_count;
  const kindred_reason* reasons; /* KINDRED_EXPLAIN: one for each tag, in their order */
  size_t reason_count;
  const kindred_near_miss* near_misses; /* KINDRED_EXPLAIN: confidence descending */
  size_t near_miss_count;
  /* Only in the vote "unit", whose neighbors are the k most similar voters. In any other vote, and
   * if the document has no place on the map, `voters` is 0. */
  uint32_t unit;                         /* of the map, from 0, row by row */
  uint32_t topic;                        /* the number of its topic */
  uint64_t voters;                       /* labeled documents in the unit and around it */
  const kindred_string* neighbor_titles; /* KINDRED_TITLES: of the neighbors, in their order; else
                                            NULL */
  const kindred_tag* withheld; /* that the vote gave, but that must not be given to the document, or
                                  none at all if it opted out; ordered as tags */
  size_t withheld_count;
} kindred_classification;

/* Which tags does this deserve? A document of the index does not vote for itself. It gets no tag
 * that was taken off it, and none at all if it opted out. `request` may be NULL. Errors as
 * kindred_related, and for the vote "unit" as kindred_topics. Free *result with
 * kindred_classification_free. */
KINDRED_API kindred_errc kindred_classify(const kindred_handle* handle,
                                          const kindred_example* example,
                                          const kindred_classify_request* request,
                                          kindred_classification** result);

/* As kindred_classify, for `count` examples of any kind at once, which is much faster than one by
 * one. results[i] answers records[i]; free each with kindred_classification_free. If one of them is
 * refused, the call fails; the text has the number of the record, counted from 0, or the unknown id
 * or docid. */
KINDRED_API kindred_errc kindred_classify_batch(const kindred_handle* handle,
                                                const kindred_example* records, size_t count,
                                                const kindred_classify_request* request,
                                                kindred_classification** results);
KINDRED_API void kindred_classification_free(kindred_classification* result);

/* ---- tuning ---- */

/* The progress of a tuning. */
typedef struct kindred_tune_step {
  size_t size;
  kindred_string doing; /* what is being done, for people; valid during the call */
  uint64_t documents;   /* how many are done so far */
} kindred_tune_step;

/* Called now and then, in the thread that tunes. Returns 0 to go on; any other value cancels. It
 * must not throw, and must not call the library with this handle. */
typedef int (*kindred_tune_progress)(void* user, const kindred_tune_step* step);

typedef struct kindred_tune_request {
  size_t size;
  kindred_string settings;        /* a JSON object with the options of `kindred tune`: "filter",
                                     "seed", "groups" (a list), "documents"; empty = defaults */
  uint64_t flags;                 /* 0 or KINDRED_DRY_RUN: store nothing; or KINDRED_IF_DUE */
  kindred_tune_progress progress; /* NULL = none */
  void* progress_user;            /* passed to progress */
} kindred_tune_request;

#define KINDRED_TUNE_REQUEST_INIT \
  { sizeof(kindred_tune_request), {NULL, 0}, 0, NULL, NULL }

typedef struct kindred_tune_result {
  kindred_string json; /* what `kindred tune --json` prints: method, scores, ... */
} kindred_tune_result;

/* Learns how to tag the documents of this index, by leave-one-out over those that have labels.
 * Stores what it found beside the index (unless KINDRED_DRY_RUN), and refreshes the handle, so that
 * tags follow it. Takes seconds to minutes; questions are answered meanwhile. `request` and
 * `result` may be NULL. With KINDRED_IF_DUE *result is NULL if nothing was tuned. Free *result with
 * kindred_tune_free.
 * KINDRED_CANCELED: by progress; KINDRED_INVALID_ARGUMENT: wrong settings, a filter that does not
 * parse, fewer than two voters;
 * KINDRED_NOT_FOUND: the tuning cannot be written. Nothing has changed then. */
KINDRED_API kindred_errc kindred_tune(kindred_handle* handle, const kindred_tune_request* request,
                                      kindred_tune_result** result);
KINDRED_API void kindred_tune_free(kindred_tune_result* result);

/* ---- topics ---- */

/* An epoch of training, reported before the units of the map move. */
typedef struct kindred_topics_epoch {
  size_t size;
  uint64_t epoch;  /* from 1 */
  uint64_t epochs; /* planned */
  double sigma;    /* radius of the neighborhood, in units */
  double quantization_error;
  double topographic_error; /* in [0, 1] */
  uint64_t moved;           /* documents whose unit changed */
} kindred_topics_epoch;

/* Called once per epoch, in the thread that trains. Returns 0 to go on; any other value cancels. It
 * must not throw, and must not call the library with this handle. */
typedef int (*kindred_topics_progress)(void* user, const kindred_topics_epoch* epoch);

enum {
  KINDRED_TOROIDAL = 4, /* kindred_train_request: join opposite edges */
  KINDRED_RESUME = 8    /* kindred_train_request: continue from the map that is there */
};

typedef struct kindred_train_request {
  size_t size;
  int64_t rows;                     /* of the map, 1 to 1000; default: by the number of documents */
  int64_t columns;                  /* as rows */
  int64_t epochs;                   /* at least 1; default 20 */
  int64_t seed;                     /* at least 0; the same seed gives the same map; default 1 */
  int64_t count;                    /* how many topics; 0, the default = training finds a number */
  kindred_string lattice;           /* "hexagonal" or "rectangular"; empty = hexagonal */
  uint64_t flags;                   /* 0, KINDRED_TOROIDAL, KINDRED_RESUME, or their sum */
  kindred_topics_progress progress; /* NULL = none */
  void* progress_user;              /* passed to progress */
} kindred_train_request;

#define KINDRED_TRAIN_REQUEST_INIT                                                    \
  {                                                                                   \
    sizeof(kindred_train_request), KINDRED_DEFAULT, KINDRED_DEFAULT, KINDRED_DEFAULT, \
        KINDRED_DEFAULT, KINDRED_DEFAULT, {NULL, 0}, 0, NULL, NULL                    \
  }

/* A term that tells a topic from the rest. */
typedef struct kindred_topic_term {
  kindred_string term; /* as the index spells it, prefix included */
  kindred_string word; /* as people write it */
  double score;        /* the higher the more telling */
} kindred_topic_term;

typedef struct kindred_topic {
  uint32_t number;                 /* from 1, the largest topic first */
  kindred_string name;             /* its first words */
  uint64_t documents;              /* when the map was made */
  const kindred_topic_term* terms; /* most telling first */
  size_t term_count;
} kindred_topic;

typedef struct kindred_topics_result {
  uint64_t revision; /* of the index that the map was made of */
  uint64_t documents;
  uint64_t units;
  double quantization_error;
  double topographic_error;
  const kindred_topic* topics;
  size_t topic_count;
} kindred_topics_result;

/* Makes a map of the current snapshot, and stores it beside the index. Queries are answered
 * meanwhile. `request` and `result` may be NULL. Free *result with kindred_topics_free.
 * KINDRED_CANCELED: by progress; KINDRED_INVALID_ARGUMENT: no documents, a value out of range;
 * KINDRED_NOT_FOUND: no map to resume; KINDRED_OUT_OF_MEMORY: the map needs too much memory (this
 * is found out before training begins); KINDRED_DATABASE: the map cannot be written. Nothing has
 * changed then. */
KINDRED_API kindred_errc kindred_train_topics(kindred_handle* handle,
                                              const kindred_train_request* request,
                                              kindred_topics_result** result);

/* The topics of the stored map. Free *result with kindred_topics_free.
 * KINDRED_NOT_FOUND: no map; KINDRED_CORRUPT: it is damaged; KINDRED_INVALID_ARGUMENT: it was made
 * of another index, or is not a regular file. */
KINDRED_API kindred_errc kindred_topics(const kindred_handle* handle,
                                        kindred_topics_result** result);
KINDRED_API void kindred_topics_free(kindred_topics_result* result);

typedef struct kindred_topic_place {
  size_t size;
  uint32_t topic;    /* its number, from 1; 0: no place, since none of its terms is on the map */
  uint32_t unit;     /* from 0, row by row; means nothing if topic is 0 */
  double distance;   /* to the unit; means nothing if topic is 0 */
  double novelty;    /* share of the map's documents that lie nearer to their units, in [0, 1] */
  uint64_t revision; /* of the index that the map was made of */
} kindred_topic_place;

#define KINDRED_TOPIC_PLACE_INIT \
  { sizeof(kindred_topic_place), 0, 0, 0, 0, 0 }

/* Where does this lie on the map? Set place->size before the call. Errors as kindred_topics, and
 * KINDRED_NOT_FOUND for an unknown id or docid. */
KINDRED_API kindred_errc kindred_topic_of(const kindred_handle* handle,
                                          const kindred_example* example,
                                          kindred_topic_place* place);

typedef struct kindred_assign_request {
  size_t size;
  uint64_t flags; /* 0 or KINDRED_RESTART: start over, do not continue an interrupted run */
  kindred_progress progress; /* as kindred_tag_request.progress; NULL = none */
  void* progress_user;       /* passed to progress */
} kindred_assign_request;

#define KINDRED_ASSIGN_REQUEST_INIT \
  { sizeof(kindred_assign_request), 0, NULL, NULL }

/* What a run did. The members after `examined` count documents among those. */
typedef struct kindred_assign_report {
  size_t size;
  uint64_t revision;  /* of the index that the map was made of */
  uint64_t matched;   /* documents of the index */
  uint64_t continued; /* of these, done by an interrupted run before */
  uint64_t examined;  /* of these, done by this run */
  uint64_t gone;      /* were deleted meanwhile */
  uint64_t written;   /* had another place before, or none */
} kindred_assign_report;

#define KINDRED_ASSIGN_REPORT_INIT \
  { sizeof(kindred_assign_report), 0, 0, 0, 0, 0, 0 }

/* Stores the place of every document of the index on the map, as ingest does for new documents: the
 * terms of its topic and unit, and a value (settings: topics.*). Ends ingest, takes the write lock,
 * commits, continues an interrupted run and refreshes as kindred_tag_documents does, but starts
 * over if there is another map. `request` and `report` may be NULL. Errors as kindred_topics, and
 * KINDRED_DATABASE: another writer holds the lock, or Xapian failed. */
KINDRED_API kindred_errc kindred_assign_topics(kindred_handle* handle,
                                               const kindred_assign_request* request,
                                               kindred_assign_report* report);

/* ---- ingest ---- */

/* What became of the records since the handle took the write lock. Records that still wait to be
 * written (some thousands at most; none after kindred_commit) are not
 * counted yet, except in `failed`. */
typedef struct kindred_ingest_report {
  size_t size;
  uint64_t added;    /* new documents */
  uint64_t replaced; /* documents with an id that was there already */
  uint64_t failed;   /* records that were refused */
  uint64_t tagged;   /* documents that were given at least one predicted tag */
  uint64_t pending;  /* documents that could not be classified, and are marked for later */
  /* With the setting ingest.near_duplicates; 0 without it: */
  uint64_t near_duplicates; /* documents that are nearly the same as another one */
  uint64_t uncompared;      /* documents for which the search of that one failed */
} kindred_ingest_report;

#define KINDRED_INGEST_REPORT_INIT \
  { sizeof(kindred_ingest_report), 0, 0, 0, 0, 0, 0, 0 }

enum { KINDRED_ADDED = 1, KINDRED_REPLACED = 2, KINDRED_REFUSED = 3 };

/* What became of one record. */
struct kindred_document_report {
  size_t size;             /* as the library knows it: members beyond do not exist */
  kindred_string id;       /* "" if the record could not be parsed */
  int32_t outcome;         /* KINDRED_ADDED, KINDRED_REPLACED or KINDRED_REFUSED */
  int32_t pending;         /* 1: it is marked to be tagged later */
  kindred_string reason;   /* why it was refused or is pending; else "" */
  const kindred_tag* tags; /* predicted */
  size_t tag_count;
  /* With the setting ingest.near_duplicates: */
  int32_t compared;       /* 1: it was compared with the documents that were there before it */
  uint32_t near_docid;    /* of the one that it is most like; 0: none is near enough */
  kindred_string near_id; /* its id */
  float near_similarity;  /* in (0, 1] */
};

/* Adds one document, or replaces the one with the same id. `json` is a JSON object with the keys
 *
 *   id               required
 *   title, text, lang
 *   labels           list of the tags that people gave
 *   rejected_labels  list of tags that must not be predicted
 *   auto_tag         false: predict no tags
 *   terms            object, term -> count: features that are taken as they are
 *
 * and any others, which are kept for display. A document without labels gets predicted tags,
 * learned from the labeled documents that are in the database or were ingested before it. A new
 * version of a document keeps the labels of the old one, unless it has the key labels. It also
 * keeps rejected tags and auto_tag.
 *
 * The document is on disk when its batch is (settings: index.batch), at the latest after
 * kindred_commit. Queries see it after kindred_commit, or earlier, since ingest refreshes the
 * handle after a batch, so that a document is tagged by those before it. `report` may be NULL. To
 * ingest many documents, pass them all, then commit once.
 *
 * The first call takes the write lock of the database. The handle keeps it until kindred_end_ingest
 * or kindred_close. Calls of kindred_ingest, kindred_commit and kindred_end_ingest wait for each
 * other.
 *
 * KINDRED_INVALID_ARGUMENT: the record is refused and counted as failed; nothing else has changed;
 * KINDRED_CORRUPT: the database is damaged in a place that would be written;
 * KINDRED_DATABASE: another writer holds the lock, or Xapian failed, perhaps for an earlier record,
 * since a thread of its own writes. Documents since the last commit may then be lost, and the write
 * lock is released. It is safe to ingest them again. */
KINDRED_API kindred_errc kindred_ingest(kindred_handle* handle, const char* json, size_t json_size,
                                        kindred_ingest_report* report);

/* Writes everything ingested so far to disk, then refreshes the handle. If nothing was ingested, it
 * only refreshes. `report` may be NULL. Errors as kindred_ingest and kindred_refresh. If the
 * refresh fails, the documents are on disk nevertheless. */
KINDRED_API kindred_errc kindred_commit(kindred_handle* handle, kindred_ingest_report* report);

/* Commits as kindred_commit, then releases the write lock, so that other programs can write. The
 * next kindred_ingest takes it again, and counts from 0. `report` may be NULL. */
KINDRED_API kindred_errc kindred_end_ingest(kindred_handle* handle, kindred_ingest_report* report);

/* ---- tags of documents that are in the index ---- */

enum {
  KINDRED_DRY_RUN = 1,   /* kindred_tag_request: write nothing, take no lock; kindred_tune_request:
                            store nothing */
  KINDRED_PENDING = 2,   /* only the documents that are marked to be tagged later */
  KINDRED_RESTART = 4,   /* start over instead of continuing an interrupted run */
  KINDRED_ALLOW_ALL = 8, /* kindred_tag_request: these documents may again get tags that were
                           refused or taken off; documents that opted out stay opted out */
  KINDRED_IF_DUE = 16    /* kindred_tune_request: tune as ingest and tagging do by themselves, if
                            kindred_status.tuning_due; else do nothing. `settings` must be empty */
};

typedef struct kindred_tag_request {
  size_t size;
  kindred_string query; /* the documents that match this Xapian query; empty = all */
  uint64_t flags;       /* 0, or any of the first four above, added */
  /* Called after each commit, which is made after every index.batch documents (settings). If it
   * cancels, the call fails with KINDRED_CANCELED. What was committed stays, and the handle is
   * refreshed. The same request continues from there. NULL = none. */
  kindred_progress progress;
  void* progress_user; /* passed to progress */
} kindred_tag_request;

#define KINDRED_TAG_REQUEST_INIT \
  { sizeof(kindred_tag_request), {NULL, 0}, 0, NULL, NULL }

/* What a run did, or would do. The members after `examined` are about those documents. */
typedef struct kindred_tag_report {
  size_t size;
  uint64_t revision;  /* of the snapshot that the tags come from */
  uint64_t matched;   /* documents that the request is about */
  uint64_t continued; /* of these, done by an interrupted run of the same request */
  uint64_t examined;  /* of these, done by this run */
  uint64_t tagged;    /* have at least one predicted tag now */
  uint64_t labeled;   /* have tags from people, and so no predicted ones */
  uint64_t opted_out; /* must not get predicted tags */
  uint64_t gone;      /* were deleted meanwhile */
  uint64_t changed;   /* have other predicted tags than before */
  uint64_t written;   /* were written: those changed, and those with new confidences or marks */
  uint64_t given;     /* tags that documents got */
  uint64_t taken_off; /* tags that documents lost */
  uint64_t rejected;  /* tags that somebody was found to have taken off: they do not come back */
  uint64_t allowed;   /* refusals that KINDRED_ALLOW_ALL ended */
} kindred_tag_report;

#define KINDRED_TAG_REPORT_INIT \
  { sizeof(kindred_tag_report), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Gives documents of the index the tags that they get by comparison with the labeled ones, and
 * takes off predicted tags that they no longer get. It classifies them from memory, and needs no
 * text.
 *
 * First it ends ingest as kindred_end_ingest does. It refreshes the handle before and after, holds
 * the write lock while it runs, and commits after every index.batch documents (settings). If it is
 * interrupted, what was committed stays. The same request then continues from there, unless
 * something else has written to the database. Calls of kindred_ingest and the like wait for it;
 * queries do not. `request` may be NULL, for all documents; `report` may be NULL.
 *
 * KINDRED_INVALID_ARGUMENT: the query does not parse; KINDRED_NOT_FOUND: there are no voters;
 * KINDRED_CANCELED: by progress; KINDRED_DATABASE: another writer holds the lock, or Xapian
 * failed. */
KINDRED_API kindred_errc kindred_tag_documents(kindred_handle* handle,
                                               const kindred_tag_request* request,
                                               kindred_tag_report* report);

/* Changes to the tags of a document. */
typedef enum kindred_tag_edit {
  /* To its predicted tags. Those that people gave are not changed. */
  KINDRED_REMOVE_TAG = 1, /* take the predicted tag `label` off, and never give it again */
  KINDRED_ALLOW_TAG = 2,  /* allow `label` again */
  KINDRED_OPT_OUT = 3,    /* take all predicted tags off, and give none; without a label */
  KINDRED_OPT_IN = 4,     /* allow predicted tags again; without a label */
  /* To the tags that people gave it. From then on it votes for them. */
  KINDRED_ADD_LABEL = 5, /* people give it `label`: no more predicted, and allowed again. The next
                            run takes its other predicted tags off */
  KINDRED_REMOVE_LABEL = 6, /* people take `label` back; nothing happens if they had not given it */
  KINDRED_CLEAR_LABELS = 7  /* people take all their labels back; without a label */
} kindred_tag_edit;

/* Edits the tags of the document with this unique id, in one commit, then refreshes the handle.
 * `edit` is a kindred_tag_edit. Ends ingest and waits as kindred_tag_documents does.
 * KINDRED_NOT_FOUND: no such id; KINDRED_INVALID_ARGUMENT: an unknown edit, or a label that is
 * empty, too long for a term, or given where none belongs; KINDRED_DATABASE: as
 * kindred_tag_documents. */
KINDRED_API kindred_errc kindred_edit_tag(kindred_handle* handle, const char* id, size_t id_size,
                                          int32_t edit, const char* label, size_t label_size);

/* ---- near-duplicates ---- */

/* The progress of a search for near-duplicates. Documents with the same features count once. */
typedef struct kindred_duplicates_step {
  size_t size;
  uint64_t compared; /* documents so far */
  uint64_t all;      /* documents that will be */
} kindred_duplicates_step;

/* Called now and then, in the thread that searches. Returns 0 to go on; any other value cancels. It
 * must not throw, and must not call the library with this handle. */
typedef int (*kindred_duplicates_progress)(void* user, const kindred_duplicates_step* step);

typedef struct kindred_duplicates_request {
  size_t size;
  kindred_string filter; /* only documents that match this Xapian query; empty = all */
  double threshold;      /* least similarity of a pair, above 0, at most 1; default 0.95 */
  int64_t limit;         /* at most this many groups, >= 1; default 100 */
  kindred_duplicates_progress progress; /* NULL = none */
  void* progress_user;                  /* passed to progress */
} kindred_duplicates_request;

#define KINDRED_DUPLICATES_REQUEST_INIT \
  { sizeof(kindred_duplicates_request), {NULL, 0}, KINDRED_DEFAULT, KINDRED_DEFAULT, NULL, NULL }

typedef struct kindred_duplicate {
  uint32_t docid;
  kindred_string id;
  const kindred_string* labels;
  size_t label_count;
} kindred_duplicate;

/* Documents that a chain of near-duplicate pairs connects. The two ends of a chain may be less
 * similar than the threshold. */
typedef struct kindred_duplicate_group {
  const kindred_duplicate* documents; /* two or more, docid ascending */
  size_t document_count;
  float least_similarity; /* of all pairs that reach the threshold */
  float greatest_similarity;
} kindred_duplicate_group;

typedef struct kindred_duplicates_result {
  uint64_t revision;                     /* of the snapshot that answered */
  uint64_t examined;                     /* documents that match the filter */
  uint64_t found;                        /* groups, including those beyond the limit */
  uint64_t grouped;                      /* documents in them */
  const kindred_duplicate_group* groups; /* most documents first, then by their first docid */
  size_t group_count;
} kindred_duplicates_result;

/* Which documents are nearly the same? Groups are the connected components of the pairs whose
 * cosine by the first two letters of weighting.smart reaches the threshold (single linkage). Every
 * such pair counts. Documents without features belong to no group. Each document is compared with
 * all others, so a large index takes minutes. `request` may be NULL.
 * KINDRED_INVALID_ARGUMENT: a threshold or limit out of range, a filter as in kindred_related;
 * KINDRED_CANCELED: by progress. Free *result with kindred_duplicates_free. */
KINDRED_API kindred_errc kindred_duplicates(const kindred_handle* handle,
                                            const kindred_duplicates_request* request,
                                            kindred_duplicates_result** result);
KINDRED_API void kindred_duplicates_free(kindred_duplicates_result* result);

/* ---- documents that a label would suit ---- */

/* The progress of a search for such documents. */
typedef struct kindred_candidates_step {
  size_t size;
  uint64_t classified; /* documents so far */
  uint64_t all;        /* documents that will be */
} kindred_candidates_step;

/* Called now and then, in the thread that searches. Returns 0 to go on; any other value cancels. It
 * must not throw, and must not call the library with this handle. */
typedef int (*kindred_candidates_progress)(void* user, const kindred_candidates_step* step);

typedef struct kindred_candidates_request {
  size_t size;
  kindred_string label;  /* that the documents lack, as people gave it to others */
  kindred_string filter; /* only documents that match this Xapian query; empty = all */
  double min_confidence; /* least confidence in the label, in [0, 1] */
  int64_t limit;         /* at most this many documents, >= 1; default 20 */
  uint64_t flags;        /* 0, KINDRED_EXPLAIN, KINDRED_INCLUDE_PREDICTED, KINDRED_TITLES, added */
  kindred_candidates_progress progress; /* NULL = none */
  void* progress_user;                  /* passed to progress */
} kindred_candidates_request;

#define KINDRED_CANDIDATES_REQUEST_INIT \
  { sizeof(kindred_candidates_request), {NULL, 0}, {NULL, 0}, 0, KINDRED_DEFAULT, 0, NULL, NULL }

typedef struct kindred_candidate {
  uint32_t docid;
  kindred_string id;
  kindred_string title;
  double confidence;            /* in the label, above 0, as kindred_classify has it */
  const kindred_string* labels; /* that people gave it */
  size_t label_count;
  const kindred_string* predicted; /* its predicted tags */
  size_t predicted_count;
  const kindred_reason* reason; /* KINDRED_EXPLAIN: why the vote is for the label; else NULL */
} kindred_candidate;

typedef struct kindred_candidates_result {
  uint64_t revision;                   /* of the snapshot that answered */
  uint64_t examined;                   /* documents that match the filter and lack the label */
  uint64_t found;                      /* candidates, including those beyond the limit */
  const kindred_candidate* candidates; /* confidence descending, then docid ascending */
  size_t candidate_count;
  /* KINDRED_EXPLAIN: the neighbors to which the voters of all reasons point, and KINDRED_TITLES:
   * their titles, in the same order, else NULL. */
  const kindred_neighbor* neighbors;
  const kindred_string* neighbor_titles;
  size_t neighbor_count;
} kindred_candidates_result;

/* Which documents would this label suit? Ranks those that lack it by the confidence in it that
 * kindred_classify would give them. Documents that must not get the label or that opted out of
 * predicted tags are left out, and so are those that it is predicted for already, unless
 * KINDRED_INCLUDE_PREDICTED. A label that settings never let be predicted can be asked for. All
 * documents that lack the label are classified, so a large index takes minutes.
 * KINDRED_NOT_FOUND: no document has the label (the text has the nearest names);
 * KINDRED_INVALID_ARGUMENT: min_confidence or limit out of range, a filter as in kindred_related;
 * KINDRED_CANCELED: by progress. Free *result with kindred_candidates_free. */
KINDRED_API kindred_errc kindred_candidates(const kindred_handle* handle,
                                            const kindred_candidates_request* request,
                                            kindred_candidates_result** result);
KINDRED_API void kindred_candidates_free(kindred_candidates_result* result);

/* Labels, documents, edits, suspects, the map, the analysis of texts, evaluation. */
#include "plugin/kindred_curation.h"

/* ---- the descriptor ---- */

/* This number is raised when hosts that were built for the number before can no longer work. */
#define KINDRED_ABI_VERSION 1

/* All functions above, for hosts that look up one symbol. Members are only ever appended: a member
 * exists if it lies within `size`. */
typedef struct kindred_descriptor {
  size_t size;
  uint64_t abi_version; /* do not go on unless it is KINDRED_ABI_VERSION */
  const char* version;  /* of the library, "major.minor.patch" */
  const char* (*last_error)(void);
  kindred_errc (*open)(const char* database, size_t database_size,
                       const kindred_open_options* options, kindred_handle** handle);
  void (*close)(kindred_handle* handle);
  kindred_errc (*get_status)(const kindred_handle* handle, kindred_status* status);
  kindred_errc (*refresh)(kindred_handle* handle, int* changed);
  kindred_errc (*related)(const kindred_handle* handle, const kindred_related_request* request,
                          kindred_related_result** result);
  void (*related_free)(kindred_related_result* result);
  kindred_errc (*classify)(const kindred_handle* handle, const kindred_example* example,
                           const kindred_classify_request* request,
                           kindred_classification** result);
  kindred_errc (*classify_batch)(const kindred_handle* handle, const kindred_example* records,
                                 size_t count, const kindred_classify_request* request,
                                 kindred_classification** results);
  void (*classification_free)(kindred_classification* result);
  kindred_errc (*ingest)(kindred_handle* handle, const char* json, size_t json_size,
                         kindred_ingest_report* report);
  kindred_errc (*commit)(kindred_handle* handle, kindred_ingest_report* report);
  kindred_errc (*end_ingest)(kindred_handle* handle, kindred_ingest_report* report);
  kindred_errc (*tag_documents)(kindred_handle* handle, const kindred_tag_request* request,
                                kindred_tag_report* report);
  kindred_errc (*edit_tag)(kindred_handle* handle, const char* id, size_t id_size, int32_t edit,
                           const char* label, size_t label_size);
  kindred_errc (*train_topics)(kindred_handle* handle, const kindred_train_request* request,
                               kindred_topics_result** result);
  kindred_errc (*topics)(const kindred_handle* handle, kindred_topics_result** result);
  void (*topics_free)(kindred_topics_result* result);
  kindred_errc (*topic_of)(const kindred_handle* handle, const kindred_example* example,
                           kindred_topic_place* place);
  kindred_errc (*assign_topics)(kindred_handle* handle, const kindred_assign_request* request,
                                kindred_assign_report* report);
  kindred_errc (*tune)(kindred_handle* handle, const kindred_tune_request* request,
                       kindred_tune_result** result);
  void (*tune_free)(kindred_tune_result* result);
  kindred_errc (*duplicates)(const kindred_handle* handle,
                             const kindred_duplicates_request* request,
                             kindred_duplicates_result** result);
  void (*duplicates_free)(kindred_duplicates_result* result);
  kindred_errc (*documents_changed)(kindred_handle* handle, const uint32_t* docids, size_t count,
                                    int* changed);
  kindred_errc (*save_mirror)(const kindred_handle* handle);
  kindred_errc (*candidates)(const kindred_handle* handle,
                             const kindred_candidates_request* request,
                             kindred_candidates_result** result);
  void (*candidates_free)(kindred_candidates_result* result);
  kindred_errc (*store_related)(kindred_handle* handle,
                                const kindred_store_related_request* request,
                                kindred_store_related_report* report);
  kindred_errc (*labels)(const kindred_handle* handle, kindred_labels_result** result);
  void (*labels_free)(kindred_labels_result* result);
  kindred_errc (*matching)(const kindred_handle* handle, const kindred_matching_request* request,
                           kindred_matching_result** result);
  void (*matching_free)(kindred_matching_result* result);
  kindred_errc (*documents)(const kindred_handle* handle, const kindred_example* examples,
                            size_t count, kindred_documents_result** result);
  void (*documents_free)(kindred_documents_result* result);
  kindred_errc (*edit_tags)(kindred_handle* handle, const kindred_edit* edits, size_t count,
                            kindred_documents_result** result);
  kindred_errc (*delete_documents)(kindred_handle* handle, const kindred_string* ids, size_t count,
                                   kindred_delete_report* report);
  kindred_errc (*suspects)(const kindred_handle* handle, const kindred_suspects_request* request,
                           kindred_suspects_result** result);
  void (*suspects_free)(kindred_suspects_result* result);
  kindred_errc (*map)(const kindred_handle* handle, const kindred_map_request* request,
                      kindred_map_result** result);
  void (*map_free)(kindred_map_result* result);
  void (*json_free)(kindred_json* result);
  kindred_errc (*evaluate)(const kindred_handle* handle, const kindred_evaluate_request* request,
                           kindred_json** result);
  kindred_errc (*class_geometry)(const kindred_handle* handle, kindred_progress progress,
                                 void* progress_user, kindred_json** result);
  kindred_errc (*get_settings)(const kindred_handle* handle, kindred_json** result);
  kindred_errc (*analyze)(const kindred_handle* handle, const kindred_analyze_request* request,
                          kindred_analysis** result);
  void (*analysis_free)(kindred_analysis* result);
  kindred_errc (*get_shards)(const kindred_handle* handle, kindred_json** result);
  kindred_errc (*parse_query)(const kindred_handle* handle, const kindred_parse_request* request,
                              kindred_query** result);
  void (*query_free)(kindred_query* result);
} kindred_descriptor;

/* The only symbol to look up after dlopen. Never NULL; valid until dlclose. */
KINDRED_API const kindred_descriptor* kindred_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
