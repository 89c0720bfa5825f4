/** What `npm run package` makes, installed by npm into a home that has nothing else, without a network. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pack, type Packed } from '../../tools/package/main.ts'
import { run } from './harness.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface InstalledPackage {
  readonly packed: Packed
  /** An empty home, in which the package is installed under `.local`. */
  readonly home: string
  /** The folder of the installed package. */
  readonly folder: string
  /** The environment of someone who has this home, Node.js and npm. */
  readonly environment: Readonly<Record<string, string>>
  remove(): void
}

export async function installPackage(): Promise<InstalledPackage> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-home-'))
  const packed = await pack(join(home, 'downloads'), 'urn:tollgate:builder:test')
  const tools = join(home, 'tools')
  mkdirSync(tools)
  symlinkSync(join(root, 'node_modules/node/bin/node'), join(tools, 'node'))
  const prefix = join(home, '.local')
  const environment = {
    HOME: home,
    PATH: [join(prefix, 'bin'), tools, process.env['PATH'] ?? ''].join(delimiter),
    npm_config_prefix: prefix,
    npm_config_cache: join(home, '.npm'),
    npm_config_userconfig: join(home, '.npmrc'),
    npm_config_update_notifier: 'false',
    npm_config_offline: 'true',
  }
  const installed = await run('npm', ['install', '--global', packed.tollgate], environment)
  if (installed.code !== 0) throw new Error(`npm install: ${installed.stderr}`)
  return {
    packed,
    home,
    folder: join(prefix, 'lib/node_modules/tollgate'),
    environment,
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** All files under a folder, by their paths in it, sorted. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()
}
