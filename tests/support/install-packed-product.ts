/** Runs npm without a network, in an empty home folder. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pack, type Packed } from '../../tools/package/main.ts'
import { run } from './start-product.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Home {
  readonly path: string
  readonly packed: Packed
  readonly environment: Readonly<Record<string, string>>
  remove(): void
}

export async function emptyHome(): Promise<Home> {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-home-'))
  const packed = await pack(join(path, 'downloads'), 'urn:tollgate:builder:test')
  const tools = join(path, 'tools')
  mkdirSync(tools)
  symlinkSync(join(root, 'node_modules/node/bin/node'), join(tools, 'node'))
  const prefix = join(path, '.local')
  return {
    path,
    packed,
    environment: {
      HOME: path,
      XDG_CONFIG_HOME: join(path, '.config'),
      XDG_CACHE_HOME: join(path, '.cache'),
      PATH: [join(prefix, 'bin'), tools, process.env['PATH'] ?? ''].join(delimiter),
      npm_config_prefix: prefix,
      npm_config_cache: join(path, '.npm'),
      npm_config_userconfig: join(path, '.npmrc'),
      npm_config_update_notifier: 'false',
      npm_config_offline: 'true',
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

export interface InstalledPackage extends Home {
  readonly folder: string
}

export async function installPackage(): Promise<InstalledPackage> {
  const home = await emptyHome()
  const installed = await run('npm', ['install', '--global', home.packed.tollgate], home.environment)
  if (installed.code !== 0) throw new Error(`npm install: ${installed.stderr}`)
  return { ...home, folder: join(home.path, '.local/lib/node_modules/tollgate') }
}

export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()
}
