export interface Spark {
  line: string;
  area: string;
}

/** A line through the values, from the left edge to the right, 0 at the bottom. Undefined with fewer than two. */
export function sparkOf(values: readonly number[], width: number, height: number): Spark | undefined {
  if (values.length < 2) return undefined;
  const most = Math.max(...values);
  const least = Math.min(0, ...values);
  const range = most - least || 1;
  const points = values.map((value, place) => {
    const x = (place / (values.length - 1)) * width;
    const y = height - ((value - least) / range) * height;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return { line: `M${points.join('L')}`, area: `M0,${height}L${points.join('L')}L${width},${height}Z` };
}
