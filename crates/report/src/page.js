'use strict';
// Step 0 is the overview of all steps; the address keeps the step, as #step-3.
const panels = Array.from(document.querySelectorAll('figure'));
const main = document.querySelector('main');
const slider = document.querySelector('input');
const transfers = Array.from(document.querySelectorAll('.transfer'));
const keys = Array.from(document.querySelectorAll('.legend button'));
let shown = 0;
let marked = null;

function show(step) {
  shown = Math.max(0, Math.min(panels.length, step));
  panels.forEach((panel, place) => { panel.hidden = shown !== 0 ? shown !== place + 1 : false; });
  main.classList.toggle('single', shown !== 0);
  slider.value = shown;
  document.querySelector('output').textContent = shown === 0 ? 'all steps' : 'step ' + shown + ' of ' + panels.length;
  history.replaceState(null, '', shown === 0 ? '#' : '#step-' + shown);
}

function mark(key) {
  marked = marked === key ? null : key;
  transfers.forEach(transfer => transfer.classList.toggle('dim', marked !== null ? transfer.dataset.key !== marked : false));
  keys.forEach(button => button.setAttribute('aria-pressed', button.dataset.key === marked));
}

document.getElementById('previous').addEventListener('click', () => show(shown - 1));
document.getElementById('next').addEventListener('click', () => show(shown + 1));
document.getElementById('all').addEventListener('click', () => show(0));
slider.addEventListener('input', () => show(Number(slider.value)));
keys.forEach(button => button.addEventListener('click', () => mark(button.dataset.key)));
transfers.forEach(transfer => transfer.addEventListener('click', () => mark(transfer.dataset.key)));
document.addEventListener('keydown', event => {
  if (event.target === slider) return;
  if (event.key === 'ArrowLeft') show(shown - 1);
  if (event.key === 'ArrowRight') show(shown + 1);
  if (event.key === 'Escape') show(0);
});
document.querySelector('nav').hidden = false;
show(Number((/^#step-([0-9]+)$/.exec(location.hash) || [0, 0])[1]));
