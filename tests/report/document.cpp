#include "report/document.hpp"

#include <string>

#include "catch.hpp"

using namespace roofline;

namespace {

/// One part of each kind that a text shows.
Document every_part() {
  Document document;
  document.add_heading("a net on a GPU");
  document.add_sentence("");
  document.add_sentence("one two three four five six seven eight nine ten eleven twelve thirteen");
  document.add_line("- <b> & more");
  document.add_gap();
  List list;
  list.add("work", "1 FLOP\nand 2 B");
  list.add("", "");
  list.add("", "further");
  document.add_list(list);
  document.add_gap();
  Grid grid{{left("layer"), right("expected"), right("rank", 1), right("nothing")}};
  grid.add_row({"conv_1", "10.00 us", "2", ""});
  grid.add_row({"x|y", "~1.000 us", "1", "0"});
  document.add_table({grid});
  document.add_line("2 of 3 rows");
  document.add_gap();
  document.add_block("a\n```\nb\n");
  document.add_legend();
  return document;
}

}  // namespace

TEST_CASE("A document is laid out for a file", "[report/document]") {
  CHECK(text_of(every_part(), {}) == R"(a net on a GPU
one two three four five six seven eight nine ten eleven twelve thirteen
- <b> & more

  work       1 FLOP
             and 2 B
             further

layer    expected  rank
conv_1   10.00 us     2
x|y     ~1.000 us     1
2 of 3 rows

a
```
b

~: not measured on this GPU. rank: shared where ranges overlap. expected: a
library's kernel. roofline words explains all.
)");
}

TEST_CASE("A document fits a terminal", "[report/document]") {
  CHECK(text_of(every_part(), 20) == R"(a net on a GPU
one two three four
five six seven eight
nine ten eleven
twelve thirteen
- <b> & more

  work       1 FLOP
             and 2 B
             further

layer    expected
conv_1   10.00 us
x|y     ~1.000 us
2 of 3 rows

a
```
b

~: not measured on
this GPU. expected:
a library's kernel.
roofline words
explains all.
)");
}

TEST_CASE("A document is Markdown without markup of its texts", "[report/document]") {
  CHECK(markdown_of(every_part()) == R"(### a net on a GPU

one two three four five six seven eight nine ten eleven twelve thirteen\
\- \<b> \& more

- **work** 1 FLOP and 2 B
  further

| layer | expected | rank |
| :-- | --: | --: |
| conv_1 | 10.00 us | 2 |
| x\|y | \~1.000 us | 1 |

2 of 3 rows

````
a
```
b
````

\~: not measured on this GPU. rank: shared where ranges overlap. expected: a library's kernel. roofline words explains all.
)");
}

TEST_CASE("A document is the body of a page", "[report/document]") {
  CHECK(html_of(every_part()) == R"(<h3>a net on a GPU</h3>
<p>one two three four five six seven eight nine ten eleven twelve thirteen<br>
- &lt;b&gt; &amp; more</p>
<dl>
<dt>work</dt><dd>1 FLOP
and 2 B</dd>
<dt></dt><dd>further</dd>
</dl>
<div class="table" tabindex="0">
<table>
<thead><tr><th scope="col" class="left">layer</th><th scope="col">expected</th><th scope="col">rank</th></tr></thead>
<tbody>
<tr><th scope="row" class="left">conv_1</th><td>10.00 us</td><td>2</td></tr>
<tr><th scope="row" class="left">x|y</th><td>~1.000 us</td><td>1</td></tr>
</tbody>
</table>
</div>
<p>2 of 3 rows</p>
<pre tabindex="0">a
```
b
</pre>
)");
}
