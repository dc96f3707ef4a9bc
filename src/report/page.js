/* page.js - what a page does beyond being read: it rotates things in space, goes light or dark, shows
 * where the reader is, and opens the numbers for print. Without it nothing is missing but that.
 *
 * A thing in space is a group of the still figure (class "space", first in it the square it may
 * fill), redrawn from the JSON beside the figure: the view (rows: right, up, towards the reader),
 * then every thing in the order of drawing. See report/page_space.c. */
(() => {
'use strict';

const SVG = 'http://www.w3.org/2000/svg';

function set(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
}

function make(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  set(element, attributes);
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

/* The front to the right by one angle, then down by another, as a hand rotates a ball. */
function rotate(right, down) {
  const c = Math.cos(right), s = Math.sin(right), d = Math.cos(down), t = Math.sin(down);
  return multiply([1, 0, 0, 0, d, -t, 0, t, d], [c, 0, s, 0, 1, 0, -s, 0, c]);
}

/* ---- Molecules: balls and sticks, from the back to the front; what is far fades. */

const AXIS = .96;

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
  const apart = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
  const share = apart > 0 ? Math.min(.9 * atoms[from][1] / apart, .5) : 0;
  return a.map((v, c) => v + share * (b[c] - v));
}

/* An axis: from the middle a line to its front, with a dot and a name there, and one to its back;
 * see report/molecules.c. The half that is nearer goes before the molecule, the other behind it. */
function axisOf(group, { x, y, half }, axis) {
  const dot = group.querySelector('circle.pole'), line = dot.previousElementSibling;
  const name = dot.nextElementSibling, square = group.querySelector('.reach');
  const back = [...group.querySelectorAll('line.pole')].find(other => other !== line);
  return view => {
    const seen = apply(view, ...axis), right = AXIS * half * seen[0], up = AXIS * half * seen[1];
    move(line, { x1: x, y1: y, x2: x + right, y2: y - up });
    move(back, { x1: x, y1: y, x2: x - right, y2: y + up });
    move(dot, { cx: x + right, cy: y - up });
    move(name, { x: x + right + (right < 0 ? 16 : -16), y: y - up + (up < 0 ? -4 : 10) });
    const front = [line, dot, name], [far, near] = seen[2] > 0 ? [[back], front] : [front, [back]];
    square.after(...far);
    group.append(...near);
  };
}

function molecule(group, middle, [atoms, bonds, axis]) {
  const placeAxis = axis.length ? axisOf(group, middle, axis) : () => {};
  const balls = atoms.map(([look, radius]) => ball(look, radius * middle.half));
  const sticks = bonds.map(() => make('line', { class: 'bond' }));
  group.querySelectorAll('.atom, .bond').forEach(still => still.remove());

  const x = seen => middle.x + middle.half * seen[0], y = seen => middle.y - middle.half * seen[1];

  return view => {
    const seen = atoms.map(([, , ...place]) => apply(view, ...place));
    const items = balls.map((item, i) => {
      const near = seen[i][2];
      item.setAttribute('transform', `translate(${x(seen[i]).toFixed(2)} ${y(seen[i]).toFixed(2)})`);
      item.lastChild.setAttribute('fill-opacity', Math.max(0, .16 - .24 * near).toFixed(3));
      return { item, near };
    });
    sticks.forEach((item, i) => {
      const [from, to] = bonds[i];
      const a = surface(seen, atoms, from, to), b = surface(seen, atoms, to, from);
      move(item, { x1: x(a), y1: y(a), x2: x(b), y2: y(b) });
      items.push({ item, near: (a[2] + b[2]) / 2 });
    });
    items.sort((a, b) => a.near - b.near);
    group.append(...items.map(i => i.item));
    placeAxis(view);
  };
}

/* ---- Spheres: where a matrix Fisher distribution takes the axes, as report/spheres.c paints it. */

const COLOURS = [[0, .447, .698], [.835, .369, 0], [0, .62, .451]];
const REACH = .9, BRIGHT = Math.log1p(20), FAINT = .35, FINE = 220;

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

/* The density of R e_k at (x, y, z): exp(a . u + rho) I0(rho) exp(-rho) / c, where a is the k-th
 * column of F and rho the amplitude of what the others, b and c, add while R rotates about u. Plain
 * numbers, no arrays: it is asked for every pixel. */
function densityOf(f, k) {
  const [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] =
    [k, k + 1, k + 2].map(n => [f[n % 3], f[3 + n % 3], f[6 + n % 3]]);
  const size = bx * bx + by * by + bz * bz + cx * cx + cy * cy + cz * cz;
  const tx = 2 * (by * cz - bz * cy), ty = 2 * (bz * cx - bx * cz), tz = 2 * (bx * cy - by * cx);
  return (x, y, z) => {
    const b = bx * x + by * y + bz * z, c = cx * x + cy * y + cz * z;
    const rho = Math.sqrt(Math.max(0, size - b * b - c * c + tx * x + ty * y + tz * z));
    return Math.exp(ax * x + ay * y + az * z + rho + logBessel(rho) - f[9]);
  };
}

/* Colours light, which is of three numbers, as the surface is at (x, y, z). */
function tint(light, densities, x, y, z, strength) {
  for (let k = 0; k < 3; k++) {
    const share = strength * Math.min(Math.log1p(densities[k](x, y, z)) / BRIGHT, 1) ** 2;
    for (let c = 0; c < 3; c++) light[c] += share * (COLOURS[k][c] - light[c]);
  }
}

function paint(canvas, densities, v, size) {
  const half = size / 2, radius = half * REACH, light = new Float64Array(3);
  canvas.width = canvas.height = size;
  const context = canvas.getContext('2d'), image = context.createImageData(size, size);
  for (let n = 0; n < size * size; n++) {
    const a = (n % size + .5 - half) / radius, b = (half - Math.floor(n / size) - .5) / radius;
    const r = Math.sqrt(a * a + b * b), c = Math.sqrt(1 - r * r);
    if (r > 1) continue;
    const x = v[0] * a + v[3] * b, y = v[1] * a + v[4] * b, z = v[2] * a + v[5] * b;
    light.fill(.86 + .12 * c);
    tint(light, densities, x - v[6] * c, y - v[7] * c, z - v[8] * c, FAINT); /* the far side */
    tint(light, densities, x + v[6] * c, y + v[7] * c, z + v[8] * c, 1);
    for (let i = 0; i < 3; i++) image.data[4 * n + i] = Math.round(255 * light[i]);
    image.data[4 * n + 3] = Math.round(255 * Math.min((1 - r) * radius + .5, 1));
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
    line.classList.toggle('far', view[6 + k] < 0);
    names[k].classList.toggle('far', view[6 + k] < 0);
  });
}

/* Coarse while it is rotated, the more so the more there are, and fine when it rests; as it was drawn
 * it is the still image. */
function sphere(group, middle, f, count) {
  const coarse = Math.round(Math.min(90, 260 / Math.sqrt(count)));
  const image = group.querySelector('image'), still = image.getAttribute('href');
  const canvas = document.createElement('canvas'), densities = [0, 1, 2].map(k => densityOf(f, k));
  let rest;
  return (view, rotated) => {
    clearTimeout(rest);
    placeAxes(group, middle, view);
    if (!rotated) return image.setAttribute('href', still);
    image.setAttribute('href', paint(canvas, densities, view, coarse));
    rest = setTimeout(() => image.setAttribute('href', paint(canvas, densities, view, FINE)), 150);
  };
}

/* ---- Rotating: by mouse, finger and keys, one thing or all of a figure. */

const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STEP = Math.PI / 18;

function thing(group, view, data, draw, count) {
  const square = group.querySelector('.reach');
  const [x, y, side] = ['x', 'y', 'width'].map(name => Number(square.getAttribute(name)));
  const redraw = draw(group, { x: x + side / 2, y: y + side / 2, half: side / 2 }, data, count);
  let by = IDENTITY;
  const refresh = m => {
    by = m;
    redraw(multiply(by, view), by !== IDENTITY);
  };
  refresh(IDENTITY);
  return {
    group,
    rotate: m => refresh(multiply(m, by)),
    reset: () => refresh(IDENTITY),
  };
}

function listen(group, rotateBy, reset) {
  let last = null;
  group.addEventListener('pointerdown', e => {
    if (e.button !== 0 || (e.pointerType === 'touch' && document.activeElement !== group)) return;
    last = e;
    group.setPointerCapture(e.pointerId);
  });
  group.addEventListener('pointermove', e => {
    if (!last || last.pointerId !== e.pointerId) return;
    const scale = Math.PI / group.getBoundingClientRect().width;
    rotateBy(scale * (e.clientX - last.clientX), scale * (e.clientY - last.clientY));
    last = e;
  });
  for (const end of ['pointerup', 'pointercancel'])
    group.addEventListener(end, () => { last = null; });
  group.addEventListener('click', () => group.focus({ preventScroll: true }));
  group.addEventListener('dblclick', reset);
  group.addEventListener('keydown', e => {
    if (KEYS[e.key]) rotateBy(...KEYS[e.key].map(v => v * STEP));
    else if (e.key === 'Home') reset();
    else return;
    e.preventDefault();
  });
}

/* The line below the figure; gives the box that says whether all rotate together. */
function controls(figure, many, reset) {
  const finger = matchMedia('(pointer: coarse)').matches;
  const how = finger ? 'Tap one, then drag to rotate it.' : 'Drag to rotate, or use the arrow keys.';
  const line = html('p', 'blocks', how, figure);
  figure.querySelector('.plot').after(line);
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.checked = many;
  if (many) html('label', '', box, line).append('all together');
  html('button', '', 'as drawn', line).addEventListener('click', reset);
  return box;
}

function space(script, draw) {
  const figure = script.closest('figure'), svg = figure && figure.querySelector('.plot > svg');
  const [view, ...data] = JSON.parse(script.textContent);
  const groups = svg ? [...svg.querySelectorAll('.space')] : [];
  const whole = group => group.querySelector('.reach') && (draw !== sphere || group.querySelector('image'));
  if (!data.length || groups.length !== data.length || !groups.every(whole)) return;
  const things = groups.map((group, i) => thing(group, view, data[i], draw, data.length));
  const all = () => things.forEach(t => t.reset());
  const together = controls(figure, things.length > 1, all);
  svg.setAttribute('role', 'group');
  things.forEach((one, i) => {
    const moved = () => together.checked ? things : [one];
    const label = `${i + 1} of ${things.length}; arrow keys rotation it, Home resets`;
    set(one.group, { tabindex: 0, role: 'img', 'aria-label': label });
    listen(one.group, (right, down) => moved().forEach(t => t.rotate(rotate(right, down))),
           () => moved().forEach(t => t.reset()));
  });
}

/* The light on the balls, for all figures. */
function addShine() {
  const svg = make('svg', { width: 0, height: 0, 'aria-hidden': 'true', class: 'lamp' }, document.body);
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
    const past = heads.filter(head => head && head.getBoundingClientRect().top < innerHeight / 3);
    links.forEach((link, i) => {
      if (past.length && heads[i] === past[past.length - 1]) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    });
  };
  if (links.length) addEventListener('scroll', mark, { passive: true });
}

/* Says below a figure that is wider than its place that it scrolls, and marks it while there is more
 * to the right. */
function markWide(plot) {
  const line = html('p', 'sideways', 'Scroll sideways for more \u2192', plot.parentNode);
  plot.after(line);
  const mark = () => {
    line.hidden = plot.scrollWidth <= plot.clientWidth + 1;
    plot.classList.toggle('more', plot.scrollLeft + plot.clientWidth < plot.scrollWidth - 1);
  };
  new ResizeObserver(mark).observe(plot);
  plot.addEventListener('scroll', mark, { passive: true });
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
document.querySelectorAll('.plot').forEach(markWide);
document.querySelectorAll('script.molecules').forEach(script => space(script, molecule));
document.querySelectorAll('script.spheres').forEach(script => space(script, sphere));
})();
