// The script of the game viewer. `game` is the data that viewer.py wrote; nothing is fetched and nothing is evaluated.
// A step is a position of the game's tree; the line is the path that is walked, from the first step to a last one.
"use strict";

const game = JSON.parse(document.getElementById("game").textContent);
const steps = game.steps;
const numPoints = game.rows * game.columns;
const BLACK = 1, WHITE = 2;
const NAMES = ["", "Black", "White"];
const CONTRAST = ["#1a1a1a", "#ffffff", "#1a1a1a"]; // on wood, on black stones, on white stones
const HEAT_COLOUR = "#0b62a8";
const MAX_MOVES_TOLD = 5; // of a policy
const WHEEL_STEP = 40; // pixels that a wheel turns for one step

const children = steps.map(() => []);
steps.forEach((step, index) => {
  if (step.parent === undefined) step.parent = index - 1;
  if (step.parent >= 0) children[step.parent].push(index);
});
const chosen = new Map(); // step -> the child that the line goes on with, if it is not the first
const policies = game.policies ? new Uint16Array(bytesOf(game.policies).buffer) : null;
const ownerships = game.ownerships ? new Int8Array(bytesOf(game.ownerships).buffer) : null;
let line = lineThrough(0);
let place = 0; // in the line

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function element(id) {
  return document.getElementById(id);
}

// The path from the first step through `index` and on to an end.
function lineThrough(index) {
  const path = [];
  for (let step = index; step >= 0; step = steps[step].parent) path.push(step);
  path.reverse();
  for (let step = index; children[step].length;) {
    step = chosen.get(step) ?? children[step][0];
    path.push(step);
  }
  return path;
}

// What stands on each point at a place of the line, and the number of the move that put it there.
function boardAt(place) {
  const stones = new Array(numPoints).fill(0), numbers = new Array(numPoints).fill(0);
  for (const index of line.slice(0, place + 1)) {
    const step = steps[index], changes = step.changes ?? [];
    for (let change = 0; change < changes.length; change += 2) {
      stones[changes[change]] = changes[change + 1];
      numbers[changes[change]] = 0;
    }
    if (step.action >= 0 && stones[step.action]) numbers[step.action] = step.number;
  }
  return { stones, numbers };
}

function pointName(action) {
  if (action >= numPoints) return "pass";
  return game.columnNames[action % game.columns] + (game.rows - Math.floor(action / game.columns));
}

// ---- drawing

function draw(kind, attributes, parent, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function centre(point) {
  return {
    x: game.margin + (point % game.columns) * game.cell,
    y: game.margin + Math.floor(point / game.columns) * game.cell,
  };
}

function drawStones(stones) {
  const group = element("stones");
  group.replaceChildren();
  const occupied = stones.map((stone, point) => point).filter((point) => stones[point]);
  for (const point of occupied) {
    const { x, y } = centre(point);
    draw("circle", { cx: x + 2.2, cy: y + 2.2, r: game.radius + 2.4, fill: "url(#shadow)" }, group);
  }
  for (const point of occupied) {
    const { x, y } = centre(point), colour = stones[point] === BLACK ? "black" : "white";
    draw("circle", { cx: x, cy: y, r: game.radius, fill: `url(#${colour}-stone)`, class: colour, "data-point": point },
      group);
  }
}

// Shapes, labels, letters of variations, numbers, and a ring on the last move, each on its own point.
function drawMarks(stones, numbers) {
  const group = element("marks"), step = steps[line[place]];
  group.replaceChildren();
  const marks = new Map();
  if (element("show-numbers").checked) {
    numbers.forEach((number, point) => number && marks.set(point, String(number)));
  }
  if (element("show-marks").checked) {
    const ways = children[line[place]];
    if (ways.length > 1) {
      ways.forEach((child, way) => {
        const action = steps[child].action;
        if (action >= 0 && action < numPoints && !stones[action]) marks.set(action, wayName(way));
      });
    }
    for (const [point, mark] of Object.entries(step.marks ?? {})) marks.set(Number(point), mark);
  }
  for (const [point, mark] of marks) drawMark(group, point, mark, stones[point]);
  if (step.action >= 0 && step.action < numPoints && !game.shapes.includes(marks.get(step.action))) {
    const { x, y } = centre(step.action), radius = (marks.has(step.action) ? 0.8 : 0.5) * game.radius;
    const stroke = CONTRAST[stones[step.action]];
    draw("circle", { cx: x, cy: y, r: radius, fill: "none", stroke, "stroke-width": 2.4, class: "last-move" }, group);
  }
}

function drawMark(group, point, mark, stone) {
  const { x, y } = centre(point), colour = CONTRAST[stone], radius = 0.58 * game.radius;
  if (!stone) draw("circle", { cx: x, cy: y, r: 0.36 * game.cell, fill: "#e2b871" }, group);
  if (!game.shapes.includes(mark)) {
    const text = mark.length > 4 ? mark.slice(0, 3) + "\u2026" : mark;
    const size = [20, 20, 17, 14, 12][text.length];
    const label = draw("text", {
      x, y: y + 0.35 * size, fill: colour, "font-size": size, "font-weight": "bold", "text-anchor": "middle",
      class: "label", "data-point": point,
    }, group, text);
    if (text !== mark) draw("title", {}, label, mark);
    return;
  }
  const stroke = { fill: "none", stroke: colour, "stroke-width": 2.6, "stroke-linejoin": "round", class: mark,
    "data-point": point };
  if (mark === "circle") {
    draw("circle", { cx: x, cy: y, r: 0.86 * radius, ...stroke }, group);
  } else if (mark === "square") {
    const side = 1.44 * radius;
    draw("rect", { x: x - side / 2, y: y - side / 2, width: side, height: side, ...stroke }, group);
  } else if (mark === "triangle") {
    const half = radius * Math.sqrt(0.75);
    draw("path", { d: `M${x} ${y - radius}L${x + half} ${y + radius / 2}H${x - half}z`, ...stroke }, group);
  } else {
    const arm = 0.68 * radius;
    draw("path", { d: `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`, ...stroke },
      group);
  }
}

// Small squares, dark for Black and light for White: what the player thinks, or else what the record marks.
function drawOwnership() {
  const group = element("ownership"), step = steps[line[place]];
  group.replaceChildren();
  const owners = new Map(Object.entries(step.territory ?? {}).map(([point, side]) => [Number(point), 3 - 2 * side]));
  if (ownerships && isAnalysed() && element("show-ownership").checked) {
    for (let point = 0; point < numPoints; point++) owners.set(point, ownerships[line[place] * numPoints + point] / 127);
  }
  for (const [point, value] of owners) {
    if (!value) continue;
    const { x, y } = centre(point), side = 0.36 * game.cell * Math.sqrt(Math.abs(value));
    const square = draw("rect", {
      x: x - side / 2, y: y - side / 2, width: side, height: side, "fill-opacity": 0.9, "stroke-opacity": 0.35,
      "stroke-width": 0.8, fill: value > 0 ? "#1a1a1a" : "#ffffff", stroke: value > 0 ? "#ffffff" : "#1a1a1a",
      class: value > 0 ? "owned-black" : "owned-white", "data-point": point,
    }, group);
    draw("title", {}, square, `${pointName(point)}: ${value.toFixed(2)}`);
  }
}

function drawPolicy(policy) {
  const group = element("heat");
  group.replaceChildren();
  if (!policy || !element("show-policy").checked) return;
  const largest = Math.max(...policy.slice(0, numPoints));
  for (let point = 0; point < numPoints; point++) {
    const opacity = 0.85 * policy[point] / largest;
    if (!(opacity > 0.005)) continue;
    const { x, y } = centre(point);
    const square = draw("rect", {
      x: x - game.cell / 2, y: y - game.cell / 2, width: game.cell, height: game.cell, fill: HEAT_COLOUR,
      "fill-opacity": opacity.toFixed(3), class: "heat", "data-point": point,
    }, group);
    draw("title", {}, square, `${pointName(point)}: ${percent(policy[point])}`);
  }
}

// ---- what is told beside the board

function isAnalysed() {
  return game.values !== undefined && line[place] < game.values.length;
}

// The policy at this place as probabilities, null if there is none.
function policyHere() {
  if (!policies || !isAnalysed() || game.values[line[place]] === null) return null;
  const start = line[place] * (numPoints + 1);
  return Array.from(policies.subarray(start, start + numPoints + 1), (share) => share / 65535);
}

function percent(share) {
  return (100 * share).toFixed(share < 0.0995 ? 1 : 0) + " %";
}

function wayName(way) {
  return way < 26 ? String.fromCharCode(65 + way) : String(way + 1);
}

function moveText(index) {
  const step = steps[index];
  return step.player ? `${NAMES[step.player]} ${pointName(step.action)}` : step.name || (step.changes ? "set-up" : "comment");
}

function tell(policy) {
  const index = line[place], step = steps[index], last = steps[line[line.length - 1]].number;
  const name = step.name ? ` \u2014 ${step.name}` : "";
  element("move").textContent = step.player
    ? `Move ${step.number} of ${last}: ${moveText(index)}${name}`
    : `${step.number ? `After move ${step.number}` : "Start"} of ${last}: ${NAMES[step.toPlay]} to play${name}`;
  const [black, white] = step.taken ?? [0, 0];
  element("captures").textContent = `Captured: Black ${black}, White ${white}`;
  const thoughts = [], value = isAnalysed() ? game.values[index] : null;
  if (value !== null) thoughts.push(`Black wins ${percent((value + 1) / 2)}`);
  if (policy) {
    const best = policy.map((share, action) => action).sort((one, other) => policy[other] - policy[one]);
    const told = best.slice(0, MAX_MOVES_TOLD).filter((action) => policy[action] > 0);
    thoughts.push(`policy: ${told.map((action) => `${pointName(action)} ${percent(policy[action])}`).join(", ")}`);
    const next = line[place + 1] === undefined ? -1 : steps[line[place + 1]].action ?? -1;
    if (next >= 0) thoughts.push(`played: ${pointName(next)} ${percent(policy[next])}`);
  }
  element("thoughts").textContent = thoughts.join("; ");
  element("comment").textContent = step.comment ?? "";
  element("comment-side").hidden = !step.comment;
}

function tellVariations() {
  const here = element("variations"), ways = children[line[place]];
  const parent = steps[line[place]].parent, siblings = parent >= 0 ? children[parent] : [];
  here.replaceChildren();
  ways.length > 1 && ways.forEach((child, way) => addWay(here, child, `${wayName(way)}: ${moveText(child)}`, false));
  siblings.length > 1 && siblings.forEach((sibling, way) => {
    addWay(here, sibling, `${wayName(way)}: ${moveText(sibling)}`, sibling === line[place]);
  });
  const branch = line.findIndex((step, at) => at > 0 && step !== children[line[at - 1]][0]);
  if (branch > 0 && branch <= place) addWay(here, line[branch - 1], "back to the main line", false, true);
  element("variations-side").hidden = !here.childElementCount;
}

function addWay(here, index, text, isHere, isReturn = false) {
  const button = document.createElement("button");
  button.textContent = text;
  button.disabled = isHere;
  button.dataset.step = index;
  button.addEventListener("click", () => {
    if (isReturn) chosen.clear();
    goTo(index);
  });
  here.append(button);
}

// The curve is a unit a step wide and 2 high: Black's share below the line, White's above it.
function drawCurve() {
  const last = Math.max(line.length - 1, 1);
  element("curve").setAttribute("viewBox", `0 0 ${last} 2`);
  element("curve-middle").setAttribute("d", `M0 1H${last}`);
  let outline = "", area = "", start = -1;
  line.forEach((index, at) => {
    const value = game.values[index];
    const isKnown = value !== undefined && value !== null;
    if (isKnown) outline += `${start < 0 ? "M" : "L"}${at} ${1 - value}`;
    if (isKnown && start < 0) area += `M${at} 2`;
    if (isKnown) area += `L${at} ${1 - value}`;
    if (!isKnown && start >= 0) area += `V2z`;
    start = isKnown ? (start < 0 ? at : start) : -1;
  });
  element("curve-line").setAttribute("d", outline);
  element("curve-area").setAttribute("d", area + (start >= 0 ? "V2z" : ""));
}

function show() {
  const { stones, numbers } = boardAt(place), policy = policyHere();
  drawPolicy(policy);
  drawStones(stones);
  drawOwnership();
  drawMarks(stones, numbers);
  tell(policy);
  tellVariations();
  element("slider").max = line.length - 1;
  element("slider").value = place;
  for (const id of ["first", "back", "previous"]) element(id).disabled = place === 0;
  for (const id of ["next", "on", "last"]) element(id).disabled = place === line.length - 1;
  if (game.values) element("curve-now").setAttribute("d", `M${place} 0V2`);
}

// ---- moving about

function moveTo(to) {
  place = Math.min(Math.max(to, 0), line.length - 1);
  show();
}

// Show a step of any line; from now on the line goes through it.
function goTo(index) {
  for (let step = index; steps[step].parent >= 0; step = steps[step].parent) chosen.set(steps[step].parent, step);
  line = lineThrough(index);
  if (game.values) drawCurve();
  moveTo(line.indexOf(index));
}

function switchVariation(by) {
  const parent = steps[line[place]].parent, siblings = parent >= 0 ? children[parent] : [];
  const to = siblings[siblings.indexOf(line[place]) + by];
  if (to !== undefined) goTo(to);
}

function pointAt(event) {
  const box = element("board").getBoundingClientRect();
  const scale = element("board").viewBox.baseVal.width / box.width;
  const column = Math.round(((event.clientX - box.left) * scale - game.margin) / game.cell);
  const row = Math.round(((event.clientY - box.top) * scale - game.margin) / game.cell);
  const isOn = row >= 0 && row < game.rows && column >= 0 && column < game.columns;
  return isOn ? row * game.columns + column : -1;
}

// A click on the board plays what goes on there, in any variation; else it goes to the move that put the stone there.
function clickBoard(event) {
  const point = pointAt(event);
  if (point < 0) return;
  const child = children[line[place]].find((step) => steps[step].action === point);
  if (child !== undefined) {
    goTo(child);
    return;
  }
  const { numbers } = boardAt(place);
  const at = line.findIndex((step) => numbers[point] && steps[step].number === numbers[point] && steps[step].player);
  if (at >= 0) moveTo(at);
}

function clickCurve(event) {
  const box = element("curve").getBoundingClientRect();
  moveTo(Math.round((event.clientX - box.left) / box.width * (line.length - 1)));
}

const KEYS = {
  ArrowLeft: () => moveTo(place - 1), ArrowRight: () => moveTo(place + 1),
  PageUp: () => moveTo(place - 10), PageDown: () => moveTo(place + 10),
  Home: () => moveTo(0), End: () => moveTo(line.length - 1),
  ArrowUp: () => switchVariation(-1), ArrowDown: () => switchVariation(1),
};
const BUTTONS = {
  first: KEYS.Home, back: KEYS.PageUp, previous: KEYS.ArrowLeft, next: KEYS.ArrowRight, on: KEYS.PageDown, last: KEYS.End,
};

function listen() {
  for (const [id, act] of Object.entries(BUTTONS)) element(id).addEventListener("click", act);
  document.addEventListener("keydown", (event) => {
    const act = event.ctrlKey || event.altKey || event.metaKey ? undefined : KEYS[event.key];
    if (!act) return;
    event.preventDefault(); // neither the slider nor the page moves as well
    act();
  });
  element("slider").addEventListener("input", (event) => moveTo(Number(event.target.value)));
  element("board").addEventListener("click", clickBoard);
  let turned = 0;
  element("board-side").addEventListener("wheel", (event) => {
    event.preventDefault();
    turned += event.deltaMode === 0 ? event.deltaY : WHEEL_STEP * event.deltaY;
    const by = Math.trunc(turned / WHEEL_STEP);
    turned -= by * WHEEL_STEP;
    if (by) moveTo(place + Math.sign(by));
  }, { passive: false });
  const curve = element("curve");
  curve.addEventListener("pointerdown", clickCurve);
  curve.addEventListener("pointermove", (event) => event.buttons && clickCurve(event));
  for (const id of ["show-numbers", "show-marks", "show-policy", "show-ownership"]) {
    element(id).addEventListener("change", show);
  }
  addEventListener("hashchange", openMove);
}

// game.html#60 opens with move 60.
function openMove() {
  const number = Number(location.hash.slice(1));
  const at = line.findLastIndex((step) => steps[step].number <= number);
  if (location.hash && at >= 0) moveTo(at);
}

function begin() {
  element("title").textContent = game.title;
  for (const [what, text] of game.facts) {
    for (const [kind, words] of [["dt", what], ["dd", text]]) {
      const cell = document.createElement(kind);
      cell.textContent = words;
      element("facts").append(cell);
    }
  }
  element("warnings").textContent = game.warnings.join("\n");
  element("warnings-side").hidden = !game.warnings.length;
  element("curve-side").hidden = !game.values;
  element("policy-switch").hidden = !policies;
  element("ownership-switch").hidden = !ownerships;
  element("curve-name").textContent = `Black's chance to win${game.player ? `, by ${game.player}` : ""}`;
  if (game.values) drawCurve();
  listen();
  show();
  openMove();
}

begin();
