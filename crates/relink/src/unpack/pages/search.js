"use strict";
(() => {
  const field = document.getElementById("search");
  const count = document.getElementById("count");
  const rows = [...document.querySelectorAll("li.m")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  field.hidden = false;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    rows.forEach((row, idx) => {
      const isFound = words.every((word) => texts[idx].includes(word));
      row.hidden = !isFound;
      n += isFound;
    });
    count.textContent = words.length === 0 ? `${rows.length}` : `${n} of ${rows.length}`;
  });
})();
