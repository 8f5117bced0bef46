"""The results in README.md and in pages of docs/; tests/scripts/tools/test_index.py asks whether they are up to date."""

import re

import pytest

from antbench.data import runs
from antbench.data.command import ROOT, BadInput
from antbench.show import readme

jinja2 = pytest.importorskip("jinja2")

H100 = runs.RESULTS / "reference/nvidia-h100-80gb-hbm3"


def pages():
    return {page: page.read_text(encoding="utf-8") for page in readme.PAGES}


def test_every_block_is_there_once():
    names = [name for text in pages().values() for _, name, _ in readme.BLOCK.findall(text)]
    assert sorted(names) == sorted(path.name.removesuffix(".md.j2") for path in readme.TEMPLATES.iterdir())


def test_only_blocks_are_written(monkeypatch):
    names = [path.name for path in readme.TEMPLATES.iterdir()]
    new = jinja2.Environment(loader=jinja2.FunctionLoader(lambda name: f"new {name}" if name in names else None))
    monkeypatch.setattr(readme, "templates", lambda folder: new)
    block = "a\n<!-- generated: {} -->\n{}\n<!-- end -->\n"
    stale = "".join(block.format(name.removesuffix(".md.j2"), "stale text\nof two lines") for name in names)
    written = "".join(block.format(name.removesuffix(".md.j2"), f"new {name}") for name in names)
    assert readme.generate({ROOT / "README.md": stale}) == {ROOT / "README.md": written}


def test_links_of_the_results_lead_to_files():
    """From the page that has them."""
    for page, text in pages().items():
        links = re.findall(r"\]\(([^)#]+)", text) + re.findall(r'src="([^"]+)"', text)
        assert links and [link for link in links if "://" not in link and not (page.parent / link).exists()] == [], page


def test_a_block_says_what_a_tilde_is_where_it_has_one():
    told = set()
    for text in pages().values():
        for block in readme.BLOCK.finditer(text):
            has, says = bool(re.search(r"~\d", block[0])), "~:" in block[0]
            assert has == says, block[2]
            told.add(has)
    assert told == {True, False}


def test_a_block_without_a_template_is_refused():
    texts = {page: text.replace("generated: ants ", "generated: aunts ") for page, text in pages().items()}
    pages_of_results = (
        "README.md, results.md, stands.md, faults.md, learn.md, machines.md, race-times.md, peers.md, improve.md, "
    )
    pages_of_results += "pictures.md, running.md"
    with pytest.raises(BadInput, match=f"{pages_of_results}: ants, aunts: each block needs a template"):
        readme.generate(texts)


def test_times_are_printed_as_in_the_report():
    measured = readme.Measured([runs.load_run(H100 / "20261126T104056Z-c8d43aae-3.3")])
    assert measured.marked(measured.ms("3.3/ds-roulette/d198?protocol=as-best")) == "0.199"
    assert measured.marked(measured.ms("3.3/acotsp-seq/a280?protocol=as-best")) == "~9.9"
    assert measured.marked(measured.ms("3.3/acotsp-omp/lin318?protocol=as-best")) == "~2.1"  # its processes differ
    assert measured.marked(measured.ms("3.3/acotsp-omp/pcb442?protocol=as-best")) == "4.19"
    assert measured.marked(measured.ms("3.3/nobody/d198")) == "–"


def test_a_sentence_says_how_many_times_as_long():
    measured = readme.Measured([runs.load_run(H100 / "20261126T104056Z-c8d43aae-3.3")])
    addresses = [f"3.3/{row}/{{x}}?protocol=as-best" for row in ("i-roulette", "ds-roulette")]
    assert measured.marked(measured.times(*addresses, ["d198"])) == "2.1"
    assert measured.marked(measured.times(*addresses, ["d198", "pr2392"])) == "2.1 to 4.1"
    assert measured.marked(measured.times(*reversed(addresses), ["d198"])) == "0.47"


def test_a_tour_is_set_against_the_optimum():
    """As the stored run says: a mean of 15797.2 where the optimum of d198 is 15780."""
    measured = readme.Measured([runs.load_run(H100 / "20261127T071503Z-68121b9f-improve")])
    assert measured.marked(measured.above_optimum("improve/race-candidates-all/d198?protocol=as")) == "0.1 %"
    assert measured.marked(measured.above_optimum("improve/race-candidates-none/pr1002?protocol=as")) == "25.6 %"
    assert measured.above_optimum("improve/nobody/d198") == "–"


def test_cores_are_those_of_most_runs():
    """Runs of two ranks are of a host with 32."""
    names = "20261126T164645Z-7db5de63-scaling", "20261126T104056Z-c8d43aae-3.3", "20261126T104904Z-c8d43aae-4.2"
    found = [runs.load_run(H100 / name) for name in names]
    assert [readme.Measured(some).cores for some in (found[:1], found[1:2], found)] == [32, 16, 16]


def test_a_caption_names_the_run_of_each_backend():
    names = "20261127T173826Z-db8fbd81-6.1", "20261126T155952Z-31bcaa5c-frontier"
    images, ants = (runs.load_run(H100 / name) for name in names)
    alone, both = readme.Measured([images]), readme.Measured([images, ants])
    alone.ms("6.1/colour-edge-seq/lena?scope=kernel")
    assert alone.runs() == (
        "profile `thesis`, commit db8fbd81 on [GPU 344bbe5a](results/reference/nvidia-h100-80gb-hbm3/20261127T173826Z-db8fbd81-6.1/"
        "table-6.1.csv)"
    )
    both.ms("6.1/colour-edge-seq/lena?scope=kernel")
    both.ms("frontier/ds-roulette/pr1002?protocol=as-best")
    first, second = both.runs().split(";\n")
    elsewhere = readme.Measured([images], ROOT / "docs")
    elsewhere.ms("6.1/colour-edge-seq/lena?scope=kernel")
    assert "[GPU 344bbe5a](../results/reference/" in elsewhere.runs()
    assert first == alone.runs() and second.startswith("ᵃ profile `quick`, commit 31bcaa5c on [GPU ")
    again = runs.load_run(sorted(H100.glob("*-db8fbd81-6.1"))[0])
    link = r"\[GPU \w{8}\]\(results/\S+\)"
    told = f"commit db8fbd81 on {link}, {link} and profile `quick`, commit 31bcaa5c on {link}"
    assert re.fullmatch(told, readme.described([images, ants, again], ROOT, "thesis")), "a profile is told once"
    assert re.fullmatch(f"profile `thesis`, {told}", readme.described([images, ants, again], ROOT))
    beside = runs.load_run(H100 / "20261127T174450Z-c8d43aae-3.2")  # on the machine of the first
    assert re.findall(r"\[(.+?)\]", readme.described([images, beside], ROOT)) == [
        "GPU 344bbe5a, 6.1",
        "GPU 344bbe5a, 3.2",
    ]
    with pytest.raises(BadInput, match="no stored run of 9.9 on a GPU"):
        readme.newest("9.9")


def test_a_caption_tells_runs_by_those_that_it_has_told():
    names = sorted(path.name for path in H100.glob("*-c8d43aae-4.2"))[:5]
    a, b, c, d, e = found = [runs.load_run(H100 / name) for name in names]
    told = {"the unmarked cells'": (a, b, c, d), "ᵃ's": (e,)}

    def of(*some):
        return re.sub(r"\(results/\S+\)", "", readme.described_by(told, some, ROOT, "thesis"))

    gpu_b, gpu_c, gpu_e = (readme.machines.name_of(run) for run in (b, c, e))
    assert of(*found) == f"the unmarked cells' runs and commit c8d43aae on [{gpu_e}]"
    assert of(a, c, d) == f"the unmarked cells' runs without {gpu_b}"
    assert of(a, d, c, e) == f"the unmarked cells' runs without {gpu_b}, and commit c8d43aae on [{gpu_e}]"
    assert of(c) == f"commit c8d43aae on [{gpu_c}]", "shorter than what it would stand for"
    beside = runs.load_run(H100 / "20261126T161727Z-c8d43aae-jpdc-3")
    told = {"ᵃ's": (a, b, beside, c, d)}
    assert of(a, beside, c, d).startswith("commit c8d43aae on ["), "another run of that GPU stays"
    b.devices[0]["fingerprint"], b.meta["machine"]["fingerprint"] = "", ""
    told = {"ᵃ's": (a, b, c, d)}
    assert of(a, c, d).startswith("commit c8d43aae on ["), "a machine without a name"


def test_a_caption_says_of_how_many_gpus_its_numbers_are():
    found = [runs.load_run(path) for path in sorted(H100.glob("*-c8d43aae-4.2"))[:3]]
    measured = readme.Measured(found)
    measured.cells = [()]
    assert measured.machines() == "one H100", "a number that is not measured"
    measured.cells = [(found[0],)]
    assert measured.machines() == "one H100"
    measured.cells.append((found[1],))
    assert measured.machines() == "2 H100s (1 per number)"
    measured.cells.append(tuple(found))
    assert measured.machines() == "3 H100s (1 to 3 per number)"
    assert measured.machines([(found[0],), tuple(found[1:])]) == "3 H100s"
