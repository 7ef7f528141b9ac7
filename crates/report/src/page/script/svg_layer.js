
// A layer that records what is drawn on it as SVG. It has the methods of a canvas that the pictures use.

const decimal = value => String(Math.round(value * 100) / 100);
const ANCHORS = { left: 'start', center: 'middle', right: 'end' };
const ruler = document.createElement('canvas').getContext('2d');

class SvgLayer {
  constructor() {
    this.canvas = { width: 0, height: 0, group: shape('g', {}) };
    Object.assign(this, { fillStyle: '#000', strokeStyle: '#000', lineWidth: 1, globalAlpha: 1, font: '10px sans-serif', textAlign: 'left', lineJoin: 'miter' });
    this.path = [];
    this.dashes = [];
  }

  /** Units are those of the picture: the window is the view box. */
  setTransform() {}

  clearRect() {
    this.canvas.group.replaceChildren();
  }

  save() {}

  restore() {}

  clip() {
    this.path = [];
  }

  beginPath() {
    this.path = [];
  }

  add(command, ...numbers) {
    this.path.push(command + numbers.map(decimal).join(' '));
  }

  moveTo(x, y) {
    this.add('M', x, y);
  }

  lineTo(x, y) {
    this.add('L', x, y);
  }

  bezierCurveTo(...numbers) {
    this.add('C', ...numbers);
  }

  closePath() {
    this.path.push('Z');
  }

  /** An arc that begins at the point before it. */
  arc(x, y, radius, from, to) {
    const isLarge = Number(to - from > Math.PI);
    this.add('A', radius, radius, 0, isLarge, 1, x + radius * Math.cos(to), y + radius * Math.sin(to));
  }

  rect(x, y, width, height) {
    this.add('M', x, y);
    this.path.push(`h${decimal(width)}v${decimal(height)}h${decimal(-width)}Z`);
  }

  roundRect(x, y, width, height, corner) {
    const r = Math.max(0, Math.min(corner, width / 2, height / 2));
    const turn = (dx, dy) => `a${decimal(r)} ${decimal(r)} 0 0 1 ${decimal(dx)} ${decimal(dy)}`;
    const [across, down] = [decimal(width - 2 * r), decimal(height - 2 * r)];
    this.add('M', x + r, y);
    this.path.push(`h${across}${turn(r, r)}v${down}${turn(-r, r)}h-${across}${turn(-r, -r)}v-${down}${turn(r, -r)}Z`);
  }

  setLineDash(dashes) {
    this.dashes = dashes;
  }

  put(name, attributes, text) {
    const opacity = this.globalAlpha === 1 ? {} : { opacity: decimal(this.globalAlpha) };
    this.canvas.group.append(shape(name, { ...attributes, ...opacity }, text));
  }

  pen() {
    const dashes = this.dashes.length === 0 ? {} : { 'stroke-dasharray': this.dashes.map(decimal).join(' '), 'stroke-dashoffset': decimal(this.lineDashOffset || 0) };
    return { stroke: this.strokeStyle, 'stroke-width': decimal(this.lineWidth), 'stroke-linejoin': this.lineJoin, ...dashes };
  }

  stroke() {
    if (this.path.length > 0) this.put('path', { d: this.path.join(''), fill: 'none', ...this.pen() });
  }

  fill() {
    if (this.path.length > 0) this.put('path', { d: this.path.join(''), fill: this.fillStyle });
  }

  fillRect(x, y, width, height) {
    this.put('rect', { x: decimal(x), y: decimal(y), width: decimal(width), height: decimal(height), fill: this.fillStyle });
  }

  strokeRect(x, y, width, height) {
    this.put('rect', { x: decimal(x), y: decimal(y), width: decimal(width), height: decimal(height), fill: 'none', ...this.pen() });
  }

  drawImage({ group }) {
    if (group) this.canvas.group.append(...group.childNodes);
  }

  measureText(text) {
    ruler.font = this.font;
    return ruler.measureText(text);
  }

  putText(text, x, y, paint) {
    const [, size, family] = /([\d.e-]+)px (.*)/.exec(this.font);
    // The attribute for the middle of letters is not known everywhere.
    this.put('text', { x: decimal(x), y: decimal(y + 0.35 * Number(size)), 'font-size': decimal(Number(size)), 'font-family': family, 'text-anchor': ANCHORS[this.textAlign], ...paint }, text);
  }

  fillText(text, x, y) {
    this.putText(text, x, y, { fill: this.fillStyle });
  }

  strokeText(text, x, y) {
    this.putText(text, x, y, { fill: 'none', ...this.pen() });
  }
}
