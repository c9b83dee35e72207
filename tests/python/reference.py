"""The calls in src/docs/python.md are the docstrings of the package: checks that, or makes it so
with --write."""

import inspect
import os
import re
import sys

SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(SOURCES, "src", "docs", "python.md")
BEGIN = "<!-- made from docstrings: python3 tests/python/reference.py --write -->\n"
END = "<!-- end of what is made -->\n"

sys.path.insert(0, os.path.join(SOURCES, "src", "python"))
import roofline  # noqa: E402


def markdown(docstring):
    """Paragraphs as they are; what is indented as code."""
    parts = []
    for part in re.split(r"\n\s*\n", inspect.cleandoc(docstring)):
        if part.startswith("    "):
            parts.append("```python\n" + inspect.cleandoc(part) + "\n```")
        else:
            parts.append(part)
    return "\n\n".join(parts)


def signature(name, call):
    """Without annotations and `self`, folded at commas."""
    shown = inspect.signature(call)
    kept = [each.replace(annotation=inspect.Parameter.empty) for each in shown.parameters.values()]
    kept = [each for each in kept if each.name != "self"]
    text = f"{name}{shown.replace(parameters=kept, return_annotation=inspect.Signature.empty)}"
    return re.sub(r"(.{60,90}?,) (?=.{20})", r"\1\n    ", text)


def members(owner):
    """A line for each method and property of its own."""
    lines = []
    for name, member in vars(owner).items():
        if name.startswith("_") or not (isinstance(member, property) or inspect.isfunction(member)):
            continue
        call = member.fget if isinstance(member, property) else member
        shown = name if isinstance(member, property) else signature(name, call).replace("\n    ", "")
        text = " ".join(inspect.cleandoc(call.__doc__).split())
        lines.append(f"- `.{shown}`: {text}")
    return "\n".join(lines)


def reference():
    parts = []
    for name in roofline.__all__:
        call = getattr(roofline, name)
        parts.append(f"### {name}")
        if inspect.isclass(call):
            parts.append(markdown(call.__doc__))
            if members(call):
                parts.append(members(call))
        else:
            parts.append("```python\n" + signature(f"roofline.{name}", call) + "\n```")
            parts.append(markdown(call.__doc__))
    return "\n\n".join(parts)


def main():
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    made = before + BEGIN + "\n" + reference() + "\n\n" + END + after
    if "--write" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(made)
        return 0
    if made != text:
        print(f"{PAGE}: is not as the docstrings; python3 tests/python/reference.py --write makes it so")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
