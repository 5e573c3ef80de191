"""pip installs the package without a network, and the examples of docs/python.md give the answers
that the page shows.

usage: page_test.py PAGE SOURCES (that pip takes), with $KINDRED_LIBRARY"""

import doctest
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

page, sources = map(os.path.abspath, sys.argv[1:])
with open(page, encoding="utf-8") as file:
    blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.DOTALL | re.MULTILINE)
for needed, sign in (("pandas", "to_dataframe"), ("sklearn", "sklearn")):
    if importlib.util.find_spec(needed) is None:
        print("skipped: examples with %s, which is not installed" % needed)
        blocks = [block for block in blocks if sign not in block]
with tempfile.TemporaryDirectory() as folder:
    if importlib.util.find_spec("pip") is None:
        print("skipped: pip is not installed")
    else:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
                        "--no-cache-dir", "--target", folder + "/installed", sources], check=True)
        sources = folder + "/installed"
    sys.path.insert(0, sources)
    os.chdir(folder)
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, page, page, 0)
    failed, tried = doctest.DocTestRunner().run(test)
print("%d examples" % tried)
sys.exit(failed > 0 or tried == 0)
