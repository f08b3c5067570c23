/** What turns texts into vectors whose angles say how near they are in meaning. */
export interface Embedder {
  readonly model: string;
  /** Vectors of two versions cannot be compared. */
  readonly version: string;
  readonly dimensions: number;
  /** Whether it reads sentences, and not only the words in them. */
  readonly readsSentences: boolean;
  /** How many texts are best given at once. */
  readonly batch: number;
  /** One vector of length 1 for each text; zeros for a text in which the model knows nothing. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

/** Longer texts say what they are about at their beginning. */
export const MOST_CHARACTERS = 8000;

/** Makes the vector's length 1, in place. */
export function normalise(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const factor = 1 / Math.sqrt(squares);
  for (let index = 0; index < vector.length; index++) vector[index]! *= factor;
  return vector;
}
