"""A web site of Omega for tests: the templates of examples/hosts/omega by the real omega, and
answers as Kindred's search server gives them, made by the kindred program.

    omega_site.py KINDRED OMEGA DATABASE BROWSER [SCREENSHOT]

Opens pages in the browser, and checks what a reader sees. OMEGA_CONFIG_FILE is as for omega.
"""
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
GLUE = HERE.parents[2] / "examples/hosts/omega"
sys.path.insert(0, str(HERE.parent / "pages"))
from browser import Browser  # noqa: E402  beside the tests of pages


class Site(http.server.BaseHTTPRequestHandler):
    serving = True  # whether Kindred's search server answers

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/omega":
            self.answer(*self.page(query))
        elif path.startswith("/kindred-omega/"):
            kind = {".css": "text/css", ".js": "text/javascript"}[pathlib.Path(path).suffix]
            self.answer(kind, (GLUE / path.rpartition("/")[2]).read_bytes())
        elif path.startswith("/kindred/documents/") and self.serving:
            self.answer("application/json", self.related(path.split("/")[3]))
        else:
            self.send_error(404)

    def page(self, query):
        environment = {**os.environ, "REQUEST_METHOD": "GET", "QUERY_STRING": query}
        head, _, body = subprocess.run([sys.argv[2]], env=environment, check=True,
                                       stdout=subprocess.PIPE).stdout.partition(b"\n\n")
        return head.decode().partition(": ")[2], body

    def related(self, id_):
        found = subprocess.run([sys.argv[1], "related", "--db", sys.argv[3], "--json", "--explain",
                                "--id", urllib.parse.unquote(id_)], check=True,
                               stdout=subprocess.PIPE).stdout
        return json.dumps({"documents": json.loads(found)["results"]}).encode()

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def check(browser, question, expected):
    for _ in range(100):  # a panel is filled, and a frame loaded, after the page
        seen = browser.ask(question)
        if seen == expected:
            return
    sys.exit("%s: expected %r, got %r" % (question, expected, seen))


def main():
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    address = "http://127.0.0.1:%d/omega?FMT=kindred&" % site.server_port
    browser = Browser(sys.argv[4])
    try:
        panel = "document.querySelector('section[data-kindred]')"
        titles = "[...%s.querySelectorAll('li a')].map((a) => a.textContent).slice(0, 2)"
        browser.open(address + "MORELIKE=1", 1200, 800, "light")
        check(browser, titles % panel, ["Back to the Moon", "Moon rocks"])
        reasons = panel + ".querySelector('small').textContent"
        check(browser, "/^0[.][0-9]{2} [A-Za-z]+, /.test(%s)" % reasons, True)
        if len(sys.argv) > 5:
            browser.screenshot(sys.argv[5])
        check(browser, "document.querySelector('#hits').textContent",
              "Like “Apollo lands on the Moon”, by Omega")
        browser.open(address + "MORELIKE=41", 360, 640, "dark")
        check(browser, "document.documentElement.scrollWidth <= innerWidth", True)
        Site.serving = False  # then there is what is stored
        browser.open(address + "MORELIKE=1", 1200, 800, "light")
        frame = panel + ".querySelector('iframe').contentDocument"
        check(browser, "%s.querySelectorAll('li').length" % frame, 5)
        shown = ("[...%s.querySelectorAll('li')].sort((a, b) => a.style.order - b.style.order)"
                 ".map((li) => li.textContent).slice(0, 2)" % frame)
        check(browser, shown, ["Back to the Moon", "Moon rocks"])
        faults = [fault for fault in browser.faults() if "404" not in fault]
        if faults:
            sys.exit("\n".join(faults))
    finally:
        browser.close()
        site.shutdown()


main()
