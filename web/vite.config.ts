/**
 * The mode `test` also builds the page of all components. File names contain a hash of the file's content. Scripts and
 * styles are never inline, because the policy of the pages forbids that (src/http/pages).
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const baseOfSdk =
  'portal generated/portal errors api-error attempt call page version settings request retry sender money'
const baseOfPages =
  'class-names button icons copy-button failure money-text number-text first-letter-of-name status-notes-and-placeholders formatted-values theme time-zone current-time-hooks'
const bars =
  'aligned-number axes bars chart-frame chart-data point-selector legend nice-ticks show-range-button stacked-series series-styles keyboard-selection describe-time-chart time-text time-ticks top-series selected-points-hook use-width'

/** Modules that the first page of the portal does not need. */
const laterInPortal =
  'available-models-hook paged-list-hook csv-amounts snippet-tabs payment-source-words turn-on-on-demand-sheet page-for-signed-out-visitors usage-bars ui/load-more-rows-button ui/select ui/modal ui/toast-card'

/** @param names the names of the files without extension, separated by spaces */
function filesOf(folder: string, names: string): string {
  return `/${folder}/(?:${existing(folder, names)})\\.tsx?`
}

/** @throws if a file does not exist, because a renamed file must also be renamed in its group */
function existing(folder: string, names: string): string {
  const list = names.split(' ')
  const missing = list.find(
    (name) => !['ts', 'tsx'].some((end) => existsSync(at(`../${folder}/${name}.${end}`))),
  )
  if (missing !== undefined)
    throw new Error(`web/vite.config.ts names ${folder}/${missing}, which does not exist`)
  return list.join('|')
}

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
    // The policy of the pages forbids `data:` URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    manifest: 'manifest.json',
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Only one of the two front ends may need the imported modules, so a group excludes them.
          includeDependenciesRecursively: false,
          groups: [
            // A single file with the modules of all pages compresses better than six files.
            {
              name: 'base',
              test: new RegExp(
                [
                  '/node_modules/(?:react|react-dom|scheduler)/',
                  filesOf('sdk/typescript/src', baseOfSdk),
                  filesOf('web/ui', baseOfPages),
                  filesOf('src/safe-text', 'same-host-path'),
                  filesOf('src/money', 'periods-and-windows'),
                  'preload-helper',
                  'rolldown/runtime',
                ].join('|'),
              ),
              priority: 2,
            },
            { name: 'bars', test: new RegExp(filesOf('web/ui/charts', bars)), priority: 2 },
            {
              name: 'portal-base',
              test: new RegExp(
                `/web/portal/(?!main\\.tsx)(?!pages/(?!home/))(?!${existing('web/portal', laterInPortal)})`,
              ),
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
