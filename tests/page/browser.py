"""A page in a real browser: sorted, followed to derivations, by mouse and by keyboard.

usage: browser.py ROOFLINE CHROMIUM CHROMEDRIVER FOLDER
Screenshots are left in FOLDER.
"""

import pathlib
import subprocess
import sys

from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

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


def browser(script=True):
    options = Options()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1200,1600"):
        options.add_argument(argument)
    if not script:
        options.add_experimental_option(
            "prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(CHROMEDRIVER), options=options)


def write_page(name, arguments):
    path = FOLDER / name
    subprocess.run([ROOFLINE, *arguments.split(), "-o", str(path)], check=True)
    return path


def rows(driver):
    cells = driver.find_elements(By.CSS_SELECTOR, "#layer-table tbody tr:not([hidden])")
    return cells


def first_name(driver):
    return rows(driver)[0].find_element(By.CSS_SELECTOR, "th").text


def head(driver, name):
    for button in driver.find_elements(By.CSS_SELECTOR, "#layer-table thead button"):
        if button.text.split(" ")[0] == name:
            return button
    raise SystemExit("failed: a column " + name)


def derivation_text(driver):
    found = driver.find_elements(By.CSS_SELECTOR, "#derivations details:target[open] pre")
    return found[0].text if found else None


def check_sorting(driver):
    check(first_name(driver) == "conv1", "rows come in the network's order")
    head(driver, "expected").click()
    check(first_name(driver) == "layer4.0.conv2", "one click sorts numbers, the largest first")
    header = head(driver, "expected").find_element(By.XPATH, "..")
    check(header.get_attribute("aria-sort") == "descending", "the header says how it sorts")
    head(driver, "expected").click()
    check(header.get_attribute("aria-sort") == "ascending", "another click turns the order round")
    head(driver, "layer").click()
    check(first_name(driver) == "avgpool", "names sort by letters")


def soon(driver, holds):
    """Whether it holds before long: a page follows a link after the click has returned."""
    try:
        return WebDriverWait(driver, 10).until(lambda _: holds())
    except TimeoutException:
        return False


def check_derivation(driver):
    driver.find_element(By.LINK_TEXT, "layer4.1.conv2").click()
    check(soon(driver, lambda: "layer4.1.conv2 of resnet50" in (derivation_text(driver) or "")),
          "a name leads to its derivation")
    driver.back()
    driver.find_element(By.LINK_TEXT, "layer4.1.conv1").send_keys(Keys.ENTER)
    check(soon(driver, lambda: derivation_text(driver) is not None), "the keyboard leads there")
    driver.save_screenshot(str(FOLDER / "derivation.png"))


def check_looks(driver):
    for scheme in ("light", "dark"):
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                               {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        ratio, tag, text = driver.execute_script(CONTRAST)
        check(ratio >= 4.5, f"contrast {ratio:.2f} of {tag} \"{text}\" in {scheme}")
        driver.save_screenshot(str(FOLDER / f"{scheme}.png"))
    for width in (400, 1200):
        driver.set_window_size(width, 1600)
        wide = driver.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(wide <= 0, f"at {width} pixels nothing sticks out of the page: {wide}")


def check_without_script(path):
    driver = browser(script=False)
    try:
        driver.get(path.as_uri())
        check(len(rows(driver)) > 100, "every layer is there without script")
        check(not driver.find_elements(By.CSS_SELECTOR, "#layer-table button"), "and no dead controls")
        summary = driver.find_element(By.CSS_SELECTOR, "#derivations summary")
        summary.click()
        pre = driver.find_element(By.CSS_SELECTOR, "#derivations details[open] pre")
        check("What bounds it?" in pre.text, "derivations open without script")
        driver.find_element(By.LINK_TEXT, "layer4.1.conv2").click()
        check(driver.current_url.split("#")[1].startswith("d0-"), "names lead to derivations")
    finally:
        driver.quit()


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = write_page("resnet50.html", "resnet50 --gpu v100")
    driver = browser()
    try:
        driver.get(path.as_uri())
        for step in (check_sorting, check_derivation, check_looks):
            step(driver)
        severe = [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
        check(not severe, f"no errors in the console: {severe}")
        fetched = driver.execute_script("return performance.getEntriesByType('resource').length")
        check(fetched == 0, "nothing is fetched")
    finally:
        driver.quit()
    check_without_script(path)


main()
