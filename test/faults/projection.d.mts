import type { Projection } from '../../packages/server/src/journal/projections/projector.ts';

export const PROJECTIONS: readonly Projection[];
export function counterOf(number: number): string;
export function isLarge(number: number): boolean;
