// The game viewer: where in the game's tree one is, and how one moves about in it.
// A step is a position of the tree; the line is the path that is walked, from the first step to a last one.
"use strict";

const steps = game.steps;
const NAMES = ["", "Black", "White"];
const MAX_MOVES_TOLD = 5; // of a policy
const WHEEL_STEP = 40; // pixels that a wheel turns for one step
const SWITCHES = ["show-numbers", "show-marks", "show-policy", "show-ownership"];

const children = steps.map(() => []);
steps.forEach((step, index) => {
  if (step.parent === undefined) step.parent = index - 1;
  if (step.parent >= 0) children[step.parent].push(index);
});
const chosen = new Map(); // step -> the child that the line goes on with, if it is not the first
const policies = game.policies ? new Uint16Array(bytesOf(game.policies).buffer) : null;
const ownerships = game.ownerships ? new Int8Array(bytesOf(game.ownerships).buffer) : null;
const hasCurve = (game.values ?? []).some((value) => value !== null);
let line = lineThrough(0);
let place = 0; // in the line

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
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

// ---- what is to be seen here

function isAnalysed() {
  return game.values !== undefined && line[place] < game.values.length;
}

// What is written on points here (point -> shape or label): numbers, letters of variations, the record's own marks.
function marksHere(stones, numbers) {
  const marks = new Map(), ways = children[line[place]];
  if (element("show-numbers").checked) numbers.forEach((number, point) => number && marks.set(point, String(number)));
  if (!element("show-marks").checked) return marks;
  ways.length > 1 && ways.forEach((child, way) => {
    const action = steps[child].action;
    if (action >= 0 && action < numPoints && !stones[action]) marks.set(action, wayName(way));
  });
  for (const [point, mark] of Object.entries(steps[line[place]].marks ?? {})) marks.set(Number(point), mark);
  return marks;
}

// Whose the points are here (point -> +1 Black's to -1 White's): what the player thinks, else what the record marks.
function ownersHere() {
  const marked = Object.entries(steps[line[place]].territory ?? {});
  const owners = new Map(marked.map(([point, side]) => [Number(point), side === BLACK ? 1 : -1]));
  if (ownerships && isAnalysed() && element("show-ownership").checked) {
    for (let point = 0; point < numPoints; point++) owners.set(point, ownerships[line[place] * numPoints + point] / 127);
  }
  return owners;
}

// The policy at this place as probabilities, null if there is none.
function policyHere() {
  if (!policies || !isAnalysed() || game.values[line[place]] === null) return null;
  const start = line[place] * (numPoints + 1);
  return Array.from(policies.subarray(start, start + numPoints + 1), (share) => share / 65535);
}

function wayName(way) {
  return way < 26 ? String.fromCharCode(65 + way) : String(way + 1);
}

function moveText(index) {
  const step = steps[index];
  return step.player ? `${NAMES[step.player]} ${pointName(step.action)}` : step.name || (step.changes ? "set-up" : "comment");
}

// ---- what is told beside the board

function tell(policy) {
  const index = line[place], step = steps[index], last = steps[line[line.length - 1]].number;
  const name = step.name ? ` \u2014 ${step.name}` : "";
  element("move").textContent = step.player
    ? `Move ${step.number} of ${last}: ${moveText(index)}${name}`
    : `${step.number ? `After move ${step.number}` : "Start"} of ${last}: ${NAMES[step.toPlay]} to play${name}`;
  const [black, white] = step.taken ?? [0, 0];
  element("captures").textContent = `Black has captured ${black}, White ${white}`;
  const thoughts = [], value = isAnalysed() ? game.values[index] : null;
  if (value !== null) thoughts.push(`Black wins ${percent((value + 1) / 2)}`);
  if (policy) {
    const best = policy.map((share, action) => action).sort((one, other) => policy[other] - policy[one]);
    const told = best.slice(0, MAX_MOVES_TOLD).filter((action) => policy[action] > 0);
    thoughts.push(`Policy: ${told.map((action) => `${pointName(action)} ${percent(policy[action])}`).join(", ")}`);
    const next = line[place + 1] === undefined ? -1 : steps[line[place + 1]].action ?? -1;
    if (next >= 0) thoughts.push(`Played: ${pointName(next)} ${percent(policy[next])}`);
  }
  element("thoughts").textContent = thoughts.join("\n");
  element("comment").textContent = step.comment ?? "";
  element("comment-side").hidden = !step.comment;
}

function tellVariations() {
  const here = element("variations"), ways = children[line[place]];
  const parent = steps[line[place]].parent, siblings = parent >= 0 ? children[parent] : [];
  here.replaceChildren();
  ways.length > 1 && ways.forEach((child, way) => addWay(here, child, `${wayName(way)}: ${moveText(child)}`));
  siblings.length > 1 && siblings.forEach((sibling, way) => {
    addWay(here, sibling, `${wayName(way)}: ${moveText(sibling)}`, sibling === line[place]);
  });
  const branch = line.findIndex((step, at) => at > 0 && step !== children[line[at - 1]][0]);
  if (branch > 0 && branch <= place) addWay(here, line[branch - 1], "back to the main line", false, true);
  element("variations-side").hidden = !here.childElementCount;
}

function addWay(here, index, text, isHere = false, isReturn = false) {
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

function show() {
  const { stones, numbers } = boardAt(place), policy = policyHere(), marks = marksHere(stones, numbers);
  drawHeat(element("show-policy").checked ? policy : null);
  drawStones(stones);
  drawOwnership(ownersHere(), marks);
  drawMarks(stones, marks, steps[line[place]].action ?? -1);
  tell(policy);
  tellVariations();
  element("slider").max = line.length - 1;
  element("slider").value = place;
  for (const id of ["first", "back", "previous"]) element(id).disabled = place === 0;
  for (const id of ["next", "on", "last"]) element(id).disabled = place === line.length - 1;
  if (hasCurve) element("curve-now").setAttribute("d", `M${place} 0V2`);
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
  if (hasCurve) drawCurve(line.map((index) => game.values[index]));
  moveTo(line.indexOf(index));
}

// Go to the variation beside this one; false if there is none.
function switchVariation(by) {
  const parent = steps[line[place]].parent, siblings = parent >= 0 ? children[parent] : [];
  const to = siblings[siblings.indexOf(line[place]) + by];
  if (to === undefined) return false;
  goTo(to);
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
    if (act && act() !== false) event.preventDefault(); // neither the slider nor the page moves as well
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
  for (const id of SWITCHES) element(id).addEventListener("change", show);
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
  element("curve-side").hidden = !hasCurve;
  element("policy-switch").hidden = !policies;
  element("ownership-switch").hidden = !ownerships;
  element("curve-name").textContent = `Black's chance to win${game.player ? `, by ${game.player}` : ""}`;
  if (hasCurve) drawCurve(line.map((index) => game.values[index]));
  listen();
  show();
  openMove();
}

begin();
