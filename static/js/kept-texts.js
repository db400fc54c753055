"use strict";

// A copy of what is typed stays in this browser until the server says that it has it, so that a lost
// session, a server's error or a lost network loses no text. The next page with a place for it
// offers it again, to the person who wrote it.
(() => {
  const state = document.getElementById("review-bar");
  if (!state) return;
  const PREFIX = `csro-text:${state.dataset.person}:`;
  const LONGEST_DAYS = 14;
  const same = (a, b) => a.replaceAll("\r\n", "\n").trim() === b.replaceAll("\r\n", "\n").trim();
  const path = (address) => new URL(address, location.href).pathname;

  function write(form) {
    const area = form.elements.body;
    const name = PREFIX + (form.dataset.once === undefined ? form.dataset.box : `review:${location.pathname}`);
    if (!area.value.trim()) return localStorage.removeItem(name);
    const copy = {
      text: area.value, action: path(form.action), at: Date.now(),
      first: form.elements.first?.value || null, last: form.elements.last?.value || null,
    };
    try { localStorage.setItem(name, JSON.stringify(copy)); } catch { /* full or private: the server has it */ }
    return null;
  }

  function drop(form) {
    localStorage.removeItem(PREFIX + (form.dataset.once === undefined ? form.dataset.box : `review:${location.pathname}`));
  }

  const boxOf = (element) => element?.closest?.("form[data-box]");

  document.addEventListener("input", (event) => {
    const form = boxOf(event.target);
    if (form && event.target === form.elements.body) write(form);
  });

  // What the server answered to a draft.
  function problem(form, text) {
    const place = form.querySelector(".kept");
    place.textContent = "";
    const said = document.createElement("span");
    said.className = "kept-bad";
    said.textContent = text;
    place.append(said);
  }

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 409 && boxOf(event.detail.requestConfig.elt)) event.detail.shouldSwap = true;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const form = boxOf(event.detail.elt);
    if (!form) return;
    const { xhr, requestConfig } = event.detail;
    const answer = xhr?.responseText || "";
    if (xhr?.status === 200 && answer.includes("data-kept")) {
      if (same(String(requestConfig.parameters.body), form.elements.body.value)) drop(form);
    } else if (xhr?.status === 286) {
      // Signed out: the notice with its link is shown; the copy stays.
    } else if (!xhr || xhr.status === 0) {
      problem(form, "Not kept: the server cannot be reached. Your text stays in this browser.");
    } else if (xhr.status !== 409) {
      problem(form, "Not kept: reload this page in another tab, and sign in if it asks. Your text stays in this browser.");
    }
  });

  // Copies that the server does not have.
  function* copies() {
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(PREFIX)) continue;
      let copy = null;
      try { copy = JSON.parse(localStorage.getItem(name)); } catch { /* not ours */ }
      if (!copy?.text || Date.now() - copy.at > LONGEST_DAYS * 86400000) localStorage.removeItem(name);
      else yield { name, key: name.slice(PREFIX.length), ...copy };
    }
  }

  function isKept({ key, text }, published) {
    if (published.has(key)) return true;
    const form = document.getElementById(`box-${key}`);
    return Boolean(form && same(form.elements.body.value, text));
  }

  // How the text can be put back on this page; null where there is no place for it.
  function wayBack(copy) {
    const form = document.getElementById(`box-${copy.key}`);
    if (form) return () => put(form, copy.text);
    if (copy.key.startsWith("review:")) {
      const whole = document.querySelector("form[data-once]");
      if (!whole || copy.key !== `review:${location.pathname}` || same(whole.elements.body.value, copy.text)) return null;
      return () => put(whole, copy.text);
    }
    if (copy.first) {
      for (const template of document.querySelectorAll("template[data-new-box]")) {
        const action = template.content.querySelector("form").getAttribute("action");
        const range = { side: template.dataset.newBox, from: Number(copy.first), to: Number(copy.last) };
        if (path(action) === copy.action) return () => put(window.csroThreads.openBox(range, copy.key), copy.text);
      }
      return null;
    }
    for (const link of document.querySelectorAll("[data-reply]")) {
      if (path(link.dataset.action) === copy.action) return () => put(window.csroThreads.openReply(link, copy.key), copy.text);
    }
    const open = [...document.querySelectorAll("form[data-box]")].find((one) => path(one.action) === copy.action && !one.elements.first);
    return open ? () => put(open, copy.text) : null;
  }

  function put(form, text) {
    const area = form.elements.body;
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    area.focus();
  }

  function element(name, text, className) {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function offer(copy, back) {
    const note = element("section", "", "note note-warn kept-text");
    note.setAttribute("aria-label", "Text that was not kept");
    const where = copy.first ? ` on line ${copy.first}` : "";
    const again = element("button", "Put it back", "button button-main");
    const away = element("button", "Throw it away", "button");
    const actions = element("div", "", "actions");
    again.type = away.type = "button";
    again.addEventListener("click", () => {
      note.remove();
      if (!document.getElementById(`box-${copy.key}`)) localStorage.removeItem(copy.name);
      back();
    });
    away.addEventListener("click", () => {
      localStorage.removeItem(copy.name);
      note.remove();
    });
    actions.append(again, away);
    const text = element("pre", copy.text);
    text.tabIndex = 0;
    note.append(element("strong", `You wrote this${where}, and the server does not have it:`), text, actions);
    document.getElementById("kept-in-browser").append(note);
  }

  const published = new Set(state.dataset.published.split(" "));
  document.getElementById("kept-in-browser").className = "kept-in-browser";
  for (const copy of [...copies()]) {
    if (isKept(copy, published)) {
      localStorage.removeItem(copy.name);
      continue;
    }
    const back = wayBack(copy);
    if (back) offer(copy, back);
  }
})();
