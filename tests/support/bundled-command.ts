import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashOfFiles, lockOf } from '../../tools/web/build.ts'

const folder = fileURLToPath(new URL('../../dist/command', import.meta.url))
/** The bundle contains a copy of the built pages. */
const sources = [
  'src',
  'prices',
  'vendor',
  'tools/package/bundle.ts',
  'package.json',
  'package-lock.json',
  'dist/web/build.json',
]

let bundled: Promise<string> | null = null

/** A server that starts from the bundle takes less CPU time than a server that starts from 1,200 source files. */
export function bundledCommand(): Promise<string> {
  return (bundled ??= bundledOnce())
}

async function bundledOnce(): Promise<string> {
  const hash = hashOfFiles(sources)
  const stamp = join(folder, 'sources')
  const unlock = await lockOf(folder)
  try {
    if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== hash) {
      const making = `${folder}.${process.pid}`
      // The bundler is loaded only if it is needed, because loading the bundler takes a tenth of a second.
      const { bundle } = await import('../../tools/package/bundle.ts')
      await bundle(making)
      writeFileSync(join(making, 'sources'), hash)
      rmSync(folder, { recursive: true, force: true })
      renameSync(making, folder)
    }
  } finally {
    unlock()
  }
  return join(folder, 'tollgate.js')
}
