/* page.js - what a page does beyond being read: it rotates things in space, lists inputs, goes light or
 * dark, shows where the reader is, and opens the numbers for print. Without it nothing is missing but
 * that.
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

/* ---- A listing of inputs: sorted, filtered, marked, downloaded. See report/inputs.c. */

const [NAME, CLUSTER, DEGREES, SCORE, P, P_EMBEDDING, VERDICT, ROTATED] = [0, 1, 2, 3, 4, 5, 6, 7];
const PAGE = 50, UNLIKE = .05, SEPARATOR = '\n';

function button(text, parent, act, label) {
  const element = html('button', '', text, parent);
  element.type = 'button';
  if (label) element.setAttribute('aria-label', label);
  element.addEventListener('click', act);
  return element;
}

function choice(label, options, parent, act) {
  const box = html('label', '', `${label} `, parent), select = html('select', '', '', box);
  options.forEach(([text, value]) => { html('option', '', text, select).value = value; });
  select.addEventListener('change', () => act(select.value));
  return select;
}

/* Row i, as given or rotated by some degrees (of pictures) or into its natural pose (of molecules). */
function pictures(data) {
  const sheets = new Set();
  const picture = (i, by) => {
    const sheet = Math.floor(i / data.across ** 2), place = i % data.across ** 2;
    if (!sheets.has(sheet)) {
      html('style', '', `.sheet-${sheet}{background-image:url(${data.sheets[sheet]})}`, document.head);
      sheets.add(sheet);
    }
    const rows = Math.min(data.across, Math.ceil((data.rows.length - sheet * data.across ** 2) / data.across));
    const box = document.createElement('span'), inner = html('span', `sheet-${sheet}`, '', box);
    const part = (k, n) => n > 1 ? `${100 * k / (n - 1)}%` : '0';
    box.className = data.side < 40 ? 'thumb sharp' : 'thumb';
    box.style.backgroundColor = `#${data.grounds.slice(6 * i, 6 * i + 6)}`;
    inner.style.backgroundSize = `${100 * data.across}% ${100 * rows}%`;
    inner.style.backgroundPosition =
      `${part(place % data.across, data.across)} ${part(Math.floor(place / data.across), rows)}`;
    if (by) inner.style.transform = `rotate(${-by}deg)`;
    return box;
  };
  const conformer = (i, by) => {
    const [kind, scale, w, a, b, c, ...places] = data.conformers[i];
    const [atoms, bonds] = data.molecules[kind], box = document.createElement('span');
    const svg = make('svg', { viewBox: '0 0 100 100', class: 'recon' }, box), group = make('g', {}, svg);
    const q = [1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b),
               2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a),
               2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)];
    const all = atoms.map(([look, radius], k) =>
      [look, radius * scale, ...places.slice(3 * k, 3 * k + 3).map(v => v / 1000)]);
    box.className = 'thumb';
    molecule(group, { x: 50, y: 50, half: 50 }, [all, bonds, []])(by ? multiply(data.view, q) : data.view);
    return box;
  };
  return data.sheets ? { draw: picture, n: data.grounds.length / 6, isFlat: true }
    : data.conformers ? { draw: conformer, n: data.conformers.length } : { n: 0 };
}

function listing(root) {
  const data = JSON.parse(root.querySelector('script').textContent), { rows, verdicts } = data;
  const { draw, n: drawn, isFlat } = pictures(data);
  const wrong = new Set(), degrees = new Map(); /* what the reader says: marks, and rotations of pictures */
  const isUnclear = row => !row[ROTATED] && ['none', 'cannot_tell'].includes(verdicts[row[VERDICT]]);
  const rotates = i => degrees.has(i) || Boolean(rows[i][ROTATED]) !== wrong.has(i);
  const by = i => degrees.has(i) ? degrees.get(i) : rotates(i) ? -rows[i][DEGREES] : 0;
  const filters = {
    all: ['all', () => true],
    rotated: ['would be rotated', i => rows[i][ROTATED]],
    unclear: ['cannot tell, or no natural pose', i => isUnclear(rows[i])],
    left: ['left as they are', i => !rows[i][ROTATED] && !isUnclear(rows[i])],
    unlike: ['unlike the others', i => rows[i][P_EMBEDDING] !== null && rows[i][P_EMBEDDING] < UNLIKE],
    wrong: ['marked wrong', i => wrong.has(i) || degrees.has(i)],
  };
  const say = v => v === null ? '' : String(v);
  const chance = v => v < .001 ? '<0.001' : v.toFixed(3);
  const action = i => degrees.has(i) ? `rotate by ${degrees.get(i).toFixed(0)}\u00b0`
    : rotates(i) ? 'rotate' : 'leave';
  const columns = [
    [data.heading, i => rows[i][NAME], 'name'],
    ['cluster', i => rows[i][CLUSTER], 'number'],
    ['angle', i => rows[i][DEGREES], 'number', v => `${Math.round(v) || 0}\u00b0`, Math.abs],
    ['p-value', i => rows[i][P], 'number wide', chance],
    ['p-value of the embedding', i => rows[i][P_EMBEDDING], 'number wide', chance],
    ['verdict', i => verdicts[rows[i][VERDICT]], '', v => v.replace('_', ' ')],
    ['action', action, ''],
  ];
  const state = { filter: 'all', text: '', cluster: '', sort: -1, down: false, page: 0, shown: [] };

  root.querySelector('.unlisted').remove();
  const bar = html('div', 'bar', '', root), scroll = html('div', 'table', '', root);
  const table = html('table', '', '', scroll), pager = html('div', 'bar', '', root);
  const clusters = [...new Set(rows.map(row => row[CLUSTER]))].filter(c => c !== null).sort((a, b) => a - b);
  const count = key => rows.reduce((n, _, i) => n + Boolean(filters[key][1](i)), 0);
  set(scroll, { role: 'group', 'aria-label': 'All inputs', tabindex: 0 });
  const filter = choice('Show', Object.keys(filters).map(key => [filters[key][0], key]), bar,
                        value => update({ filter: value }));
  const cluster = choice('Cluster', [['all', ''], ...clusters.map(c => [c, c])], bar,
                         value => update({ cluster: value }));
  const search = html('input', '', '', html('label', '', 'Name ', bar));
  search.type = 'search';
  search.addEventListener('input', () => update({ text: search.value.toLowerCase() }));
  button('Download actions.csv', bar, download);

  const head = html('tr', '', '', html('thead', '', '', table)), body = html('tbody', '', '', table);
  const heading = (text, cls) => set(html('th', cls, text, head), { scope: 'col' });
  if (drawn) ['as given', 'rotated'].forEach(text => heading(text, 'pictured'));
  const sorters = columns.map(([text, , cls], c) => {
    const cell = html('th', cls, '', head);
    set(cell, { scope: 'col' });
    button(text, cell, () => update({ sort: c, down: state.sort === c && !state.down }));
    return cell;
  });
  heading('wrong', '');

  function picturesOf(i) {
    return i < drawn ? [draw(i, 0), draw(i, by(i))] : [];
  }
  function fillRow(line, i) {
    line.replaceChildren();
    line.className = `${verdicts[rows[i][VERDICT]]} ${rotates(i) ? 'rotated' : ''}`;
    for (let k = 0; drawn && k < 2; k++) html('td', 'pictured', '', line);
    picturesOf(i).forEach((thumb, k) => {
      const open = button('', line.children[k], () => enlarge(i), `Enlarge ${rows[i][NAME]}`);
      open.append(thumb);
    });
    columns.forEach(([, value, cls, show]) => {
      const cell = html(cls === 'name' ? 'th' : 'td', cls, '', line), v = value(i);
      if (cls === 'name') set(cell, { scope: 'row' });
      html('bdi', cls === '' ? 'chip' : '', v === null ? '' : show ? show(v) : say(v), cell);
    });
    const box = html('input', '', '', html('td', '', '', line));
    set(box, { type: 'checkbox', 'aria-label': `${rows[i][NAME]} is wrong` });
    box.checked = wrong.has(i) || degrees.has(i);
    box.addEventListener('change', () => { mark(i, box.checked); fillRow(line, i); });
  }
  function mark(i, on) {
    degrees.delete(i);
    if (on) wrong.add(i);
    else wrong.delete(i);
    nameFilters();
  }
  function nameFilters() {
    [...filter.options].forEach(o => { o.textContent = `${filters[o.value][0]} (${count(o.value)})`; });
  }
  function compare(a, b) {
    const [, value, , , key = v => v] = columns[state.sort], x = value(a), y = value(b);
    const order = x === null || y === null ? (x === null) - (y === null)
      : key(x) < key(y) ? -1 : key(x) > key(y) ? 1 : 0;
    return (state.down ? -order : order) || a - b;
  }
  function update(change) {
    Object.assign(state, { page: 0 }, change);
    state.shown = rows.map((_, i) => i).filter(i => filters[state.filter][1](i) &&
      (state.cluster === '' || String(rows[i][CLUSTER]) === state.cluster) &&
      rows[i][NAME].toLowerCase().includes(state.text));
    if (state.sort >= 0) state.shown.sort(compare);
    sorters.forEach((cell, c) => {
      if (c === state.sort) set(cell, { 'aria-sort': state.down ? 'descending' : 'ascending' });
      else cell.removeAttribute('aria-sort');
    });
    filter.value = state.filter;
    cluster.value = state.cluster;
    show();
  }
  function show() {
    const from = state.page * PAGE, part = state.shown.slice(from, from + PAGE);
    body.replaceChildren();
    part.forEach(i => fillRow(html('tr', '', '', body), i));
    pager.replaceChildren();
    const go = page => { state.page = page; show(); root.scrollIntoView(); };
    const last = Math.max(Math.ceil(state.shown.length / PAGE) - 1, 0);
    const before = button('Previous', pager, () => go(state.page - 1));
    html('span', '', part.length ? `${from + 1} to ${from + part.length} of ${state.shown.length}` : 'none', pager);
    const after = button('Next', pager, () => go(state.page + 1));
    before.disabled = state.page === 0;
    after.disabled = state.page === last;
  }

  /* The columns that `recon canonicalize --actions` takes. A name that is not UTF-8 cannot be given back. */
  function download() {
    const field = text => `"${text.replaceAll('"', '""')}"`;
    const lines = [`${field(data.heading)},action,degrees`];
    rows.forEach((row, i) => {
      if (!row[NAME].includes('\ufffd'))
        lines.push([field(row[NAME]), rotates(i) ? 'rotate' : 'leave',
                    degrees.has(i) ? degrees.get(i).toFixed(2) : ''].join(','));
    });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([lines.join(SEPARATOR), SEPARATOR], { type: 'text/csv' }));
    link.download = 'actions.csv';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /* One input, large. */
  const dialog = html('dialog', 'enlarged', '', root);
  dialog.addEventListener('close', show);
  function enlarge(i) {
    const step = by => {
      const at = state.shown.indexOf(i) + by;
      if (at >= 0 && at < state.shown.length) enlarge(state.shown[at]);
    };
    const rotateMore = more => {
      degrees.set(i, ((by(i) + more + 540) % 360) - 180);
      nameFilters();
      enlarge(i);
    };
    dialog.replaceChildren();
    html('h3', '', html('bdi', '', rows[i][NAME], dialog), dialog);
    const pair = html('div', 'pair', '', dialog);
    picturesOf(i).forEach((thumb, k) => {
      const box = html('figure', '', thumb, pair);
      html('figcaption', '', k ? action(i) : 'as given', box);
    });
    html('p', '', `${verdicts[rows[i][VERDICT]].replace('_', ' ')}, ${rows[i][DEGREES].toFixed(0)}\u00b0 from ` +
      `its natural pose, p-value ${say(rows[i][P])}, cluster ${say(rows[i][CLUSTER])}`, dialog);
    const line = html('div', 'bar', '', dialog);
    button('Previous', line, () => step(-1));
    button('Next', line, () => step(1));
    const marked = wrong.has(i) || degrees.has(i);
    button(marked ? 'Not wrong' : 'Wrong', line, () => { mark(i, !marked); enlarge(i); });
    if (isFlat) {
      button('\u21ba 90\u00b0', line, () => rotateMore(90), 'Rotate by 90 degrees counter-clockwise');
      button('\u21bb 90\u00b0', line, () => rotateMore(-90), 'Rotate by 90 degrees clockwise');
    }
    button('Close', line, () => dialog.close()).focus();
    dialog.onkeydown = e => {
      if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') step(e.key === 'ArrowLeft' ? -1 : 1);
    };
    if (!dialog.open) dialog.showModal();
  }

  /* Some members beside each cluster of the table of clusters; a click lists all. */
  function showClusters() {
    const lists = [...document.querySelectorAll('caption')].find(c => c.textContent === 'All clusters');
    if (!lists || !drawn) return;
    set(html('th', '', 'some of them', lists.parentNode.querySelector('thead tr')), { scope: 'col' });
    const members = new Map(clusters.map(c => [c, []]));
    for (let i = 0; i < drawn; i++) {
      const some = members.get(rows[i][CLUSTER]);
      if (some && some.length < 6) some.push(i);
    }
    lists.parentNode.querySelectorAll('tbody tr').forEach(line => {
      const c = Number(line.firstChild.textContent), cell = html('td', 'members', '', line);
      const open = button('', cell, () => { update({ cluster: String(c), filter: 'all' }); root.scrollIntoView(); },
                          `List cluster ${c}`);
      (members.get(c) || []).forEach(i => open.append(draw(i, rows[i][ROTATED] ? -rows[i][DEGREES] : 0)));
    });
  }

  nameFilters();
  update({});
  showClusters();
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
document.querySelectorAll('.listing').forEach(listing);
document.querySelectorAll('script.spheres').forEach(script => space(script, sphere));
})();
