"""The page, as text and in a browser."""

import json
import re
import shutil
import subprocess

import pytest
from explained import FILE, explain_matmul, line_of
from tilewright.explain import format_html
from tilewright.explain.floors import floors_of
from tilewright.explain.stages import find_disassembler, sass_stage

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def page():
    return format_html(explain_matmul("sm_90a"))


def data_of(page):
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def test_page_needs_nothing_else(page):
    without_data = page.replace(json.dumps(data_of(page)), "")
    assert not re.search(r"\b(src|href)\s*=|@import|url\(", without_data)
    # SVG's namespace is a name, not a fetched address.
    assert set(re.findall(r"https?://[^\"' ]*", without_data)) <= {"http://www.w3.org/2000/svg"}
    assert page.count("</script>") == 2


def test_data_of_the_page(page):
    data = data_of(page)
    assert [stage["name"] for stage in data["stages"]] == ["tile", "warp", "ptx", "sass"]
    dot = f"{FILE}:{line_of('acc = tl.dot(x, y, acc)')}"
    for stage, text in (("tile", "tile.dot"), ("warp", "warp.wgmma "), ("ptx", "wgmma.mma_async")):
        (found,) = [entry for entry in data["stages"] if entry["name"] == stage]
        lines = [
            locations
            for line, locations in zip(found["lines"], found["locations"], strict=True)
            if text in line
        ]
        assert lines
        assert all(dot in locations for locations in lines)


def test_machine_code():
    explanation = explain_matmul("sm_90a")
    if "cubin" not in explanation.compiled.asm or find_disassembler() is None:
        pytest.skip("no assembler or no disassembler on this machine")
    stage = sass_stage(explanation.compiled.asm["cubin"])
    assert stage.note == ""
    dot = (FILE, line_of("acc = tl.dot(x, y, acc)"))
    mmas = [
        locations
        for line, locations in zip(stage.lines, stage.locations, strict=True)
        if "GMMA.64x64x16" in line
    ]
    assert mmas
    # The assembler gives some instructions the line of a neighbour.
    assert 2 * sum(dot in locations for locations in mmas) >= len(mmas)


def test_floors():
    floors = floors_of(explain_matmul("sm_90a"))
    loop = line_of("for start in range(0, K, BLOCK):")
    assert sorted((floor["line"], floor["what"], floor["cycles"]) for floor in floors) == [
        (loop, "memory", round(2 * 64 * 64 * 2 / (3.35e12 / 132 / 1.755e9))),
        (loop, "tensor cores", 2 * 64**3 // 4096),
    ]
    assert floors_of(explain_matmul("sm_89")) == []


# ---- In a browser.

_WATCH = "<script>window.mistakes = []; onerror = (message) => mistakes.push(message);</script>"
_PLAY = """<script>
const texts = (selector) => [...document.querySelectorAll(selector)].map((node) => node.textContent.trim());
const result = {};
const row = document.querySelector('.row[data-line="LINE"]');
row.dispatchEvent(new MouseEvent("mouseenter"));
for (const pane of ["source", "tile", "warp", "ptx"]) result[`hot ${pane}`] = texts(`#pane-${pane} .row.hot`);
row.dispatchEvent(new MouseEvent("mouseleave"));
result.cooled = texts(".row.hot").length;
const mma = [...document.querySelectorAll("#pane-ptx .row")].find((row) => row.textContent.includes("wgmma.mma"));
mma.click();
result.pinned = texts("#pane-source .row.pinned");
result["tile before"] = document.getElementById("pane-tile").hidden;
document.getElementById("switch-tile").click();
result["tile after"] = document.getElementById("pane-tile").hidden;
result.remarks = texts(".remark.passed");
result.title = texts("#title");
result.cards = texts("#cards .card");
result.layouts = texts("#layouts figcaption");
const canvas = document.querySelector("#layouts canvas");
result.painted = new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size;
const corner = canvas.getBoundingClientRect();
canvas.dispatchEvent(new MouseEvent("mousemove", { clientX: corner.left + 2, clientY: corner.top + 2 }));
result.readout = texts("#layouts .readout")[0];
result.memory = document.querySelectorAll("#memory rect").length;
result.rings = document.querySelectorAll("#rings rect").length;
result.floors = texts("#floors tr").length;
result.names = texts("#memory text.inside");
document.querySelector("#floors .leads").dispatchEvent(new MouseEvent("click"));
result["pinned by a floor"] = texts("#pane-source .row.pinned");
result.constants = texts("body > .faint")[1];
result.overhang = document.documentElement.scrollWidth - window.innerWidth;
result.times = texts("#times td:nth-child(2)");
result.mistakes = window.mistakes;
const out = document.createElement("pre");
out.id = "result";
out.textContent = encodeURIComponent(JSON.stringify(result));
document.body.append(out);
</script>"""


@pytest.fixture(scope="module")
def browser():
    """`browser(page)`: the elements of a page once its scripts have run, as text."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("no browser: install chromium")

    def dump(path, directory, fragment=""):
        options = (
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={directory}",
            "--dump-dom",
        )
        return subprocess.run(
            [program, *options, path.as_uri() + fragment],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout

    return dump


@pytest.fixture(scope="module")
def seen(browser, page, tmp_path_factory):
    """The page after hovering over the line of the dot, clicking on its PTX and opening a pane."""
    directory = tmp_path_factory.mktemp("browser")
    play = _PLAY.replace("LINE", str(line_of("acc = tl.dot(x, y, acc)")))
    path = directory / "page.html"
    path.write_text(page.replace("<body>", f"<body>{_WATCH}").replace("</body>", f"{play}</body>"))
    from urllib.parse import unquote

    (text,) = re.findall(r'<pre id="result">(.*?)</pre>', browser(path, directory / "profile"))
    return json.loads(unquote(text))


def test_scripts_make_no_mistakes(seen):
    assert seen["mistakes"] == []
    assert seen["title"] == ["matmul for sm_90a"]


def test_pointing_lights_linked_lines(seen):
    assert seen["hot source"] == ["acc = tl.dot(x, y, acc)"]
    assert any("tile.dot" in text for text in seen["hot tile"])
    assert any("warp.wgmma " in text for text in seen["hot warp"])
    assert any("wgmma.mma_async" in text for text in seen["hot ptx"])
    assert not any("tile.store" in text for text in seen["hot tile"])
    assert seen["cooled"] == 0


def test_clicking_pins_the_source(seen):
    assert seen["pinned"] == ["acc = tl.dot(x, y, acc)"]


def test_a_page_opens_at_a_line(browser, page, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page)
    dot = line_of("acc = tl.dot(x, y, acc)")
    text = browser(path, tmp_path / "profile", f"#line-{dot}")
    pinned = re.findall(r'<div class="row linked pinned"[^>]*>([^<]*)<', text)
    assert any("tl.dot" in line for line in pinned)
    assert any("warp.wgmma" in line for line in pinned)


def test_drawings_lead_to_the_source(seen):
    assert seen["pinned by a floor"] == ["for start in range(0, K, BLOCK):"]
    assert seen["names"][0].startswith("ring, 2 slots of 16 KiB, line ")


def test_nothing_is_wider_than_the_window(seen):
    assert seen["overhang"] <= 0
    assert seen["constants"] == "BLOCK = 64"


def test_switches_show_panes(seen):
    assert (seen["tile before"], seen["tile after"]) == (True, False)


def test_remarks_and_cards(seen):
    assert "+ convert-tile-to-warp: computed by wgmma, a from shared memory" in seen["remarks"]
    assert "160threads of a block" in seen["cards"]


def test_drawings(seen):
    assert any(text.startswith("#layout, 64 x 64") for text in seen["layouts"])
    assert seen["painted"] > 20
    assert seen["readout"].startswith("(0, 0): register 0, lane 0, warp 0")
    assert seen["memory"] >= 2  # two slots
    assert seen["rings"] == 2 * 6
    assert seen["floors"] == 3
    assert "front end" in seen["times"]
