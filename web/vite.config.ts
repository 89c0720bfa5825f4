/**
 * Builds the console and the portal into files. In the mode `test`, also builds the page of all components. File names
 * contain a hash of the file's content. Scripts and styles are never inline, because the policy of the pages forbids
 * that (src/http/pages).
 */
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig(({ mode }) => ({
  root: at('.'),
  plugins: [react(), tailwindcss()],
  // The build has no public folder, because every file is imported where it is used.
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
    // Never inline fonts as `data:` URLs, because the policy of the pages forbids that.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    manifest: 'manifest.json',
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A group contains only the modules that match its pattern, because imports of these modules may also belong
          // to the other front end.
          includeDependenciesRecursively: false,
          groups: [
            // A file with the modules that every page of the console and the portal needs. A single file compresses
            // better than six files.
            {
              name: 'base',
              test: /\/node_modules\/(?:react|react-dom|scheduler)\/|\/sdk\/typescript\/src\/(?:portal|generated\/portal|errors|api-error|attempt|call|page|version|settings|request|retry|stream|sender|money)\.ts|\/web\/ui\/(?:class-names|button|icons|copy-button|failure|now|money-text|number-text|initial-of|status-and-notes|formatted-values)\.tsx?|preload-helper|rolldown\/runtime/,
              priority: 2,
            },
            // A file with the bar charts, which the console and the portal share.
            {
              name: 'bars',
              test: /\/web\/ui\/charts\/(?:aligned-number|axes|bars|chart-frame|chart-data|point-selector|legend|nice-ticks|range-action|stacked-series|keyboard-selection|describe-time-chart|time-text|time-ticks|top-series|use-selection|use-width)\.tsx?/,
              priority: 2,
            },
            {
              name: 'portal-base',
              test: /\/web\/portal\/(?!main\.tsx)(?!pages\/(?!home\/))(?!paged-list|csv|gateway|snippet|payment-source-words|on-demand-sheet|signed-out|usage-bars|ui\/(?:more-rows|select|modal|toast-card))/,
              priority: 1,
            },
          ],
        },
      },
      input: {
        console: at('console.html'),
        portal: at('portal.html'),
        ...(mode === 'test' && { ui: at('ui.html') }),
      },
    },
  },
}))
