export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/s;
const LABEL = /([a-zA-Z_]\w*)="((?:\\.|[^"\\])*)",?/gs;
const ESCAPED: Record<string, string> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

/** The samples of a text in Prometheus' format. What is no sample is passed over: a figure that is missing is shown as such. */
export function parseMetrics(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const [, name, labels = '', written = ''] = (line.startsWith('#') ? null : LINE.exec(line.trim())) ?? [];
    if (name === undefined) continue;
    const value = numberOf(written);
    if (value !== undefined) samples.push({ name, labels: labelsOf(labels), value });
  }
  return samples;
}

function labelsOf(text: string): Record<string, string> {
  const found = [...text.matchAll(LABEL)].map(([, name, value]) => [
    name!,
    value!.replaceAll(/\\[n"\\]/g, (escaped) => ESCAPED[escaped]!),
  ]);
  return Object.fromEntries(found) as Record<string, string>;
}

function numberOf(text: string): number | undefined {
  const infinite = /^([+-]?)Inf$/i.exec(text);
  if (infinite) return infinite[1] === '-' ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return Number.NaN;
  const value = Number(text);
  return text === '' || Number.isNaN(value) ? undefined : value;
}

/** The sum of all samples of a name that have these labels; undefined where there is none. */
export function total(
  samples: readonly Sample[],
  name: string,
  isMeant: (labels: Sample['labels']) => boolean = () => true,
): number | undefined {
  const found = samples.filter((sample) => sample.name === name && isMeant(sample.labels));
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
