
// Two plans side by side: both show the same step.

const boxes = [...document.querySelectorAll('iframe')];
const pages = JSON.parse(document.getElementById('pages').textContent);

/** Shows the step of one plan in the other one. */
function follow(from, to) {
  from.addEventListener('change-of-state', ({ detail: { step } }) => {
    const isSame = to.update && to.document.getElementById('step').value === String(step);
    if (step !== undefined && to.update && !isSame) to.update({ step });
  });
}

boxes.forEach((box, place) => {
  box.addEventListener('load', () => follow(box.contentWindow, boxes[1 - place].contentWindow));
  box.srcdoc = pages[place];
});
