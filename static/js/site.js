"use strict";

// Relative times stay true while a page is open.
(() => {
  const steps = [[86400, "d"], [3600, "h"], [60, "min"]];

  function relative(seconds) {
    if (seconds < 5) return "just now";
    for (const [length, name] of steps) {
      if (seconds >= length) return `${Math.floor(seconds / length)} ${name} ago`;
    }
    return `${Math.floor(seconds)} s ago`;
  }

  function refresh() {
    for (const element of document.querySelectorAll("time[data-relative]")) {
      const text = relative((Date.now() - Date.parse(element.dateTime)) / 1000);
      if (element.textContent !== text) element.textContent = text;
    }
  }

  setInterval(refresh, 20000);
})();
