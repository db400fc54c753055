"use strict";

// Differences: n and p go from change to change; switching the view keeps the marked lines.
(() => {
  const bars = [...document.querySelectorAll("[data-code] .change-bar")];

  // The change that the reader is at or below: by the focus, else by what is on the screen.
  function here() {
    const focused = document.activeElement.closest("[data-code] > *, [data-code] details > *");
    if (focused && !focused.matches("[data-code]")) {
      const before = bars.filter((bar) => bar === focused
        || bar.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING);
      return { at: before.length - 1, on: before.at(-1) === focused };
    }
    const above = bars.filter((bar) => bar.getBoundingClientRect().top < 0);
    return { at: above.length - 1, on: false };
  }

  function go(by) {
    if (!bars.length) return csroKeys.announce("Nothing differs");
    const { at, on } = here();
    const next = by > 0 ? at + 1 : on ? at - 1 : at;
    const target = bars[next];
    if (!target) return csroKeys.announce(by > 0 ? "This is the last change" : "This is the first change");
    target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
    csroKeys.announce(target.textContent.trim());
  }

  document.addEventListener("DOMContentLoaded", () => {
    csroKeys.add({ key: "n", words: "Next change", act: () => go(1) });
    csroKeys.add({ key: "p", words: "Previous change", act: () => go(-1) });
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-keep-hash]");
    if (link && location.hash) link.hash = location.hash;
  });
})();
