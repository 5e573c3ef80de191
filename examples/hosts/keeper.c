/* A host for what runs over a whole index now and then: it classifies in bulk, finds
 * near-duplicates and documents for a label, makes topics and stores them, stores related
 * documents, tunes, and follows the database. With host.c and curator.c it uses every function of
 * the ABI.
 *
 *   keeper DATABASE
 *
 * DATABASE must not exist. Exit status: 0, or 1 with a message on stderr. */
#include <kindred/kindred.h>
#include <stdio.h>
#include <string.h>

static kindred_string text_of(const char* text) {
  const kindred_string string = {text, strlen(text)};
  return string;
}

/* Prints what failed; nonzero if the call failed. */
static int failed(kindred_errc code, const char* what) {
  if (code == KINDRED_OK) return 0;
  fprintf(stderr, "%s: error %d: %s\n", what, (int)code, kindred_last_error());
  return 1;
}

/* A callback that would cancel by returning another value than 0. */
static int remember_step(void* user, const kindred_step* step) {
  *(kindred_step*)user = *step;
  return 0;
}

static int ingest_notes(kindred_handle* kindred) {
  static const char* const notes[] = {
      "{\"id\": \"b1\", \"title\": \"Bread\", \"labels\": [\"kitchen\"],"
      " \"text\": \"Knead the dough, let it rise, bake the bread in a hot oven.\"}",
      "{\"id\": \"b2\", \"title\": \"Rolls\", \"labels\": [\"kitchen\"],"
      " \"text\": \"Shape the dough into rolls and bake them in the oven until brown.\"}",
      "{\"id\": \"s1\", \"title\": \"Tides\", \"labels\": [\"sea\"],"
      " \"text\": \"The moon pulls the tide; sailors read the harbor tables.\"}",
      "{\"id\": \"s2\", \"title\": \"Harbor\", \"labels\": [\"sea\"],"
      " \"text\": \"Ships wait in the harbor for the tide.\"}",
      "{\"id\": \"n1\", \"title\": \"Bread\", \"auto_tag\": false,"
      " \"text\": \"Knead the dough, let it rise, bake the bread in a hot oven.\"}",
      "{\"id\": \"n2\", \"title\": \"Sails\", \"text\": \"Sailors leave the harbor with the "
      "tide.\"}"};
  kindred_ingest_report report = KINDRED_INGEST_REPORT_INIT;
  for (size_t i = 0; i < sizeof notes / sizeof *notes; ++i) {
    if (failed(kindred_ingest(kindred, notes[i], strlen(notes[i]), NULL), "ingest")) return 1;
  }
  if (failed(kindred_commit(kindred, &report), "commit")) return 1;
  printf("committed: %llu documents\n", (unsigned long long)report.added);
  return failed(kindred_end_ingest(kindred, NULL), "end of ingest");
}

static int classify_texts(const kindred_handle* kindred) {
  const kindred_example texts[] = {{KINDRED_BY_TEXT, 0, {"bake rolls in the oven", 22}},
                                   {KINDRED_BY_TEXT, 0, {"a harbor at low tide", 20}}};
  kindred_classification* results[2] = {NULL, NULL};
  if (failed(kindred_classify_batch(kindred, texts, 2, NULL, results), "classify")) return 1;
  for (size_t i = 0; i < 2; ++i) {
    printf("%s: %s\n", texts[i].value.data,
           results[i]->best != NULL ? results[i]->best->label.data : "no label");
    kindred_classification_free(results[i]);
  }
  return 0;
}

static int find_candidates(kindred_handle* kindred) {
  kindred_candidates_request request = KINDRED_CANDIDATES_REQUEST_INIT;
  kindred_candidates_result* result = NULL;
  request.label = text_of("sea");
  request.flags = KINDRED_INCLUDE_PREDICTED;
  if (failed(kindred_candidates(kindred, &request, &result), "candidates")) return 1;
  printf("candidate for sea: %s\n",
         result->candidate_count > 0 ? result->candidates[0].id.data : "none");
  kindred_candidates_free(result);
  return 0;
}

static int find_duplicates(const kindred_handle* kindred) {
  kindred_duplicates_result* result = NULL;
  if (failed(kindred_duplicates(kindred, NULL, &result), "duplicates")) return 1;
  for (size_t i = 0; i < result->group_count; ++i) {
    const kindred_duplicate_group* group = &result->groups[i];
    printf("nearly the same:");
    for (size_t j = 0; j < group->document_count; ++j) printf(" %s", group->documents[j].id.data);
    printf("\n");
  }
  kindred_duplicates_free(result);
  return 0;
}

static int make_topics(kindred_handle* kindred) {
  const kindred_example text = {KINDRED_BY_TEXT, 0, {"knead the dough", 15}};
  kindred_train_request train = KINDRED_TRAIN_REQUEST_INIT;
  kindred_topics_result* topics = NULL;
  kindred_topic_place place = KINDRED_TOPIC_PLACE_INIT;
  kindred_assign_request assign = KINDRED_ASSIGN_REQUEST_INIT;
  kindred_assign_report report = KINDRED_ASSIGN_REPORT_INIT;
  kindred_step step = {sizeof step, 0, 0};
  train.rows = train.columns = train.count = 2;
  if (failed(kindred_train_topics(kindred, &train, NULL), "train")) return 1;
  if (failed(kindred_topics(kindred, &topics), "topics")) return 1;
  printf("topics: %zu, of %llu documents\n", topics->topic_count,
         (unsigned long long)topics->documents);
  kindred_topics_free(topics);
  if (failed(kindred_topic_of(kindred, &text, &place), "topic")) return 1;
  printf("%s: %s\n", text.value.data, place.topic > 0 ? "has a topic" : "has no topic");
  assign.progress = remember_step;
  assign.progress_user = &step;
  if (failed(kindred_assign_topics(kindred, &assign, &report), "assign")) return 1;
  printf("topics stored: %llu, told of %llu\n", (unsigned long long)report.written,
         (unsigned long long)step.done);
  return 0;
}

static int store_related(kindred_handle* kindred) {
  kindred_store_related_request request = KINDRED_STORE_RELATED_REQUEST_INIT;
  kindred_store_related_report report = KINDRED_STORE_RELATED_REPORT_INIT;
  request.k = 2;
  if (failed(kindred_store_related(kindred, &request, &report), "store related")) return 1;
  printf("related documents stored: %llu\n", (unsigned long long)report.written);
  return 0;
}

static int tune(kindred_handle* kindred) {
  kindred_tune_request request = KINDRED_TUNE_REQUEST_INIT;
  kindred_tune_result* result = NULL;
  request.settings = text_of("{\"documents\": 10000}");
  if (failed(kindred_tune(kindred, &request, &result), "tune")) return 1;
  printf("tuned: %s\n", strstr(result->json.data, "\"method\"") != NULL ? "yes" : "no");
  kindred_tune_free(result);
  return 0;
}

static int allow_tags(kindred_handle* kindred) {
  if (failed(kindred_edit_tag(kindred, "n1", 2, KINDRED_OPT_IN, NULL, 0), "edit")) return 1;
  printf("n1 may be tagged\n");
  return 0;
}

/* What a writer says has changed is read; here nothing has. */
static int follow(kindred_handle* kindred) {
  const uint32_t docids[] = {1};
  int told = 1, changed = 1;
  if (failed(kindred_documents_changed(kindred, docids, 1, &told), "documents changed")) return 1;
  if (failed(kindred_refresh(kindred, &changed), "refresh")) return 1;
  if (failed(kindred_save_mirror(kindred), "save")) return 1;
  printf("changed since: %s; saved for the next start\n", told || changed ? "yes" : "no");
  return 0;
}

int main(int argc, char* argv[]) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* kindred = NULL;
  int bad;
  if (argc != 2) {
    fprintf(stderr, "usage: %s DATABASE\n", argv[0]);
    return 1;
  }
  options.flags = KINDRED_CREATE;
  if (failed(kindred_open(argv[1], strlen(argv[1]), &options, &kindred), "open")) return 1;
  bad = ingest_notes(kindred) || classify_texts(kindred) || find_candidates(kindred) ||
        find_duplicates(kindred) || make_topics(kindred) || store_related(kindred) ||
        tune(kindred) || allow_tags(kindred) || follow(kindred);
  kindred_close(kindred);
  return bad;
}
