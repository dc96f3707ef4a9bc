/* page.js - what a page does beyond being read: it turns things in space, goes light or dark, shows
 * where the reader is, and opens the numbers for print. Without it nothing is missing but that.
 *
 * A thing in space is a group of the still figure (class "space", first in it the square it may
 * fill), redrawn from the JSON beside the figure: the view (rows: right, up, towards the reader),
 * then every thing in the order of drawing. See report/page_space.c. */
(() => {
'use strict';

const SVG = 'http://www.w3.org/2000/svg';

function make(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (parent) parent.append(element);
  return element;
}

function html(name, cls, text, parent) {
  const element = document.createElement(name);
  element.className = cls;
  element.append(text);
  parent.append(element);
  return element;
}

function move(element, place) {
  for (const [key, value] of Object.entries(place)) element.setAttribute(key, value.toFixed(2));
}

/* ---- Rotations: nine numbers, by rows. */

const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1];

function apply(m, x, y, z) {
  return [0, 3, 6].map(r => m[r] * x + m[r + 1] * y + m[r + 2] * z);
}

function multiply(a, b) {
  const columns = [0, 1, 2].map(c => apply(a, b[c], b[c + 3], b[c + 6]));
  return IDENTITY.map((_, n) => columns[n % 3][(n - n % 3) / 3]);
}

/* The front to the right by one angle, then down by another, as a hand turns a ball. */
function turn(right, down) {
  const c = Math.cos(right), s = Math.sin(right), d = Math.cos(down), t = Math.sin(down);
  return multiply([1, 0, 0, 0, d, -t, 0, t, d], [c, 0, s, 0, 1, 0, -s, 0, c]);
}

/* ---- Molecules: balls and sticks, from the back to the front; what is far fades. */

function ball(look, radius) {
  const group = make('g', {});
  make('circle', { class: look, r: radius }, group);
  make('circle', { class: 'shine', r: radius }, group);
  make('circle', { class: 'haze', r: radius + .4 }, group);
  return group;
}

/* Where a stick from one ball to another leaves the first: a little under its surface. */
function surface(seen, atoms, from, to) {
  const a = seen[from], b = seen[to];
  const share = .9 * atoms[from][1] / Math.max(Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]), 1e-6);
  return a.map((v, c) => v + Math.min(share, .5) * (b[c] - v));
}

function molecule(group, middle, [atoms, bonds]) {
  const balls = atoms.map(([look, radius]) => ball(look, radius * middle.half));
  const sticks = bonds.map(() => make('line', { class: 'bond' }));
  group.querySelectorAll('circle, line').forEach(still => still.remove());

  return view => {
    const paper = ([right, up, near]) => ({ x: middle.x + middle.half * right, y: middle.y - middle.half * up, near });
    const seen = atoms.map(([, , ...place]) => apply(view, ...place)), at = seen.map(paper);
    const items = [];
    balls.forEach((item, i) => {
      item.setAttribute('transform', `translate(${at[i].x.toFixed(2)} ${at[i].y.toFixed(2)})`);
      item.lastChild.setAttribute('fill-opacity', Math.max(0, .16 - .24 * at[i].near).toFixed(3));
      items.push({ item, near: at[i].near });
    });
    sticks.forEach((item, i) => {
      const a = paper(surface(seen, atoms, ...bonds[i])), b = paper(surface(seen, atoms, bonds[i][1], bonds[i][0]));
      move(item, { x1: a.x, y1: a.y, x2: b.x, y2: b.y });
      items.push({ item, near: (a.near + b.near) / 2 });
    });
    items.sort((a, b) => a.near - b.near);
    group.append(...items.map(i => i.item));
  };
}

/* ---- Spheres: where a matrix Fisher distribution takes the axes, as report/spheres.c paints it. */

const COLOURS = [[0, .447, .698], [.835, .369, 0], [0, .62, .451]];
const REACH = .9, BRIGHT = Math.log1p(20), FINE = 220, COARSE = 90;

/* log(I0(x) exp(-x)): the power series, and the asymptotic one beyond it. */
function logBessel(x) {
  let sum = 1, term = 1, k = 1;
  if (x < 15) {
    for (; term > 1e-9 * sum; k++) sum += term *= x * x / (4 * k * k);
    return Math.log(sum) - x;
  }
  for (; k < 8; k++) sum += term *= (2 * k - 1) ** 2 / (8 * k * x);
  return Math.log(sum / Math.sqrt(2 * Math.PI * x));
}

/* The density of R e_k: exp(a . u + rho) I0(rho) exp(-rho) / c, where a is the k-th column of F and
 * rho the amplitude of what the others, b and c, add while R turns about u. */
function densityOf(f, k) {
  const column = n => [f[n % 3], f[3 + n % 3], f[6 + n % 3]];
  const a = column(k), b = column(k + 1), c = column(k + 2);
  const across = [0, 1, 2].map(i => 2 * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3]));
  const dot = (v, x, y, z) => v[0] * x + v[1] * y + v[2] * z;
  const size = dot(b, ...b) + dot(c, ...c);
  return (x, y, z) => {
    const square = size - dot(b, x, y, z) ** 2 - dot(c, x, y, z) ** 2 + dot(across, x, y, z);
    const rho = Math.sqrt(Math.max(0, square));
    return Math.exp(dot(a, x, y, z) + rho + logBessel(rho) - f[9]);
  };
}

/* The colour at u, whose height towards the reader is near, into four bytes. */
function tint(bytes, n, densities, u, near) {
  const shares = densities.map(d => Math.min(Math.log1p(d(...u)) / BRIGHT, 1) ** 2);
  for (let c = 0; c < 3; c++) {
    let light = .86 + .12 * near;
    for (let k = 0; k < 3; k++) light += shares[k] * (COLOURS[k][c] - light);
    bytes[n + c] = Math.round(255 * light);
  }
}

function paint(canvas, densities, view, size) {
  const back = IDENTITY.map((_, n) => view[n % 3 * 3 + (n - n % 3) / 3]), half = size / 2;
  canvas.width = canvas.height = size;
  const context = canvas.getContext('2d'), image = context.createImageData(size, size);
  for (let n = 0; n < size * size; n++) {
    const a = (n % size + .5 - half) / (half * REACH);
    const b = (half - Math.floor(n / size) - .5) / (half * REACH);
    const r = Math.hypot(a, b), near = Math.sqrt(1 - r * r);
    if (r > 1) continue;
    tint(image.data, 4 * n, densities, apply(back, a, b, near), near);
    image.data[4 * n + 3] = Math.round(255 * Math.min((1 - r) * half * REACH + .5, 1));
  }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

/* The ends of the axes go with the surface; those behind it are hidden. */
function placeAxes(group, middle, view) {
  const names = group.querySelectorAll('text');
  group.querySelectorAll('line').forEach((line, k) => {
    const from = REACH * middle.half, to = 1.08 * from, right = view[k], up = view[3 + k];
    move(line, { x1: middle.x + from * right, y1: middle.y - from * up,
                 x2: middle.x + to * right, y2: middle.y - to * up });
    move(names[k], { x: middle.x + to * right + (right < 0 ? -5 : 5), y: middle.y - to * up + 3 });
    for (const part of [line, names[k]]) part.classList.toggle('far', view[6 + k] < 0);
  });
}

/* Coarse while it is turned, fine when it rests; as it was drawn it is the still image. */
function sphere(group, middle, f) {
  const image = group.querySelector('image'), still = image.getAttribute('href');
  const canvas = document.createElement('canvas'), densities = [0, 1, 2].map(k => densityOf(f, k));
  let rest;
  return (view, turned) => {
    clearTimeout(rest);
    placeAxes(group, middle, view);
    if (!turned) return image.setAttribute('href', still);
    image.setAttribute('href', paint(canvas, densities, view, COARSE));
    rest = setTimeout(() => image.setAttribute('href', paint(canvas, densities, view, FINE)), 150);
  };
}

/* ---- Turning: by mouse, finger and keys, one thing or all of a figure. */

const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STEP = Math.PI / 18;

function thing(group, view, data, draw) {
  const square = group.querySelector('.reach');
  const [x, y, side] = ['x', 'y', 'width'].map(name => Number(square.getAttribute(name)));
  const redraw = draw(group, { x: x + side / 2, y: y + side / 2, half: side / 2 }, data);
  let by = IDENTITY;
  const refresh = m => {
    by = m;
    redraw(multiply(by, view), by !== IDENTITY);
  };
  refresh(IDENTITY);
  return {
    group,
    turn: m => refresh(multiply(m, by)),
    reset: () => refresh(IDENTITY),
  };
}

function listen(group, turnBy, reset) {
  let last = null;
  group.addEventListener('pointerdown', e => {
    last = e;
    group.setPointerCapture(e.pointerId);
  });
  group.addEventListener('pointermove', e => {
    if (!last || last.pointerId !== e.pointerId) return;
    const scale = Math.PI / group.getBoundingClientRect().width;
    turnBy(scale * (e.clientX - last.clientX), scale * (e.clientY - last.clientY));
    last = e;
  });
  for (const end of ['pointerup', 'pointercancel'])
    group.addEventListener(end, () => { last = null; });
  group.addEventListener('dblclick', reset);
  group.addEventListener('keydown', e => {
    if (KEYS[e.key]) turnBy(...KEYS[e.key].map(v => v * STEP));
    else if (e.key === 'Home') reset();
    else return;
    e.preventDefault();
  });
}

/* The line below the figure; gives the box that says whether all turn together. */
function controls(figure, many, reset) {
  const line = html('p', 'turning', 'Drag to turn, or use the arrow keys.', figure);
  figure.querySelector('.plot').after(line);
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.checked = many;
  if (many) html('label', '', box, line).append('all together');
  html('button', '', 'as drawn', line).addEventListener('click', reset);
  return box;
}

function space(script, draw) {
  const figure = script.closest('figure'), svg = figure.querySelector('svg');
  const [view, ...data] = JSON.parse(script.textContent);
  const groups = [...svg.querySelectorAll('.space')];
  if (groups.length !== data.length) return;
  const things = groups.map((group, i) => thing(group, view, data[i], draw));
  const all = () => things.forEach(t => t.reset());
  const together = controls(figure, things.length > 1, all);
  svg.setAttribute('role', 'group');
  things.forEach((one, i) => {
    const moved = () => together.checked ? things : [one];
    one.group.setAttribute('tabindex', '0');
    one.group.setAttribute('role', 'img');
    one.group.setAttribute('aria-label', `${i + 1} of ${things.length}; arrow keys turn it, Home resets`);
    listen(one.group, (right, down) => moved().forEach(t => t.turn(turn(right, down))),
           () => moved().forEach(t => t.reset()));
  });
}

/* The light on the balls, for all figures. */
function addShine() {
  const svg = make('svg', { width: 0, height: 0, style: 'position:absolute', 'aria-hidden': 'true' }, document.body);
  const shine = make('radialGradient', { id: 'recon-shine', cx: .36, cy: .32, r: .75 }, svg);
  make('stop', { offset: 0, 'stop-color': '#fff', 'stop-opacity': .6 }, shine);
  make('stop', { offset: .45, 'stop-color': '#fff', 'stop-opacity': 0 }, shine);
  make('stop', { offset: 1, 'stop-color': '#000', 'stop-opacity': .4 }, shine);
}

/* ---- The page around the figures. */

function addTheme() {
  const root = document.documentElement, header = document.querySelector('header');
  if (!header) return;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark' : system.matches;
  const button = html('button', 'theme', '', header);
  const name = () => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', `${button.textContent} colours`);
  };
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    name();
  });
  system.addEventListener('change', name);
  name();
}

/* The last section whose heading has gone past the upper third is the one being read. */
function followReading() {
  const links = [...document.querySelectorAll('nav a')];
  const heads = links.map(link => document.querySelector(link.getAttribute('href')));
  const mark = () => {
    const now = heads.findLastIndex(head => head && head.getBoundingClientRect().top < innerHeight / 3);
    links.forEach((link, i) => i === now ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current'));
  };
  if (links.length) addEventListener('scroll', mark, { passive: true });
}

function openForPrint() {
  const closed = 'details:not([open])';
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll(closed)];
    opened.forEach(details => { details.open = true; });
  });
  addEventListener('afterprint', () => opened.forEach(details => { details.open = false; }));
}

addTheme();
followReading();
openForPrint();
addShine();
document.querySelectorAll('script.molecules').forEach(script => space(script, molecule));
document.querySelectorAll('script.spheres').forEach(script => space(script, sphere));
})();
