/* What people who look after an index need, through the C ABI: labels, lists, documents with their
 * tags, edits of labels, deletion. */
#include "tests/c_api/c_api_fixture.h"

static kindred_handle* kindred;

static kindred_edit edit_of(const char* id, int32_t edit, const char* label) {
  kindred_edit one = {0, {NULL, 0}, {NULL, 0}};
  one.edit = edit;
  one.id = str(id);
  one.label = str(label);
  return one;
}

static const kindred_label* find(const kindred_labels_result* labels, const char* name) {
  for (size_t i = 0; i < labels->label_count; ++i)
    if (equals(labels->labels[i].name, name)) return &labels->labels[i];
  return NULL;
}

/* The document with this id as it is now; free *result. */
static const kindred_document* read_document(const char* id, kindred_documents_result** result) {
  const kindred_example example = by_id(id);
  REQUIRE(kindred_documents(kindred, &example, 1, result) == KINDRED_OK);
  REQUIRE((*result)->document_count == 1);
  return &(*result)->documents[0];
}

static void labels_are_counted_by_who_gave_them(void) {
  kindred_labels_result* result = NULL;
  kindred_status status = KINDRED_STATUS_INIT;
  const kindred_label* label = NULL;
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK_OK(kindred_labels(kindred, &result));
  REQUIRE(result != NULL && result->label_count == 3);
  CHECK(result->revision == status.revision);
  label = find(result, "kitchen");
  REQUIRE(label != NULL);
  CHECK(label->documents == 3 && label->predicted == 1 && label->rejected == 0);
  label = find(result, "sea");
  REQUIRE(label != NULL);
  CHECK(label->documents == 3 && label->predicted == 0);
  CHECK(equals(result->labels[0].name, "kitchen") && equals(result->labels[1].name, "quick"));
  kindred_labels_free(result);
  kindred_labels_free(NULL);
}

static void documents_that_match_are_listed_page_by_page(void) {
  kindred_matching_request request = KINDRED_MATCHING_REQUEST_INIT;
  kindred_matching_result* result = NULL;
  CHECK_OK(kindred_matching(kindred, NULL, &result));
  REQUIRE(result != NULL && result->count == kNotes && result->found == kNotes);
  CHECK(result->docids[0] == 1 && result->docids[kNotes - 1] == kNotes);
  CHECK(result->ids == NULL && result->titles == NULL);
  kindred_matching_free(result);
  request.query = str("label:kitchen");
  request.flags = KINDRED_IDS | KINDRED_TITLES;
  request.offset = 1;
  request.limit = 1;
  CHECK_OK(kindred_matching(kindred, &request, &result));
  REQUIRE(result->count == 1 && result->found == 3);
  CHECK(result->docids[0] == 2 && equals(result->ids[0], "b2"));
  CHECK(equals(result->titles[0], "Rolls"));
  kindred_matching_free(result);
  request.offset = 99;
  CHECK_OK(kindred_matching(kindred, &request, &result));
  CHECK(result->count == 0 && result->found == 3);
  kindred_matching_free(result);
  kindred_matching_free(NULL);
  result = NULL;
  request.offset = -1;
  CHECK_FAILS(kindred_matching(kindred, &request, &result), KINDRED_INVALID_ARGUMENT, "offset");
  request.offset = 0;
  request.limit = 0;
  CHECK_FAILS(kindred_matching(kindred, &request, &result), KINDRED_INVALID_ARGUMENT, "limit");
  request.limit = 1;
  request.query = str("(bread OR");
  CHECK_FAILS(kindred_matching(kindred, &request, &result), KINDRED_INVALID_ARGUMENT, "bracket");
  request.flags = 1;
  CHECK_FAILS(kindred_matching(kindred, &request, &result), KINDRED_UNSUPPORTED, "flag 1");
  CHECK_FAILS(kindred_matching(kindred, NULL, NULL), KINDRED_INVALID_ARGUMENT, "result");
  CHECK(result == NULL);
}

static void documents_are_shown_with_the_tags_that_they_hold(void) {
  kindred_example examples[2] = {by_id("u1"), {KINDRED_BY_DOCID, 2, {NULL, 0}}};
  const kindred_example unlike[] = {by_text("bread"), by_id("nobody")};
  kindred_documents_result* result = NULL;
  kindred_classification* classified = NULL;
  const kindred_document* document = NULL;
  CHECK_OK(kindred_documents(kindred, examples, 2, &result));
  REQUIRE(result != NULL && result->document_count == 2);
  document = &result->documents[0];
  CHECK(document->docid == 7 && equals(document->id, "u1") && equals(document->title, "Oven"));
  CHECK(document->label_count == 0 && document->rejected_count == 0);
  REQUIRE(document->predicted_count == 2);
  CHECK(equals(document->predicted[0].label, "kitchen"));
  CHECK(document->predicted[0].confidence > 0.5 && document->predicted[0].confidence <= 1);
  CHECK(equals(document->predicted[1].label, "quick"));
  CHECK(document->predicted[1].confidence > 0);
  CHECK(document->predicted[1].confidence <= document->predicted[0].confidence);
  CHECK_OK(kindred_classify(kindred, examples, NULL, &classified));
  CHECK(classified->tags[0].confidence == document->predicted[0].confidence);
  kindred_classification_free(classified);
  CHECK(document->opted_out == 0 && document->pending == 0);
  document = &result->documents[1];
  REQUIRE(document->label_count == 2 && document->predicted_count == 0);
  CHECK(equals(document->labels[0], "kitchen") && equals(document->labels[1], "quick"));
  kindred_documents_free(result);
  CHECK_OK(kindred_documents(kindred, NULL, 0, &result));
  CHECK(result->document_count == 0);
  kindred_documents_free(result);
  kindred_documents_free(NULL);
  result = NULL;
  CHECK_FAILS(kindred_documents(kindred, unlike, 1, &result), KINDRED_INVALID_ARGUMENT,
              "examples[0].kind");
  CHECK_FAILS(kindred_documents(kindred, unlike + 1, 1, &result), KINDRED_NOT_FOUND, "nobody");
  CHECK_FAILS(kindred_documents(kindred, NULL, 1, &result), KINDRED_INVALID_ARGUMENT, "examples");
  CHECK(result == NULL);
}

static void a_predicted_tag_that_people_accept_is_a_label_that_votes(void) {
  const kindred_edit accept = edit_of("u1", KINDRED_ADD_LABEL, "kitchen");
  kindred_documents_result* result = NULL;
  kindred_labels_result* labels = NULL;
  kindred_status status = KINDRED_STATUS_INIT;
  const kindred_document* document = NULL;
  CHECK_OK(kindred_edit_tags(kindred, &accept, 1, &result));
  REQUIRE(result != NULL && result->document_count == 1);
  document = &result->documents[0];
  CHECK(document->docid == 7 && equals(document->id, "u1") && equals(document->title, "Oven"));
  CHECK(document->label_count == 1 && equals(document->labels[0], "kitchen"));
  CHECK(document->rejected_count == 0);
  REQUIRE(document->predicted_count == 1); /* until the next run */
  CHECK(equals(document->predicted[0].label, "quick"));
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK(status.labeled == 7 && status.tagged == 1 && result->revision == status.revision);
  kindred_documents_free(result);
  CHECK_OK(kindred_labels(kindred, &labels));
  CHECK(find(labels, "kitchen")->documents == 4 && find(labels, "kitchen")->predicted == 0);
  kindred_labels_free(labels);
}

static void people_take_labels_back_and_replace_them(void) {
  const kindred_edit edits[] = {
      edit_of("u1", KINDRED_REMOVE_LABEL, "kitchen"), edit_of("b2", KINDRED_CLEAR_LABELS, ""),
      edit_of("b2", KINDRED_ADD_LABEL, "trade"), edit_of("b2", KINDRED_ADD_LABEL, "kitchen"),
      edit_of("s3", KINDRED_REMOVE_LABEL, "never given")};
  const size_t count = sizeof edits / sizeof *edits;
  kindred_documents_result* result = NULL;
  kindred_status status = KINDRED_STATUS_INIT;
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK_OK(kindred_edit_tags(kindred, edits, count, &result));
  CHECK(result->revision == status.revision + 1); /* in one commit */
  REQUIRE(result != NULL && result->document_count == count);
  CHECK(result->documents[0].label_count == 0);
  for (size_t i = 1; i < 4; ++i) {
    REQUIRE(result->documents[i].docid == 2 && result->documents[i].label_count == 2);
    CHECK(equals(result->documents[i].labels[0], "kitchen"));
    CHECK(equals(result->documents[i].labels[1], "trade"));
  }
  CHECK(result->documents[4].label_count == 1);
  kindred_documents_free(result);
}

static void a_batch_refuses_and_allows_predicted_tags_too(void) {
  const kindred_edit edits[] = {edit_of("u1", KINDRED_REMOVE_TAG, "kitchen"),
                                edit_of("e1", KINDRED_OPT_OUT, "")};
  const kindred_edit back[] = {edit_of("u1", KINDRED_ADD_LABEL, "kitchen"),
                               edit_of("u1", KINDRED_REMOVE_LABEL, "kitchen"),
                               edit_of("e1", KINDRED_OPT_IN, "")};
  kindred_documents_result* result = NULL;
  CHECK_OK(kindred_tag_documents(kindred, NULL, NULL));
  CHECK_OK(kindred_edit_tags(kindred, edits, 2, &result));
  REQUIRE(result->documents[0].rejected_count == 1);
  CHECK(equals(result->documents[0].rejected[0], "kitchen"));
  for (size_t i = 0; i < result->documents[0].predicted_count; ++i)
    CHECK(!equals(result->documents[0].predicted[i].label, "kitchen"));
  CHECK(result->documents[1].opted_out == 1);
  kindred_documents_free(result);
  CHECK_OK(kindred_edit_tags(kindred, back, 3, &result));
  CHECK(result->documents[0].rejected_count == 0 && result->documents[0].label_count == 0);
  CHECK(result->documents[2].opted_out == 0);
  kindred_documents_free(result);
  CHECK_OK(kindred_edit_tag(kindred, "e1", 2, KINDRED_ADD_LABEL, "empty", 5));
  CHECK(read_document("e1", &result)->label_count == 1);
  kindred_documents_free(result);
}

static void wrong_edits_change_nothing(void) {
  const kindred_edit good = edit_of("b1", KINDRED_ADD_LABEL, "new");
  kindred_edit edits[2] = {good, edit_of("nobody", KINDRED_ADD_LABEL, "new")};
  kindred_documents_result* result = NULL;
  kindred_status before = KINDRED_STATUS_INIT, after = KINDRED_STATUS_INIT;
  CHECK_OK(kindred_get_status(kindred, &before));
  CHECK_FAILS(kindred_edit_tags(kindred, edits, 2, &result), KINDRED_NOT_FOUND, "'nobody'");
  edits[1] = edit_of("b1", KINDRED_ADD_LABEL, "");
  CHECK_FAILS(kindred_edit_tags(kindred, edits, 2, &result), KINDRED_INVALID_ARGUMENT, "label");
  edits[1] = edit_of("b1", KINDRED_ADD_LABEL, "\xff");
  CHECK_FAILS(kindred_edit_tags(kindred, edits, 2, &result), KINDRED_INVALID_ARGUMENT, "UTF-8");
  edits[1] = edit_of("b1", KINDRED_CLEAR_LABELS, "new");
  CHECK_FAILS(kindred_edit_tags(kindred, edits, 2, &result), KINDRED_INVALID_ARGUMENT,
              "edits[1].label");
  edits[1] = edit_of("b1", 8, "new");
  CHECK_FAILS(kindred_edit_tags(kindred, edits, 2, &result), KINDRED_INVALID_ARGUMENT,
              "edits[1].edit");
  CHECK_FAILS(kindred_edit_tags(kindred, NULL, 2, &result), KINDRED_INVALID_ARGUMENT, "edits");
  CHECK_FAILS(kindred_edit_tags(NULL, edits, 2, &result), KINDRED_INVALID_ARGUMENT, "handle");
  CHECK_OK(kindred_edit_tags(kindred, NULL, 0, NULL));
  CHECK_OK(kindred_get_status(kindred, &after));
  CHECK(result == NULL && after.labels == before.labels && after.labeled == before.labeled);
}

static void deleted_documents_are_gone_at_once(void) {
  const kindred_string ids[] = {str("s1"), str("nobody"), str("s1"), str("e1")};
  const kindred_example gone = by_id("s1");
  kindred_delete_report report = KINDRED_DELETE_REPORT_INIT;
  kindred_documents_result* result = NULL;
  kindred_status before_it = KINDRED_STATUS_INIT, status = KINDRED_STATUS_INIT;
  CHECK_OK(kindred_get_status(kindred, &before_it));
  CHECK_OK(kindred_delete_documents(kindred, ids, 4, &report));
  CHECK(report.deleted == 2 && report.unknown == 1);
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK(status.documents == kNotes - 2);
  CHECK(status.revision == before_it.revision + 1); /* in one commit */
  CHECK_FAILS(kindred_documents(kindred, &gone, 1, &result), KINDRED_NOT_FOUND, "s1");
  CHECK_OK(kindred_delete_documents(kindred, ids, 4, NULL));
  CHECK_OK(kindred_delete_documents(kindred, NULL, 0, &report));
  CHECK(report.deleted == 0 && report.unknown == 0);
  CHECK_FAILS(kindred_delete_documents(kindred, NULL, 1, NULL), KINDRED_INVALID_ARGUMENT, "ids");
  CHECK_FAILS(kindred_delete_documents(NULL, ids, 1, NULL), KINDRED_INVALID_ARGUMENT, "handle");
  report.size = 8;
  CHECK_FAILS(kindred_delete_documents(kindred, ids, 1, &report), KINDRED_INVALID_ARGUMENT,
              "report.size");
}

static void writing_waits_for_what_was_ingested(void) {
  const kindred_string id = str("later");
  const kindred_edit edit = edit_of("later", KINDRED_ADD_LABEL, "sea");
  kindred_handle* other = NULL;
  kindred_delete_report report = KINDRED_DELETE_REPORT_INIT;
  CHECK_OK(ingest(kindred, "{\"id\":\"later\",\"text\":\"sailors\"}"));
  CHECK_OK(kindred_edit_tags(kindred, &edit, 1, NULL));
  CHECK_OK(ingest(kindred, "{\"id\":\"later\",\"text\":\"sailors read\"}"));
  CHECK_OK(open_path(path_to("notes.db"), &other));
  CHECK_FAILS(kindred_edit_tags(other, &edit, 1, NULL), KINDRED_DATABASE, "lock");
  CHECK_FAILS(kindred_delete_documents(other, &id, 1, NULL), KINDRED_DATABASE, "lock");
  kindred_close(other);
  CHECK_OK(kindred_delete_documents(kindred, &id, 1, &report));
  CHECK(report.deleted == 1);
}

int main(void) {
  make_directory();
  kindred = create_notes(path_to("notes.db"));
  labels_are_counted_by_who_gave_them();
  documents_that_match_are_listed_page_by_page();
  documents_are_shown_with_the_tags_that_they_hold();
  a_predicted_tag_that_people_accept_is_a_label_that_votes();
  people_take_labels_back_and_replace_them();
  a_batch_refuses_and_allows_predicted_tags_too();
  wrong_edits_change_nothing();
  deleted_documents_are_gone_at_once();
  writing_waits_for_what_was_ingested();
  kindred_close(kindred);
  remove_tree(directory);
  return failures != 0;
}
