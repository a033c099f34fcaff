"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

/** An element with attributes and children, which may be text. */
function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function makeSvg(tag, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function section(title, ...content) {
  document.body.append(make("h2", {}, title), ...content);
}

const hue = (index, count) => Math.round((360 * index) / Math.max(count, 1));

// ---- The head: what the kernel is and what it takes.

function pairs(values) {
  return Object.entries(values).map(([name, value]) => `${name} ${value}`).join(", ");
}

/** A constant as Python writes it. */
function constant(value) {
  const names = new Map([[null, "None"], [true, "True"], [false, "False"]]);
  return names.get(value) ?? (typeof value === "string" ? `'${value}'` : `${value}`);
}

function constants() {
  return Object.entries(data.constants).map(([name, value]) => `${name} = ${constant(value)}`).join(", ");
}

function head() {
  document.body.append(
    make("h1", { id: "title" }, `${data.name} for ${data.target}`),
    make("div", { class: "faint" }, pairs(data.arguments)),
    make("div", { class: "faint" }, constants()),
  );
  const cards = make("div", { class: "cards", id: "cards" });
  for (const [name, value, warn] of data.cards) {
    cards.append(make("div", { class: warn ? "card warn" : "card" }, make("b", {}, value), make("span", {}, name)));
  }
  document.body.append(cards);
  for (const advice of data.resources.advice) {
    document.body.append(make("div", { class: "missed" }, `assembler: ${advice}`));
  }
}

// ---- Panes of code. Lines of one source location light up together.

const rowsOf = new Map();
let pinned = null;

function light(locations, style, on) {
  for (const location of locations) {
    for (const row of rowsOf.get(location) || []) row.classList.toggle(style, on);
  }
}

/** Keeps lines lit, and scrolls all panes to them except that of `from`, which may be null. */
function pin(locations, from) {
  if (pinned) light(pinned, "pinned", false);
  pinned = locations;
  light(locations, "pinned", true);
  for (const pane of document.querySelectorAll(".pane:not([hidden]) .code")) {
    const row = pane.querySelector(".row.pinned");
    if (row && !pane.contains(from)) pane.scrollTop = row.offsetTop - pane.offsetTop - pane.clientHeight / 3;
  }
}

/** A line of the source, with the name of its file where there are several. */
function nameOfLine({ file, line }) {
  const several = data.sources.some((source) => source.file !== data.sources[0].file);
  return several ? `${file.split("/").pop()}:${line}` : `line ${line}`;
}

/** Lets a click on a part of a drawing or table show the line of the source that it comes from. */
function leadTo(node, { file, line }) {
  const location = `${file}:${line}`;
  if (!rowsOf.has(location)) return node;
  node.classList.add("leads");
  node.addEventListener("click", () => {
    pin([location], null);
    document.querySelector(".panes").scrollIntoView({ block: "nearest" });
  });
  return node;
}

function makeRow(number, text, locations) {
  const row = make("div", { class: "row", "data-number": number }, text || " ");
  if (!locations.length) return row;
  row.classList.add("linked");
  for (const location of locations) {
    if (!rowsOf.has(location)) rowsOf.set(location, []);
    rowsOf.get(location).push(row);
  }
  row.addEventListener("mouseenter", () => light(locations, "hot", true));
  row.addEventListener("mouseleave", () => light(locations, "hot", false));
  row.addEventListener("click", () => pin(locations, row));
  return row;
}

function sourceCode() {
  const code = make("div", { class: "code" });
  for (const [index, source] of data.sources.entries()) {
    code.append(make("div", { class: "title" }, data.titles[index]));
    source.lines.forEach((text, index) => {
      const line = source.first + index;
      const location = `${source.file}:${line}`;
      const row = makeRow(line, text, [location]);
      row.dataset.line = line;
      row.dataset.location = location;
      code.append(row);
      for (const remark of data.remarks) {
        if (remark.line !== line || remark.file !== source.file) continue;
        const mark = { passed: "+", missed: "-", analysis: "=" }[remark.kind];
        const title = `${remark.pass}: ${remark.message}`;
        code.append(make("div", { class: `remark ${remark.kind}` }, `${mark} ${title}`));
      }
    });
  }
  return code;
}

function stageCode(stage) {
  const code = make("div", { class: "code" });
  if (stage.note) code.append(make("div", { class: "note" }, stage.note));
  stage.lines.forEach((text, index) => code.append(makeRow(index + 1, text, stage.locations[index] || [])));
  return code;
}

function panes() {
  const switches = make("div", { class: "switches" });
  const box = make("div", { class: "panes" });
  const add = (name, code, shown) => {
    const pane = make("section", { class: "pane", id: `pane-${name}` }, make("header", {}, name), code);
    const button = make("button", { type: "button", "aria-pressed": shown, id: `switch-${name}` }, name);
    pane.hidden = !shown;
    button.addEventListener("click", () => {
      pane.hidden = !pane.hidden;
      button.setAttribute("aria-pressed", !pane.hidden);
    });
    box.append(pane);
    switches.append(button);
  };
  add("source", sourceCode(), true);
  const middle = data.stages.some((stage) => stage.name === "warp") ? "warp" : "tile";
  for (const stage of data.stages) add(stage.name, stageCode(stage), [middle, "ptx"].includes(stage.name));
  document.body.append(switches, box);
}

// ---- Layouts as grids.

/** The coordinates in the tile of hardware index `index` along one of a layout's axes. */
function apply(bases, index, rank) {
  const coords = new Array(rank).fill(0);
  bases.forEach((basis, bit) => {
    if ((index >> bit) & 1) basis.forEach((value, dim) => (coords[dim] ^= value));
  });
  return coords;
}

/** The shape of the tile that a layout covers. */
function shapeOf(layout, rank) {
  const size = new Array(rank).fill(1);
  for (const bases of Object.values(layout.axes)) {
    for (const basis of bases) {
      basis.forEach((value, dim) => {
        while (size[dim] <= value) size[dim] *= 2;
      });
    }
  }
  return size;
}

/** For each element of the (last two dimensions of the) tile, its owner: [{axis: index}, ...]. */
function owners(layout, rank, rows, columns) {
  const axes = Object.entries(layout.axes);
  const found = new Array(rows * columns);
  const visit = (axis, coords, held) => {
    if (axis === axes.length) {
      if (coords.slice(0, -2).some((value) => value)) return;
      const row = rank > 1 ? coords[rank - 2] : 0;
      found[row * columns + coords[rank - 1]] ??= held;
      return;
    }
    const [name, bases] = axes[axis];
    for (let index = 0; index < 1 << bases.length; index++) {
      const step = apply(bases, index, rank);
      visit(axis + 1, coords.map((value, dim) => value ^ step[dim]), { ...held, [name]: index });
    }
  };
  visit(0, new Array(rank).fill(0), {});
  return found;
}

function colour(held, layout) {
  if ("offset" in held) {
    // By the bank of shared memory.
    const bank = Math.floor((held.offset * (layout.bytes || 4)) / 4) % 32;
    return `hsl(${hue(bank, 32)} 65% 62%)`;
  }
  const warps = 1 << (layout.axes.warp || []).length;
  return `hsl(${hue(held.warp || 0, warps)} 60% ${38 + Math.round((44 * (held.lane || 0)) / 31)}%)`;
}

/** How `rows` by `columns` elements are drawn: a single line of many is folded, and cut where it is too long. */
function shapeOnScreen(rows, columns) {
  const line = Math.min(rows, columns) === 1;
  const across = line ? Math.min(rows * columns, 64) : columns;
  const down = Math.min((rows * columns) / across, line ? 16 : rows);
  const scale = Math.max(1, Math.min(12, Math.floor(512 / across), Math.floor(512 / down)));
  return { across, down, scale, cut: rows * columns - across * down };
}

function grid(layout) {
  const rank = layout.rank;
  const size = shapeOf(layout, rank);
  const columns = size[rank - 1];
  const rows = rank > 1 ? size[rank - 2] : 1;
  const held = owners(layout, rank, rows, columns);
  const { across, down, scale, cut } = shapeOnScreen(rows, columns);
  const canvas = make("canvas", { width: across * scale, height: down * scale });
  const context = canvas.getContext("2d");
  // Gaps separate elements; small elements have none, or the picture would be pale.
  const width = scale > 5 ? scale - 1 : scale;
  held.slice(0, across * down).forEach((owner, index) => {
    if (!owner) return;
    context.fillStyle = colour(owner, layout);
    context.fillRect((index % across) * scale, Math.floor(index / across) * scale, width, width);
  });
  const readout = make("div", { class: "readout" }, " ");
  canvas.addEventListener("mousemove", (event) => {
    const inside = (offset, count) => Math.max(0, Math.min(Math.floor(offset / scale), count - 1));
    const index = inside(event.offsetY, down) * across + inside(event.offsetX, across);
    const coords = rank > 1 ? `${Math.floor(index / columns)}, ${index % columns}` : `${index}`;
    readout.textContent = `(${coords}): ${pairs(held[index] || {})}`;
  });
  const what = layout.axes.offset ? "colour: bank of shared memory" : "hue: warp, lightness: lane";
  const more = cut ? `; ${cut} further elements are not drawn` : "";
  const caption = make("figcaption", {}, `${layout.name}, ${size.join(" x ")}`);
  return make("figure", { class: "layout" }, caption, canvas, readout, make("div", { class: "faint" }, what + more));
}

function layouts() {
  if (!data.layouts.length) return;
  const box = make("div", { id: "layouts" });
  for (const layout of data.layouts) box.append(grid(layout));
  section("Layouts of the warp level", box);
}

// ---- Shared memory.

/** A number of bytes in the unit that suits it. */
function bytes(count) {
  return count >= 1024 && count % 64 === 0 ? `${count / 1024} KiB` : `${count} bytes`;
}

/** The name of a piece of shared memory. */
function nameOf(piece) {
  const what = piece.op.replace(/^\w+\./, "");
  const amount = piece.slots ? `${piece.slots} slot${piece.slots > 1 ? "s" : ""} of ${bytes(piece.slot_bytes)}` : bytes(piece.size);
  return `${what}, ${amount}${piece.line ? `, ${nameOfLine(piece)}` : ""}`;
}

function memoryMap() {
  if (!data.shared_memory.length) return;
  const [left, width, height] = [90, 860, 260];
  const last = Math.max(...data.shared_memory.map((piece) => piece.last)) + 1;
  const total = data.resources.shared || 1;
  const svg = makeSvg("svg", { id: "memory", width: left + width + 10, height: height + 34 });
  data.shared_memory.forEach((piece, index) => {
    const x = left + (width * piece.first) / last;
    const w = Math.max((width * (piece.last + 1 - piece.first)) / last, 3);
    const slots = piece.slots || 1;
    const step = piece.slots ? piece.slot_bytes : piece.size;
    for (let slot = 0; slot < slots; slot++) {
      const y = (height * (piece.offset + slot * step)) / total;
      const h = Math.max((height * step) / total - 1, 1);
      const fill = `hsl(${hue(index, data.shared_memory.length)} 55% ${58 + 4 * (slot % 2)}%)`;
      const box = makeSvg("rect", { x, y, width: w, height: h, fill });
      const which = piece.slots ? `slot ${slot} of ` : "";
      box.append(makeSvg("title", {}, `${which}${nameOf(piece)}: offset ${piece.offset + slot * step}`));
      svg.append(leadTo(box, piece));
    }
    const y = (height * piece.offset) / total + 13;
    // The name of a narrow box is to the right of it, or to the left where it would leave the map.
    const text = nameOf(piece);
    const fits = w > 7 * text.length;
    const right = x + w + 7 * text.length < left + width;
    const anchor = fits ? { x: x + 4 } : right ? { x: x + w + 4 } : { x: x - 4, "text-anchor": "end" };
    svg.append(makeSvg("text", { ...anchor, y, class: fits ? "inside" : "" }, text));
  });
  svg.append(makeSvg("text", { x: 4, y: 12, class: "axis" }, "offset 0"));
  svg.append(makeSvg("text", { x: 4, y: height, class: "axis" }, `${total} bytes`));
  svg.append(makeSvg("text", { x: left, y: height + 22, class: "axis" }, "ops of the kernel in their order →"));
  section("Shared memory: what is where, and how long", svg);
}

/** The content of the slots at each iteration of the consumer, if loads are prefetched as early as possible. */
function ringTimeline() {
  const box = make("div", { class: "grids", id: "rings" });
  for (const piece of data.shared_memory) {
    if (!piece.slots || piece.slots < 2) continue;
    const [cell, left] = [34, 60];
    const steps = Math.min(3 * piece.slots, 24);
    const svg = makeSvg("svg", { width: left + steps * cell + 8, height: piece.slots * 24 + 28 });
    for (let slot = 0; slot < piece.slots; slot++) {
      svg.append(makeSvg("text", { x: 6, y: slot * 24 + 16 }, `slot ${slot}`));
      for (let step = 0; step < steps; step++) {
        const ahead = (slot - (step % piece.slots) + piece.slots) % piece.slots;
        const fill = ahead === 0 ? "hsl(145 50% 55%)" : `hsl(215 60% ${86 - (20 * ahead) / piece.slots}%)`;
        const [x, y] = [left + step * cell, slot * 24];
        const box = makeSvg("rect", { x, y, width: cell - 1, height: 22, fill });
        box.append(makeSvg("title", {}, ahead ? `on its way for iteration ${step + ahead}` : `read in iteration ${step}`));
        svg.append(box, makeSvg("text", { x: x + 9, y: y + 15, class: "inside" }, step + ahead));
      }
    }
    svg.append(makeSvg("text", { x: left, y: piece.slots * 24 + 18, class: "axis" }, "iteration of the consumer →"));
    box.append(make("figure", {}, leadTo(make("figcaption", {}, nameOf(piece)), piece), svg));
  }
  const note = "Green: read in this iteration; blue: on its way for the iteration of that number.";
  if (box.childElementCount) section("Rings: what a slot holds", make("p", { class: "faint" }, note), box);
}

// ---- Tables.

function table(id, titles, rows) {
  const body = make("table", { id }, make("tr", {}, ...titles.map((title) => make("th", {}, title))));
  for (const row of rows) {
    body.append(make("tr", {}, ...row.map((cell) => (cell instanceof Node ? make("td", {}, cell) : make("td", {}, `${cell}`)))));
  }
  return body;
}

function roles() {
  if (data.roles.length < 2) return;
  const rows = data.roles.map((role) => [role.name, role.warps, role.registers || "what the assembler gives"]);
  section("Roles of warps", table("roles", ["role", "warps", "registers of a thread"], rows));
}

function floors() {
  if (!data.floors.length) return;
  const rows = data.floors.map((floor) => [
    leadTo(make("span", {}, nameOfLine(floor)), floor), floor.what, floor.amount, floor.cycles.toLocaleString("en"),
  ]);
  const note = "Of one iteration on one multiprocessor. Memory counts as if nothing came from the cache.";
  section("Predicted floors", make("p", { class: "faint" }, note), table("floors", ["loop", "what", "amount", "cycles at least"], rows));
}

function times() {
  const rows = [];
  const most = Math.max(...Object.values(data.times).flatMap((names) => Object.values(names)));
  for (const [stage, names] of Object.entries(data.times)) {
    const sum = Object.values(names).reduce((total, milliseconds) => total + milliseconds, 0);
    rows.push([make("b", {}, stage), "", make("b", {}, sum.toFixed(3)), ""]);
    for (const [name, milliseconds] of Object.entries(names)) {
      const bar = make("div", { class: "bar", style: `width: ${(320 * milliseconds) / most}px` });
      rows.push(["", name, milliseconds.toFixed(3), bar]);
    }
  }
  section("How long the compilation took", table("times", ["towards", "part", "ms", ""], rows));
}

head();
panes();
roles();
memoryMap();
ringTimeline();
floors();
layouts();
times();

// `#line-71` opens the page with that line of the source lit.
const wanted = /^#line-(\d+)$/.exec(location.hash);
const opened = wanted && document.querySelector(`.row[data-line="${wanted[1]}"]`);
if (opened) pin([opened.dataset.location], null);
