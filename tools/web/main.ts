/** Builds the pages if their sources have changed. `npm start` and `npm test` run this program first. */
import { parseArgs } from 'node:util'
import { buildWhenStale } from './build.ts'

// Bundlers and React read NODE_ENV. Tests and development use the same build as production.
process.env['NODE_ENV'] = 'production'
const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'production' },
    /** Folder for the build, instead of the default folder. */
    to: { type: 'string' },
  },
})
if (values.mode !== 'production' && values.mode !== 'test') throw new Error('--mode is production or test')
const startedMs = performance.now()
if (await buildWhenStale(values.mode, values.to)) {
  console.error(`Built the pages in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
}
