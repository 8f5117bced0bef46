"""The report's page in a real browser: Chromium without a window, driven by Selenium, both Debian's.

They are large (400 MB), so `make deps` leaves them out and these tests are skipped without them; the workflow has them:
apt-get install --no-install-recommends chromium-driver python3-selenium
"""

import itertools
import shutil

import pytest
from test_site import write_later

from antbench.data import cells, runs
from antbench.show import site as make_site
from thesis_run import RUN_ID, write_run

DRIVER = shutil.which("chromedriver")
webdriver = pytest.importorskip(
    "selenium.webdriver", reason="no python3-selenium: apt-get install python3-selenium chromium-driver"
)
WebDriverWait = pytest.importorskip("selenium.webdriver.support.wait").WebDriverWait
pytestmark = pytest.mark.skipif(not DRIVER, reason="no chromedriver: apt-get install chromium-driver")

WIDTHS, SCHEMES = (390, 768, 1280, 1920), ("light", "dark")
TABLE = '[id="table-1-3.3"] table'


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = webdriver.Chrome(service=webdriver.chrome.service.Service(DRIVER), options=options)
    yield found
    found.quit()


@pytest.fixture
def page(browser, thesis_report):
    """Freshly opened at 1280 pixels, in light colours."""
    shape(browser, 1280, "light")
    return opened(browser, thesis_report / "tables/3.3.html")


@pytest.fixture
def front(browser, thesis_report):
    """The first page, likewise."""
    shape(browser, 1280, "light")
    return opened(browser, thesis_report / "index.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of a site on a stored GPU with two runs."""
    folder = tmp_path_factory.mktemp("site")
    write_run(folder / "results/reference" / RUN_ID)
    write_later(folder / "results/reference")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "RESULTS", folder / "results")
        patch.setattr(cells, "RESULTS", folder / "results")
        assert make_site.main(["--out", str(folder / "out")]) == 0
    return folder / "out"


def opened(browser, path, place=""):
    browser.get("about:blank")  # another fragment alone would not load the page anew
    browser.get(path.as_uri() + place)
    return browser


def shown_of(page, selector):
    return page.execute_script(
        "return [...document.querySelectorAll(arguments[0])].filter(e => e.offsetHeight).map(e => e.textContent)",
        selector,
    )


def shape(browser, width, scheme):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )


def measured(page, column):
    """The bold numbers of a column of Table 3.3, from above."""
    return page.execute_script(
        f"return [...document.querySelectorAll('{TABLE} tbody tr')].map(r => r.cells[{column}].querySelector('b').textContent)"
    )


def names(page):
    return page.execute_script(
        f"return [...document.querySelectorAll('{TABLE} tbody tr')].filter(r => r.offsetHeight).map(r => r.cells[0].textContent)"
    )


def test_it_says_no_error_and_asks_for_nothing(page):
    assert [entry for entry in page.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []
    asked = page.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    assert [url for url in asked if not url.startswith("data:")] == []


def test_a_column_is_sorted_and_turned_round(page):
    button = page.find_element("css selector", f"{TABLE} th:nth-child(2) .sort")
    assert button.get_attribute("aria-label") == "sort by ACOTSP-style, 1 core"
    as_it_was = names(page)
    for order, state in ((-1, "ascending"), (1, "descending")):  # the column rises as it stands: turned round it falls
        page.execute_script("arguments[0].click()", button)
        numbers = [float(text.replace("~", "").replace("\u202f", "")) for text in measured(page, 1)]
        assert numbers == sorted(numbers, reverse=state == "descending") and len(set(numbers)) > 2
        assert page.execute_script("return arguments[0].parentElement.getAttribute('aria-sort')", button) == state
    assert names(page) == as_it_was[::-1]


def test_cells_without_a_number_come_last_in_either_order(page):
    page.execute_script(
        "const t = document.querySelector(arguments[0]); t.tBodies[0].rows[0].cells[1].querySelector('b').textContent = '–'",
        TABLE,
    )
    for _ in range(2):
        page.execute_script("document.querySelector(arguments[0]).click()", f"{TABLE} th:nth-child(2) .sort")
        assert measured(page, 1)[-1] == "–"


def test_names_are_sorted_as_text(page):
    page.execute_script("document.querySelector(arguments[0]).click()", f"{TABLE} th:first-child .sort")
    assert names(page) == sorted(names(page))


def test_the_filter_leaves_rows_that_have_the_words(page):
    whole = len(names(page))
    page.find_element("id", "filter").send_keys("pr1002")
    assert names(page) == ["pr1002"] and page.find_element("id", "found").text.endswith(" rows")
    page.find_element("id", "filter").clear()
    page.find_element("id", "filter").send_keys("GTX 580")
    assert len(names(page)) == whole, "a title stands for all of its table"


def test_the_first_page_finds_the_tables_that_have_the_words(front):
    front.find_element("id", "filter").send_keys("pr1002")
    found = shown_of(front, "#tables li[data-words]")
    assert any(text.startswith("Table 3.3:") for text in found) and not any("Table 6.1" in text for text in found)
    link = front.find_element("css selector", '[id="table-3.3"] a')
    front.execute_script("arguments[0].click()", link)
    assert front.current_url.endswith("tables/3.3.html#?filter=pr1002") and names(front) == ["pr1002"]


def test_the_view_stands_in_the_address_and_back_leads_to_the_one_before(browser, page, thesis_report):
    as_it_was = names(page)
    page.find_element("id", "filter").send_keys("d198 ")
    assert names(page) == ["d198"] and page.current_url.endswith("#?filter=d198")
    page.execute_script("document.querySelector(arguments[0]).click()", f"{TABLE} th:nth-child(2) .sort")
    page.execute_script("document.querySelector(arguments[0]).click()", f"{TABLE} th:nth-child(2) .sort")
    assert page.current_url.endswith("#?filter=d198&sort=ACOTSP-style%2C+1+core&order=down")
    page.execute_script("history.go(-3)")
    WebDriverWait(page, 10).until(lambda _: names(page) == as_it_was)
    assert page.find_element("id", "filter").get_attribute("value") == ""
    opened(browser, thesis_report / "tables/3.3.html", "#?sort=instance&order=down&intervals=1")
    assert names(page) == sorted(names(page), reverse=True)
    assert page.find_element("css selector", f"{TABLE} td .more").is_displayed()


def test_a_link_into_what_is_folded_opens_it(browser, front, thesis_report):
    for place in ("#figure-4.5", "#table-4.2"):
        opened(browser, thesis_report / "index.html", place)
        assert browser.find_element("css selector", f'[id="{place[1:]}"]').is_displayed(), place


def test_verdicts_choose_claims(front):
    page = front
    page.execute_script("document.getElementById('sentences').open = true")
    shown = "return [...document.querySelectorAll('.claims tbody tr')].filter(r => r.offsetHeight).map(r => r.dataset.verdict)"
    everything = page.execute_script(shown)
    button = page.find_element("css selector", 'button[data-verdict="fails"]')
    button.click()
    assert set(page.execute_script(shown)) == {"fails"} and button.get_attribute("aria-pressed") == "true"
    button.click()
    assert page.execute_script(shown) == everything and len(set(everything)) > 2


def test_intervals_are_reached_by_keyboard_and_by_touch(page):
    interval = page.find_element("css selector", f"{TABLE} td .more")
    assert not interval.is_displayed()
    cell = interval.find_element("xpath", "..")
    page.execute_script("arguments[0].click()", cell)
    assert interval.is_displayed() and " to " in interval.text
    page.execute_script("arguments[0].click()", cell)
    page.find_element("id", "filter").send_keys("\t")  # the next thing that has the focus is the box
    page.switch_to.active_element.send_keys(" ")
    hidden = "return [...document.querySelectorAll('.more')].filter(e => e.offsetParent === null && !e.closest('details:not([open])')).length"
    assert interval.is_displayed() and page.execute_script(hidden) == 0


def test_a_table_is_saved_as_csv(page):
    page.find_element("id", "filter").send_keys("d198")
    text = page.execute_script("return asCsv(document.querySelector(arguments[0]))", TABLE)
    header, row = text.splitlines()
    assert header.startswith(
        'instance,"ACOTSP-style, 1 core","ACOTSP-style, 1 core: interval","ACOTSP-style, 1 core: published",'
    )
    assert row.startswith('d198,48.4,"') and ",48.37," in row and row.count('"') % 2 == 0
    assert page.find_element("css selector", '[id="table-1-3.3"] a.csv').get_attribute("download") == "3.3.csv"


PAGES = ("index.html", "claims.html", "stands.html", "runs-1.html", "tables/3.3.html", "tables/4.2.html")


@pytest.mark.parametrize("width, scheme", itertools.product(WIDTHS, SCHEMES))
def test_nothing_is_cut_or_too_small_or_too_faint(browser, thesis_report, width, scheme):
    shape(browser, width, scheme)
    for name in PAGES:
        page = opened(browser, thesis_report / name)
        page.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
        for shown in (False, True):
            page.execute_script("if (document.getElementById('intervals')) intervals.checked = arguments[0]", shown)
            assert page.execute_script(WIDER_THAN_THE_SCREEN) == [], name
            assert page.execute_script(FAINT) == [], name
        if page.find_elements("css selector", "figure.drawn"):
            assert page.execute_script(SMALLEST_TEXT_OF_FIGURES) >= 10, name
            assert page.execute_script(CUT_TEXT_OF_FIGURES) == [], name


SITE_PAGES = ("index.html", "runs-1.html", "tables/3.3.html", "history/1-3.3.html", "history/1-6.1.html")


@pytest.mark.parametrize("width, scheme", itertools.product(WIDTHS, SCHEMES))
def test_nothing_of_the_site_is_cut_or_too_faint(browser, site, width, scheme):
    shape(browser, width, scheme)
    for name in SITE_PAGES:
        page = opened(browser, site / name)
        page.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert page.execute_script(WIDER_THAN_THE_SCREEN) == [], name
        assert page.execute_script(FAINT) == [], name
        assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == [], name


def test_a_history_is_sorted_by_change_and_filtered(browser, site):
    shape(browser, 1280, "light")
    page = opened(browser, site / "history/1-3.3.html")
    shown = "return [...document.querySelectorAll('.history tbody tr')].filter(r => r.offsetHeight).map(r => r.cells[4].textContent)"
    changes = page.execute_script(shown)
    page.execute_script("document.querySelector(arguments[0]).click()", ".history th:nth-child(5) .sort")
    known = [text for text in changes if text]
    assert page.execute_script(shown)[: len(known)] == sorted(known, key=float) and 1 < len(known) < len(changes)
    page.find_element("id", "filter").send_keys("pr1002")
    assert 0 < len(page.execute_script(shown)) < len(changes)


def test_the_list_of_histories_finds_a_rows_name(browser, site):
    shape(browser, 1280, "light")
    page = opened(browser, site / "runs-1.html")
    page.find_element("id", "filter").send_keys("colour-edge")
    (found,) = shown_of(page, "[id=history-1] li")
    assert found.startswith("Table 6.1: ")


@pytest.mark.parametrize("table", ["3.3", "4.2", "5.1", "6.1"])
def test_the_thesiss_tables_need_no_scrolling_on_a_screen(browser, thesis_report, table):
    shape(browser, 1280, "light")
    page = opened(browser, thesis_report / f"tables/{table}.html")
    place = f'[id="table-1-{table}"] .scroll'
    assert page.execute_script(
        "const s = document.querySelector(arguments[0]); return s.scrollWidth <= s.clientWidth", place
    )


# What reaches over the right edge and is in nothing that scrolls.
WIDER_THAN_THE_SCREEN = """
// innerWidth grows with what is too wide on a phone.
const width = document.documentElement.clientWidth;
const wide = document.documentElement.scrollWidth > width ? ["the page"] : [];
return wide.concat([...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > width + 0.5 && !e.closest(".scroll"))
  .map(e => e.outerHTML.slice(0, 80)))"""

# Text below WCAG's contrast AA: 4.5, of large letters 3.
FAINT = """
const channels = c => { const [r, g, b, a = 1] = c.match(/[\\d.]+/g).map(Number); return { rgb: [r, g, b], a }; };
const luminance = rgb => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = e => { for (; e; e = e.parentElement) { const c = channels(getComputedStyle(e).backgroundColor); if (c.a === 1) return c.rgb; } return [255, 255, 255]; };
const seen = new Map();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || ["SCRIPT", "STYLE"].includes(e.tagName) || !e.offsetParent) continue;
  const style = getComputedStyle(e), [a, b] = [luminance(channels(style.color).rgb), luminance(behind(e))].sort((x, y) => y - x);
  const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
  if ((a + 0.05) / (b + 0.05) < (large ? 3 : 4.5)) seen.set(e.className + " " + e.tagName, `${style.color} on ${behind(e)}: ${e.textContent.slice(0, 40)}`);
}
return [...seen.values()]"""

# Pixels on the screen of the smallest letters in any drawing.
SMALLEST_TEXT_OF_FIGURES = """
return Math.min(...[...document.querySelectorAll("figure.drawn img")].map(img => {
  const svg = new DOMParser().parseFromString(atob(img.currentSrc.split(",")[1]), "image/svg+xml").documentElement;
  const sizes = [...svg.querySelectorAll("g[font-size]")].filter(g => g.textContent.trim()).map(g => parseFloat(g.getAttribute("font-size")));
  return Math.min(...sizes) * img.getBoundingClientRect().width / svg.viewBox.baseVal.width;
}))"""

# Letters that a drawing's edge cuts.
CUT_TEXT_OF_FIGURES = """
return [...document.querySelectorAll("figure.drawn img")].flatMap(img => {
  const place = document.body.appendChild(document.createElement("div"));
  place.innerHTML = atob(img.currentSrc.split(",")[1]).replace(/^<[?].*?[?]>/, "");
  const svg = place.querySelector("svg"), edge = svg.getBoundingClientRect();
  const cut = [...svg.querySelectorAll("text")].filter(t => t.getBoundingClientRect().right > edge.right + 1 || t.getBoundingClientRect().left < edge.left - 1)
    .map(t => img.closest("figure").id + ": " + t.textContent);
  place.remove();
  return cut;
})"""
