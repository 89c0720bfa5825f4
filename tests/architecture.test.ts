import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const source = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src')

/**
 * Which folder may import which, bottom first. A type-only import is an import. `prices` is the folder of
 * the price list beside src/: data, read by one layer and known to the others through it.
 */
const mayImport: Record<string, readonly string[]> = {
  money: [],
  wire: ['money'],
  domain: ['money', 'prices'],
  store: ['domain', 'money'],
  providers: ['domain', 'wire', 'money'],
  gateway: ['domain', 'wire', 'money'],
  operations: ['domain', 'money'],
  http: ['operations', 'gateway', 'wire', 'domain', 'money'],
  app: ['http', 'gateway', 'operations', 'providers', 'store', 'wire', 'domain', 'money'],
  cli: ['app', 'operations', 'domain'],
}

/** Packages and node modules by folder; a folder that is not named takes any of `node:`. */
const pure = new Set(['money', 'wire'])
const onlyIn: Record<string, readonly string[]> = {
  hono: ['http'],
  '@hono/node-server': ['http'],
  undici: ['providers'],
  kysely: ['store'],
  'node:sqlite': ['store'],
  pg: ['store'],
  commander: ['cli'],
  zod: ['operations', 'http', 'app'],
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ path: join(source, file), folder: file.split(sep)[0] ?? '', name: file }))

/** `from '...'`, `import '...'` and `import('...')`, type-only ones too; comments and texts are not code. */
const importPattern = /\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm

const imports = files.flatMap((file) =>
  [...readFileSync(file.path, 'utf8').matchAll(importPattern)].map((match) => ({
    ...file,
    target: match[1] ?? match[2] ?? match[3] ?? '',
  })),
)

describe('the layers of src/', () => {
  it('are the ones the table names', () => {
    expect([...new Set(files.map((file) => file.folder))].filter((folder) => !(folder in mayImport))).toEqual(
      [],
    )
  })

  it('import only downwards', () => {
    const wrong = imports.filter(({ target, folder }) => {
      if (!target.startsWith('#')) return false
      const other = target.slice(1).split('/')[0] ?? ''
      return other !== folder && !mayImport[folder]?.includes(other)
    })
    expect(wrong.map(({ name, target }) => `${name} -> ${target}`)).toEqual([])
  })

  it('write ./x.ts inside a folder, #folder/x.ts across, and never ../', () => {
    const wrong = imports.filter(({ target }) => target.includes('../'))
    expect(wrong.map(({ name, target }) => `${name} -> ${target}`)).toEqual([])
  })

  it('keep money/ and wire/ free of node, packages, clock and chance', () => {
    const production = files.filter(
      ({ folder, name }) => pure.has(folder) && !/\.(test|model)\.ts$/.test(name),
    )
    const foreign = imports.filter(
      ({ target, folder, name }) =>
        pure.has(folder) &&
        !/\.(test|model)\.ts$/.test(name) &&
        !target.startsWith('.') &&
        !target.startsWith('#'),
    )
    const impure = production.filter(({ path }) =>
      /\bDate\.now\(|\bMath\.random\(|\bnew Date\(\)|\bprocess\.|\bsetTimeout\(|\bsetInterval\(|\bcrypto\.|\bfetch\(/.test(
        readFileSync(path, 'utf8'),
      ),
    )
    expect(foreign.map(({ name, target }) => `${name} -> ${target}`)).toEqual([])
    expect(impure.map(({ name }) => name)).toEqual([])
  })

  it('name each package in the one folder that may know it', () => {
    const wrong = imports.filter(({ target, folder, name }) => {
      const allowed =
        onlyIn[target] ??
        onlyIn[
          target
            .split('/')
            .slice(0, target.startsWith('@') ? 2 : 1)
            .join('/')
        ]
      return allowed !== undefined && !allowed.includes(folder) && !name.endsWith('.test.ts')
    })
    expect(wrong.map(({ name, target }) => `${name} -> ${target}`)).toEqual([])
  })

  it('never import a test', () => {
    const wrong = imports.filter(
      ({ target, name }) => /\.(test|model)\.ts$/.test(target) && !/\.(test|model)\.ts$/.test(name),
    )
    expect(wrong.map(({ name, target }) => `${name} -> ${target}`)).toEqual([])
  })

  it('leave no work behind in comments', () => {
    const wrong = files.filter(({ path }) => /\b(TODO|FIXME|XXX)\b/.test(readFileSync(path, 'utf8')))
    expect(wrong.map(({ name }) => name)).toEqual([])
  })
})
