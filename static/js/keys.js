"use strict";

// Keyboard shortcuts of pages with code, and the dialog that explains them.
//
// A link or button with data-key="x" and data-key-words="What it does" is pressed by its key;
// scripts add others with csroKeys.add({ key, words, act }) and tell what happened with
// csroKeys.announce("Change 2 of 5"). A key stands only for what it types (never with Ctrl, Alt or
// Meta, except AltGr, by which many keyboards type brackets), and never while somebody types.
// Ctrl+Enter (Cmd+Enter) presses a form's button with data-send="What it does" while one types.
window.csroKeys = (() => {
  const stored = "csro-shortcuts";
  const typing = "input, textarea, select, [contenteditable], [role='textbox'], .ace_editor";
  const added = new Map();
  let dialog = null;

  const region = document.createElement("p");
  region.className = "vh";
  region.setAttribute("role", "status");
  document.body.append(region);

  function announce(text) {
    region.textContent = "";
    setTimeout(() => { region.textContent = text; }, 30);
  }

  function add(shortcut) {
    added.set(shortcut.key, shortcut);
  }

  function all() {
    const found = new Map(added);
    for (const element of document.querySelectorAll("[data-key]")) {
      const words = element.dataset.keyWords || element.textContent.trim();
      found.set(element.dataset.key, { key: element.dataset.key, words, act: () => element.click() });
    }
    return [...found.values()];
  }

  function remembered() {
    try { return localStorage.getItem(stored); } catch { return null; }
  }

  function remember(value) {
    try { localStorage.setItem(stored, value); } catch { /* a private window: for this page only */ }
  }

  let on = remembered() !== "off";

  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  // What Ctrl+Enter does here; boxes that are not open yet stand in templates.
  function sends() {
    const roots = [document, ...[...document.querySelectorAll("template")].map((one) => one.content)];
    const words = roots.flatMap((root) => [...root.querySelectorAll("[data-send]")].map((one) => one.dataset.send));
    return words.length ? [{ key: "Ctrl+Enter", words: `While you write: ${[...new Set(words)].join(", or ")}` }] : [];
  }

  function list() {
    const rows = element("dl", "", { class: "keys" });
    for (const { key, words } of [...all(), ...sends(), { key: "?", words: "This help" }]) {
      const name = element("dt", "");
      key.split("+").forEach((part, place) => name.append(place ? "+" : "", element("kbd", part)));
      rows.append(name, element("dd", words));
    }
    return rows;
  }

  function aSwitch() {
    const label = element("label", "", { class: "check" });
    const box = element("input", "", { type: "checkbox" });
    box.checked = on;
    box.addEventListener("change", () => {
      on = box.checked;
      remember(on ? "on" : "off");
    });
    label.append(box, "Shortcuts of single keys are on (? always opens this help)");
    return label;
  }

  function help() {
    if (dialog) return;
    const before = document.activeElement;
    dialog = element("dialog", "", { class: "panel keys-help", "aria-labelledby": "keys-title" });
    const close = element("button", "Close", { type: "button", class: "button" });
    close.addEventListener("click", () => dialog.close());
    dialog.append(element("h2", "Keyboard shortcuts", { id: "keys-title" }), list(), aSwitch(), close);
    dialog.addEventListener("close", () => {
      dialog.remove();
      dialog = null;
      if (before && before.isConnected) before.focus();
    });
    document.body.append(dialog);
    dialog.showModal();
    close.focus();
  }

  function meant(event) {
    const altGraph = event.getModifierState && event.getModifierState("AltGraph");
    if (event.metaKey || ((event.ctrlKey || event.altKey) && !altGraph)) return false;
    if (event.defaultPrevented || event.isComposing || dialog) return false;
    return !(event.target.closest && event.target.closest(`${typing}, dialog[open]`));
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
    const button = event.target.matches?.("textarea") && event.target.form?.querySelector("[data-send]");
    if (!button || event.isComposing) return;
    event.preventDefault();
    if (!event.repeat) button.click();
  });

  document.addEventListener("keydown", (event) => {
    if (!meant(event)) return;
    if (event.key === "?") {
      event.preventDefault();
      help();
      return;
    }
    const shortcut = on && all().find(({ key }) => key === event.key);
    if (!shortcut) return;
    event.preventDefault();
    shortcut.act();
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-keys-help]")) help();
  });

  return { add, announce, help };
})();
