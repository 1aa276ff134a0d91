"""What Chromium reaches in a tree on a disk, from its first page: python3 browse.py FOLDER PAGE...

Chromium reads each document and says itself where its references lead: `a.href`, `link.href`,
`img.src` and their like of the document that it made, and `URL` for what a style sheet says. All
that is below the directory is requested. The documents are got by a script of a page, not shown:
five hundred pages that are opened one after the other would take minutes. Those that are named are
shown too, with all that they load.

One line of JSON is printed: `reached` and `missing`, paths below the directory; `outside`, how many
references lead elsewhere; `failed`, what the pages that were shown could not load. Without a
browser nothing is printed.
"""

import json
import os
import pathlib
import sys
import tempfile
from urllib.parse import unquote

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
import chromium  # noqa: E402

CRAWL = """(async (root) => {
  const ask = (url, type) => new Promise(resolve => {
    const request = new XMLHttpRequest();
    request.open('GET', url);
    request.responseType = type;
    request.onload = () => resolve(request.response);
    request.onerror = () => resolve(null);
    request.send();
  });
  const names = ['href', 'src', 'data', 'poster', 'cite', 'background', 'longDesc'];
  const css = (text, base) => [...text.matchAll(/url\\(\\s*["']?([^"')]*)["']?\\s*\\)|@import\\s*["']([^"']*)["']/g)]
    .map(match => new URL(match[1] || match[2], base).href);
  const links = page => {
    const found = [];
    for (const element of page.querySelectorAll('*')) {
      for (const name of names) {
        if (typeof element[name] == 'string' && element.getAttribute(name)) found.push(element[name]);
      }
      if (element.getAttribute('action')) found.push(element.action);
      if (element.getAttribute('style')) found.push(...css(element.getAttribute('style'), page.baseURI));
    }
    return found;
  };
  const waiting = [root + 'index.html'], seen = new Set(waiting), reached = [], missing = [];
  let outside = 0;
  const work = async () => {
    while (waiting.length) {
      const url = waiting.pop();
      const is_page = /\\.html?$/.test(url), is_style = /\\.css$/.test(url);
      const got = await ask(url, is_page ? 'document' : is_style ? 'text' : 'arraybuffer');
      if (got === null) {
        missing.push(url);
        continue;
      }
      reached.push(url);
      for (const link of is_page ? links(got) : is_style ? css(got, url) : []) {
        const target = link.split('#')[0].split('?')[0];
        if (!target.startsWith(root)) outside += /^(https?|ftp|file):/.test(target);
        else if (!seen.has(target)) {
          seen.add(target);
          waiting.push(target);
        }
      }
    }
  };
  await work();
  return {reached, missing, outside};
})(%s)"""


def shown(browser, url):
    """What a page could not load that is shown."""
    try:
        browser.open(url)
    except chromium.Failed as reason:
        return [f"{url}: {reason}"]
    return [f"{url}: {failed}: {reason}" for failed, reason in browser.failed(is_wanted=True)]


def main():
    directory, pages = os.path.realpath(sys.argv[1]), sys.argv[2:]
    program = chromium.find()
    if program is None:
        return 0
    root = pathlib.Path(directory).as_uri() + "/"
    with tempfile.TemporaryDirectory(prefix="relink-servers-", ignore_cleanup_errors=True) as temporary:
        empty, wrong = (pathlib.Path(temporary, name) for name in ("empty.html", "wrong.html"))
        empty.write_text("<!doctype html>")
        wrong.write_text("<!doctype html><img src=nothing.png>")
        browser = chromium.Browser(program, temporary, "--allow-file-access-from-files")
        try:
            # One that does not see what fails proves nothing.
            if len(shown(browser, wrong.as_uri())) != 1:
                raise chromium.Failed("a picture that is not there is not missed")
            browser.open(empty.as_uri())
            result = browser.do(CRAWL % json.dumps(root))
            result["failed"] = [reason for page in pages for reason in shown(browser, root + page)]
        finally:
            browser.close()
    for name in ("reached", "missing"):
        result[name] = sorted(unquote(url[len(root) :]) for url in result[name])
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
