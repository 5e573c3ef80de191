/* Kindred for hosts in any language: related documents and automatic tags from a Xapian index.
 *
 * This header is complete: valid C99 and C++, without other headers of Kindred. kindred_ask() asks
 * everything, in JSON; calls with structs are for what is hot or hands over memory. docs/abi.md has
 * the versioning policy and a whole host. These conventions hold for every function:
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
                            "tuning_due" of "status", "if_due" of "tune" */
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

/* ---- refresh ---- */

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

/* ---- any question ---- */

/* How far a call has come. */
typedef struct kindred_step {
  size_t size;
  kindred_string doing; /* for people, valid during the call; empty: documents are counted */
  uint64_t done;
  uint64_t all; /* 0: not known */
} kindred_step;

/* Called when a question begins, and every 20 ms or so until it is answered, in the thread that
 * made the call: with the step before, if nothing is new. Returns 0 to go on; any other value
 * cancels: the call then ends soon with KINDRED_CANCELED. So it may hold deadlines. It must not
 * throw, and must not call the library with this handle. */
typedef int (*kindred_progress)(void* user, const kindred_step* step);

typedef struct kindred_answer {
  kindred_string json; /* one line, in which every character may be shown */
} kindred_answer;

/* Asks a question. docs/json.md has all of them, and what follows is about each:
 *
 *   related, classify, candidates, suspects, duplicates, evaluate, geometry, topics, topic_of, map,
 *   documents, matching, search, labels, analyze, status, settings, tune, train_topics,
 *   assign_topics, tag, edit, edit_label, log, undo, review, load_vocabulary, vocabulary,
 *   remove_vocabulary, delete, store_related, save_mirror, export
 *
 * - `request` is a JSON object, or empty for all defaults. What it lacks is as the settings say.
 * - The answer is a JSON object: {"question", "request", "revision" or "shards", the keys
 *   of the question, "seconds"}. `kindred help --schema QUESTION` prints JSON Schemas of both.
 * - Questions that write (tag, edit, edit_label, undo, delete, assign_topics, store_related) end
 *   ingest as kindred_end_ingest does, take the write lock, and refresh the handle. They and calls
 *   of ingest wait for each other; other questions do not. A run over many documents (tag,
 *   edit_label, undo, assign_topics, store_related) writes in transactions, and lets others write
 *   in between.
 * - `progress` may be NULL, and `user` is passed to it. A run over documents that is canceled keeps
 *   what it has committed, and the same request continues from there.
 * - `answer` may be NULL. Free *answer with kindred_answer_free.
 *
 * KINDRED_INVALID_ARGUMENT: no such question; a key that is unknown, missing, of a wrong type or
 * out of its range (the text has key and place); a query that does not parse (the text has the
 * byte); KINDRED_NOT_FOUND: an unknown id, docid or label, no map, no voters; KINDRED_CORRUPT: a
 * damaged map or tuning; KINDRED_CANCELED: by progress; KINDRED_DATABASE: another writer holds the
 * lock, or Xapian failed. Nothing has changed then, but for such a run. */
KINDRED_API kindred_errc kindred_ask(kindred_handle* handle, const char* question,
                                     size_t question_size, const char* request, size_t request_size,
                                     kindred_progress progress, void* user,
                                     kindred_answer** answer);
KINDRED_API void kindred_answer_free(kindred_answer* answer);

/* ---- related documents ---- */

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

enum {                          /* kindred_related_request */
       KINDRED_NO_FEEDBACK = 1, /* no move toward the nearest */
       KINDRED_NO_GROUPS = 2    /* each document by itself, whatever related.group says */
};

typedef struct kindred_related_request {
  size_t size;
  const kindred_example* like; /* one or more; their unit vectors are averaged */
  size_t like_count;
  const kindred_example* unlike; /* counter-examples (Rocchio): results are unlike these */
  size_t unlike_count;
  kindred_string filter; /* only documents that match this Xapian query; empty = all */
  int64_t limit;         /* at most this many results, >= 1 */
  double min_similarity; /* only documents of at least this similarity, in [0, 1] */
  uint64_t flags;        /* 0, or KINDRED_NO_FEEDBACK and KINDRED_NO_GROUPS */
} kindred_related_request;

#define KINDRED_RELATED_REQUEST_INIT                                               \
  {                                                                                \
    sizeof(kindred_related_request), NULL, 0, NULL, 0, {NULL, 0}, KINDRED_DEFAULT, \
        KINDRED_DEFAULT, 0                                                         \
  }

typedef struct kindred_related_document {
  uint32_t docid;
  float similarity; /* to the examples, in [0, 1]: cosine; untuned, if weighting.smart ends in n,
                     * dot product */
  float rank_score; /* what the order is by: the similarity to what the question became when it
                     * moved toward its ten nearest; with KINDRED_NO_FEEDBACK, the similarity */
  kindred_string id;
  kindred_string title; /* or, if it has none, the first words */
  uint64_t
      group_count; /* documents of its group (related.group) that it stands for, besides itself */
} kindred_related_document;

typedef struct kindred_related_result {
  uint64_t revision;                         /* of the snapshot that answered */
  const kindred_related_document* documents; /* rank_score descending, then docid ascending */
  size_t document_count;
} kindred_related_result;

/* Which documents are like these? The examples and counter-examples themselves are never results,
 * nor are documents that share no feature with the examples. An example without a known term finds
 * nothing, which is not an error. The first call of an index without a tuning may learn what terms
 * weigh, which takes seconds where it is large (docs/related.md).
 * KINDRED_INVALID_ARGUMENT: no example, limit < 1, min_similarity outside [0, 1], a filter that
 * does not parse, names an unknown field or leaves a quote or bracket open (the text has the byte),
 * a record that is not JSON; KINDRED_NOT_FOUND: an unknown id or docid. Free *result with
 * kindred_related_free. */
KINDRED_API kindred_errc kindred_related(const kindred_handle* handle,
                                         const kindred_related_request* request,
                                         kindred_related_result** result);
KINDRED_API void kindred_related_free(kindred_related_result* result);

/* ---- tags ---- */

enum { KINDRED_VOTERS = 1 /* kindred_classify_request: fill the voters */ };

typedef struct kindred_classify_request {
  size_t size;
  kindred_string filter; /* only documents that match this Xapian query vote; empty = all */
  int64_t neighbors;     /* how many vote: the nearest, >= 1 */
  double min_confidence; /* a tag needs it, in [0, 1] */
  int64_t limit;         /* at most this many tags, >= 1 */
  uint64_t flags;        /* 0 or KINDRED_VOTERS */
} kindred_classify_request;

#define KINDRED_CLASSIFY_REQUEST_INIT                                              \
  {                                                                                \
    sizeof(kindred_classify_request), {NULL, 0}, KINDRED_DEFAULT, KINDRED_DEFAULT, \
        KINDRED_DEFAULT, 0                                                         \
  }

/* A tag and how sure the vote is of it, in [0, 1]. */
typedef struct kindred_tag {
  kindred_string label;
  kindred_string name; /* of the label by the vocabulary of the index, in answers of
                          kindred_classify; else empty */
  double confidence;
} kindred_tag;

/* A voter, with the labels that people gave it. */
typedef struct kindred_neighbor {
  uint32_t docid;
  float similarity; /* as that of a related document, in (0, 1] */
  kindred_string id;
  const kindred_string* labels;
  size_t label_count;
} kindred_neighbor;

typedef struct kindred_classification {
  uint64_t revision;              /* of the snapshot that answered */
  const kindred_tag* tags;        /* confidence descending, then in byte order */
  size_t tag_count;               /* 0 if none reaches its confidence */
  const kindred_tag* best;        /* the strongest one, even below that; may be NULL */
  const kindred_neighbor* voters; /* KINDRED_VOTERS: similarity descending */
  size_t voter_count;
  const kindred_tag* withheld; /* that the vote gave, but that must not be given to the document, or
                                  none at all if it opted out; ordered as tags */
  size_t withheld_count;
} kindred_classification;

/* Which tags does this deserve? A document of the index does not vote for itself. It gets no tag
 * that was taken off it, and none at all if it opted out. `request` may be NULL. Errors as
 * kindred_related, and for the vote "unit" as "topics". Free *result with
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

/* ---- ingest ---- */

/* What became of the records since ingest began: with the first one, or the first one after
 * kindred_end_ingest. Records that still wait to be written (some thousands at most; none after
 * kindred_commit) are not counted yet, except in `failed`. */
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
 * The call takes the write lock of the database. The handle keeps it until it commits: by one of
 * these calls, or with a batch. Calls of kindred_ingest, kindred_commit and kindred_end_ingest wait
 * for each other.
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

/* Commits as kindred_commit, and ends ingest. The next kindred_ingest counts from 0, and gives
 * documents their topics by the map that there is then. `report` may be NULL. */
KINDRED_API kindred_errc kindred_end_ingest(kindred_handle* handle, kindred_ingest_report* report);

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
  kindred_errc (*documents_changed)(kindred_handle* handle, const uint32_t* docids, size_t count,
                                    int* changed);
  kindred_errc (*ask)(kindred_handle* handle, const char* question, size_t question_size,
                      const char* request, size_t request_size, kindred_progress progress,
                      void* user, kindred_answer** answer);
  void (*answer_free)(kindred_answer* answer);
} kindred_descriptor;

/* The only symbol to look up after dlopen. Never NULL; valid until dlclose. */
KINDRED_API const kindred_descriptor* kindred_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
