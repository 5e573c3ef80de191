/* kindred_ask() as a host uses it: every question, its progress, and the numbers of typed calls. */
#include "tests/c_api/c_api_fixture.h"

static kindred_handle* kindred;

static void every_question_is_answered(void) {
  static const char* const cases[][3] = {
      {"status", "{\"survey\": true, \"guess\": true}", "\"prefixes\":["},
      {"settings", "", "\"id_prefix\":\"Q\""},
      {"labels", "", "{\"label\":\"kitchen\",\"documents\":3"},
      {"matching", "{\"query\": \"label:sea\", \"limit\": 2}", "\"found\":3"},
      {"search", "{\"query\": \"tide\", \"label\": [\"sea\"]}", "\"hit\":true"},
      {"documents", "{\"examples\": [{\"id\": \"b2\"}]}", "\"labels\":[\"kitchen\",\"quick\"]"},
      {"export", "{\"limit\": 3}", "\"next\":3"},
      {"analyze", "{\"text\": \"the rising tides\"}", "\"term\":\"Ztide\""},
      {"analyze", "{\"query\": \"tides\"}", "\"word\":\"tides\""},
      {"related", "{\"like\": [{\"id\": \"b1\"}], \"explain\": true}", "\"contribution\":"},
      {"related", "{\"like_query\": \"harbor\", \"fold\": 0.9}", "\"folded\":[]"},
      {"related", "{\"each\": [1, 2]}", "\"answers\":[{\"docid\":1,"},
      {"classify", "{\"examples\": [{\"text\": \"bake bread\"}], \"explain\": true}",
       "\"label\":\"kitchen\""},
      {"candidates", "{\"label\": \"sea\", \"explain\": true, \"predicted\": true}",
       "\"examined\":5"},
      {"suspects", "", "\"examined\":6"},
      {"duplicates", "{\"min_similarity\": 0.1}", "\"grouped\":"},
      {"evaluate", "{\"per_label\": true, \"confusion\": true}", "\"micro_f1\":"},
      {"geometry", "", "\"informativeness\":"},
      {"tune", "{\"dry_run\": true}", "\"method\":"},
      {"tune", "{\"if_due\": true}", "\"tuned\":false"},
      {"train_topics", "{\"rows\": 2, \"columns\": 2, \"topics\": 2}", "\"topics\":2"},
      {"topics", "", "\"typical\":["},
      {"topic_of", "{\"examples\": [{\"text\": \"bake bread\"}]}", "\"novelty\":"},
      {"map", "{\"places\": true}", "\"places\":[{\"id\":\"b1\""},
      {"assign_topics", "", "\"examined\":8"},
      {"tag", "{\"restart\": true}", "\"labeled\":6"},
      {"edit", "{\"edits\": [{\"id\": \"u1\", \"add\": [\"quick\"]}]}", "\"labels\":[\"quick\"]"},
      {"edit_label", "{\"label\": \"quick\", \"name\": \"fast\"}", "\"documents\":2"},
      {"store_related", "{\"limit\": 1}", "\"slot\":"},
      {"save_mirror", "", "kindred.mirror"},
      {"delete", "{\"ids\": [\"e1\", \"no such id\"]}", "\"deleted\":1,\"unknown\":1"},
      {"tune", "{\"remove\": true}", "\"removed\":false"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const char* const answer = ask(kindred, cases[i][0], cases[i][1]);
    if (strstr(answer, cases[i][2]) != NULL) continue;
    fprintf(stderr, "%s %s: no %s in %s\n", cases[i][0], cases[i][1], cases[i][2], answer);
    CHECK(0);
  }
  CHECK(documents_of(kindred) == kNotes - 1); /* what was written is seen */
}

static void pages_follow_each_other(void) {
  CHECK_SAYS(ask(kindred, "export", "{\"limit\": 5, \"after\": 3}"), "\"next\":null");
  CHECK_SAYS(ask(kindred, "matching", "{\"limit\": 2}"), "\"next\":2");
  CHECK_SAYS(ask(kindred, "matching", "{\"limit\": 100, \"offset\": 2}"), "\"next\":null");
  CHECK_SAYS(ask(kindred, "candidates", "{\"label\": \"sea\", \"limit\": 1, \"predicted\": true}"),
             "\"next\":");
}

static void typed_calls_give_the_same_numbers(void) {
  const kindred_example bread = by_id("b1");
  const kindred_related_request request = like(&bread);
  kindred_related_result* related = NULL;
  kindred_classification* tags = NULL;
  char number[64];
  const char* at;
  CHECK_OK(kindred_related(kindred, &request, &related));
  at = ask(kindred, "related", "{\"like\": [{\"id\": \"b1\"}]}");
  for (size_t i = 0; i < related->document_count; ++i) {
    at = strstr(at, "\"similarity\":");
    REQUIRE(at != NULL);
    at += strlen("\"similarity\":");
    CHECK((float)strtod(at, NULL) == related->documents[i].similarity);
  }
  CHECK(strstr(at, "\"similarity\":") == NULL);
  kindred_related_free(related);
  CHECK_OK(kindred_classify(kindred, &bread, NULL, &tags));
  at = ask(kindred, "classify", "{\"examples\": [{\"id\": \"b1\"}]}");
  REQUIRE(tags->tag_count > 0);
  CHECK(number_in(at, "confidence") == tags->tags[0].confidence);
  snprintf(number, sizeof number, "\"label\":\"%s\"", tags->tags[0].label.data);
  CHECK_SAYS(at, number);
  kindred_classification_free(tags);
}

static void labels_have_names(void) {
  const kindred_example bread = by_id("b1");
  kindred_classification* tags = NULL;
  CHECK_SAYS(ask(kindred, "load_vocabulary",
                 "{\"terms\": [{\"id\": \"kitchen\", \"names\": [{\"text\": \"The kitchen\"}]},"
                 " {\"id\": \"fast\", \"names\": [{\"text\": \"Made fast\"}]},"
                 " {\"id\": \"\"}], \"skip_bad\": true}"),
             "\"fault\":\"has no id\"");
  CHECK_SAYS(ask(kindred, "vocabulary", "{\"query\": \"KITCH\"}"), "\"documents\":3");
  CHECK_SAYS(ask(kindred, "matching", "{\"query\": \"label:\\\"the kitchen\\\"\"}"), "\"found\":3");
  CHECK_SAYS(ask(kindred, "classify", "{\"example\": {\"id\": \"b1\"}}"),
             "\"label\":\"kitchen\",\"name\":\"The kitchen\"");

  CHECK_OK(kindred_classify(kindred, &bread, NULL, &tags));
  REQUIRE(tags->tag_count > 0 && tags->best != NULL);
  CHECK(equals(tags->tags[0].label, "fast") && equals(tags->tags[0].name, "Made fast"));
  CHECK(equals(tags->best->name, "Made fast"));
  kindred_classification_free(tags);

  CHECK_SAYS(ask(kindred, "remove_vocabulary", ""), "\"removed\":true");
  CHECK(strstr(ask(kindred, "classify", "{\"example\": {\"id\": \"b1\"}}"), "\"name\"") == NULL);
}

static int count_until(void* user, const kindred_step* step) {
  int* const left = user;
  CHECK(step->size == sizeof *step && step->doing.data != NULL);
  return (*left)-- == 0;
}

static void progress_counts_and_cancels(void) {
  static const char question[] = "train_topics", request[] = "{\"rows\": 2, \"columns\": 2}";
  kindred_answer* answer = NULL;
  int left = 1000;
  CHECK_OK(kindred_ask(kindred, question, strlen(question), request, strlen(request), count_until,
                       &left, &answer));
  CHECK(left < 1000 && answer != NULL);
  kindred_answer_free(answer);
  answer = NULL;
  left = 0;
  CHECK_FAILS(kindred_ask(kindred, question, strlen(question), request, strlen(request),
                          count_until, &left, &answer),
              KINDRED_CANCELED, "canceled");
  left = 0;
  CHECK(kindred_ask(kindred, "suspects", 8, NULL, 0, count_until, &left, &answer) ==
        KINDRED_CANCELED);
  CHECK(answer == NULL);
}

static void names_that_are_no_text_are_escaped(void) {
  CHECK_OK(ingest(kindred, "{\"id\":\"a\\\\b\",\"text\":\"tide\"}"));
  CHECK_OK(kindred_end_ingest(kindred, NULL));
  CHECK_SAYS(ask(kindred, "documents", "{\"examples\": [{\"id\": \"a\\\\\\\\b\"}]}"),
             "\"id\":\"a\\\\\\\\b\"");
}

int main(void) {
  make_directory();
  kindred = create_notes(path_to("notes.db"));
  every_question_is_answered();
  pages_follow_each_other();
  typed_calls_give_the_same_numbers();
  labels_have_names();
  progress_counts_and_cancels();
  names_that_are_no_text_are_escaped();
  kindred_answer_free(NULL);
  kindred_close(kindred);
  remove_tree(directory);
  return failures != 0;
}
