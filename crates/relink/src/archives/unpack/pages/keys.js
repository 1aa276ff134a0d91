/* A link with `data-key` is followed by its key. */
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input")) return;
  document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
});
