"use strict";

// Copies the whole prompt, as the model would get it; a message that cannot be copied is said.
(() => {
  const button = document.getElementById("copy-prompt");
  const told = document.getElementById("copied");
  const texts = [...document.querySelectorAll("template[data-copy]")];
  if (button && texts.length && navigator.clipboard) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const whole = texts.map((one) => one.content.textContent).join("\n\n");
      try {
        await navigator.clipboard.writeText(whole);
        told.textContent = "Copied.";
      } catch {
        told.textContent = "The browser did not allow it: select the text and copy it by hand.";
      }
    });
  }

  // A draft that could not be kept must not be lost without a word.
  document.addEventListener("htmx:sendError", () => say("The server cannot be reached: the draft is not kept."));
  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.xhr.status !== 409) say("The draft was not kept: reload the page in another tab and sign in again.");
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 409) event.detail.shouldSwap = true;
  });

  function say(text) {
    const place = document.getElementById("verdict");
    if (!place) return;
    place.textContent = text;
  }
})();
