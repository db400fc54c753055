"use strict";

// The editor over the ordinary text area, and the care for what is typed in it. The text area stays
// the field of the form: Ace writes into it, and without scripts it is all there is.
(() => {
  const form = document.getElementById("edit-form");
  const field = document.getElementById("source");
  sayWhenTrialsEnd();
  if (!form || !field) return;

  const place = document.getElementById("editor");
  const keptHere = keeper(form.dataset.keep);
  const offered = keeper(`${form.dataset.keep}:offered`);
  const sent = new Map();
  let order = Date.now();
  let editor = null;

  offerWhatIsKept();
  keepWords();
  if (window.ace) startAce();
  followRequests();
  followForm();

  // ---- the text ----

  function text() {
    return field.value.replaceAll("\r\n", "\n");
  }

  function put(value) {
    field.value = value;
    if (editor) editor.session.setValue(value);
    typed();
  }

  function typed() {
    keptHere.keep(text());
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // ---- what this browser keeps until the server has it ----

  function keeper(key) {
    return {
      keep(value, at = Date.now()) {
        try {
          localStorage.setItem(key, JSON.stringify({ value, at }));
        } catch {
          say("This browser keeps no copy of your text: save the draft before you leave.");
        }
      },
      drop() {
        try { localStorage.removeItem(key); } catch { /* nothing was kept then */ }
      },
      get() {
        try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
      },
    };
  }

  function offerWhatIsKept() {
    const unsaved = keptHere.get();
    if (unsaved && unsaved.value !== text()) offered.keep(unsaved.value, unsaved.at);
    keptHere.drop();
    const kept = offered.get();
    if (!kept) return;
    if (kept.value === text()) {
      offered.drop();
      return;
    }
    const offer = document.getElementById("kept-here");
    offer.hidden = false;
    offer.querySelector("time").textContent = new Date(kept.at).toLocaleString();
    document.getElementById("kept-restore").addEventListener("click", () => {
      offer.hidden = true;
      offered.drop();
      put(kept.value);
      (editor || field).focus();
    });
    document.getElementById("kept-drop").addEventListener("click", () => {
      offer.hidden = true;
      offered.drop();
    });
  }

  // Why and under which name: kept for this tab, and dropped once the commit is there.
  function keepWords() {
    const key = `${form.dataset.keep}:words`;
    for (const name of ["reason", "name"]) {
      const input = form.elements[name];
      if (!input || input.type === "hidden") continue;
      try {
        input.value ||= sessionStorage.getItem(`${key}:${name}`) || "";
        input.addEventListener("input", () => sessionStorage.setItem(`${key}:${name}`, input.value));
      } catch { /* nothing is kept, then */ }
    }
  }

  // ---- Ace ----

  function startAce() {
    ace.config.set("useStrictCSP", true);
    ace.define("ace/theme/csro", [], (require, exports) => {
      exports.cssClass = "ace-csro";
      exports.cssText = "";
      exports.isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    });
    const button = document.getElementById("plain-switch");
    button.hidden = false;
    button.addEventListener("click", () => choosePlain(editor !== null));
    if (preferred() !== "plain") attach();
    mark(button);
  }

  function preferred() {
    try { return localStorage.getItem("csro-editor"); } catch { return null; }
  }

  function choosePlain(plain) {
    try { localStorage.setItem("csro-editor", plain ? "plain" : "ace"); } catch { /* for now only */ }
    if (plain) detach(); else attach();
    mark(document.getElementById("plain-switch"));
    if (plain) field.focus(); else editor.focus();
  }

  function mark(button) {
    button.setAttribute("aria-pressed", String(editor === null));
    document.getElementById("edit-keys").hidden = editor === null;
  }

  function attach() {
    place.hidden = false;
    editor = ace.edit(place, {
      mode: "ace/mode/python",
      theme: "ace/theme/csro",
      value: text(),
      newLineMode: "unix",
      useSoftTabs: true,
      tabSize: 4,
      useWorker: false,
      dragEnabled: false,
      showPrintMargin: false,
      fixedWidthGutter: true,
      enableKeyboardAccessibility: true,
      textInputAriaLabel: "Program",
      scrollPastEnd: 0.2,
    });
    editor.renderer.textarea.setAttribute("aria-describedby", "edit-hint edit-keys verdict");
    // These load further files by names that a collected installation does not have.
    for (const name of ["showSettingsMenu", "openCommandPalette", "openCommandPallete", "gotoline",
      "goToNextError", "goToPreviousError"]) editor.commands.removeCommand(name);
    editor.commands.addCommand({
      name: "try", bindKey: { win: "Ctrl-Enter", mac: "Command-Enter" }, exec: tryIt,
    });
    editor.commands.addCommand({
      name: "save", bindKey: { win: "Ctrl-S", mac: "Command-S" }, exec: saveNow,
    });
    editor.session.on("change", () => {
      field.value = editor.getValue();
      typed();
    });
    field.hidden = true;
    annotate();
  }

  function detach() {
    editor.destroy();
    editor = null;
    place.replaceChildren();
    place.hidden = true;
    field.hidden = false;
  }

  function annotate() {
    if (!editor) return;
    const found = [...document.querySelectorAll("#verdict [data-finding]")]
      .filter((finding) => finding.dataset.line)
      .map((finding) => ({
        row: Math.min(Number(finding.dataset.line), editor.session.getLength()) - 1,
        column: 0,
        text: finding.querySelector("[data-words]").textContent,
        type: "error",
      }));
    editor.session.setAnnotations(found);
  }

  function tryIt() {
    document.getElementById("try").click();
  }

  function saveNow() {
    htmx.trigger(field, "save-now");
  }

  // ---- what is sent and what came back ----

  function next() {
    order = Math.max(order + 1, Date.now());
    return order;
  }

  function followRequests() {
    document.addEventListener("htmx:configRequest", (event) => {
      const parameters = event.detail.parameters;
      if (!form.contains(event.detail.elt) || parameters.source === undefined) return;
      parameters.order = String(next());
      sent.set(parameters.order, text());
    });
    document.addEventListener("htmx:beforeSwap", (event) => {
      const status = event.detail.xhr.status;
      if (status === 409 || status === 422) {
        event.detail.shouldSwap = true;
        event.detail.isError = false;
      }
    });
    document.addEventListener("htmx:afterSettle", annotate);
    document.addEventListener("htmx:afterRequest", afterRequest);
  }

  // Only a version in the answer says that the text is safe: a page to sign in, a proxy's error or
  // no answer at all say nothing of the kind.
  function afterRequest(event) {
    const order = event.detail.requestConfig && event.detail.requestConfig.parameters.order;
    if (!sent.has(order)) return;
    const saved = sent.get(order);
    sent.delete(order);
    const path = event.detail.requestConfig.path;
    if (path.endsWith("/differences") || path.endsWith("/cancel")) return;
    const xhr = event.detail.xhr;
    const version = xhr && xhr.getResponseHeader("X-Draft-Version");
    if (version) {
      form.elements.version.value = version;
      if (saved === text()) keptHere.drop();
      return;
    }
    const status = xhr ? xhr.status : 0;
    if (status === 409) return;
    if (status === 286) say("You are signed out, so the draft is not saved. This browser keeps your text: sign in again and open this page.");
    else if (status === 403) say("The server did not take the draft: you signed in again meanwhile, or may not do this any more. This browser keeps your text: reload the page.");
    else say("The server did not take the draft. This browser keeps your text and sends it again with your next key.");
  }

  function say(words) {
    const verdict = document.getElementById("verdict");
    const note = document.createElement("p");
    note.className = "note note-bad";
    note.textContent = words;
    verdict.replaceChildren(note);
  }

  function followForm() {
    field.addEventListener("input", () => keptHere.keep(text()));
    form.addEventListener("submit", (event) => {
      if (event.submitter && "drops" in event.submitter.dataset) {
        keptHere.drop();
        return;
      }
      keptHere.keep(text());
      form.elements.order.value = String(next());
    });
    field.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey)) return;
      if (event.key === "Enter") tryIt();
      else if (event.key === "s") saveNow();
      else return;
      event.preventDefault();
    });
  }

  // ---- trials ----

  function sayWhenTrialsEnd() {
    document.addEventListener("htmx:afterSettle", () => {
      const told = document.getElementById("trial-said");
      const trial = document.querySelector("[data-trial]");
      const words = trial ? trial.dataset.said : "";
      if (!told || told.textContent === words) return;
      told.textContent = words;
      if (words && field) htmx.trigger(field, "save-now"); // shows it in the commit form, too
    });
  }
})();
