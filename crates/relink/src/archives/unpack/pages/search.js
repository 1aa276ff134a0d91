"use strict";
(() => {
  const field = document.getElementById("search");
  const count = document.getElementById("count");
  const rows = [...document.querySelectorAll("li.m")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const groups = [...document.querySelectorAll("section, .h")];
  const fit = () => {
    for (const group of groups) {
      const n = group.querySelectorAll("li.m:not([hidden])").length;
      group.hidden = n === 0;
      // The height of a section that the browser has not laid out yet.
      group.style.containIntrinsicHeight = `${n * 1.6}rem`;
    }
  };
  fit();
  field.hidden = false;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    rows.forEach((row, idx) => {
      const isFound = words.every((word) => texts[idx].includes(word));
      row.hidden = !isFound;
      n += isFound;
    });
    fit();
    count.textContent = words.length === 0 ? `${rows.length}` : `${n} of ${rows.length}`;
  });
})();
