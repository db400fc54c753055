"use strict";

// Line permalinks: #L12 marks a line, #B3-B9 a range of the new side. Shift-click (or Shift-Enter)
// on a number extends the range; y copies the link; j and k walk through the lines.
(() => {
  const anchor = /^#([LAB])(\d+)(?:-\1(\d+))?$/;
  const most = 5000;

  function range() {
    const found = anchor.exec(location.hash);
    if (!found) return null;
    const first = Number(found[2]);
    const last = Number(found[3] || found[2]);
    return { side: found[1], from: Math.min(first, last), to: Math.max(first, last) };
  }

  // On a phone the old half of an unchanged line is not shown; its row is.
  function shown(element) {
    return element.offsetParent ? element : element.closest(".drow, .urow, .line") || element;
  }

  function mark(go) {
    for (const element of document.querySelectorAll("[data-code] .hit")) element.classList.remove("hit");
    const wanted = range();
    if (!wanted) return;
    let top = null;
    for (let number = wanted.from; number <= Math.min(wanted.to, wanted.from + most); number += 1) {
      const element = document.getElementById(wanted.side + number);
      if (!element) continue;
      element.classList.add("hit");
      const fold = element.closest("details");
      if (fold) fold.open = true;
      top = top || element;
    }
    if (!top || !go) return;
    shown(top).scrollIntoView({ block: "center" });
    const link = top.matches("a.ln") ? top : top.querySelector("a.ln");
    if (link) link.focus({ preventScroll: true });
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
    csroKeys.announce(`Lines ${from} to ${to} are marked`);
  });

  // The row that the reader is at: with the focus, else marked, else none.
  function here(rows) {
    const focused = document.activeElement.closest("[data-code] .drow, [data-code] .urow, [data-code] .line");
    if (focused) return rows.indexOf(focused);
    return rows.findIndex((row) => row.matches(".hit") || row.querySelector(".hit"));
  }

  function reachable(row) {
    if (row.closest("details:not([open])")) return [];
    return [...row.querySelectorAll("a.ln")].filter((link) => link.offsetParent);
  }

  function step(by) {
    const rows = [...document.querySelectorAll("[data-code] .drow, [data-code] .urow, [data-code] .line")];
    let at = here(rows) + by;
    if (at < 0) at = 0;
    while (rows[at] && !reachable(rows[at]).length) at += by;
    if (!rows[at]) return csroKeys.announce(by > 0 ? "This is the last line" : "This is the first line");
    reachable(rows[at]).at(-1).focus();
    const source = rows[at].querySelector(".src.new") || rows[at].querySelector(".src");
    csroKeys.announce(source ? source.textContent.trim().slice(0, 200) || "blank" : "");
  }

  async function copy(button) {
    const link = location.href;
    const wanted = range();
    const what = wanted ? `Link to ${wanted.from === wanted.to ? "the line" : "the lines"} copied` : "Link to this page copied";
    let copied = false;
    try {
      await navigator.clipboard.writeText(link);
      copied = true;
    } catch {
      // Without a secure connection there is no clipboard: the old way, from a field.
      const field = document.createElement("input");
      field.value = link;
      field.setAttribute("aria-label", "Link");
      button.after(field);
      field.select();
      copied = document.execCommand("copy");
      if (copied) field.remove();
      button.focus();
    }
    csroKeys.announce(copied ? what : "Copy the link from the field beside the button");
    const before = button.textContent;
    button.textContent = copied ? "Copied" : "Copy it from here:";
    setTimeout(() => { button.textContent = before; }, 2000);
  }

  for (const button of document.querySelectorAll("[data-copy-link]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
  for (const button of document.querySelectorAll("[data-keys-help]")) button.hidden = false;
  document.addEventListener("DOMContentLoaded", () => {
    if (!document.querySelector("[data-code]")) return;
    csroKeys.add({ key: "j", words: "Next line", act: () => step(1) });
    csroKeys.add({ key: "k", words: "Previous line", act: () => step(-1) });
  });

  // A link that was followed before changes no address, but its fold may have been closed since.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href*='#']");
    if (link && !event.defaultPrevented && link.href === location.href) setTimeout(() => mark(true));
  });
  window.addEventListener("hashchange", () => mark(true));
  mark(true);
})();
