
// The colour scheme and the colours of loads. All are distinguishable with any kind of colour vision.

/** The ramp of loads, from low to high: lightness rises with load on dark, and falls on light. */
const RAMPS = {
  light: ['#f3d27a', '#dcb15d', '#b99a64', '#8d8570', '#5f6f7a', '#34588a', '#0a3d7f', '#00204d'],
  dark: ['#1f4f9e', '#3f6b9c', '#66808f', '#8a9480', '#aeaa70', '#d0c05c', '#ecd74b', '#fff27a'],
};

const systemScheme = matchMedia('(prefers-color-scheme: dark)');
const theme = { choice: 'system', isDark: false, isPrinted: false, colours: {}, palette: [] };

/** Reads the colours of the style sheet for the chosen scheme. */
function readTheme() {
  theme.isDark = !theme.isPrinted && (theme.choice === 'system' ? systemScheme.matches : theme.choice === 'dark');
  document.documentElement.dataset.theme = theme.isDark ? 'dark' : 'light';
  const style = getComputedStyle(document.documentElement);
  const names = ['surface', 'ink', 'muted', 'line', 'channel', 'mark', 'switch', 'failed', 'idle', 'accent', 'held', 'fresh', 'reduce', 'broadcast'];
  for (const name of names) {
    theme.colours[name] = style.getPropertyValue(`--${name}`).trim();
  }
  theme.palette = record.colours ? record.colours[theme.isDark ? 'dark' : 'light'] : [];
  theme.ramp = RAMPS[theme.isDark ? 'dark' : 'light'];
}

/** Returns the colour of a load between 0 and 1. */
const loadColour = share => theme.ramp[Math.min(theme.ramp.length - 1, Math.floor(share * theme.ramp.length))];

const schemeWords = () => ({ system: '◐ Auto', light: '☀ Light', dark: '☾ Dark' })[theme.choice];

function nextScheme() {
  theme.choice = { system: 'dark', dark: 'light', light: 'system' }[theme.choice];
  showTheme();
  writeAddress();
}

/** Returns the three numbers of a colour `#rrggbb`. */
const rgb = colour => [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16));
