"""How the report looks on a screen and on A4."""

from __future__ import annotations

import base64
import hashlib

STYLE = """
:root { --ink: #1a1e22; --quiet: #545c64; --line: #d5d5cc; --accent: #0d5a63; --bad: #a01c1c; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 60rem; color: var(--ink);
  background: #fff; font: 10.5pt/1.5 Inter, "Segoe UI", Roboto, "Helvetica Neue",
  "Liberation Sans", Arial, sans-serif; }
h1 { font-size: 20pt; line-height: 1.2; margin: 0 0 .3rem; letter-spacing: -.01em; }
h2 { font-size: 13pt; margin: 2.2rem 0 .6rem; padding-top: .5rem;
  border-top: 1.5pt solid var(--accent); }
h3 { font-size: 11pt; margin: 1.4rem 0 .3rem; }
p { margin: .4rem 0 .7rem; max-width: 46rem; }
.quiet { color: var(--quiet); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; margin: .8rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: .6rem 0 1rem; font-size: 9.5pt;
  font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .28rem .6rem .28rem 0;
  border-bottom: .5pt solid var(--line); overflow-wrap: anywhere; }
thead th { color: var(--quiet); font-weight: 500; border-bottom-width: 1pt; }
tbody th { font-weight: 500; }
.num { text-align: right; white-space: nowrap; padding-left: .6rem; }
code, pre, .hash { font-family: "JetBrains Mono", Menlo, Consolas, "Liberation Mono", monospace; }
code, .hash { font-size: .92em; }
pre { font-size: 8pt; line-height: 1.45; margin: .4rem 0 1rem; padding: .6rem .8rem;
  border: .5pt solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }
.code { color: var(--bad); border: .5pt solid var(--bad); border-radius: 2pt; padding: 0 2pt;
  font-size: .85em; }
.n { color: #8b8f92; display: inline-block; width: 3.2em; }
.said { margin: .4rem 0 .6rem; padding-left: .8rem; border-left: 2pt solid var(--line);
  white-space: pre-wrap; overflow-wrap: anywhere; }
svg { display: block; max-width: 100%; height: auto; margin: .4rem 0; }
svg text { font-family: inherit; }
.draft-note { border: 1.5pt solid var(--bad); color: var(--bad); padding: .6rem .9rem;
  margin: 0 0 1.4rem; font-weight: 600; }
.watermark { position: fixed; top: 38%; left: 0; right: 0; text-align: center; z-index: 9;
  font-size: 120pt; font-weight: 800; letter-spacing: .08em; color: #a01c1c; opacity: .1;
  transform: rotate(-28deg); pointer-events: none; }
@page { size: A4; margin: 17mm 16mm 18mm; }
@media print {
  body { padding: 0; max-width: none; font-size: 9.5pt; }
  h2, h3 { break-after: avoid; }
  tr, svg, .keep { break-inside: avoid; }
  thead { display: table-header-group; }
  .listing { break-before: page; }
}
"""


def policy() -> str:
    """The report's own content policy: this style sheet and nothing else."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
