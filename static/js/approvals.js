// What is typed for a decision survives a lost session or a closed tab, until it was decided.
(() => {
  const form = document.querySelector("form[data-keep]");
  if (!form) return;
  const { keep } = form.dataset;
  const area = form.elements.reason;
  const store = (use) => {
    try { return use(window.sessionStorage); } catch { return null; }  // a browser that stores nothing
  };
  if (document.querySelector(".messages .note-success")) store((s) => s.removeItem(keep));
  if (!area.value) area.value = store((s) => s.getItem(keep)) || "";
  area.addEventListener("input", () => store((s) => s.setItem(keep, area.value)));
  const wrong = document.getElementById("form-errors");
  if (wrong) wrong.focus();
})();
