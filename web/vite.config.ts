/**
 * Builds the pages into files: the console, the portal, and in mode `test` the page of all components. Names carry a
 * hash of their content; nothing is inline, since the policy of the pages takes no inline script or style
 * (src/http/pages).
 */
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig(({ mode }) => ({
  root: at('.'),
  plugins: [react(), tailwindcss()],
  // No public folder: every file is imported by who uses it.
  publicDir: false,
  resolve: {
    alias: [
      { find: /^#sdk\//, replacement: `${at('../sdk/typescript/src')}/` },
      { find: /^#web\//, replacement: at('.') },
    ],
  },
  build: {
    outDir: at('../dist/web'),
    emptyOutDir: true,
    assetsDir: 'assets',
    // A data: address would need a policy that allows them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    manifest: 'manifest.json',
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        console: at('console.html'),
        portal: at('portal.html'),
        ...(mode === 'test' && { ui: at('ui.html') }),
      },
    },
  },
}))
