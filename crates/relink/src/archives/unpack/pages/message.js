/* The address of a file that is a document (`#file-3`) shows it where the body is, in the frame, so
   that it is confined too. */
const frame = document.querySelector("iframe");
const text = document.querySelector("pre");
const body = frame?.getAttribute("src") ?? null;
let shown = body;

function show() {
  const wanted = document.getElementById(location.hash.slice(1))?.querySelector("[data-file]")?.dataset.file ?? body;
  if (text !== null) text.hidden = wanted !== null;
  frame.hidden = wanted === null;
  document.body.classList.toggle("framed", wanted !== null);
  if (wanted === shown) return;
  shown = wanted;
  // Not one more step back.
  frame.contentWindow.location.replace(new URL(wanted ?? "about:blank", location.href));
}

if (frame !== null) {
  show();
  addEventListener("hashchange", show);
}
