#!/usr/bin/env python3
"""Shows predicted tags for people: those that are sure with the words and the documents that speak
for them, and those that are not as what may be. Ends with how often the best tag is right.

usage: kindred classify --jsonl RECORDS --explain --json ... | show_tags.py RECORDS STATUS
"""
import json
import sys

SURE = 0.5


def called(tag):
    """Its name, if the vocabulary has one."""
    return tag.get("name") or tag["label"]


def show(answer, record):
    print(f"\n{record['id']} - {record.get('title', '')}")
    reasons = {reason["label"]: reason for reason in answer["reasons"]}
    sure = [tag for tag in answer["tags"] if tag["confidence"] >= SURE]
    for tag in sure[:4]:
        reason = reasons.get(tag["label"], {"terms": [], "voters": []})
        words = [term["word"] for term in reason["terms"][:3]]
        voters = [voter["id"] for voter in reason["voters"][:2]]
        print(f"  {tag['confidence']:4.0%}  {called(tag):<26} {', '.join(words)}"
              f"{'; as ' if voters else ''}{', '.join(voters)}")
    if sure[4:]:
        print("        also " + ", ".join(called(tag) for tag in sure[4:9]))
    unsure = [f"{called(tag)} ({tag['confidence']:.0%})" for tag in answer["tags"]
              if tag["confidence"] < SURE]
    if unsure:
        print("        perhaps " + ", ".join(unsure[:3]))
    if not answer["tags"]:
        print("        no tag: nothing is sure enough")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        records = {record["id"]: record for record in map(json.loads, file)}
    with open(sys.argv[2], encoding="utf-8") as file:
        tuning = json.load(file).get("tuning")
    for line in sys.stdin:
        answer = json.loads(line)
        show(answer, records[answer["id"]])
    if tuning and tuning.get("scores"):
        scores = tuning["scores"]
        print(f"\nThe best tag is right for {scores['accuracy'] * 100:.0f} of 100 documents: measured on "
              f"{scores['documents']} that people\ntagged, each of them tagged by all the others.")


if __name__ == "__main__":
    main()
