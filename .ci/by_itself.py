#!/usr/bin/env python3
"""Compiles each file of src and include by itself: a unity build hides an include that only a
neighbour makes. A header that a source includes first is compiled with that source.

Headers that nearly all files include take most of the time. Each is precompiled once, and stands
before a file that includes it anyway, so that the file sees no name beyond its own includes.
Needs the generated headers of a build. Usage: by_itself.py BUILD [FILE...]
"""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache

# The largest headers stand first: a file takes the first that it includes.
PRECOMPILED = ["cli/request.hpp", "report/rows.hpp", "operators/operation.hpp",
               "kernel/rates.hpp", "roofline/analysis.hpp",
               "kernel/constants.hpp", "roofline/network.hpp", "roofline/layer.hpp"]

build, *chosen = sys.argv[1:]
folders = ["include", "src", f"{build}/generated"]
compiler = ["g++", "-std=c++20", "-w", '-DROOFLINE_VERSION="0"', *(f"-I{f}" for f in folders)]


@cache
def included(path):
    """Names in the quoted includes of a file, as they are written, in order."""
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^#include "(.*)"', file.read(), re.M)


def found(name):
    return next((path for folder in folders if os.path.exists(path := f"{folder}/{name}")), None)


@cache
def all_included(path):
    """These names and those that their files include."""
    names = set(included(path))
    for each in filter(None, map(found, included(path))):
        names |= all_included(each)
    return names


def standing_before(path):
    return next((name for name in PRECOMPILED if name in all_included(path)), None)


def fails(*arguments):
    return subprocess.run([*compiler, *arguments]).returncode != 0


def check(files, scratch):
    def precompiled(name):
        return f"{scratch}/{name.replace('/', '_')}"

    def precompile(name):
        with open(precompiled(name), "w", encoding="utf-8") as header:
            header.write(f'#include "{name}"\n')
        return fails("-x", "c++-header", precompiled(name), "-o", precompiled(name) + ".gch")

    def compile_file(path):
        name = standing_before(path)
        before = ["-include", precompiled(name)] if name else []
        return fails("-fsyntax-only", *before, "-x", "c++", path)

    used = set(filter(None, map(standing_before, files)))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # Not one after the other: any() would stop at the first.
        return any(list(pool.map(precompile, used))) or any(list(pool.map(compile_file, files)))


listed = subprocess.run(["git", "ls-files", "src/*.cpp", "src/*.hpp", "include/*.hpp"],
                        check=True, capture_output=True, text=True).stdout.split()
with_source = {found(included(path)[0]) for path in listed
               if path.endswith(".cpp") and included(path)}
with tempfile.TemporaryDirectory() as scratch:
    sys.exit(check(chosen or [path for path in listed if path not in with_source], scratch))
