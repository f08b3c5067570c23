import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writePrivateFile } from '../../kernel/private-files.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Closes texts so that nobody without the key's file can read or change them. */
export class Seal {
  readonly #path: string;
  #key: Buffer | undefined;

  /** The file is made when something is first sealed. */
  constructor(path: string) {
    this.#path = path;
  }

  /** It opens again for the same `purpose` alone. */
  seal(text: string, purpose: string): string {
    this.#key ??= this.#read() ?? this.#make();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(purpose));
    const closed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), closed]).toString('base64url');
  }

  /** Undefined where it is not what was sealed here, and for that purpose. */
  open(sealed: string, purpose: string): string | undefined {
    this.#key ??= this.#read();
    const bytes = Buffer.from(sealed, 'base64url');
    if (!this.#key || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const tagEnd = NONCE_BYTES + TAG_BYTES;
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
      return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }

  #read(): Buffer | undefined {
    try {
      const key = Buffer.from(readFileSync(this.#path, 'utf8').trim(), 'base64url');
      return key.length === KEY_BYTES ? key : undefined;
    } catch {
      return undefined;
    }
  }

  #make(): Buffer {
    const key = randomBytes(KEY_BYTES);
    try {
      writePrivateFile(this.#path, `${key.toString('base64url')}\n`);
      return key;
    } catch (error) {
      // Another process was faster.
      const made = this.#read();
      if (made) return made;
      throw error;
    }
  }
}
