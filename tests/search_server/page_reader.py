"""What a reader of the pages does and sees, in a browser before a server with a small collection."""
import json
import sys
import time
import unittest

from page_site import CHROMIUM, Browser, PageSite
from running_server import TOKEN, quoted

PATIENCE = 20  # seconds; what is waited for comes much sooner
SIZES = {"small": (360, 780), "phone": (390, 844), "desk": (1280, 900), "wide": (1920, 1080)}


class PageTest(unittest.TestCase):
    """A browser and a server for all tests of a class. `programs`: the server, the library and the
    folder of its documents."""
    programs = None

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(CHROMIUM)
        cls.site = PageSite(*cls.programs)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.site.close()

    @property
    def server(self):
        return self.site.server

    def setUp(self):
        self.browser.call("Network.clearBrowserCookies")

    def open(self, target, size="desk", scheme="light"):
        width, height = SIZES[size]
        self.browser.open(self.site.address(target), width, height, scheme)

    def until(self, expression, wanted=True):
        end = time.monotonic() + PATIENCE
        while (found := self.ask_of_any_page(expression)) != wanted:
            assert time.monotonic() < end, f"{expression} stays {found!r}, expected {wanted!r}"
        return found

    def ask_of_any_page(self, expression):
        """Asks again if the page is left meanwhile."""
        try:
            return self.browser.ask(expression)
        except RuntimeError as error:
            if "navigated" not in str(error) and "context" not in str(error):
                raise
            return None

    def text(self, selector="main"):
        return self.browser.ask(f"document.querySelector({json.dumps(selector)}).innerText")

    def click(self, selector):
        """By the mouse, on the middle of the element."""
        place = self.browser.ask(f"""(() => {{
            const e = document.querySelector({json.dumps(selector)});
            e.scrollIntoView({{ block: 'center' }});
            const box = e.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2]; }})()""")
        self.browser.click(*place)

    def address(self):
        return self.browser.ask("location.pathname + location.search")

    def sign_in(self):
        self.open("/session?next=/")
        self.browser.ask("document.getElementById('token').focus()")
        self.browser.write(TOKEN)
        self.click(".sign-in button")
        self.until("location.pathname", "/")
        self.until("document.querySelector('.session button') !== null")

    def document(self, name):
        return self.server.get("/documents/" + quoted(name)).json()

    def predicted(self):
        """Documents with a predicted tag, and that tag."""
        found = self.server.get("/search?limit=100").json()["documents"]
        return [(d["id"], d["predicted"][0]["label"]) for d in found if d["predicted"]]

    def no_faults(self):
        self.assertEqual([f for f in self.browser.faults() if "status of 404" not in f], [])


def main(arguments=None):
    """Runs the tests: those that are named, or all."""
    arguments = arguments or sys.argv[1:]
    if not CHROMIUM:
        print("skipped: chromium is not installed")
        sys.exit(77)
    PageTest.programs = arguments[:3]
    unittest.main(argv=[sys.argv[0], *arguments[3:]], verbosity=2)
