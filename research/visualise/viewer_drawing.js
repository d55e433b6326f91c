// The drawing of the game viewer: what is on the board and over it, and the curve. Nothing here knows where the viewer
// is in the game: every function is given what it shall draw. It looks like the pictures of svg.py and overlays.py.
"use strict";

const game = JSON.parse(document.getElementById("game").textContent);
const numPoints = game.rows * game.columns;
const BLACK = 1, WHITE = 2;
const DARK = "#1a1a1a", LIGHT = "#ffffff";
const CONTRAST = [DARK, LIGHT, DARK]; // on wood, on black stones, on white stones
const HEAT_COLOUR = "#0b62a8", WOOD = "#e2b871";
const MAX_LABEL = 4; // letters that a label shows; the rest is read under the pointer

function element(id) {
  return document.getElementById(id);
}

function draw(kind, attributes, parent, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

// The group of that name, emptied.
function emptied(id) {
  element(id).replaceChildren();
  return element(id);
}

function centre(point) {
  return {
    x: game.margin + (point % game.columns) * game.cell,
    y: game.margin + Math.floor(point / game.columns) * game.cell,
  };
}

function pointName(action) {
  if (action >= numPoints) return "pass";
  return game.columnNames[action % game.columns] + (game.rows - Math.floor(action / game.columns));
}

function percent(share) {
  return (100 * share).toFixed(share < 0.0995 ? 1 : 0) + "%";
}

function drawStones(stones) {
  const group = emptied("stones");
  const occupied = stones.map((stone, point) => point).filter((point) => stones[point]);
  for (const point of occupied) { // every shadow first: none falls on a stone
    const { x, y } = centre(point);
    draw("circle", { cx: x + 2.2, cy: y + 2.2, r: game.radius + 2.4, fill: "url(#shadow)" }, group);
  }
  for (const point of occupied) {
    const { x, y } = centre(point), colour = stones[point] === BLACK ? "black" : "white";
    draw("circle", { cx: x, cy: y, r: game.radius, fill: `url(#${colour}-stone)`, class: colour, "data-point": point },
      group);
  }
}

// Squares, the more opaque the larger the share of the largest; `policy` null draws none.
function drawHeat(policy) {
  const group = emptied("heat");
  const largest = policy ? Math.max(...policy.slice(0, numPoints)) : 0;
  for (let point = 0; largest && point < numPoints; point++) {
    const opacity = 0.85 * policy[point] / largest;
    if (opacity < 0.005) continue;
    const { x, y } = centre(point);
    const square = draw("rect", {
      x: x - game.cell / 2, y: y - game.cell / 2, width: game.cell, height: game.cell, fill: HEAT_COLOUR,
      "fill-opacity": opacity.toFixed(3), class: "heat", "data-point": point,
    }, group);
    draw("title", {}, square, `${pointName(point)}: ${percent(policy[point])}`);
  }
}

// Small squares, dark for Black (+1) and light for White (-1), the larger the surer; beside a mark, not under it.
function drawOwnership(owners, marks) {
  const group = emptied("ownership");
  for (const [point, value] of owners) {
    if (!value) continue;
    const { x, y } = centre(point), isMarked = marks.has(point), shift = isMarked ? game.markedShift : 0;
    const side = game.ownershipSide * Math.sqrt(Math.abs(value)) * (isMarked ? game.markedScale : 1);
    const square = draw("rect", {
      x: x + shift - side / 2, y: y + shift - side / 2, width: side, height: side, "fill-opacity": 0.9,
      "stroke-opacity": 0.35, "stroke-width": 0.8, fill: value > 0 ? DARK : LIGHT, stroke: value > 0 ? LIGHT : DARK,
      class: value > 0 ? "owned-black" : "owned-white", "data-point": point,
    }, group);
    draw("title", {}, square, `${pointName(point)}: ${value.toFixed(2)}`);
  }
}

// Shapes and labels (`marks`: point -> one of them), and a ring on the last move, -1 for none.
function drawMarks(stones, marks, lastMove) {
  const group = emptied("marks");
  for (const [point, mark] of marks) {
    if (!stones[point]) {
      const { x, y } = centre(point);
      draw("circle", { cx: x, cy: y, r: 0.36 * game.cell, fill: WOOD }, group);
    }
    (game.shapes.includes(mark) ? drawShape : drawLabel)(group, point, mark, CONTRAST[stones[point]]);
  }
  if (lastMove >= 0 && lastMove < numPoints && !game.shapes.includes(marks.get(lastMove))) {
    const { x, y } = centre(lastMove), radius = (marks.has(lastMove) ? 0.8 : 0.5) * game.radius;
    const stroke = CONTRAST[stones[lastMove]];
    draw("circle", { cx: x, cy: y, r: radius, fill: "none", stroke, "stroke-width": 2.4, class: "last-move" }, group);
  }
}

function drawLabel(group, point, label, colour) {
  const { x, y } = centre(point);
  const text = label.length > MAX_LABEL ? label.slice(0, MAX_LABEL - 1) + "\u2026" : label;
  const size = [20, 20, 17, 14, 12][text.length];
  const drawn = draw("text", {
    x, y: y + 0.35 * size, fill: colour, "font-size": size, "font-weight": "bold", "text-anchor": "middle",
    class: "label", "data-point": point,
  }, group, text);
  if (text !== label) draw("title", {}, drawn, label);
}

function drawShape(group, point, shape, colour) {
  const { x, y } = centre(point), radius = 0.58 * game.radius;
  const pen = { fill: "none", stroke: colour, "stroke-width": 2.6, "stroke-linejoin": "round", class: shape,
    "data-point": point };
  if (shape === "circle") {
    draw("circle", { cx: x, cy: y, r: 0.86 * radius, ...pen }, group);
  } else if (shape === "square") {
    const side = 1.44 * radius;
    draw("rect", { x: x - side / 2, y: y - side / 2, width: side, height: side, ...pen }, group);
  } else if (shape === "triangle") {
    const half = radius * Math.sqrt(0.75);
    draw("path", { d: `M${x} ${y - radius}L${x + half} ${y + radius / 2}H${x - half}z`, ...pen }, group);
  } else {
    const arm = 0.68 * radius;
    draw("path", { d: `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`, ...pen },
      group);
  }
}

// A unit a step wide and 2 high: Black's share below the line, White's above it; gaps where there is no value.
function drawCurve(values) {
  const last = Math.max(values.length - 1, 1);
  element("curve").setAttribute("viewBox", `0 0 ${last} 2`);
  element("curve-middle").setAttribute("d", `M0 1H${last}`);
  let outline = "", area = "", isOpen = false;
  values.forEach((value, at) => {
    const isKnown = value !== undefined && value !== null;
    if (isKnown) {
      outline += `${isOpen ? "L" : "M"}${at} ${1 - value}`;
      area += `${isOpen ? "" : `M${at} 2`}L${at} ${1 - value}`;
    } else if (isOpen) {
      area += `L${at - 1} 2z`;
    }
    isOpen = isKnown;
  });
  element("curve-line").setAttribute("d", outline);
  element("curve-area").setAttribute("d", area + (isOpen ? `V2z` : ""));
}
