import type { ModelInfo } from '@infold/protocol';
import { messageOf } from '../../kernel/errors.ts';
import type { DeclaredType, Source } from './sources.ts';

export type ColumnType = DeclaredType | 'mixed';

export interface Column {
  name: string;
  type: ColumnType;
  /** How SQL speaks of it; made by us, never by a caller. */
  expression: string;
  /** Also found in full text or by equality without reading everything. */
  indexed?: boolean;
}

/** What can be asked of a source now. */
export interface Shape {
  model: string;
  columns: readonly Column[];
  /** The name of the id column, if there is one. */
  id: string | null;
}

export function columnNamed(shape: Shape, name: string): Column | undefined {
  return shape.columns.find((column) => column.name === name);
}

/** The columns that a source offers: the chosen ones, less the hidden ones. */
export function isOffered(source: Pick<Source, 'only' | 'hide' | 'id'>, name: string): boolean {
  if (source.hide.includes(name)) return false;
  return source.only === undefined || name === source.id || source.only.includes(name);
}

export interface SourceDescription extends Omit<ModelInfo, 'columns'> {
  columns: { name: string; type: string }[];
  /** What is wrong with it, or what was left out. */
  problems: string[];
}

/** A table of a database as it is told to callers; one that cannot be reached is told too, with the reason. */
export async function describeTable(
  { model, type }: Source,
  readShape: () => Promise<Shape>,
): Promise<SourceDescription> {
  const description = { model, type, id: null, columns: [], records: null, problems: [] };
  try {
    const { columns, id } = await readShape();
    return {
      ...description,
      id,
      columns: columns.map(({ name, type: kind }) => ({ name, type: kind })),
      state: 'ready',
    };
  } catch (error) {
    return { ...description, state: 'unavailable', problems: [messageOf(error)] };
  }
}
