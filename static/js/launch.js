"use strict";

// Shows only the parameters of the chosen game, and sends the form once.
(() => {
  const form = document.getElementById("launch");
  if (!form) return;
  const game = form.elements.game;

  function showParameters() {
    for (const field of form.querySelectorAll("[data-game]")) {
      field.hidden = field.dataset.game !== game.value;
    }
  }

  game.addEventListener("change", showParameters);
  form.addEventListener("submit", () => {
    for (const button of form.querySelectorAll("button")) button.disabled = true;
  });
  window.addEventListener("pageshow", () => {
    for (const button of form.querySelectorAll("button")) button.disabled = false;
    showParameters();
  });

  const wrong = document.getElementById("form-errors");
  if (wrong) wrong.focus();
})();
