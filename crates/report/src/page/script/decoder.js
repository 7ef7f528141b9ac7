
// The decoder of compact numbers: an adaptive binary range coder. The Rust module `page::coder` has the encoder.

const PRECISION = 11;
const EVEN = 1 << (PRECISION - 1);
const ADAPTATION = 4;
const BOTTOM = 2 ** 24;
const LENGTH_BITS = 6;
const MODELLED_BITS = 3;

class Decoder {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
    this.range = 0xffffffff;
    this.code = 0;
    for (let i = 0; i < 4; i += 1) this.code = ((this.code << 8) | this.next()) >>> 0;
  }

  next() {
    const byte = this.at < this.bytes.length ? this.bytes[this.at] : 0;
    this.at += 1;
    return byte;
  }

  bit(probabilities, place) {
    const probability = probabilities[place];
    const bound = (this.range >>> PRECISION) * probability;
    let bit = 0;
    if (this.code < bound) {
      this.range = bound;
      probabilities[place] = probability + (((1 << PRECISION) - probability) >> ADAPTATION);
    } else {
      this.code -= bound;
      this.range -= bound;
      probabilities[place] = probability - (probability >> ADAPTATION);
      bit = 1;
    }
    this.normalize();
    return bit;
  }

  plainBit() {
    this.range = Math.floor(this.range / 2);
    let bit = 0;
    if (this.code >= this.range) {
      this.code -= this.range;
      bit = 1;
    }
    this.normalize();
    return bit;
  }

  normalize() {
    while (this.range < BOTTOM) {
      this.range = (this.range << 8) >>> 0;
      this.code = ((this.code << 8) | this.next()) >>> 0;
    }
  }
}

/** The model of a symbol below `count`. */
class SymbolModel {
  constructor(count) {
    this.bits = Math.max(1, 32 - Math.clz32(count - 1));
    this.probabilities = new Uint16Array(2 ** this.bits).fill(EVEN);
  }

  get(decoder) {
    let node = 1;
    for (let i = 0; i < this.bits; i += 1) node = 2 * node + decoder.bit(this.probabilities, node);
    return node - 2 ** this.bits;
  }
}

/** The model of a number below 2^32. */
class NumberModel {
  constructor() {
    this.length = new SymbolModel(2 ** LENGTH_BITS);
    this.high = new Uint16Array(33 << MODELLED_BITS).fill(EVEN);
  }

  get(decoder) {
    const length = this.length.get(decoder);
    if (length === 0) return 0;
    let number = 1;
    for (let i = 1; i < length; i += 1) {
      const isModelled = i <= MODELLED_BITS;
      const bit = isModelled ? decoder.bit(this.high, (length << MODELLED_BITS) | number) : decoder.plainBit();
      number = 2 * number + bit;
    }
    return number;
  }

  /** A signed difference. */
  difference(decoder) {
    const code = this.get(decoder);
    return code % 2 === 0 ? code / 2 : -(code + 1) / 2;
  }
}

/** The models of the two coordinates of a vector. */
class VectorModel {
  constructor() {
    this.x = new NumberModel();
    this.y = new NumberModel();
  }

  get(decoder, unitsPerPixel) {
    const x = this.x.difference(decoder) / unitsPerPixel;
    return [x, this.y.difference(decoder) / unitsPerPixel];
  }
}

/** Returns the bytes of a text in base 64. */
function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
}
