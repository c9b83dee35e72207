#pragma once

// The style sheet of a report's page.

#include <string_view>

namespace roofline {

inline constexpr std::string_view page_css = R"css(
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
#settings thead th{white-space:normal}
thead th{position:sticky;top:0;background:#f1f1f1}
.n{text-align:right;font-variant-numeric:tabular-nums}
tbody tr:hover>*{background:#f3f7fb}
a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid #d55e00;outline-offset:2px}
pre{font:.8rem/1.4 ui-monospace,"DejaVu Sans Mono",monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0}
summary{cursor:pointer;overflow-wrap:anywhere}
figure{margin:1rem 0;border:1px solid #d0d0d0}
figure svg{display:block;width:100%;height:auto}
@media print{nav,.skip{display:none}#layers .scroll{max-height:none;overflow:visible}thead th{position:static}}
)css";

}  // namespace roofline
