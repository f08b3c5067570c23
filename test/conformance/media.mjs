/** The smallest image that is one: a single pixel. */
export const PIXEL = {
  type: /** @type {const} */ ('image'),
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
};

/** A sound of no length: the header of a WAV file, 8,000 samples a second of 8 bits. */
const header = Buffer.alloc(44);
header.write('RIFF', 0);
header.writeUInt32LE(36, 4);
header.write('WAVEfmt ', 8);
header.writeUInt32LE(16, 16);
header.writeUInt16LE(1, 20);
header.writeUInt16LE(1, 22);
header.writeUInt32LE(8000, 24);
header.writeUInt32LE(8000, 28);
header.writeUInt16LE(1, 32);
header.writeUInt16LE(8, 34);
header.write('data', 36);

export const SILENCE = {
  type: /** @type {const} */ ('audio'),
  mimeType: 'audio/wav',
  data: header.toString('base64'),
};
