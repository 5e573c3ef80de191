"""A web site of Omega for tests: the templates of examples/hosts/omega by the real omega, beside
Kindred's search server.

    omega_site.py OMEGA DATABASE BROWSER SERVER [SCREENSHOT]

SERVER is its program and options, in one argument, or "" if it is not built: then the answers that
it would give are made by the program that $KINDRED names.

Opens pages in the browser, and checks what a reader sees. OMEGA_CONFIG_FILE is as for omega.
"""
import http.server
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
GLUE = HERE.parents[2] / "examples/hosts/omega"
sys.path.insert(0, str(HERE.parent / "pages"))
from browser import Browser  # noqa: E402  beside the tests of pages


class SearchServer:
    """Kindred's own, or what stands in for it."""

    def __init__(self, command, database):
        self.database, self.process = database, None
        if command:
            self.process = subprocess.Popen([*shlex.split(command), "--database", database, "--port",
                                             "0"], stdout=subprocess.PIPE, text=True)
            self.address = re.search(r"http://[\w.:]+", self.process.stdout.readline())[0]
            self.wait()

    def wait(self):
        for _ in range(200):
            try:
                return urllib.request.urlopen(self.address + "/readyz").close()
            except urllib.error.URLError:
                time.sleep(0.05)
        sys.exit("the search server is not ready")

    def get(self, path):
        if self.process:
            with urllib.request.urlopen(self.address + path) as answer:
                return answer.read()
        id_ = urllib.parse.unquote(path.split("/")[2])
        found = subprocess.run([os.environ["KINDRED"], "related", "--db", self.database, "--json",
                                "--explain", "--id", id_], check=True, stdout=subprocess.PIPE)
        return json.dumps({"results": json.loads(found.stdout)["results"]}).encode()

    def close(self):
        if self.process:
            self.process.terminate()
            self.process.wait()


class Site(http.server.BaseHTTPRequestHandler):
    search_server = None

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/omega":
            self.answer(*self.page(query))
        elif path.startswith("/kindred-omega/"):
            kind = {".css": "text/css", ".js": "text/javascript"}[pathlib.Path(path).suffix]
            self.answer(kind, (GLUE / path.rpartition("/")[2]).read_bytes())
        elif path.startswith("/kindred/") and self.search_server:
            self.answer("application/json",
                        self.search_server.get(self.path[len("/kindred"):]))
        else:
            self.send_error(404)

    def page(self, query):
        environment = {**os.environ, "REQUEST_METHOD": "GET", "QUERY_STRING": query}
        head, _, body = subprocess.run([sys.argv[1]], env=environment, check=True,
                                       stdout=subprocess.PIPE).stdout.partition(b"\n\n")
        return head.decode().partition(": ")[2], body

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
    Site.search_server = server = SearchServer(sys.argv[4], sys.argv[2])
    browser = Browser(sys.argv[3])
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
        Site.search_server = None  # then there is what is stored
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
        server.close()
        site.shutdown()


main()
