/** Runs of digits that may be more than a number can hold exactly: ids of some services are. */
const MAYBE_LARGE = /\d{16}/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The JSON with whole numbers that would lose digits written as texts. */
export function withoutLargeNumbers(json: string): string {
  if (!MAYBE_LARGE.test(json)) return json;
  return json.replaceAll(TOKEN, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
}

/** A number that is written as a number would be: not a postcode, a telephone number or a large id. */
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

export function isPlainNumber(text: string): boolean {
  return PLAIN_NUMBER.test(text);
}
