/** `npm ci` on every platform: npm rejects a lockfile that lacks a package that any platform may need. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { run } from '../support/harness.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

describe.each(['.', 'tests/clients'])('package-lock.json of %s', (folder) => {
  const { packages } = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>
  }

  it('has every package that another names, for every platform, in the named version', () => {
    const missing = Object.entries(packages).flatMap(([place, locked]) =>
      Object.entries({ ...locked.dependencies, ...locked.devDependencies, ...locked.optionalDependencies })
        .filter(([name, range]) => {
          const found = packages[placeOf(name, place) ?? '']
          // Parents pin native parts. npm checks ranges.
          return found === undefined || (/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(range) && found.version !== range)
        })
        .map(([name, range]) => `${place} names ${name}@${range}`),
    )
    expect(missing).toEqual([])
  })

  it('has the hash of every installed package, in places where the product is served or tested', () => {
    const unchecked = Object.entries(packages).filter(
      ([place, { integrity }]) => place !== '' && integrity === undefined,
    )
    for (const [place, locked] of unchecked) {
      const { cpu, dev, optional, os } = locked
      expect([dev, optional, os !== undefined, cpu !== undefined], place).toEqual([true, true, true, true])
      expect(place).toMatch(/^node_modules\/@(?:oxc-parser|oxfmt|oxlint|oxlint-tsgolint)\//)
    }
  })

  function placeOf(name: string, from: string): string | undefined {
    for (let place = from; ;) {
      const found = `${place === '' ? '' : `${place}/`}node_modules/${name}`
      if (packages[found] !== undefined) return found
      if (place === '') return undefined
      place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))
    }
  }
})

it.each([
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'arm64'],
  ['win32', 'x64'],
])('npm ci accepts the lockfile on %s, %s', async (os, cpu) => {
  const copy = mkdtempSync(join(tmpdir(), 'tollgate-lock-'))
  try {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(root, file), join(copy, file))
    const args = ['ci', '--prefix', copy, '--dry-run', '--offline', '--ignore-scripts', `--os=${os}`]
    const { code, stderr } = await run('npm', [...args, `--cpu=${cpu}`])
    expect(code, stderr).toBe(0)
  } finally {
    rmSync(copy, { recursive: true })
  }
})
