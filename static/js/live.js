"use strict";

// The live run page. htmx polls and swaps; this keeps the reader's place while it does: what is
// open stays open, focus stays where it was, selected text is not pulled away, and a page that
// nobody looks at does not poll.
(() => {
  const waiting = new Map();

  const isPoll = (element) => element && element.id === "live-poll";
  const sections = () => document.querySelectorAll("[data-digest]");

  function note(text) {
    const place = document.getElementById("live-note");
    if (!place) return;
    place.textContent = text;
    place.hidden = !text;
  }

  function holdsSelection(element) {
    const selection = document.getSelection();
    return selection && !selection.isCollapsed && selection.rangeCount > 0 &&
      selection.getRangeAt(0).intersectsNode(element);
  }

  function keepOpen(before, after) {
    for (const details of before.querySelectorAll("details[id]")) {
      const twin = after.querySelector(`#${CSS.escape(details.id)}`);
      if (twin) twin.open = details.open;
    }
  }

  function placeOf(section) {
    const active = document.activeElement;
    if (!active || !section.contains(active)) return null;
    if (active.id) return `#${CSS.escape(active.id)}`;
    const address = active.getAttribute("href");
    if (address) return `a[href="${CSS.escape(address)}"]:not([tabindex])`;
    const details = active.closest("details[id]");
    return details ? `#${CSS.escape(details.id)} > summary` : null;
  }

  document.addEventListener("htmx:configRequest", (event) => {
    if (!isPoll(event.detail.elt)) return;
    event.detail.parameters.have = [...sections()]
      .map((section) => `${section.id.replace("live-", "")}:${section.dataset.digest}`)
      .join(",");
  });

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (isPoll(event.detail.elt) && document.hidden) event.preventDefault();
  });

  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const section = event.detail.target;
    const arriving = event.detail.fragment;
    keepOpen(section, arriving);
    if (holdsSelection(section)) {
      waiting.set(section.id, arriving.firstElementChild.cloneNode(true));
      event.detail.shouldSwap = false;
      return;
    }
    waiting.delete(section.id);
    const focused = placeOf(section);
    if (!focused) return;
    document.addEventListener("htmx:afterSettle", () => {
      const again = document.querySelector(`#${section.id} ${focused}`);
      if (again && document.activeElement !== again) again.focus({ preventScroll: true });
    }, { once: true });
  });

  document.addEventListener("selectionchange", () => {
    for (const [id, arrived] of waiting) {
      const section = document.getElementById(id);
      if (section && holdsSelection(section)) continue;
      waiting.delete(id);
      if (!section) continue;
      keepOpen(section, arrived);
      arrived.removeAttribute("hx-swap-oob");
      section.replaceWith(arrived);
    }
  });

  document.addEventListener("htmx:afterRequest", (event) => {
    if (!isPoll(event.detail.elt)) return;
    const status = event.detail.xhr ? event.detail.xhr.status : 0;
    if (status === 403 || status === 404) {
      event.detail.elt.remove();
      note("This page can no longer follow the run. Reload it to see why.");
    } else if (!event.detail.successful) {
      note("The server does not answer; trying again.");
    } else {
      note("");
    }
  });
})();
