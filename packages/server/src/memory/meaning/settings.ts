import { z } from 'zod';
import { InfoldError } from '../../kernel/errors.ts';

const isWeb = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const schema = z
  .strictObject({
    /** A folder with a static model. */
    path: z.string().min(1).optional(),
    /** An endpoint that speaks as OpenAI's does. */
    url: z.string().refine(isWeb, 'an address is written as https://models.example/v1').optional(),
    model: z.string().min(1).optional(),
    key: z.string().min(1).optional(),
    dimensions: z.number().int().positive().max(4096).optional(),
  })
  .refine(({ path, url }) => (path === undefined) !== (url === undefined), {
    message: 'name either "path", a folder with a static model, or "url", an endpoint',
  })
  .refine(({ url, model }) => url === undefined || model !== undefined, {
    message: 'an endpoint needs "model"',
    path: ['model'],
  });

export interface EndpointSettings {
  url: string;
  model: string;
  key?: string | undefined;
  dimensions?: number | undefined;
}

export interface StaticSettings {
  path: string;
  model?: string | undefined;
}

export type MeaningSettings = EndpointSettings | StaticSettings;

/** What the configuration says of embeddings; undefined where it says nothing. */
export function parseMeaningSettings(value: unknown): MeaningSettings | undefined {
  if (value === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data as MeaningSettings;
  const issue = parsed.error.issues[0]!;
  const where = ['embeddings', ...issue.path].join('.');
  throw new InfoldError('invalid_arguments', `Bad configuration: "${where}": ${issue.message}`);
}
