"""Runs the cells of src/docs/notebook.ipynb without Jupyter: checks that the stored outputs are what
the cells give, or stores them with --write."""

import ast
import contextlib
import io
import json
import os
import sys

SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOTEBOOK = os.path.join(SOURCES, "src", "docs", "notebook.ipynb")


def lines(text):
    return text.splitlines(keepends=True)


def shown(value):
    """As a notebook shows the value of a cell's last line."""
    data = {"text/plain": lines(repr(value))}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = lines(value._repr_html_())
    return data


def outputs_of(source, number, names):
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        outputs.append(
            {
                "data": shown(value),
                "execution_count": number,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return outputs


def run():
    """The notebook as it is stored, and with the outputs that its cells give."""
    with open(NOTEBOOK, encoding="utf-8") as file:
        text = file.read()
    notebook = json.loads(text)
    names = {}
    number = 0
    folder = os.getcwd()
    os.chdir(os.path.dirname(NOTEBOOK))
    try:
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                cell["execution_count"] = number
                cell["outputs"] = outputs_of("".join(cell["source"]), number, names)
    finally:
        os.chdir(folder)
    return text, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    stored, made = run()
    if "--write" in sys.argv:
        with open(NOTEBOOK, "w", encoding="utf-8") as out:
            out.write(made)
    elif stored != made:
        sys.exit(f"{NOTEBOOK}: the cells give other outputs; notebook.py --write stores them")
