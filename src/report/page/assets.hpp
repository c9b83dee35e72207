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
tr.chosen>*{background:#e2eefa}
#layer-table tbody tr{scroll-margin-top:3rem}
tr.detail>td{white-space:normal;padding:.5rem 1rem}
thead button{font:inherit;font-weight:600;color:inherit;background:none;border:0;padding:.2rem 0;cursor:pointer}
th[aria-sort=ascending] button::after{content:" \25B2"}
th[aria-sort=descending] button::after{content:" \25BC"}
a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid #d55e00;outline-offset:2px}
#tools{margin:.5rem 0;display:flex;gap:1rem;flex-wrap:wrap;align-items:end}
#tools[hidden],#batches[hidden]{display:none}
#batches{position:sticky;top:0;z-index:1;display:flex;gap:1rem;flex-wrap:wrap;align-items:center;padding:.5rem 0;background:#fff;border-bottom:1px solid #d0d0d0}
#batches input{flex:1 1 12rem;min-width:8rem;max-width:30rem;padding:0}
#tools label{display:flex;flex-direction:column;font-size:.875rem}
input,select{font:inherit;padding:.25rem .5rem;color:inherit;background:#fff;border:1px solid #767676;border-radius:3px}
pre{font:.8rem/1.4 ui-monospace,"DejaVu Sans Mono",monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0}
summary{cursor:pointer;overflow-wrap:anywhere}
figure{margin:1rem 0;border:1px solid #d0d0d0}
figure svg{display:block;width:100%;height:auto;max-width:62rem}
@media screen and (prefers-color-scheme:dark){
body{color:#e8e8e8;background:#15181c}
a{color:#8cc2ff}
.skip:focus{background:#15181c}
th,td{border-color:#3a4048}
thead th{background:#23282e}
tbody tr:hover>*{background:#1e2630}
tr.chosen>*{background:#1f3347}
input,select,#batches{background:#15181c}
#batches{border-color:#3a4048}
figure{border-color:#3a4048}
}
@media print{nav,.skip,#tools,#batches{display:none}#layers .scroll{max-height:none;overflow:visible}thead th{position:static}}
)css";

/// Sorts and filters the table of layers and shows a layer's derivation below its row.
inline constexpr std::string_view page_script = R"js(
'use strict';
(function () {
  const table = document.getElementById('layer-table');
  const tools = document.getElementById('tools');
  if (!table || !tools) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  const kindColumn = heads.findIndex(function (head) { return head.textContent === 'type'; });

  function closeDetail() {
    const detail = body.querySelector('tr.detail');
    if (detail) detail.remove();
    body.querySelectorAll('tr.chosen').forEach(function (row) {
      row.classList.remove('chosen');
      const link = row.querySelector('th a');
      if (link) link.setAttribute('aria-expanded', 'false');
    });
  }

  function openDetail(row) {
    const link = row.querySelector('th a');
    if (!link) return;
    const wasOpen = row.classList.contains('chosen');
    closeDetail();
    if (wasOpen) return;
    const source = document.getElementById(link.getAttribute('href').slice(1));
    const detail = document.createElement('tr');
    detail.className = 'detail';
    const cell = detail.insertCell();
    cell.colSpan = heads.length;
    cell.append(source.querySelector('pre').cloneNode(true));
    row.after(detail);
    row.scrollIntoView({block: 'start'});
    row.classList.add('chosen');
    link.setAttribute('aria-expanded', 'true');
  }

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
    closeDetail();
    rows.sort(function (a, b) {
      if (!isNumber)
        return sign * a.cells[column].textContent.localeCompare(b.cells[column].textContent, 'en',
                                                                {numeric: true});
      const x = valueOf(a, column), y = valueOf(b, column);
      if (x === null || y === null) return (x === null) - (y === null);
      return sign * (x - y);
    });
    rows.forEach(function (row) { body.append(row); });
  }

  heads.forEach(function (head, column) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    button.addEventListener('click', function () { sortBy(column); });
    head.replaceChildren(button);
  });

  const text = document.createElement('input');
  text.type = 'search';
  text.id = 'filter';
  const kind = document.createElement('select');
  kind.id = 'kind';
  kind.append(new Option('all types', ''));
  Array.from(new Set(rows.map(function (row) { return row.cells[kindColumn].textContent; })))
      .sort().forEach(function (name) { kind.append(new Option(name, name)); });
  const status = document.createElement('span');
  status.id = 'count';
  status.setAttribute('role', 'status');

  // The batch that is shown; empty for all of them.
  let batch = '';

  function filter() {
    const wanted = text.value.toLowerCase();
    let shown = 0;
    closeDetail();
    rows.forEach(function (row) {
      const isShown = (batch === '' || row.dataset.batch === batch) && row.textContent.toLowerCase().includes(wanted) &&
                      (kind.value === '' || row.cells[kindColumn].textContent === kind.value);
      row.hidden = !isShown;
      if (isShown) ++shown;
    });
    status.textContent = shown + ' of ' + rows.length + ' layers';
  }

  function labelled(name, control) {
    const label = document.createElement('label');
    label.append(name, control);
    return label;
  }
  tools.append(labelled('Filter', text), labelled('Type', kind), status);
  tools.hidden = false;

  function addBatches() {
    const bar = document.getElementById('batches');
    if (!bar) return;
    const lines = Array.from(document.querySelectorAll('#summary tr[data-batch]'));
    const batches = Array.from(new Set(lines.map(function (row) { return row.dataset.batch; })))
        .sort(function (a, b) { return a - b; });
    const rate = Array.from(document.querySelectorAll('#summary thead th'))
        .findIndex(function (head) { return head.textContent === 'images/s'; });
    const slider = document.createElement('input');
    slider.type = 'range';
    slider.id = 'batch';
    slider.max = batches.length;
    slider.value = batches.indexOf(bar.dataset.start) + 1;
    const label = document.createElement('label');
    label.htmlFor = slider.id;
    label.textContent = 'Batch';
    const chosen = document.createElement('output');
    chosen.htmlFor = slider.id;

    function choose() {
      batch = slider.value === '0' ? '' : batches[slider.value - 1];
      document.querySelectorAll('figure[data-batch]').forEach(function (part) {
        part.hidden = batch !== '' && part.dataset.batch !== batch;
      });
      const shown = lines.filter(function (row) { return row.dataset.batch === batch; });
      lines.forEach(function (row) { row.classList.toggle('chosen', shown.includes(row)); });
      chosen.textContent = batch === '' ? 'all' : batch +
          (shown.length === 1 ? ': ' + shown[0].cells[rate].textContent + ' images/s' : '');
      slider.setAttribute('aria-valuetext', chosen.textContent);
      filter();
    }
    slider.addEventListener('input', choose);
    bar.append(label, slider, chosen);
    bar.hidden = false;
    choose();
  }
  addBatches();
  text.addEventListener('input', filter);
  kind.addEventListener('change', filter);
  filter();

  rows.forEach(function (row) {
    const link = row.querySelector('th a');
    if (!link) return;
    link.setAttribute('aria-expanded', 'false');
    link.addEventListener('click', function (event) {
      event.preventDefault();
      openDetail(row);
    });
  });

  document.querySelectorAll('svg a').forEach(function (mark) {
    mark.addEventListener('click', function (event) {
      const row = document.getElementById(mark.getAttribute('href').slice(1));
      if (!row) return;
      event.preventDefault();
      text.value = '';
      kind.value = '';
      filter();
      openDetail(row);
      const link = row.querySelector('th a');
      if (link) link.focus({preventScroll: true});
    });
  });
})();
)js";

}  // namespace roofline
