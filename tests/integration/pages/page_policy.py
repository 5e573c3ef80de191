#!/usr/bin/env python3
"""Whether the content security policy of a page lets in the page's own script and style, and nothing else.

  page_policy.py PAGE.html
"""
import base64
import hashlib
import html.parser
import sys


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.policy, self.inside = None, None
        self.sources = {"script": [], "style": []}

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        if names.get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(part.split(" ", 1) for part in names["content"].split("; "))
        elif tag not in ("html", "head", "meta"):
            assert self.policy, f"<{tag}> comes before the policy"
        for name in names:
            assert name != "style" and not name.startswith("on"), f"{name}=, which the policy blocks"
        data = tag == "script" and "type" in names  # which nothing runs
        self.inside = tag if tag in self.sources and not data else None
        if self.inside:
            self.sources[tag].append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, text):
        if self.inside:
            self.sources[self.inside][-1] += text


page = Page()
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    page.feed(file.read())
for tag, contents in page.sources.items():
    hashes = ["'sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() + "'"
              for content in contents]
    assert page.policy[tag + "-src"] == (" ".join(hashes) or "'none'"), (tag, page.policy, hashes)
others = {key: value for key, value in page.policy.items() if key not in ("script-src", "style-src")}
assert others == {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}, others
