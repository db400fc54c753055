"use strict";

// Choosing lines, the boxes to write in, and going through threads, by mouse and by keyboard.
// code.js marks the lines that the address names (#L3-L9); kept-texts.js keeps what is typed.
window.csroThreads = (() => {
  const anchor = /^#([LAB])(\d+)(?:-\1(\d+))?$/;
  const state = document.getElementById("review-bar");
  const replyBox = document.querySelector("template[data-reply-box]");
  const keys = window.csroKeys;
  const say = (text) => keys && keys.announce(text);

  function chosen() {
    const found = anchor.exec(location.hash);
    if (!found) return null;
    const [from, to] = [Number(found[2]), Number(found[3] || found[2])].sort((a, b) => a - b);
    return { side: found[1], from, to };
  }

  function choose(side, from, to) {
    history.replaceState(null, "", from === to ? `#${side}${from}` : `#${side}${from}-${side}${to}`);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }

  const words = ({ from, to }) => (from === to ? `line ${from}` : `lines ${from} to ${to}`);
  const rowOf = (side, number) => document.getElementById(`${side}${number}`)?.closest(".line, .drow, .urow");

  // What stands under a line stays above what comes later.
  function placeUnder(side, number, element) {
    let last = rowOf(side, number);
    if (!last) return false;
    while (last.nextElementSibling?.matches("[data-beside]")) last = last.nextElementSibling;
    const holder = document.createElement("div");
    holder.className = `beside beside-${side}`;
    holder.dataset.beside = `${side}${number}`;
    holder.append(element);
    last.after(holder);
    return true;
  }

  // A copy of a box, with names of its own for its parts.
  function copyBox(template, key) {
    const form = template.content.querySelector("form").cloneNode(true);
    form.id = `box-${key}`;
    form.dataset.box = key;
    form.elements.key.value = key;
    const area = form.elements.body;
    const kept = form.querySelector(".kept");
    area.id = `text-${key}`;
    kept.id = `kept-${key}`;
    area.setAttribute("aria-describedby", kept.id);
    area.setAttribute("hx-target", `#${CSS.escape(kept.id)}`);
    area.previousElementSibling.htmlFor = area.id;
    form.querySelector("[data-close]").hidden = false;
    return form;
  }

  function newKey() {
    if (crypto.randomUUID) return crypto.randomUUID();
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  function openBox(range, key = newKey()) {
    const template = document.querySelector(`template[data-new-box="${range.side}"]`);
    if (!template || !rowOf(range.side, range.to)) return null;
    const form = copyBox(template, key);
    form.elements.first.value = range.from;
    form.elements.last.value = range.to;
    form.setAttribute("aria-label", `Comment on ${words(range)}`);
    form.elements.body.previousElementSibling.firstChild.textContent = `Comment on ${words(range)}`;
    removeOffer();
    placeUnder(range.side, range.to, form);
    window.htmx.process(form);
    form.elements.body.focus();
    return form;
  }

  function openReply(link, key = newKey()) {
    const thread = link.closest("[data-thread]");
    const form = copyBox(replyBox, key);
    form.action = link.dataset.action;
    form.elements.at.value = link.dataset.at;
    form.elements.seen.value = link.dataset.seen;
    form.elements.body.setAttribute("hx-post", `${link.dataset.action}/draft`);
    link.hidden = true;
    thread.append(form);
    window.htmx.process(form);
    form.elements.body.focus();
    return form;
  }

  function removeOffer() {
    document.querySelector(".add-comment")?.closest("[data-beside]")?.remove();
  }

  function offerComment() {
    removeOffer();
    const range = chosen();
    if (!range || !document.querySelector(`template[data-new-box="${range.side}"]`)) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button add-comment";
    button.textContent = `Comment on ${words(range)}`;
    button.addEventListener("click", () => openBox(range));
    placeUnder(range.side, range.to, button);
  }

  window.addEventListener("hashchange", offerComment);
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-code] a.ln")) setTimeout(offerComment);
    const link = event.target.closest("[data-reply]");
    if (link && replyBox) {
      event.preventDefault();
      openReply(link);
    }
    const close = event.target.closest("[data-close]");
    if (close) closeBox(close.closest("form"));
  });

  function closeBox(form) {
    if (form.elements.body.value.trim() && !form.querySelector("[data-kept]")) {
      say("The text is not kept on the server yet: empty the box first to close it");
      return;
    }
    const reply = form.closest("[data-thread]")?.querySelector("[data-reply]");
    const beside = form.closest("[data-beside]");
    const line = beside && !reply ? rowOf(beside.dataset.beside[0], beside.dataset.beside.slice(1)) : null;
    (reply ? form : beside || form).remove();
    if (reply) reply.hidden = false;
    (reply || line?.querySelector("a.ln"))?.focus();
  }

  document.addEventListener("keydown", (event) => {
    const form = event.key === "Escape" && event.target.closest?.("form.comment-box");
    if (form && form.querySelector("[data-close]:not([hidden])")) closeBox(form);
  });

  // One form sends once: a double click makes no second review.
  document.addEventListener("submit", (event) => {
    if (!event.target.matches(".comment-box, [data-once]")) return;
    if (event.target.dataset.sent) {
      event.preventDefault();
      return;
    }
    event.target.dataset.sent = "1";
    setTimeout(() => { delete event.target.dataset.sent; }, 4000);
  });

  // Keys.
  function lines(side) {
    return [...document.querySelectorAll("[data-code] a.ln")].filter(
      (link) => link.hash[1] === side && link.offsetParent,
    );
  }

  function here() {
    const focused = anchor.exec(document.activeElement?.matches("a.ln") ? document.activeElement.hash : "");
    if (focused) return { side: focused[1], from: Number(focused[2]), to: Number(focused[2]) };
    return chosen();
  }

  // The chosen lines, if the reader is at one of them; else the line that has the focus.
  function range() {
    const [now, marked] = [here(), chosen()];
    const within = now && marked && now.side === marked.side && now.from >= marked.from && now.to <= marked.to;
    return within ? marked : now;
  }

  function extend(by) {
    const base = range();
    if (!base) return say("Choose a line first: j and k go through them");
    const links = lines(base.side);
    const edge = by > 0 ? Math.max(here().to, base.from) : Math.min(here().from, base.to);
    const next = links[links.findIndex((link) => link.hash === `#${base.side}${edge}`) + by];
    if (!next) return null;
    const number = Number(next.hash.slice(2));
    choose(base.side, Math.min(base.from, number), Math.max(base.to, number));
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
    return say(`${words(chosen())} chosen`);
  }

  const threads = () => [...document.querySelectorAll("[data-thread]")].filter((one) => one.offsetParent);

  function goToThread(by) {
    const all = threads();
    if (!all.length) return say("There are no threads on this page");
    const now = document.activeElement?.closest("[data-thread]");
    let next = all.indexOf(now) + by;
    if (!now) {
      const after = all.findIndex((one) => document.activeElement.compareDocumentPosition(one) & 4);
      next = by > 0 ? Math.max(0, after) : (after < 0 ? all.length : after) - 1;
    }
    const found = all[(next + all.length) % all.length];
    found.focus();
    found.scrollIntoView({ block: "center" });
    return null;
  }

  function inThread(selector, otherwise) {
    const button = document.activeElement?.closest("[data-thread]")?.querySelector(selector);
    if (button) button.click();
    else say(otherwise);
  }

  function comment() {
    const wanted = range();
    if (!wanted || !openBox(wanted)) say("Choose a line first: j and k go through them");
  }

  if (keys && state && document.querySelector("[data-code]")) {
    keys.add({ key: "J", words: "Choose the next line too", act: () => extend(1) });
    keys.add({ key: "K", words: "Choose the line before too", act: () => extend(-1) });
    if (document.querySelector("template[data-new-box]")) {
      keys.add({ key: "c", words: "Comment on the chosen lines", act: comment });
    }
  }
  if (keys && threads().length) {
    // On a comparison n and p go through its changes.
    const [next, before] = document.querySelector("[data-code].diff") ? ["N", "P"] : ["n", "p"];
    keys.add({ key: next, words: "Next thread", act: () => goToThread(1) });
    keys.add({ key: before, words: "Thread before", act: () => goToThread(-1) });
    const first = `Go to a thread first: ${next} and ${before} do`;
    keys.add({ key: "r", words: "Reply in this thread", act: () => inThread("[data-reply]", first) });
    keys.add({ key: "e", words: "Resolve or reopen this thread", act: () => inThread("[data-decide]", first) });
  }

  // After something was done: say it, and put the reader where it happened.
  function arrive() {
    const done = document.querySelector(".messages .note");
    if (done) say(done.textContent.trim());
    const target = /^#(thread|comment|box)-/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (target) {
      target.closest("details:not([open])")?.setAttribute("open", "");
      target.focus({ preventScroll: true });
      target.scrollIntoView({ block: "center" });
    } else offerComment();
  }

  arrive();
  return { openBox, openReply };
})();
