#!/usr/bin/env python3
"""Uses the map of the search server in a real browser: by mouse, by keys, and by one finger or two.

usage: page_map_test.py KINDRED_SERVER LIBKINDRED DATA_DIR [TEST...]
"""
import json

from page_reader import PageTest, main


class MapPage(PageTest):
    def test_the_map_tells_what_lies_below_the_mouse_and_filters_by_a_click(self):
        self.open("/explore")
        usual = self.text("#readout")
        place = self.browser.ask("""(() => {
            const box = document.querySelector('.region path[data-unit]').getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2]; })()""")
        self.browser.point(*place)
        self.until(f"document.getElementById('readout').innerText !== {json.dumps(usual)}")
        name = self.browser.ask("document.querySelector('.region.hover').dataset.name")
        self.assertIn(name, self.text("#readout"))
        self.browser.click(*place)
        self.until("location.search.startsWith('?topic=')")
        self.until("document.querySelector('.region.chosen').dataset.name", name)
        self.assertGreater(self.browser.ask("document.querySelectorAll('.map-side .plain-list li').length"), 0)
        self.no_faults()

    def test_the_map_is_used_by_keys_and_keeps_what_is_seen_in_its_address(self):
        self.open("/explore")
        self.browser.ask("document.getElementById('map-box').focus()")
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "+"):
            self.browser.press(key)
        self.until("location.hash.startsWith('#view=')")
        seen = self.browser.ask("document.getElementById('map').getAttribute('viewBox')")
        hash_part = self.browser.ask("location.hash")
        self.open("/try")
        self.open("/explore" + hash_part)
        self.assertEqual([round(float(n)) for n in seen.split()],
                         [round(float(n)) for n in self.browser.ask(
                             "document.getElementById('map').getAttribute('viewBox')").split()])
        self.browser.ask("document.getElementById('map-box').focus()")
        self.browser.press("ArrowRight")
        self.browser.press("Enter")
        self.until("location.search.startsWith('?topic=')")
        self.no_faults()

    # By fingers

    def open_map_on_a_phone(self):
        self.browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        self.addCleanup(self.browser.call, "Emulation.setTouchEmulationEnabled", enabled=False)
        self.open("/explore", "phone")

    def seen_of_map(self):
        """What of the map is seen: left, top, width and height in its units."""
        return [float(n) for n in self.browser.ask(
            "document.getElementById('map').getAttribute('viewBox')").split()]

    def middle_of_map(self):
        return self.browser.ask("""(() => {
            const box = document.getElementById('map').getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2]; })()""")

    def place_on_map(self, x, y):
        """The place in the units of the map at a place of the screen."""
        return self.browser.ask(f"""(() => {{
            const at = new DOMPoint({x}, {y}).matrixTransform(
                document.getElementById('map').getScreenCTM().inverse());
            return [at.x, at.y]; }})()""")

    def pinch(self, x, y, distances):
        self.browser.touch([[(x - d, y), (x + d, y)] for d in distances])

    def test_two_fingers_zoom_the_map_about_the_place_between_them(self):
        self.open_map_on_a_phone()
        x, y = self.middle_of_map()
        x, y = x + 40, y - 30
        everything, below = self.seen_of_map(), self.place_on_map(x, y)
        self.pinch(x, y, range(20, 61, 10))
        self.until("location.hash.startsWith('#view=')")
        zoomed = self.seen_of_map()
        self.assertAlmostEqual(zoomed[2], everything[2] / 3, delta=everything[2] / 50)
        for had, has in zip(below, self.place_on_map(x, y)):
            self.assertAlmostEqual(had, has, delta=everything[2] / 50)
        self.assertEqual(self.browser.ask("visualViewport.scale"), 1)
        self.pinch(x, y, range(60, 9, -10))
        self.until("location.hash", "")
        self.assertEqual(self.seen_of_map(), everything)
        self.assertEqual(self.address(), "/explore")
        self.no_faults()

    def test_a_finger_pulls_the_map_where_it_is_zoomed_and_chooses_nothing(self):
        self.open_map_on_a_phone()
        x, y = self.middle_of_map()
        self.pinch(x, y, range(20, 81, 10))
        zoomed, below = self.seen_of_map(), self.place_on_map(x, y)
        self.browser.touch([[(x + d, y + d / 2)] for d in range(0, 41, 10)])
        self.until("document.getElementById('map').getAttribute('viewBox') !== "
                   + json.dumps(" ".join(f"{n:g}" for n in zoomed)))
        self.assertEqual(self.seen_of_map()[2:], zoomed[2:])
        for had, has in zip(below, self.place_on_map(x + 40, y + 20)):
            self.assertAlmostEqual(had, has, delta=zoomed[2] / 20)
        self.assertEqual(self.browser.ask("scrollY"), 0)
        self.assertEqual(self.address(), "/explore")
        self.no_faults()

    def test_a_finger_scrolls_the_page_over_a_map_that_is_not_zoomed(self):
        self.open_map_on_a_phone()
        x, y = self.middle_of_map()
        everything = self.seen_of_map()
        self.browser.touch([[(x, y - d)] for d in range(0, 121, 10)])
        self.until("scrollY > 0")
        self.assertEqual(self.seen_of_map(), everything)
        self.assertEqual(self.address(), "/explore")
        self.no_faults()

    def test_a_tap_on_the_map_chooses_a_topic_zoomed_or_not(self):
        for zoomed in (False, True):
            self.open_map_on_a_phone()
            if zoomed:
                self.pinch(*self.middle_of_map(), range(20, 61, 10))
            x, y, name = self.browser.ask("""(() => {
                const all = [...document.querySelectorAll('.region path[data-unit]')].map((unit) => {
                    const box = unit.getBoundingClientRect();
                    return [box.left + box.width / 2, box.top + box.height / 2,
                            unit.closest('a').dataset.name]; });
                const map = document.getElementById('map-box').getBoundingClientRect();
                return all.find(([x, y]) => Math.abs(x - map.left - map.width / 2) < 60 &&
                                            Math.abs(y - map.top - map.height / 2) < 60); })()""")
            self.browser.tap(x, y)
            self.until("location.search.startsWith('?topic=')")
            self.until("document.querySelector('.region.chosen').dataset.name", name)
            self.no_faults()


if __name__ == "__main__":
    main()
