"""A page in a real browser: its contrasts and widths, and that it fetches nothing.

usage: browser.py ROOFLINE CHROMIUM CHROMEDRIVER FOLDER
Screenshots are left in FOLDER.
"""

import pathlib
import subprocess
import sys

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

ROOFLINE, CHROMIUM, CHROMEDRIVER, FOLDER = sys.argv[1:5]
FOLDER = pathlib.Path(FOLDER)

# The contrast of every text with what is behind it (WCAG 2.1, 1.4.3), the lowest first.
CONTRAST = """
function channel(c) { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; }
function luminance(c) { return 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]); }
function parse(text) {
  const n = text.match(/[\\d.]+/g).map(Number);
  return n.length === 4 && n[3] === 0 ? null : n;
}
function behind(node) {
  if (node.closest('svg')) return parse(getComputedStyle(node.closest('svg').querySelector('.paper')).fill);
  for (; node; node = node.parentElement) {
    const c = parse(getComputedStyle(node).backgroundColor);
    if (c) return c;
  }
  return [255, 255, 255];
}
const found = [];
for (const node of document.querySelectorAll('h1,h2,p,a,th,td,li,summary,pre,button,input,label,svg text')) {
  if (node.tagName === 'a' || (!node.textContent.trim() && node.tagName !== 'INPUT')) continue;
  const style = getComputedStyle(node);
  const a = luminance(parse(node.closest('svg') ? style.fill : style.color));
  const b = luminance(behind(node));
  found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), node.tagName, node.textContent.slice(0, 40)]);
}
return found.sort((x, y) => x[0] - y[0])[0];
"""


def check(condition, what):
    if not condition:
        raise SystemExit("failed: " + what)


# In pictures, letters are scaled as their picture is.
SMALLEST_LETTERS = """
return Math.min(...[...document.querySelectorAll('svg text, pre')]
    .filter(each => each.getClientRects().length > 0).map(each => {
  const size = parseFloat(getComputedStyle(each).fontSize);
  const matrix = each.getScreenCTM ? each.getScreenCTM().a : 1;
  return size * matrix;
}));
"""


def browser():
    options = Options()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1200,1600"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(CHROMEDRIVER), options=options)


def write_page(name, arguments):
    path = FOLDER / name
    subprocess.run([ROOFLINE, *arguments.split(), "-o", str(path)], check=True)
    return path


def check_looks(driver):
    ratio, tag, text = driver.execute_script(CONTRAST)
    check(ratio >= 4.5, f"contrast {ratio:.2f} of {tag} \"{text}\"")
    driver.save_screenshot(str(FOLDER / "page.png"))
    for width in (400, 1200):
        driver.set_window_size(width, 1600)
        wide = driver.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(wide <= 0, f"at {width} pixels nothing sticks out of the page: {wide}")
        letters = driver.execute_script(SMALLEST_LETTERS)
        check(letters >= 12, f"at {width} pixels letters are 12 pixels or larger: {letters:.1f}")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = write_page("resnet50.html", "resnet50 --gpu v100")
    driver = browser()
    try:
        driver.get(path.as_uri())
        check_looks(driver)
        severe = [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
        check(not severe, f"no errors in the console: {severe}")
        fetched = driver.execute_script("return performance.getEntriesByType('resource').length")
        check(fetched == 0, "nothing is fetched")
    finally:
        driver.quit()


main()
