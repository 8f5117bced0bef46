"""Freed memory is kept: OpenCV's Canny, which allocates in every call, gets no new pages after its first call."""

import os
import subprocess

from support.commands import PROGRAM, ROOT, environment_of

ROW = ["6.1", "--rows", "6.1/opencv-1", "--instances", "shapes-4096", "--backend", "cpu", "--profile", "quick"]
NEW_PAGES = 40_000  # of 4 KiB: three buffers of an image of 4096 x 4096 pixels have 20 000 in each call


def pages_of(folder, iterations):
    """Pages that the program got from the system."""
    command = [
        PROGRAM,
        *ROW,
        "--processes",
        "1",
        "--time-budget",
        "0",
        "--iterations",
        str(iterations),
        "--out",
        folder,
    ]
    child = subprocess.Popen(command, cwd=ROOT, env=environment_of(), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return usage.ru_minflt


def test_later_calls_get_no_new_pages(tmp_path):
    few, many = pages_of(tmp_path / "few", 1), pages_of(tmp_path / "many", 11)
    assert many - few < NEW_PAGES
