"""The report's columns: what the drivers say of a row is not said again, and a new kernel has a column by itself."""

import pytest

from antbench.data import cells, layouts, rows
from antbench.data.command import BadInput
from antbench.show import claims, printing, report
from recorded import columns_of, program, report_folder  # noqa: F401
from thesis_run import made_row, write_run


def test_the_label_and_the_published_number_are_the_rows(report_folder):
    (column,) = columns_of(report_folder, "3.3,,3.3,ds-roulette,{x},protocol=as-best,,,")
    assert (column["label"], column["published"]) == ("DS-Roulette", "=thesis-3.3/ds-roulette/{x}")
    (column,) = columns_of(report_folder, "5.1,,5.1,warp-{x},512x512,,,,")
    assert (column["label"], column["published"]) == ("ant per warp", "=thesis-5.1/warp-{x}/512x512")
    assert column["names"] == ["warp-64", "warp-128"]


@pytest.mark.parametrize(
    "line, label, published",
    [
        ("3.3,mine,3.3,ds-roulette,{x},,,,=thesis-3.2/ds-roulette/{x}", "mine", "=thesis-3.2/ds-roulette/{x}"),
        ("3.3,,thesis-3.3,ds-roulette,{x},,,,-", "DS-Roulette", ""),
        ("3.3,,3.3,ds-roulette,{x},,quality,,", "DS-Roulette", ""),
        ("3.3,,3.3,ds-roulette,{x},,,3.3/acotsp-seq/{x},", "DS-Roulette", ""),
    ],
)
def test_what_a_line_says_itself_comes_first(report_folder, line, label, published):
    (column,) = columns_of(report_folder, line)
    assert (column["label"], column["published"]) == (label, published)


def test_a_star_is_every_other_row_of_the_table(report_folder):
    found = columns_of(report_folder, "3.3,,3.3,*,{x},protocol=as-best,,,", "3.3,-,3.3,acotsp-seq,{x},,,,")
    assert [column["row"] for column in found] == ["ds-roulette", "mine"]
    found = columns_of(report_folder, "3.3,,3.3,ds-roulette,{x},,,,", "3.3,,3.3,*,{x},protocol=as-best,,,")
    assert [column["row"] for column in found] == ["ds-roulette", "acotsp-seq", "mine"]


def test_a_column_may_be_of_several_rows(report_folder):
    found = columns_of(
        report_folder,
        '3.3,fastest,3.3,"acotsp-seq,ds-roulette",{x},protocol=as-best,,,',
        "3.3,,3.3,*,{x},protocol=as-best,,,",
    )
    assert [(column["label"], column["names"]) for column in found] == [
        ("fastest", ["acotsp-seq", "ds-roulette"]),
        ("mine", ["mine"]),
    ]
    assert layouts.address(found[0]) == "3.3/acotsp-seq,ds-roulette/{x}?protocol=as-best"


def test_a_star_puts_x_where_there_is_room_for_it(report_folder):
    (mine,) = columns_of(report_folder, "5.1,,5.1,warp-{x},lena,,,,", "5.1,,5.1,*,lena,,,,")[1:]
    assert (mine["row"], mine["label"], mine["names"]) == ("mine-{x}", "mine with {x}", ["mine-64", "mine-128"])
    (warp,) = columns_of(report_folder, "5.1,,5.1,*,{x},,,,")
    assert (warp["row"], warp["label"]) == ("warp-128", "ant per warp")


@pytest.mark.parametrize(
    "line, message",
    [
        ("3.3,,3.3,ds-rulette,{x},,,,", ":2: table 3.3 has no row ds-rulette; it has acotsp-seq ds-roulette mine"),
        ("5.1,,5.1,warp-{x}-uncached,lena,,,,", ":2: table 5.1 has no row warp-64-uncached; it has warp-{block} warp-"),
        (
            '3.3,,3.3,"acotsp-seq,ds-rulette",{x},,,,',
            ":2: table 3.3 has no row ds-rulette; it has acotsp-seq ds-roulette mine",
        ),
        ("3.3,,9.9,ds-roulette,{x},,,,", ":2: no table 9.9; there are 3.3 5.1 jpdc-4"),
        ("3.3,,9.9,*,{x},,,,", ":2: no table 9.9; there are 3.3 5.1 jpdc-4"),
        ("9.9,,3.3,ds-roulette,{x},,,,", ":2: no layout 9.9; there are 3.3 5.1"),
        ("3.3,,3.3", ":2: expected 9 cells"),
    ],
)
def test_what_there_is_not_is_refused(report_folder, line, message):
    with pytest.raises(BadInput) as error:
        columns_of(report_folder, line)
    assert str(error.value).startswith(f"{report_folder}/tables.csv{message}") and "\n" not in str(error.value)


def test_a_set_stands_in_one_file(report_folder):
    assert cells.sets() == {
        "tsp": ["d198", "a280"],
        "blocks": ["64", "128"],
        "pictures": ["lena", "shapes-512"],
        "few": ["d198"],
    }
    (report_folder / "sets.csv").write_text("set,members\nfew,d198\ntsp,d198\n")
    cells.sets.cache_clear()
    with pytest.raises(BadInput, match="/sets.csv:3: the set tsp stands in driver_sets.csv:2 too$"):
        cells.sets()


def test_two_drivers_may_not_have_sets_of_one_name(report_folder):
    with open(report_folder / "driver_sets.csv", "a") as file:
        file.write("blocks,64 128\n")
    with pytest.raises(BadInput, match="/driver_sets.csv:5: the set blocks stands in driver_sets.csv:3 too$"):
        cells.sets()


def test_a_malformed_list_of_rows_is_one_line(report_folder):
    path = report_folder / "rows.csv"
    for text, message in (
        ("driver,table\n", ":1: expected the header driver,table,row"),
        (",".join(rows.HEADER) + "\n3.3,3.3\n", ":2: expected 9 cells, got 2"),
        (
            ",".join(rows.HEADER) + "\n5.1,5.1,warp-{block},a/b,,threads=1,,,100\n",
            ": row warp-{block} of table 5.1 has no ",
        ),
    ):
        path.write_text(text)
        rows.measured.cache_clear()
        with pytest.raises(BadInput) as error:
            rows.measured()
        assert f"rows.csv{message}" in str(error.value)
    path.unlink()
    with pytest.raises(BadInput, match="rows.csv: No such file or directory: make index writes it"):
        rows.measured()


def test_a_new_kernel_is_named_below_its_table_until_it_is_measured(report_folder, tmp_path):
    lines = ("3.3,,3.3,ds-roulette,{x},protocol=as-best,,,", "3.3,,3.3,*,{x},protocol=as-best,,,")
    columns = columns_of(report_folder, *lines)
    measured = [
        made_row("3.3", "ds-roulette", "d198", 1.0, "protocol=as-best"),
        made_row("3.3", "acotsp-seq", "d198", 9.0, "protocol=as"),
    ]
    source = cells.choose(str(write_run(tmp_path / "run", measured)))[0]
    shown = report.table(layouts.layouts()["3.3"], columns, source)
    assert [column["label"] for column in shown["columns"]] == ["DS-Roulette"]
    assert printing.left_out(shown).endswith(" · column “ACOTSP-style, 1 core”, “mine”")
    assert shown["command"] == "make bench-3.3 PROFILE=thesis"


def test_no_two_columns_of_a_table_have_one_name():
    for name, columns in layouts.columns().items():
        labels = [column["label"] for column in columns]
        assert len(labels) == len(set(labels)), name


NEW_TABLE = """\
9.9,9.9,mine-{block},tsp/mine,tsp u30,protocol=as-best|as;block=64|128,mine with {block},thesis-9.9/mine-{block},100
9.9,9.9,other,tsp/other,u30,protocol=as-best|as,other,,100
9.9,9.9s,other,tsp/other,u30,protocol=as-best|as,other,,100
"""


def test_a_table_that_no_layout_has_shows_all_its_rows(report_folder, tmp_path):
    with open(report_folder / "rows.csv", "a") as file:
        file.write(NEW_TABLE)
    rows.measured.cache_clear()
    known, columns = layouts.layouts(), layouts.columns()
    assert list(known) == list(columns) == ["3.3", "5.1", "jpdc-4", "9.9"]  # not 9.9s, which is the stages of 9.9
    assert known["jpdc-4"]["title"] == "JPDC, Table 4 (ms)" and known["9.9"]["set"] == "tsp u30"
    shown = [(column["row"], column["params"], column["label"]) for column in columns["9.9"]]
    assert shown[1:2] + shown[4:] == [
        ("mine-128", "protocol=as-best;block=128", "mine with 128, protocol=as-best"),
        ("other", "protocol=as-best", "other, protocol=as-best"),
        ("other", "protocol=as", "other, protocol=as"),
    ]
    assert columns["9.9"][1]["published"] == "=thesis-9.9/mine-128/{x}"
    measured = [
        made_row("9.9", "other", "u30", 2.0, "protocol=as"),
        made_row("9.9", "other", "u30", 1.0, "protocol=as;stage=construct", "stage"),
        made_row("9.9", "other", "u30", 9.0, "protocol=as", "end-to-end"),
    ]
    source = cells.choose(str(write_run(tmp_path / "run", measured)))[0]
    made = report.table(known["9.9"], columns["9.9"], source)
    assert [column["label"] for column in made["columns"]][-1] == "other, protocol=as"
    assert [line["name"] for line in made["lines"]] == ["u30"] and made["lines"][0]["cells"][-1]["measured"].value == 2


def test_a_table_that_a_figure_has_needs_no_layout(report_folder):
    (report_folder / "figures.csv").write_text(
        "figure,set,style,label,top,over\n1,tsp,1,a,jpdc-4/atomic/{x}#quality,=thesis-3.2/optimum/{x}\n"
    )
    assert list(layouts.layouts()) == ["3.3", "5.1"]


def addresses():
    """[(line, the addresses that it spells)] of every line that asks for measured numbers."""
    for name, of_layout in layouts.columns().items():
        for column in of_layout:
            texts = [layouts.address(column).replace("{x}", x) for x in cells.members(layouts.layouts()[name]["set"])]
            yield f"tables.csv: {name}: {column['label']}", texts
    for file in ("figures.csv", "cases.csv", "history.csv"):
        for line in cells.read_layout(file):
            run_through = cells.members(line["set"]) if line.get("set") else [""]
            for text in [*line["top"].split(), *(line.get("over") or "").split()]:
                if not text.startswith("="):
                    yield f"{file}: {text}", [text.replace("{x}", x) for x in run_through]


def test_the_claims_name_what_was_published():
    """`own_top` and `own_over` find a number for each card and each case, but for cells that the sources leave out."""
    for line in cells.read_layout("cases.csv"):
        own = [text for part in ("own_top", "own_over") for text in line[part].split()]
        for text in (each.replace("{card}", card) for each in own for card in claims.CARDS):
            found = [cells.look_up(None, text, x) for x in cells.members(line["set"])]
            assert text.startswith("=") and any(found), f"{line['test']}: {text}"


# Rows of drivers that the claims wait for: until there is one they are "not measured yet".
AWAITED = []


def test_the_layouts_name_what_the_drivers_measure():
    """But for rows that the claims say nobody measures yet. Of what {x} runs through a row may lack some."""
    known, measured = rows.measured(), {}
    for row in known:
        for name in row.names():
            measured.setdefault((row.table, name), set()).update(cells.members(row.instances))
    for line, texts in addresses():
        asked = [cells.parse(text) for text in texts]
        missing = {f"{each.table}/{row}" for each in asked for row in each.rows if (each.table, row) not in measured}
        assert all(name.startswith("3.3/i-roulette-") or name in AWAITED for name in missing), line
        if missing & set(AWAITED):
            continue
        found = [set(each.instances) & measured.get((each.table, row), set()) for each in asked for row in each.rows]
        assert any(found), f"{line}: on no instance of the row's"


@pytest.mark.parametrize("name, given", [("3.3", ""), ("3.2", " PROFILE=thesis"), ("3.3-energy", ' ARGS="--energy 1"')])
def test_the_command_of_a_table_measures_what_the_table_shows(name, given):
    layout, columns = layouts.layouts()[name], layouts.columns()[name]
    assert layouts.command(layout, columns) == f"make bench-{columns[0]['driver']}{given}"
