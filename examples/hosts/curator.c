/* A host for people who look after an index: it shows labels, doubts, the map and measures, accepts
 * and removes tags, and deletes a document. Unlike host.c, it is linked with libkindred.so.
 *
 *   curator DATABASE
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
static int count_calls(void* user, const kindred_step* step) {
  if (step->done <= step->all) ++*(int*)user;
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
      "{\"id\": \"w1\", \"title\": \"Dough\", \"labels\": [\"sea\"],"
      " \"text\": \"Bake the dough in the oven.\"}",
      "{\"id\": \"n1\", \"title\": \"Loaf\", \"text\": \"Bake a loaf of bread in the oven.\"}",
      "{\"id\": \"n2\", \"title\": \"Sails\", \"text\": \"Sailors leave the harbor with the "
      "tide.\"}"};
  for (size_t i = 0; i < sizeof notes / sizeof *notes; ++i) {
    if (failed(kindred_ingest(kindred, notes[i], strlen(notes[i]), NULL), "ingest")) return 1;
  }
  return failed(kindred_end_ingest(kindred, NULL), "commit");
}

static int show_labels(const kindred_handle* kindred) {
  kindred_labels_result* result = NULL;
  if (failed(kindred_labels(kindred, &result), "labels")) return 1;
  for (size_t i = 0; i < result->label_count; ++i) {
    const kindred_label* label = &result->labels[i];
    printf("label %s: %llu documents, %llu predicted\n", label->name.data,
           (unsigned long long)label->documents, (unsigned long long)label->predicted);
  }
  kindred_labels_free(result);
  return 0;
}

static int show_suspects(const kindred_handle* kindred) {
  kindred_suspects_request request = KINDRED_SUSPECTS_REQUEST_INIT;
  kindred_suspects_result* result = NULL;
  int calls = 0;
  request.progress = count_calls;
  request.progress_user = &calls;
  request.limit = 1;
  if (failed(kindred_suspects(kindred, &request, &result), "suspects")) return 1;
  for (size_t i = 0; i < result->suspect_count; ++i) {
    const kindred_suspect* suspect = &result->suspects[i];
    printf("suspect: %s (%s) has %s, but its neighbors say %s, first %s\n", suspect->id.data,
           suspect->title.data, suspect->weakest.label.data, suspect->strongest.label.data,
           suspect->neighbor_titles[0].data);
  }
  kindred_suspects_free(result);
  return calls == 0;
}

static void show_document(const kindred_document* document) {
  printf("%s (%s): from people", document->id.data, document->title.data);
  for (size_t i = 0; i < document->label_count; ++i) printf(" %s", document->labels[i].data);
  printf("; predicted");
  for (size_t i = 0; i < document->predicted_count; ++i)
    printf(" %s %.2f", document->predicted[i].label.data, document->predicted[i].confidence);
  printf("; refused");
  for (size_t i = 0; i < document->rejected_count; ++i) printf(" %s", document->rejected[i].data);
  printf("\n");
}

/* The documents without a label of people, and the tags that they hold. */
static int show_unlabeled(const kindred_handle* kindred) {
  kindred_matching_request request = KINDRED_MATCHING_REQUEST_INIT;
  kindred_matching_result* found = NULL;
  kindred_documents_result* result = NULL;
  kindred_example examples[10];
  int bad;
  request.query = text_of("NOT label:kitchen NOT label:sea");
  request.limit = 10;
  if (failed(kindred_matching(kindred, &request, &found), "matching")) return 1;
  for (size_t i = 0; i < found->count; ++i) {
    const kindred_example example = {KINDRED_BY_DOCID, found->docids[i], {NULL, 0}};
    examples[i] = example;
  }
  bad = failed(kindred_documents(kindred, examples, found->count, &result), "documents");
  if (!bad) {
    for (size_t i = 0; i < result->document_count; ++i) show_document(&result->documents[i]);
  }
  kindred_documents_free(result);
  kindred_matching_free(found);
  return bad;
}

/* Accepts a predicted tag, refuses another, corrects the suspect, and tags again. */
static int correct(kindred_handle* kindred) {
  const kindred_edit edits[] = {{KINDRED_ADD_LABEL, {"n1", 2}, {"kitchen", 7}},
                                {KINDRED_REMOVE_TAG, {"n2", 2}, {"sea", 3}},
                                {KINDRED_CLEAR_LABELS, {"w1", 2}, {NULL, 0}},
                                {KINDRED_ADD_LABEL, {"w1", 2}, {"kitchen", 7}}};
  kindred_tag_request tag = KINDRED_TAG_REQUEST_INIT;
  kindred_documents_result* result = NULL;
  int calls = 0;
  if (failed(kindred_edit_tags(kindred, edits, 4, &result), "edit")) return 1;
  for (size_t i = 0; i < 3; ++i) show_document(&result->documents[i]);
  kindred_documents_free(result);
  tag.progress = count_calls;
  tag.progress_user = &calls;
  return failed(kindred_tag_documents(kindred, &tag, NULL), "tag") || calls == 0;
}

static int show_map(kindred_handle* kindred) {
  kindred_train_request train = KINDRED_TRAIN_REQUEST_INIT;
  kindred_map_request request = KINDRED_MAP_REQUEST_INIT;
  kindred_map_result* result = NULL;
  train.rows = train.columns = 3;
  request.flags = KINDRED_PLACES | KINDRED_IDS;
  if (failed(kindred_train_topics(kindred, &train, NULL), "train")) return 1;
  if (failed(kindred_map(kindred, &request, &result), "map")) return 1;
  printf("map: %u x %u units, %zu documents placed, first %s\n", (unsigned)result->rows,
         (unsigned)result->columns, result->place_count, result->place_ids[0].data);
  kindred_map_free(result);
  return 0;
}

/* Prints that there is a key in what was measured. */
static int show_measure(kindred_errc code, kindred_json* result, const char* key) {
  if (failed(code, key)) return 1;
  printf("measured %s: %s\n", key, strstr(result->json.data, key) != NULL ? "yes" : "no");
  kindred_json_free(result);
  return 0;
}

static int measure(const kindred_handle* kindred) {
  kindred_evaluate_request request = KINDRED_EVALUATE_REQUEST_INIT;
  kindred_json* result = NULL;
  kindred_errc code;
  request.flags = KINDRED_PER_LABEL | KINDRED_CONFUSION;
  code = kindred_evaluate(kindred, &request, &result);
  if (show_measure(code, result, "micro_f1")) return 1;
  code = kindred_class_geometry(kindred, NULL, NULL, &result);
  return show_measure(code, result, "informativeness");
}

/* Under which prefix does the index keep the labels? */
static int show_settings(const kindred_handle* kindred) {
  kindred_json* result = NULL;
  if (failed(kindred_get_settings(kindred, &result), "settings")) return 1;
  printf("settings: %s\n", strstr(result->json.data, "\"prefix\":\"K\"") != NULL
                               ? "labels have the prefix K"
                               : result->json.data);
  kindred_json_free(result);
  return 0;
}

/* Under which terms are the words of a text to be looked for? */
static int show_terms(const kindred_handle* kindred, const char* text) {
  kindred_analyze_request request = KINDRED_ANALYZE_REQUEST_INIT;
  kindred_analysis* result = NULL;
  request.text = text_of(text);
  if (failed(kindred_analyze(kindred, &request, &result), "analyze")) return 1;
  printf("terms of '%s' (%s):", text, result->language.data);
  for (size_t i = 0; i < result->word_count; ++i) {
    const kindred_word* word = &result->words[i];
    printf(" %s", word->term.size > 0 ? word->term.data : "-");
  }
  printf("\n");
  kindred_analysis_free(result);
  return 0;
}

static int delete_note(kindred_handle* kindred) {
  const kindred_string ids[] = {{"s2", 2}, {"no such id", 10}};
  kindred_delete_report report = KINDRED_DELETE_REPORT_INIT;
  if (failed(kindred_delete_documents(kindred, ids, 2, &report), "delete")) return 1;
  printf("deleted: %llu, unknown: %llu\n", (unsigned long long)report.deleted,
         (unsigned long long)report.unknown);
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
  bad = ingest_notes(kindred) || show_labels(kindred) || show_suspects(kindred) ||
        show_unlabeled(kindred) || correct(kindred) || show_labels(kindred) || show_map(kindred) ||
        measure(kindred) || show_settings(kindred) || show_terms(kindred, "the rising tides") ||
        delete_note(kindred);
  kindred_close(kindred);
  return bad;
}
