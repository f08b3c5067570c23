const LARGEST = 127;

/** Writes numbers as bytes, a quarter of their size; answers what a byte has to be multiplied with. */
export function toCodes(numbers: Float32Array, codes: Int8Array, offset = 0): number {
  let largest = 0;
  for (let index = 0; index < numbers.length; index++) largest = Math.max(largest, Math.abs(numbers[index]!));
  if (largest === 0) {
    codes.fill(0, offset, offset + numbers.length);
    return 0;
  }
  const factor = LARGEST / largest;
  for (let index = 0; index < numbers.length; index++) {
    codes[offset + index] = Math.round(numbers[index]! * factor);
  }
  return largest / LARGEST;
}

/** The cosine of a vector of length 1 with one that was written as bytes. */
export function similarity(vector: Float32Array, codes: Int8Array, scale: number): number {
  let sum = 0;
  for (let index = 0; index < vector.length; index++) sum += vector[index]! * codes[index]!;
  return sum * scale;
}
