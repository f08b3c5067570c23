import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const served = process.env.INFOLD_URL ?? 'http://127.0.0.1:9090';
const out = fileURLToPath(new URL('../server/dist/console', import.meta.url));

/** Compressed once, here, and not for every reader. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle() {
      for (const file of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html|svg)$/.test(file)) continue;
        const path = join(out, file);
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), compressed()],
  build: {
    outDir: out,
    emptyOutDir: true,
    // The policy of the page takes fonts and pictures from files alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The first view knows the names of all others' files: they are as short as they can be.
    rolldownOptions: {
      output: { chunkFileNames: 'assets/[hash].js', assetFileNames: 'assets/[hash][extname]' },
    },
  },
  // `npm run dev`: the page from its sources, everything else from a server that runs.
  server: {
    proxy: {
      '^/(api|mcp|model|metrics|healthz|readyz)': {
        target: served,
        changeOrigin: true,
        headers: { origin: served },
      },
      '^/ws': { target: served, changeOrigin: true, ws: true, headers: { origin: served } },
      // What tells a person's browser the page tells a program how to connect.
      '^/$': {
        target: served,
        changeOrigin: true,
        bypass: ({ headers, url }) => (headers.accept?.includes('text/html') ? url : undefined),
      },
    },
  },
});
