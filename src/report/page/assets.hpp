#pragma once

// The style sheet and the script of a report's page.

#include <string_view>

namespace roofline {

inline constexpr std::string_view page_css = R"css(
:root{color-scheme:light dark}
body{margin:0 auto;max-width:75rem;padding:0 1rem 3rem;color:#1a1a1a;background:#fff;
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:1.5rem;margin:1.5rem 0 .5rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2rem 0 .5rem}
a{color:#0b57a4}
nav a{margin-right:1rem}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;background:#fff;padding:.5rem}
.scroll{overflow-x:auto}
#layers .scroll{max-height:85vh;overflow:auto}
table{border-collapse:collapse;font-size:.875rem}
th,td{padding:.2rem .6rem;text-align:left;border-bottom:1px solid #d0d0d0;white-space:nowrap}
tbody th{font-weight:400}
#summary thead th{white-space:normal}
thead th{position:sticky;top:0;background:#f1f1f1}
.n{text-align:right;font-variant-numeric:tabular-nums}
tbody tr:hover>*{background:#f3f7fb}
thead button{font:inherit;font-weight:600;color:inherit;background:none;border:0;padding:.2rem 0;cursor:pointer}
th[aria-sort=ascending] button::after{content:" \25B2"}
th[aria-sort=descending] button::after{content:" \25BC"}
a:focus-visible,button:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid #d55e00;outline-offset:2px}
pre{font:.8rem/1.4 ui-monospace,"DejaVu Sans Mono",monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0}
summary{cursor:pointer;overflow-wrap:anywhere}
figure{margin:1rem 0;border:1px solid #d0d0d0}
figure svg{display:block;width:100%;height:auto}
@media screen and (prefers-color-scheme:dark){
body{color:#e8e8e8;background:#15181c}
a{color:#8cc2ff}
.skip:focus{background:#15181c}
th,td{border-color:#3a4048}
thead th{background:#23282e}
tbody tr:hover>*{background:#1e2630}
figure{border-color:#3a4048}
}
@media print{nav,.skip{display:none}#layers .scroll{max-height:none;overflow:visible}thead th{position:static}}
)css";

/// Sorts the table of layers, and unfolds the derivation that a link leads to.
inline constexpr std::string_view page_script = R"js(
'use strict';
(function () {
  const table = document.getElementById('layer-table');
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);

  function valueOf(row, column) {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
  }

  function sortBy(column) {
    const head = heads[column];
    const isNumber = rows.some(function (row) { return valueOf(row, column) !== null; });
    const before = head.getAttribute('aria-sort');
    const descending = before ? before === 'ascending' : isNumber;
    heads.forEach(function (each) { each.removeAttribute('aria-sort'); });
    head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
    const sign = descending ? -1 : 1;
    rows.sort(function (a, b) {
      if (!isNumber)
        return sign * a.cells[column].textContent.localeCompare(b.cells[column].textContent, 'en',
                                                                {numeric: true});
      const x = valueOf(a, column), y = valueOf(b, column);
      if (x === null || y === null) return (x === null) - (y === null);
      return sign * (x - y);
    });
    body.append(...rows);
  }

  heads.forEach(function (head, column) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    button.addEventListener('click', function () { sortBy(column); });
    head.replaceChildren(button);
  });

  function showTarget() {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.tagName === 'DETAILS') target.open = true;
    target.scrollIntoView();
  }
  addEventListener('hashchange', showTarget);
  showTarget();
})();
)js";

}  // namespace roofline
