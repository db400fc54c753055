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

// The menu at the top closes with Escape, with a click elsewhere, and when focus leaves it.
(() => {
  const menu = document.querySelector(".more-menu");
  if (!menu) return;
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
})();
