/* A table of any number of rows, of which only those in sight are in the page.

   A row is a number, and a column has: `name`; `cell`, which returns the content of a cell; `key`,
   which returns the value to sort by; `width`, a column of a CSS grid. The table is a grid of the
   ARIA Authoring Practices: the focus is on the table, and arrow keys move the active row. */

const ROW = 34;

/* Browsers limit the height of an element; above this, scrolling is in proportion. */
const TALLEST = 8000000;

class Grid {
  constructor({ label, columns, rows, open, empty }) {
    Object.assign(this, { columns, all: rows, open, empty });
    this.order = rows;
    this.sorted = { column: -1, sign: 1 };
    this.active = 0;
    this.first = -1;
    this.id = `grid-${Grid.made++}`;
    this.body = element("div", { class: "rows", role: "rowgroup" });
    this.space = element("div", { class: "space", role: "presentation" }, this.body);
    this.head = element("div", { class: "row head", role: "row", "aria-rowindex": 1 },
      columns.map((column, index) => this.header(column, index)));
    this.box = element("div", {
      class: "grid", role: "grid", tabindex: 0, "aria-label": label, "aria-readonly": "true", id: this.id,
      "aria-colcount": columns.length,
      on: { scroll: () => this.soon(), keydown: (event) => this.key(event), focus: () => this.draw(true) },
    }, element("div", { role: "rowgroup", class: "heads" }, this.head), this.space);
    this.box.style.setProperty("--columns", columns.map((column) => column.width).join(" "));
    this.element = this.box;
    new ResizeObserver(() => this.draw(true)).observe(this.box);
    this.show(rows);
  }

  header(column, index) {
    const button = element("button", { type: "button", on: { click: () => this.sort(index) } },
      column.name, element("span", { class: "arrow", "aria-hidden": "true" }));
    return element("div", { role: "columnheader", "aria-colindex": index + 1, "aria-sort": "none", class: "cell" }, button);
  }

  /* Shows other rows, in the order that was chosen. */
  show(rows) {
    this.selected = rows;
    this.arrange();
    this.active = 0;
    this.box.scrollTop = 0;
    this.height();
    this.draw(true);
  }

  sort(index) {
    const { column, sign } = this.sorted;
    this.sorted = { column: index, sign: column === index ? -sign : 1 };
    [...this.head.children].forEach((cell, place) => {
      const direction = this.sorted.sign > 0 ? "ascending" : "descending";
      cell.setAttribute("aria-sort", place === index ? direction : "none");
    });
    this.arrange();
    this.active = 0;
    this.box.scrollTop = 0;
    this.draw(true);
    announce(`sorted by ${this.columns[index].name}, ${this.sorted.sign > 0 ? "ascending" : "descending"}`);
  }

  arrange() {
    const { column, sign } = this.sorted;
    if (column < 0) {
      this.order = this.selected;
      return;
    }
    const ranks = this.ranks(this.columns[column]);
    this.order = this.selected.slice().sort((a, b) => sign * (ranks[a] - ranks[b]) || a - b);
  }

  /* The place of each row in the order of a column: values are compared once. */
  ranks(column) {
    if (column.ranks) return column.ranks;
    const values = new Map();
    let most = 0;
    for (const row of this.all) {
      const value = column.key(row);
      if (!values.has(value)) values.set(value, []);
      values.get(value).push(row);
      most = Math.max(most, row);
    }
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    column.ranks = new Int32Array(most + 1);
    [...values.keys()].sort(compare).forEach((value, rank) => {
      for (const row of values.get(value)) column.ranks[row] = rank;
    });
    return column.ranks;
  }

  height() {
    this.full = this.order.length * ROW;
    this.space.style.height = `${Math.min(this.full, TALLEST)}px`;
    this.box.setAttribute("aria-rowcount", this.order.length + 1);
    this.box.classList.toggle("is-empty", this.order.length === 0);
  }

  /* The height of the part of the box that shows rows. */
  get view() {
    return Math.max(ROW, this.box.clientHeight - this.head.offsetHeight);
  }

  /* The number of pixels of all rows above the view, for a position of the scroll bar. */
  get above() {
    const range = Math.min(this.full, TALLEST) - this.view;
    return range <= 0 ? 0 : (this.box.scrollTop / range) * Math.max(0, this.full - this.view);
  }

  soon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw(false);
    });
  }

  draw(isForced) {
    const above = this.above;
    const first = Math.max(0, Math.floor(above / ROW) - 6);
    const last = Math.min(this.order.length, Math.ceil((above + this.view) / ROW) + 6);
    this.body.style.transform = `translateY(${this.box.scrollTop - (above - first * ROW)}px)`;
    if (!isForced && first === this.first && last === this.last) return;
    [this.first, this.last] = [first, last];
    if (this.order.length === 0) {
      this.body.replaceChildren(element("div", { class: "row none", role: "row" },
        element("div", { role: "gridcell", class: "cell" }, this.empty)));
      this.box.removeAttribute("aria-activedescendant");
      return;
    }
    const made = [];
    for (let place = first; place < last; place += 1) made.push(this.row(place));
    this.body.replaceChildren(...made);
    this.mark();
  }

  row(place) {
    const number = this.order[place];
    return element("div", {
      class: "row", role: "row", id: `${this.id}-${place}`, "aria-rowindex": place + 2,
      on: { click: () => { this.active = place; this.mark(); this.open(number, this.box); } },
    }, this.columns.map((column, index) =>
      element("div", { role: "gridcell", "aria-colindex": index + 1, class: `cell ${column.class ?? ""}` }, column.cell(number))));
  }

  mark() {
    for (const row of this.body.children) {
      const isActive = row.id === `${this.id}-${this.active}`;
      row.setAttribute("aria-selected", isActive);
    }
    this.box.setAttribute("aria-activedescendant", `${this.id}-${this.active}`);
  }

  key(event) {
    if (event.target !== this.box || this.order.length === 0) return;
    const page = Math.max(1, Math.floor(this.view / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) {
      event.preventDefault();
      this.active = Math.min(this.order.length - 1, Math.max(0, this.active + steps[event.key]));
      this.reveal();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.open(this.order[this.active], this.box);
    }
  }

  /* Scrolls until the active row is in sight. */
  reveal() {
    const top = this.active * ROW;
    const above = this.above;
    let wanted = above;
    if (top < above) wanted = top;
    else if (top + ROW > above + this.view) wanted = top + ROW - this.view;
    const hidden = Math.max(1, this.full - this.view);
    const range = Math.min(this.full, TALLEST) - this.view;
    if (wanted !== above) this.box.scrollTop = (wanted / hidden) * range;
    this.draw(true);
  }
}
Grid.made = 0;
