
// The record of a page: its texts and small tables.

const record = JSON.parse(document.getElementById('record').textContent);

/** The number of the chosen set of faults of a recovery book, from the address. Its schedule becomes that of the page. */
const chosenFault = (() => {
  const number = Number((/[#&]fault=(\d+)/.exec(location.hash) || [])[1]);
  const place = record.faults && record.faults[number] ? number : 0;
  if (record.faults) Object.assign(record, record.faults[place]);
  return place;
})();
