/**
 * A build contains the bundler's output, a compressed copy of each text file, and a hash of the sources. A server can
 * serve these files unchanged.
 *
 * A build ends with a single rename, so that readers see either the old files or the new files. If several processes
 * start a build concurrently, one builds and the others wait.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Plugin } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** If a file under these paths changes, the pages are built again. */
const sourcePaths = [
  'web',
  'sdk/typescript/src',
  'src/cli/generated',
  'src/cli/operations',
  'src/cli/output',
  'src/cli/terminal-interface.ts',
  'src/domain/accounts',
  'src/domain/prices',
  'src/domain/reports',
  'src/explain',
  'src/money',
  'src/operations/brand',
  'src/safe-text',
  'tools/web',
  'package-lock.json',
]
const stampName = 'build.json'

interface Stamp {
  /** SHA-256 of the sources. If unchanged, the pages need not be built. */
  readonly sources: string
  /** Folders of packages whose code or fonts are in the build, as package-lock.json writes them. */
  readonly packages: readonly string[]
}

/** `test` adds `ui.html`, a page with all components, which no server serves. */
export type BuildMode = 'production' | 'test'

const folders: Readonly<Record<BuildMode, string>> = {
  production: join(root, 'dist/web'),
  test: join(root, 'dist/web-test'),
}

/** The build runs in a separate process, because bundlers read NODE_ENV, which is different in a test. */
export async function pagesOf(mode: BuildMode): Promise<string> {
  if (stampOf(folders[mode])?.sources !== hashOfSources()) {
    const child = spawn(process.execPath, [join(root, 'tools/web/main.ts'), '--mode', mode], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error('the pages could not be built: see above')
  }
  return folders[mode]
}

/** @returns whether the pages were built */
export async function buildWhenStale(mode: BuildMode, to = folders[mode]): Promise<boolean> {
  const sources = hashOfSources()
  if (stampOf(to)?.sources === sources) return false
  const release = await lockOf(to)
  try {
    if (stampOf(to)?.sources === sources) return false
    await build(to, mode)
    return true
  } finally {
    release()
  }
}

/** Folders of the packages that are in `dist/web`, as package-lock.json writes them. */
export function packagesOfPages(): readonly string[] {
  return stampOf(folders.production)?.packages ?? []
}

function stampOf(folder: string): Stamp | null {
  const file = join(folder, stampName)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stamp) : null
}

async function build(to: string, mode: BuildMode): Promise<void> {
  const sources = hashOfSources()
  const made = `${to}.${process.pid}`
  const packages = new Set<string>()
  // A start without a build must not wait for the bundler, so load it only now.
  const { build: bundle } = await import('vite')
  try {
    await bundle({
      configFile: join(root, 'web/vite.config.ts'),
      mode,
      logLevel: 'warn',
      plugins: [packagesIn(packages), sourcesListed(), beginningsApart()],
      build: { outDir: made, emptyOutDir: true },
    })
    // Only tools of the bundler read the manifest.
    rmSync(join(made, 'manifest.json'), { force: true })
    for (const file of filesUnder(made).filter((one) => /\.(?:css|js|svg)$/.test(one))) {
      const bytes = readFileSync(join(made, file))
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      }
      writeFileSync(join(made, `${file}.br`), brotliCompressSync(bytes, { params }))
    }
    const stamp: Stamp = { sources, packages: [...packages].toSorted() }
    writeFileSync(join(made, stampName), JSON.stringify(stamp))
    rmSync(to, { recursive: true, force: true })
    renameSync(made, to)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/** Collects the packages of all modules, and of files that stylesheets refer to. */
function packagesIn(packages: Set<string>): Plugin {
  return {
    name: 'packages-in-pages',
    generateBundle(_, files) {
      for (const file of Object.values(files)) {
        const names = file.type === 'chunk' ? file.moduleIds : file.originalFileNames
        for (const name of names) {
          const folder = /.*\/?(?<folder>node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(name)?.groups?.['folder']
          if (folder !== undefined) packages.add(folder)
        }
      }
      // The build finds packages by their modules, but only a stylesheet refers to Tailwind's base rules.
      packages.add('node_modules/tailwindcss')
    },
  }
}

/** Fails if `sourcePaths` lacks a module of the pages, because a change of the module would not rebuild the pages. */
function sourcesListed(): Plugin {
  return {
    name: 'sources-listed',
    generateBundle(_, files) {
      const ids = Object.values(files).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const own = ids
        .filter((id) => id.startsWith(root))
        .map((id) => relative(root, id).split(sep).join('/'))
        .filter((path) => !path.startsWith('node_modules/'))
      const missing = own.filter((path) => !sourcePaths.some((source) => `${path}/`.startsWith(`${source}/`)))
      if (missing.length > 0)
        throw new Error(`sourcePaths of tools/web/build.ts lacks ${[...new Set(missing)].join(', ')}`)
    },
  }
}

/**
 * Fails if the console loads the entry module of the portal, or the reverse. Shared code must not be in the same chunk
 * as a `main.tsx`, because that chunk runs the application as soon as it is loaded.
 */
function beginningsApart(): Plugin {
  return {
    name: 'beginnings-apart',
    generateBundle(_, files) {
      const chunks = new Map(
        Object.values(files).flatMap((file) =>
          file.type === 'chunk' ? [[file.fileName, file] as const] : [],
        ),
      )
      for (const { facadeModuleId, fileName } of chunks.values()) {
        const front = /\/(\w+)\.html$/.exec(facadeModuleId ?? '')?.[1]
        if (front === undefined) continue
        const loaded = new Set([fileName])
        for (const name of loaded) {
          const chunk = chunks.get(name)
          for (const next of [...(chunk?.imports ?? []), ...(chunk?.dynamicImports ?? [])]) loaded.add(next)
        }
        const begun = [...loaded]
          .flatMap((name) => chunks.get(name)?.moduleIds ?? [])
          .filter((id) => id.endsWith('/main.tsx'))
        if (begun.length > 1) {
          throw new Error(
            `${front}.html would run ${begun.join(' and ')}: see the groups of web/vite.config.ts`,
          )
        }
      }
    },
  }
}

function hashOfSources(): string {
  return hashOfFiles(sourcePaths)
}

/**
 * Tests are not included.
 * @param paths paths from the root of the repository
 */
export function hashOfFiles(paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const source of paths) {
    const path = join(root, source)
    const files = statSync(path).isDirectory() ? filesUnder(path).map((file) => join(path, file)) : [path]
    for (const file of files.filter((one) => !one.endsWith('.test.ts') && !one.endsWith('.test.tsx'))) {
      const bytes = readFileSync(file)
      hash.update(`${relative(root, file)}\0${bytes.length}\0`).update(bytes)
    }
  }
  return hash.digest('hex')
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted()
}

/**
 * Waits until no other process writes a build into the folder. The lock is an SQLite lock on an empty database, which
 * the system releases even if the process is killed.
 * @returns a function that releases the lock
 */
export async function lockOf(folder: string): Promise<() => void> {
  mkdirSync(dirname(folder), { recursive: true })
  const lock = new DatabaseSync(`${folder}.lock`)
  for (;;) {
    try {
      lock.exec('BEGIN EXCLUSIVE')
      return () => lock.close()
    } catch (error) {
      if (!String(error).includes('database is locked')) throw error
    }
    // oxlint-disable-next-line no-await-in-loop -- until the other one is done
    await delay(50)
  }
}
