"""Archives of object files, in the format that linkers read."""

import subprocess

import pytest
from tilewright.aot.archive import ObjectError, archive, defined_symbols

pytestmark = pytest.mark.once


@pytest.fixture
def objects(tmp_path, c_compiler):
    """Two objects, of even and odd sizes, with long names."""
    made = []
    for name, text in (
        ("first_of_them_all", "int first(void){return 1;} int other; static int hidden(void){return 2;}"),
        ("second_of_them_all", "extern int other; int second(void){return other;}"),
    ):
        (tmp_path / f"{name}.c").write_text(text)
        subprocess.run([c_compiler, "-c", f"{name}.c"], cwd=tmp_path, check=True)
        made.append((f"{name}.o", (tmp_path / f"{name}.o").read_bytes()))
    return [made[0], (made[1][0], made[1][1] + b"\0")]


def test_symbols(objects):
    assert [defined_symbols(data) for _, data in objects] == [["first", "other"], ["second"]]


def test_linker_takes_it(objects, tmp_path, c_compiler):
    (tmp_path / "both.a").write_bytes(archive(objects))
    (tmp_path / "main.c").write_text(
        "int first(void), second(void); int main(void){return first() + second();}"
    )
    subprocess.run([c_compiler, "main.c", "both.a", "-o", "main"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"]).returncode == 1


def test_same_objects_make_the_same_archive(objects):
    assert archive(objects) == archive(objects)


@pytest.mark.parametrize("damage", [lambda data: data[:100], lambda data: b"text", lambda data: data[:-40]])
def test_damaged_object(objects, damage):
    with pytest.raises(ObjectError):
        defined_symbols(damage(objects[0][1]))
