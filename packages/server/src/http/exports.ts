import { type Exported, type ExportFormat, exportLines } from '../call/exports.ts';

const TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};
const LINES_AT_ONCE = 200;

/** Sent as it is written, and no faster than it is read. */
export function exportResponse(
  exported: Exported,
  format: ExportFormat,
  headers: Record<string, string>,
): Response {
  const lines = exportLines(exported, format);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part: string[] = [];
      while (part.length < LINES_AT_ONCE) {
        const { value, done } = lines.next();
        if (done) break;
        part.push(value);
      }
      if (part.length > 0) controller.enqueue(encoder.encode(part.join('')));
      if (part.length < LINES_AT_ONCE) controller.close();
    },
  });
  return new Response(body, {
    headers: {
      ...headers,
      'Content-Type': TYPES[format],
      'Content-Disposition': `attachment; filename="evidence.${format}"`,
      'Cache-Control': 'no-store',
    },
  });
}
