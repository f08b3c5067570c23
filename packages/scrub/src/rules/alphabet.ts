/** Pieces that providers' formats are made of, as sources of regular expressions. */
export const alnum = '[A-Za-z0-9]';
/** Base64 for URLs: letters, digits, `_` and `-`. */
export const word = '[A-Za-z0-9_-]';
export const lower = '[a-z0-9]';
export const upper = '[A-Z0-9]';
export const hex = '[a-f0-9]';
export const anyHex = '[A-Fa-f0-9]';
export const base64 = '[A-Za-z0-9+/]';
export const uuid = '[A-Fa-f0-9]{8}-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{4}-[A-Fa-f0-9]{12}';
