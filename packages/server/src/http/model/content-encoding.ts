import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;
type Compression = Record<string, unknown>;

/** Node has it from 22.15 on. */
const { zstdDecompress, createZstdDecompress } = zlib as Compression as {
  zstdDecompress?: Parameters<typeof promisify>[0];
  createZstdDecompress?: () => zlib.Gunzip;
};

const DECODERS: Record<string, Decode> = {
  identity: async (bytes) => bytes,
  gzip: promisify<Buffer, { maxOutputLength: number }, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, { maxOutputLength: number }, Buffer>(zlib.inflate),
  br: promisify<Buffer, { maxOutputLength: number }, Buffer>(zlib.brotliDecompress),
  ...(zstdDecompress ? { zstd: promisify(zstdDecompress) as unknown as Decode } : {}),
};

export function canDecode(encoding: string | undefined): boolean {
  return Object.hasOwn(DECODERS, nameOf(encoding));
}

/** What a body says. Throws where it is not what it claims to be, or more than `most` bytes. */
export function decode(encoding: string | undefined, bytes: Buffer, most: number): Promise<Buffer> {
  return DECODERS[nameOf(encoding)]!(bytes, { maxOutputLength: most });
}

/** For an answer as it passes; undefined where it is not encoded, null where nobody here can read it. */
export function decoderOf(encoding: string | undefined): zlib.Gunzip | undefined | null {
  switch (nameOf(encoding)) {
    case 'identity':
      return undefined;
    case 'gzip':
      return zlib.createGunzip();
    case 'deflate':
      return zlib.createInflate();
    case 'br':
      return zlib.createBrotliDecompress() as unknown as zlib.Gunzip;
    case 'zstd':
      return createZstdDecompress?.() ?? null;
    default:
      return null;
  }
}

function nameOf(encoding: string | undefined): string {
  const name = encoding?.trim().toLowerCase() ?? '';
  return name === '' ? 'identity' : name === 'x-gzip' ? 'gzip' : name;
}
