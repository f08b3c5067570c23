import { z } from 'zod';

/**
 * What a text means to a field: addresses and command lines know nothing else. A text that the field has no reading for stays as
 * it is, and the field's own check says what is wrong with it.
 */
export function fromText(field: z.ZodType, text: string): unknown {
  const inner = unwrapped(field);
  // Empty is as good as absent where a word may be left out.
  if (text === '' && inner !== field && !(inner instanceof z.ZodNumber)) return undefined;
  if (inner instanceof z.ZodNumber) return /^[+-]?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
  if (inner instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text;
  if (inner instanceof z.ZodArray)
    return text.split(',').map((one) => fromText(inner.element as z.ZodType, one.trim()));
  return text;
}

/** A field's own type, whether or not it may be left out. */
export function unwrapped(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault || field instanceof z.ZodNullable) {
    return unwrapped(field.unwrap() as z.ZodType);
  }
  return field;
}
