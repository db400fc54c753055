"use strict";

// Line permalinks: #L12 marks a line, #L3-L9 a range; Shift-click on a number extends a range.
(() => {
  const anchor = /^#([LAB])(\d+)(?:-\1(\d+))?$/;

  function range() {
    const found = anchor.exec(location.hash);
    if (!found) return null;
    const first = Number(found[2]);
    const last = Number(found[3] || found[2]);
    return { side: found[1], from: Math.min(first, last), to: Math.max(first, last) };
  }

  function mark(scroll) {
    for (const element of document.querySelectorAll("[data-code] .hit")) element.classList.remove("hit");
    const wanted = range();
    if (!wanted) return;
    const most = Math.min(wanted.to, wanted.from + 5000);
    let top = null;
    for (let number = wanted.from; number <= most; number += 1) {
      const element = document.getElementById(wanted.side + number);
      if (!element) continue;
      element.classList.add("hit");
      top = top || element;
    }
    if (!top) return;
    const fold = top.closest("details");
    if (fold) fold.open = true;
    if (scroll) top.scrollIntoView({ block: "center" });
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-code] a.ln");
    if (!link || !event.shiftKey) return;
    const wanted = range();
    const clicked = anchor.exec(link.hash);
    if (!wanted || !clicked || clicked[1] !== wanted.side) return;
    event.preventDefault();
    const number = Number(clicked[2]);
    const from = Math.min(wanted.from, number);
    const to = Math.max(wanted.from, number);
    history.replaceState(null, "", `#${wanted.side}${from}-${wanted.side}${to}`);
    mark(false);
  });

  window.addEventListener("hashchange", () => mark(true));
  mark(true);
})();
