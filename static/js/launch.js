"use strict";

// Hides what has no influence on the chosen kind of run, gives built-in texts back, keeps long texts
// over a lost session, and sends the form once.
(() => {
  const form = document.getElementById("launch");
  if (!form) return;
  const KEPT = "csro-launch-texts";

  // "oracle=a|b&writer=c oracle=d": any of the alternatives, all of its parts.
  function holds(condition) {
    return condition.split(" ").some((alternative) =>
      alternative.split("&").every((part) => {
        const [name, values] = part.split("=");
        return values.split("|").includes(form.elements[name].value);
      }));
  }

  function showWhatMatters() {
    for (const part of form.querySelectorAll("[data-when]")) {
      const hidden = !holds(part.dataset.when);
      if (part.hidden && !hidden && "needed" in part.dataset) part.open = true;
      part.hidden = hidden;
    }
  }

  // Texts with a built-in version: the button shows where they differ.
  const texts = [...form.querySelectorAll("[data-builtin-for]")].map((button) => ({
    button,
    area: document.getElementById(button.dataset.builtinFor),
    builtin: button.nextElementSibling.content.textContent,
  }));
  const edited = ({ area, builtin }) => area.value.trimEnd() !== builtin.trimEnd();

  function showEdited() {
    for (const text of texts) text.button.hidden = !edited(text);
  }

  for (const text of texts) {
    text.area.addEventListener("input", showEdited);
    text.button.addEventListener("click", () => {
      text.area.value = text.builtin;
      text.area.focus();
      showEdited();
    });
  }

  // The address of a reopened form has no room for them.
  function keepTexts() {
    const kept = texts.filter(edited).map(({ area }) => [area.name, area.value]);
    if (kept.length) sessionStorage.setItem(KEPT, JSON.stringify(kept));
    else sessionStorage.removeItem(KEPT);
  }

  function giveTextsBack() {
    const kept = sessionStorage.getItem(KEPT);
    if (!kept || !new URLSearchParams(location.search).has("reopened")) return;
    for (const [name, value] of JSON.parse(kept)) {
      if (form.elements[name]) form.elements[name].value = value;
    }
  }

  form.addEventListener("change", showWhatMatters);
  form.addEventListener("submit", () => {
    keepTexts();
    for (const button of form.querySelectorAll("button")) button.disabled = true;
  });
  window.addEventListener("pageshow", () => {
    for (const button of form.querySelectorAll("button")) button.disabled = false;
    showWhatMatters();
    showEdited();
  });
  giveTextsBack();

  const wrong = document.getElementById("form-errors");
  if (wrong) wrong.focus();
})();
