"use strict";

// Hides what has no influence on the chosen kind of run, and sends the form once.
(() => {
  const form = document.getElementById("launch");
  if (!form) return;

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

  form.addEventListener("change", showWhatMatters);
  form.addEventListener("submit", () => {
    for (const button of form.querySelectorAll("button")) button.disabled = true;
  });
  window.addEventListener("pageshow", () => {
    for (const button of form.querySelectorAll("button")) button.disabled = false;
    showWhatMatters();
  });

  const wrong = document.getElementById("form-errors");
  if (wrong) wrong.focus();
})();
