
// Elements of SVG.

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an SVG element with attributes and a text. */
function shape(name, attributes, text) {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  if (text !== undefined) created.textContent = text;
  return created;
}
