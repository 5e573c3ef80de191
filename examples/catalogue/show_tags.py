#!/usr/bin/env python3
"""Shows predicted tags and their reasons for people.

usage: kindred classify --jsonl RECORDS --neighbors --json ... | show_tags.py RECORDS
"""
import json
import sys


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        titles = {r["id"]: r.get("title", "") for r in map(json.loads, file)}
    for line in sys.stdin:
        answer = json.loads(line)
        print(f"{answer['id']} - {titles[answer['id']]}")
        if not answer["tags"]:
            print("    no tag: the neighbors disagree")
        for tag in answer["tags"]:
            voters = [n["id"] for n in answer["neighbors"] if tag["label"] in n["labels"]]
            more = f" and {len(voters) - 3} more" if len(voters) > 3 else ""
            print(f"    {tag['confidence']:4.0%}  {tag['label']:<34} as {', '.join(voters[:3])}{more}")


if __name__ == "__main__":
    main()
