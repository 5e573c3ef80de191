/* Kindred for hosts in any language: related documents and automatic tags from a Xapian index.
 *
 * This header is complete: valid C99 and C++, without other headers of Kindred. docs/abi.md has
 * the versioning policy and a whole host. The conventions, once for every function:
 *
 *  1. Status. Calls that can fail return a kindred_errc; KINDRED_OK is 0. Values never change
 *     meaning, new ones may be added: treat an unknown one as KINDRED_INTERNAL.
 *  2. Error text. kindred_last_error() has a sentence on the last failure of the calling thread.
 *  3. Output. On failure nothing is written through a pointer.
 *  4. Strings are pointer and length, UTF-8 unless said otherwise, and may hold zero bytes. A
 *     length of 0 is the empty string, whatever the pointer. What the library hands out is
 *     followed by a zero byte that does not count.
 *  5. Ownership. The caller keeps what it passes and may free it when the call returns. The
 *     library hands out nothing to free except by its own *_free. free(NULL) does nothing.
 *  6. Handles are made by kindred_open and ended by kindred_close. close(NULL) does nothing.
 *  7. Threads. Any number of threads may use one handle at once. Queries run side by side on an
 *     immutable snapshot and never wait for ingest or a refresh; only what Xapian itself reads for
 *     them, titles, filters and tags taken off, is read by one at a time. kindred_close and the
 *     *_free functions need their argument alone.
 *  8. Growing structs begin with `size`: set it to sizeof, as the *_INIT initializers do. Later
 *     versions append members in which 0 means "as before", so old hosts work with a new library;
 *     a member that an older library does not know must be 0 (else KINDRED_UNSUPPORTED). Structs
 *     without `size` never change, except that result objects, which only the library makes, may
 *     gain members at their end.
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

/* What went wrong, as a caller may branch on it. */
typedef enum kindred_errc {
  KINDRED_OK = 0,
  KINDRED_INVALID_ARGUMENT = 1, /* the caller's fault: shape, range, encoding, settings */
  KINDRED_NOT_FOUND = 2,        /* no such document, database or file */
  KINDRED_CORRUPT = 3,          /* a file or a database fails its checks */
  KINDRED_UNSUPPORTED = 4,      /* this build, version or machine cannot do it */
  KINDRED_OUT_OF_MEMORY = 5,    /* host or device; the call changed nothing */
  KINDRED_DEVICE = 6,           /* the accelerator failed; open a new handle */
  KINDRED_DATABASE = 7,         /* Xapian's error, its text passed through */
  KINDRED_INTERNAL = 8,         /* a bug in Kindred */
  KINDRED_CANCELED = 9          /* a callback of the host said so; nothing changed */
} kindred_errc;

/* The text of the last failure in the calling thread, "" if there was none. Never NULL. One line of
 * valid UTF-8 that may be shown as it is: control characters and the like read as escapes. It stays
 * until the thread's next failing call; success leaves it alone. */
KINDRED_API const char* kindred_last_error(void);

/* Bytes and how many. Borrowed in requests; owned by the result object in results. */
typedef struct kindred_string {
  const char* data;
  size_t size;
} kindred_string;

/* One opened database. */
typedef struct kindred_handle kindred_handle;

/* ---- open and close ---- */

/* Receives one message, which may be shown as kindred_last_error() may. It may be called from any
 * thread that is in a call of the library, also from several at once; it must not throw, and must
 * not call the library. */
typedef void (*kindred_log)(void* user, const char* message, size_t size);

enum {
  KINDRED_CREATE = 1 /* kindred_open: if there is no database, make an empty one */
};

typedef struct kindred_open_options {
  size_t size;
  uint64_t flags;               /* 0 or KINDRED_CREATE */
  kindred_string settings_path; /* a TOML file over the defaults; empty = none */
  kindred_string settings;      /* TOML text over the defaults; empty = none. One of the two */
  kindred_log log;              /* NULL = silent */
  void* log_user;               /* handed to log; must outlive the handle */
} kindred_open_options;

#define KINDRED_OPEN_OPTIONS_INIT \
  { sizeof(kindred_open_options), 0, {NULL, 0}, {NULL, 0}, NULL, NULL }

/* Opens whatever Xapian opens at `database` (a directory, a single file, a stub; a path in the
 * encoding of the file system) and mirrors it in memory: 0.13 us (measured) a posting of a
 * feature. `options` may be NULL. *handle is to be closed by kindred_close.
 * KINDRED_NOT_FOUND: no such database or settings file; KINDRED_CORRUPT: it is damaged;
 * KINDRED_DATABASE: it cannot be read, or a writer commits too fast for 20 seconds;
 * KINDRED_INVALID_ARGUMENT: settings, with line and key; KINDRED_UNSUPPORTED: no such backend. */
KINDRED_API kindred_errc kindred_open(const char* database, size_t database_size,
                                      const kindred_open_options* options, kindred_handle** handle);

/* Ends the handle; results taken from it stay good. If it has ingested, commits what is pending,
 * without a word on failure (call kindred_commit before), and gives the write lock back. */
KINDRED_API void kindred_close(kindred_handle* handle);

/* ---- status and refresh ---- */

typedef struct kindred_status {
  size_t size;
  uint64_t documents;
  uint64_t terms;        /* distinct features */
  uint64_t nonzeros;     /* (document, feature) pairs */
  uint64_t labels;       /* distinct tags given by people */
  uint64_t labeled;      /* documents with such a tag: the voters */
  uint64_t revision;     /* of the snapshot; 0 where the database cannot tell (several shards) */
  uint64_t bytes;        /* main memory of the snapshot */
  char uuid[64];         /* texts end in a zero byte and are cut to fit, at a character */
  char backend[16];      /* which one answers: "cpu" or "cuda" */
  char device[128];      /* the processor, for people */
  uint64_t device_bytes; /* memory of the snapshot on the device; 0 for "cpu" */
  char compute_capability[16]; /* of a CUDA device, as "9.0"; "" for "cpu" */
  uint64_t tagged;             /* documents with a predicted tag */
  uint64_t pending;            /* documents marked to be tagged later */
  uint64_t opted_out;          /* documents that are to get no predicted tags */
  uint64_t rejected;           /* (document, tag) pairs: tags that it must not get again */
  uint64_t tuned;              /* 1 if tags follow a tuning of this index, else 0 */
} kindred_status;

#define KINDRED_STATUS_INIT \
  { sizeof(kindred_status), 0, 0, 0, 0, 0, 0, 0, "", "", "", 0, "", 0, 0, 0, 0, 0 }

/* Describes the current snapshot. Set status->size before. */
KINDRED_API kindred_errc kindred_get_status(const kindred_handle* handle, kindred_status* status);

/* Follows the database. If its revision moved, builds a new mirror aside (as long as kindred_open
 * takes, and twice the memory meanwhile) and swaps; queries that run finish on the old snapshot.
 * On failure, by the codes of kindred_open and as for a tuning that is damaged, the old snapshot
 * stays and goes on answering, and the next call tries again. Refreshes wait for each other.
 * *changed, which may be NULL, becomes 1 if there is a new snapshot, else 0. */
KINDRED_API kindred_errc kindred_refresh(kindred_handle* handle, int* changed);

/* ---- questions ---- */

/* What to compare with. */
typedef enum kindred_example_kind {
  KINDRED_BY_ID = 1,    /* a document of the index; `value` is its unique id */
  KINDRED_BY_DOCID = 2, /* a document of the index; `docid` is its Xapian docid */
  KINDRED_BY_TEXT = 3,  /* `value` is plain text; malformed UTF-8 reads as U+FFFD */
  KINDRED_BY_JSON = 4   /* `value` is a record as kindred_ingest takes it; it needs no id */
} kindred_example_kind;

typedef struct kindred_example {
  int32_t kind;         /* a kindred_example_kind */
  uint32_t docid;       /* for KINDRED_BY_DOCID */
  kindred_string value; /* for the others */
} kindred_example;

/* In `k`, `threshold` and `max_labels`: what the settings say. */
#define KINDRED_DEFAULT (-1)

enum {
  KINDRED_EXPLAIN = 1,  /* kindred_related_request: fill the terms; kindred_classify_request:
                           fill the reasons, the near misses and the neighbors */
  KINDRED_NEIGHBORS = 2 /* kindred_classify_request: fill the neighbors */
};

typedef struct kindred_related_request {
  size_t size;
  const kindred_example* like; /* one or more; their unit vectors are averaged */
  size_t like_count;
  const kindred_example* unlike; /* counter-examples (Rocchio): pushed away, never results */
  size_t unlike_count;
  kindred_string filter; /* only documents that match this Xapian query; empty = all */
  int64_t k;             /* at most this many results, >= 1 */
  double threshold;      /* least similarity, in [0, 1] */
  uint64_t flags;        /* 0 or KINDRED_EXPLAIN */
} kindred_related_request;

#define KINDRED_RELATED_REQUEST_INIT                                               \
  {                                                                                \
    sizeof(kindred_related_request), NULL, 0, NULL, 0, {NULL, 0}, KINDRED_DEFAULT, \
        KINDRED_DEFAULT, 0                                                         \
  }

/* A shared term and its part of the similarity. */
typedef struct kindred_term {
  kindred_string term; /* as the index spells it, prefix included */
  double contribution;
} kindred_term;

typedef struct kindred_related_document {
  uint32_t docid;
  float similarity; /* cosine, in [0, 1] */
  kindred_string id;
  kindred_string title;
  const kindred_term* terms; /* KINDRED_EXPLAIN: largest first, adding up to the similarity */
  size_t term_count;
} kindred_related_document;

typedef struct kindred_related_result {
  uint64_t revision;                         /* of the snapshot that answered */
  const kindred_related_document* documents; /* similarity descending, then docid ascending */
  size_t document_count;
} kindred_related_result;

/* Which documents are like these? Documents without a common feature are no results, nor are the
 * examples themselves. An example without a known term finds nothing, which is no error.
 * KINDRED_INVALID_ARGUMENT: no example, k < 1, threshold outside [0, 1], a filter that does not
 * parse, names an unknown field or leaves a quote or bracket open (the message has the byte), a
 * record that is not JSON; KINDRED_NOT_FOUND: an unknown id or docid.
 * *result is to be freed by kindred_related_free. */
KINDRED_API kindred_errc kindred_related(const kindred_handle* handle,
                                         const kindred_related_request* request,
                                         kindred_related_result** result);
KINDRED_API void kindred_related_free(kindred_related_result* result);

typedef struct kindred_classify_request {
  size_t size;
  kindred_string filter; /* only documents that match this Xapian query vote; empty = all */
  int64_t k;             /* nearest voters, >= 1 */
  double threshold;      /* a tag needs this confidence, in [0, 1] */
  int64_t max_labels;    /* at most this many tags, >= 1 */
  uint64_t flags;        /* 0, or KINDRED_NEIGHBORS and KINDRED_EXPLAIN, added */
  /* In the following, 0 or empty: what the tuning of the index or the settings say. */
  kindred_string vote;       /* majority, similarity, best, nearest, prototype, centroid, profile,
                                blend (needs an index that `kindred tune` has tuned so) or unit
                                (needs a map: kindred_train_topics) */
  kindred_string prototypes; /* for "prototype": a Xapian query of the voters */
  double similarity_power;   /* for "similarity": the power of a similarity that counts, <= 100 */
  double min_similarity;     /* neighbors below it do not vote, in [0, 1] */
  double abstain;            /* no tag if the best confidence is below, in [0, 1] */
  int64_t rank_cut;          /* this many of the best labels, whatever the threshold */
} kindred_classify_request;

#define KINDRED_CLASSIFY_REQUEST_INIT                                              \
  {                                                                                \
    sizeof(kindred_classify_request), {NULL, 0}, KINDRED_DEFAULT, KINDRED_DEFAULT, \
        KINDRED_DEFAULT, 0, {NULL, 0}, {NULL, 0}, 0, 0, 0, 0                       \
  }

/* A tag and how sure the vote is of it, in [0, 1]. */
typedef struct kindred_tag {
  kindred_string label;
  double confidence;
} kindred_tag;

/* A voter, with the tags that people gave it. */
typedef struct kindred_neighbor {
  uint32_t docid;
  float similarity; /* cosine, in (0, 1] */
  kindred_string id;
  const kindred_string* labels;
  size_t label_count;
} kindred_neighbor;

/* A neighbor that speaks for a tag, and its part of all neighbors' votes, in [0, 1]. */
typedef struct kindred_voter {
  const kindred_neighbor* neighbor;
  double share;
} kindred_voter;

/* Why a tag was given. */
typedef struct kindred_reason {
  kindred_string label;
  double threshold;            /* what its confidence had to reach; 0 where rank decided */
  const kindred_voter* voters; /* the neighbors that have the label, nearest first */
  size_t voter_count;
  const kindred_term* terms; /* what made them near, the largest part first, at most ten */
  size_t term_count;
} kindred_reason;

/* A label that got a score but was not given. */
typedef struct kindred_near_miss {
  kindred_string label;
  double confidence;
  double threshold; /* that it would have had to reach; infinite if nothing reaches it */
} kindred_near_miss;

typedef struct kindred_classification {
  uint64_t revision;       /* of the snapshot that answered */
  const kindred_tag* tags; /* confidence descending, then label ascending */
  size_t tag_count;        /* 0 if no label reaches the threshold */
  const kindred_tag* best; /* the strongest label, also below the threshold; may be NULL */
  const kindred_neighbor* neighbors; /* KINDRED_NEIGHBORS: similarity descending */
  size_t neighbor_count;
  const kindred_reason* reasons; /* KINDRED_EXPLAIN: one for each tag, in their order */
  size_t reason_count;
  const kindred_near_miss* near_misses; /* KINDRED_EXPLAIN: confidence descending */
  size_t near_miss_count;
  /* In the vote "unit" where it was taken; else `voters` is 0. The neighbors are the k most similar
   * of the voters. */
  uint32_t unit;   /* of the map, from 0, row by row */
  uint32_t topic;  /* its number */
  uint64_t voters; /* labeled documents that lie in the unit and around it */
} kindred_classification;

/* Which tags does this deserve? A document of the index does not vote for itself, and tags that
 * were taken off it are not given; none is if it opted out. `request` may be NULL. Errors as
 * kindred_related, and as kindred_topics for the vote "unit". *result is to be freed by
 * kindred_classification_free. */
KINDRED_API kindred_errc kindred_classify(const kindred_handle* handle,
                                          const kindred_example* example,
                                          const kindred_classify_request* request,
                                          kindred_classification** result);

/* As kindred_classify, for `count` texts or JSON records at once: much faster than one by one.
 * results[i] answers records[i]; each is to be freed by kindred_classification_free. If one record
 * is refused, all are, and the error names its number, counted from 0. */
KINDRED_API kindred_errc kindred_classify_batch(const kindred_handle* handle,
                                                const kindred_example* records, size_t count,
                                                const kindred_classify_request* request,
                                                kindred_classification** results);
KINDRED_API void kindred_classification_free(kindred_classification* result);

/* ---- tuning ---- */

/* What a tuning is doing. */
typedef struct kindred_tune_step {
  size_t size;
  kindred_string doing; /* for people; good during the call */
  uint64_t documents;   /* how many so far */
} kindred_tune_step;

/* Called now and then, in the thread that tunes. Anything but 0 cancels. It must not throw, and
 * must not call the library with this handle. */
typedef int (*kindred_tune_progress)(void* user, const kindred_tune_step* step);

typedef struct kindred_tune_request {
  size_t size;
  kindred_string settings; /* a JSON object: "objective" ("micro_f1", "macro_f1", "blend"), "budget"
                              (seconds), "filter", "seed", "term_weights" (a list), "keep_terms",
                              "sample", as the options of `kindred tune`; empty = defaults */
  uint64_t flags;          /* 0 or KINDRED_DRY_RUN: store nothing */
  kindred_tune_progress progress; /* NULL = silent */
  void* progress_user;            /* handed to progress */
} kindred_tune_request;

#define KINDRED_TUNE_REQUEST_INIT \
  { sizeof(kindred_tune_request), {NULL, 0}, 0, NULL, NULL }

typedef struct kindred_tune_result {
  kindred_string json; /* what `kindred tune --json` prints: method, scores, trials, ... */
} kindred_tune_result;

/* Finds how this index's documents are tagged best, by leave-one-out over those that have labels,
 * stores it beside the index (unless KINDRED_DRY_RUN) and refreshes the handle, so that tags follow
 * it. Takes seconds to minutes; questions are answered meanwhile. `request` may be NULL, and so may
 * `result`, which is to be freed by kindred_tune_free.
 * KINDRED_CANCELED: progress said so; KINDRED_INVALID_ARGUMENT: the settings, a filter that does
 * not parse, a budget too short for one method, fewer than two voters;
 * KINDRED_NOT_FOUND: it cannot be written. Nothing has changed then. */
KINDRED_API kindred_errc kindred_tune(kindred_handle* handle, const kindred_tune_request* request,
                                      kindred_tune_result** result);
KINDRED_API void kindred_tune_free(kindred_tune_result* result);

/* ---- topics ---- */

/* An epoch of training, told before the units of the map move. */
typedef struct kindred_topics_epoch {
  size_t size;
  uint64_t epoch;  /* from 1 */
  uint64_t epochs; /* planned */
  double sigma;    /* radius of the neighborhood, in units */
  double quantization_error;
  double topographic_error; /* in [0, 1] */
  uint64_t moved;           /* documents whose unit changed */
} kindred_topics_epoch;

/* Called after each epoch, in the thread that trains. Anything but 0 cancels. It must not throw,
 * and must not call the library with this handle. */
typedef int (*kindred_topics_progress)(void* user, const kindred_topics_epoch* epoch);

enum {
  KINDRED_TOROIDAL = 4, /* kindred_train_request: join opposite edges */
  KINDRED_RESUME = 8    /* kindred_train_request: go on from the map that is there */
};

typedef struct kindred_train_request {
  size_t size;
  int64_t rows;           /* of the map, 1 to 1000 */
  int64_t columns;        /* as rows */
  int64_t epochs;         /* at least 1 */
  int64_t seed;           /* at least 0; the same seed gives the same map */
  int64_t count;          /* topics; 0 finds a number */
  kindred_string lattice; /* "hexagonal" or "rectangular"; empty = what the settings say */
  uint64_t flags;         /* 0, KINDRED_TOROIDAL, KINDRED_RESUME */
  kindred_topics_progress progress; /* NULL = silent */
  void* progress_user;              /* handed to progress */
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

/* Makes a map of the current snapshot and keeps it beside the index. Queries go on meanwhile.
 * `request` may be NULL, and so may `result`, which is to be freed by kindred_topics_free.
 * KINDRED_CANCELED: progress said so; KINDRED_INVALID_ARGUMENT: no documents, a value out of range;
 * KINDRED_NOT_FOUND: nothing to resume; KINDRED_OUT_OF_MEMORY: the map is too large, known before
 * it is trained; KINDRED_DATABASE: it cannot be written. Nothing has changed then. */
KINDRED_API kindred_errc kindred_train_topics(kindred_handle* handle,
                                              const kindred_train_request* request,
                                              kindred_topics_result** result);

/* The topics of the map that is there. *result is to be freed by kindred_topics_free.
 * KINDRED_NOT_FOUND: no map; KINDRED_CORRUPT: it is damaged; KINDRED_INVALID_ARGUMENT: it was made
 * of another index, or is no regular file. */
KINDRED_API kindred_errc kindred_topics(const kindred_handle* handle,
                                        kindred_topics_result** result);
KINDRED_API void kindred_topics_free(kindred_topics_result* result);

typedef struct kindred_topic_place {
  size_t size;
  uint32_t topic;    /* its number, from 1; 0: none of its terms is on the map, it has no place */
  uint32_t unit;     /* from 0, row by row; says nothing where topic is 0 */
  double distance;   /* to the unit, likewise */
  double novelty;    /* share of the map's documents that lie nearer to their units, in [0, 1] */
  uint64_t revision; /* of the index that the map was made of */
} kindred_topic_place;

#define KINDRED_TOPIC_PLACE_INIT \
  { sizeof(kindred_topic_place), 0, 0, 0, 0, 0 }

/* Where does this lie on the map? Set place->size before. Errors as kindred_topics, and
 * KINDRED_NOT_FOUND for an unknown id or docid. */
KINDRED_API kindred_errc kindred_topic_of(const kindred_handle* handle,
                                          const kindred_example* example,
                                          kindred_topic_place* place);

typedef struct kindred_assign_request {
  size_t size;
  uint64_t flags; /* 0 or KINDRED_RESTART: do not go on where an interrupted run stopped */
} kindred_assign_request;

#define KINDRED_ASSIGN_REQUEST_INIT \
  { sizeof(kindred_assign_request), 0 }

/* What a run did. What follows `examined` is about those documents. */
typedef struct kindred_assign_report {
  size_t size;
  uint64_t revision;  /* of the index that the map was made of */
  uint64_t matched;   /* documents of the index */
  uint64_t continued; /* of these, done by an interrupted run */
  uint64_t examined;  /* of these, done now */
  uint64_t gone;      /* were deleted meanwhile */
  uint64_t written;   /* held another place, or none */
} kindred_assign_report;

#define KINDRED_ASSIGN_REPORT_INIT \
  { sizeof(kindred_assign_report), 0, 0, 0, 0, 0, 0 }

/* Gives every document of the index its place on the map, as ingest gives it to new ones: the terms
 * of its topic and unit, and a value (settings: topics.*). Ends ingest, locks, commits, goes on and
 * refreshes as kindred_tag_documents; starts over if there is another map. `request` and `report`
 * may be NULL. Errors as kindred_topics, and KINDRED_DATABASE: another writer holds the lock, or
 * Xapian failed. */
KINDRED_API kindred_errc kindred_assign_topics(kindred_handle* handle,
                                               const kindred_assign_request* request,
                                               kindred_assign_report* report);

/* ---- ingest ---- */

/* What became of the records since the handle took the write lock. Records that still wait to be
 * written (at most some hundreds, none after kindred_commit) are counted only as failed. */
typedef struct kindred_ingest_report {
  size_t size;
  uint64_t added;    /* new documents */
  uint64_t replaced; /* documents whose id was there already */
  uint64_t failed;   /* records that were refused */
  uint64_t tagged;   /* documents that were given at least one predicted tag */
  uint64_t pending;  /* documents that were not classified but should be, marked for later */
} kindred_ingest_report;

#define KINDRED_INGEST_REPORT_INIT \
  { sizeof(kindred_ingest_report), 0, 0, 0, 0, 0 }

/* Adds one document, or replaces that of the same id: a JSON object with id (required), title,
 * text, terms (term -> count), labels (list), lang, rejected_labels (list: tags that must not be
 * predicted), auto_tag (false: predict none), and further fields to keep. One without labels is
 * given predicted tags, from the labeled ones in the database and before it. A new version of a
 * document that has no key labels keeps those it has; rejected tags and auto_tag outlive versions.
 * It is on disk after its batch (settings: index.batch), and at the latest after kindred_commit,
 * when queries see it too; they may see it before, as ingest refreshes the handle when it has to
 * learn new labels. `report` may be NULL.
 * The first call takes the database's write lock, and the handle keeps it until kindred_end_ingest
 * or kindred_close. Calls of kindred_ingest, kindred_commit and kindred_end_ingest wait for each
 * other. For many documents: ingest them all, then commit once.
 * KINDRED_INVALID_ARGUMENT: the record is refused and counted as failed, nothing else changed;
 * KINDRED_CORRUPT: the database is damaged where it would be written;
 * KINDRED_DATABASE: another writer holds the lock, or Xapian failed: what came since the last
 * commit may be lost, and the write lock is given back. Ingesting it again is safe. */
KINDRED_API kindred_errc kindred_ingest(kindred_handle* handle, const char* json, size_t json_size,
                                        kindred_ingest_report* report);

/* Writes everything ingested so far to disk, then refreshes the handle. Without ingest before, only
 * refreshes. `report` may be NULL. Errors as kindred_ingest and kindred_refresh; if the refresh
 * fails the documents are on disk all the same. */
KINDRED_API kindred_errc kindred_commit(kindred_handle* handle, kindred_ingest_report* report);

/* Commits as kindred_commit, then gives the write lock back, so that other programs may write. The
 * next kindred_ingest takes it again and counts from 0. `report` may be NULL. */
KINDRED_API kindred_errc kindred_end_ingest(kindred_handle* handle, kindred_ingest_report* report);

/* ---- tags of documents that are in the index ---- */

enum {
  KINDRED_DRY_RUN = 1,  /* kindred_tag_request: write nothing, take no lock; kindred_tune_request:
                           store nothing */
  KINDRED_PENDING = 2,  /* only the documents that are marked to be tagged later */
  KINDRED_RESTART = 4,  /* do not go on where an interrupted run stopped */
  KINDRED_ALLOW_ALL = 8 /* kindred_tag_request: tags that were refused or taken off, of these
                           documents, may be given again; those that opted out stay so */
};

typedef struct kindred_tag_request {
  size_t size;
  kindred_string query; /* the documents that match this Xapian query; empty = all */
  uint64_t flags;       /* 0 or any of the above */
} kindred_tag_request;

#define KINDRED_TAG_REQUEST_INIT \
  { sizeof(kindred_tag_request), {NULL, 0}, 0 }

/* What a run did, or would do. What follows `examined` is about those documents. */
typedef struct kindred_tag_report {
  size_t size;
  uint64_t revision;  /* of the snapshot that the tags come from */
  uint64_t matched;   /* documents that the request is about */
  uint64_t continued; /* of these, done by an interrupted run of the same request */
  uint64_t examined;  /* of these, done now */
  uint64_t tagged;    /* have at least one predicted tag now */
  uint64_t labeled;   /* have tags from people, and so no predicted ones */
  uint64_t opted_out; /* are to get no predicted tags */
  uint64_t gone;      /* were deleted meanwhile */
  uint64_t changed;   /* have other predicted tags than before */
  uint64_t written;   /* were written: changed, or only their confidences or marks */
  uint64_t given;     /* tags that documents got */
  uint64_t taken_off; /* tags that documents lost */
  uint64_t rejected;  /* tags found to have been taken off by somebody: they do not come back */
  uint64_t allowed;   /* refusals that KINDRED_ALLOW_ALL ended */
} kindred_tag_report;

#define KINDRED_TAG_REPORT_INIT \
  { sizeof(kindred_tag_report), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Gives documents of the index the tags that their rows of the mirror get from the labeled ones,
 * and takes off those that they do not get any more. Refreshes the handle before and after. First
 * commits what the handle has ingested and ends that, as kindred_end_ingest; holds the write lock
 * while it runs, and commits every index.batch documents (settings). If it is interrupted, what was
 * committed stays, and the same request goes on from there unless something else wrote to the
 * database. Calls of kindred_ingest and the like wait for it; queries do not. `request` may be
 * NULL: all documents; so may `report`. KINDRED_INVALID_ARGUMENT: the query does not parse;
 * KINDRED_NOT_FOUND: there are no voters; KINDRED_DATABASE: another writer holds
 * the lock, or Xapian failed. */
KINDRED_API kindred_errc kindred_tag_documents(kindred_handle* handle,
                                               const kindred_tag_request* request,
                                               kindred_tag_report* report);

/* What to do to a document's tags. The tags that people gave stay as they are. */
typedef enum kindred_tag_edit {
  KINDRED_REMOVE_TAG = 1, /* take the predicted tag `label` off, and never give it again */
  KINDRED_ALLOW_TAG = 2,  /* `label` may be given again */
  KINDRED_OPT_OUT = 3,    /* take all predicted tags off and give none any more; no label */
  KINDRED_OPT_IN = 4      /* give predicted tags again; no label */
} kindred_tag_edit;

/* Edits the document of a unique id, in one commit, then refreshes the handle. `edit` is a
 * kindred_tag_edit. Ends ingest and waits as kindred_tag_documents.
 * KINDRED_NOT_FOUND: no such id; KINDRED_INVALID_ARGUMENT: an unknown edit, a label that is empty,
 * too long for a term, or where none belongs; KINDRED_DATABASE: as kindred_tag_documents. */
KINDRED_API kindred_errc kindred_edit_tag(kindred_handle* handle, const char* id, size_t id_size,
                                          int32_t edit, const char* label, size_t label_size);

/* ---- the descriptor ---- */

/* Raised when a host built for an older number can no longer work. */
#define KINDRED_ABI_VERSION 1

/* All of the above, for hosts that look up one symbol. Append-only: a member is there if it lies
 * within `size`. */
typedef struct kindred_descriptor {
  size_t size;
  uint64_t abi_version; /* refuse to go on unless it is KINDRED_ABI_VERSION */
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
} kindred_descriptor;

/* The one symbol to look up after dlopen. Never NULL; good until dlclose. */
KINDRED_API const kindred_descriptor* kindred_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
