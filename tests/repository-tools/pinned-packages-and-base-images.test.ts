/**
 * Checks that packages are pinned by hashes, and base images by digests. Only the packages that package.json lists may
 * run install scripts. The test runs `npm ci` for every platform. If the lockfile lacks a package that a platform may
 * need, npm rejects the lockfile.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { run } from '../support/start-product.ts'
import { sampleOfCases } from '../support/reduced-suite.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Manifest {
  readonly allowScripts: Readonly<Record<string, boolean>>
}

interface Locked {
  readonly version?: string
  /** Set if the package is installed under an alias. */
  readonly name?: string
  readonly hasInstallScript?: boolean
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/**
 * Grouped by the folder of the lockfile and the scope of the package. All packages without a hash are native binaries
 * of developer tools for other platforms. The registry that wrote the lockfile does not have the binaries ("No match
 * found for version"). npm installs each binary only on its platform, and trusts the registry of that machine. If the
 * lockfile contains a hash for a listed package, this test fails until the package's name is removed here.
 */
const withoutHash: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '.': {
    '@oxc-parser': [
      'binding-android-arm-eabi',
      'binding-android-arm64',
      'binding-darwin-arm64',
      'binding-darwin-x64',
      'binding-freebsd-x64',
      'binding-linux-arm-gnueabihf',
      'binding-linux-arm-musleabihf',
      'binding-linux-ppc64-gnu',
      'binding-linux-riscv64-gnu',
      'binding-linux-riscv64-musl',
      'binding-linux-s390x-gnu',
      'binding-openharmony-arm64',
      'binding-win32-arm64-msvc',
      'binding-win32-ia32-msvc',
      'binding-win32-x64-msvc',
    ],
    '@oxfmt': [
      'binding-android-arm-eabi',
      'binding-android-arm64',
      'binding-darwin-arm64',
      'binding-darwin-x64',
      'binding-freebsd-x64',
      'binding-linux-arm-gnueabihf',
      'binding-linux-arm-musleabihf',
      'binding-linux-arm64-musl',
      'binding-linux-ppc64-gnu',
      'binding-linux-riscv64-gnu',
      'binding-linux-riscv64-musl',
      'binding-linux-s390x-gnu',
      'binding-linux-x64-musl',
      'binding-openharmony-arm64',
      'binding-win32-arm64-msvc',
      'binding-win32-ia32-msvc',
      'binding-win32-x64-msvc',
    ],
    '@oxlint-tsgolint': ['darwin-arm64', 'darwin-x64', 'win32-arm64', 'win32-x64'],
    '@oxlint': [
      'binding-android-arm-eabi',
      'binding-android-arm64',
      'binding-darwin-arm64',
      'binding-darwin-x64',
      'binding-freebsd-x64',
      'binding-linux-arm-gnueabihf',
      'binding-linux-arm-musleabihf',
      'binding-linux-arm64-musl',
      'binding-linux-ppc64-gnu',
      'binding-linux-riscv64-gnu',
      'binding-linux-riscv64-musl',
      'binding-linux-s390x-gnu',
      'binding-linux-x64-musl',
      'binding-openharmony-arm64',
      'binding-win32-arm64-msvc',
      'binding-win32-ia32-msvc',
      'binding-win32-x64-msvc',
    ],
  },
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest

describe.each(['.', 'tests/clients'])('package-lock.json of %s', (folder) => {
  const { packages } = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>
  }

  it('package-lock.json has every package that another package requires, for every platform, in the required version', () => {
    const missing = Object.entries(packages).flatMap(([place, locked]) =>
      Object.entries({ ...locked.dependencies, ...locked.devDependencies, ...locked.optionalDependencies })
        .filter(([name, range]) => {
          const found = packages[placeOf(name, place) ?? '']
          // A package requires an exact version of its native binaries. npm itself checks ranges.
          return found === undefined || (/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(range) && found.version !== range)
        })
        .map(([name, range]) => `${place} names ${name}@${range}`),
    )
    expect(missing).toEqual([])
  })

  it('package-lock.json has a hash for every package except the listed ones, which are optional developer tools', () => {
    const unchecked = Object.entries(packages).filter(
      ([place, { integrity }]) => place !== '' && integrity === undefined,
    )
    const listed = Object.entries(withoutHash[folder] ?? {}).flatMap(([scope, names]) =>
      names.map((name) => `node_modules/${scope}/${name}`),
    )
    expect(unchecked.map(([place]) => place)).toEqual(listed)
    for (const [place, { cpu, dev, optional, os }] of unchecked) {
      expect([dev, optional, os !== undefined, cpu !== undefined], place).toEqual([true, true, true, true])
    }
  })

  it('every package with install scripts is allowed or denied in package.json, and no other package is listed there', () => {
    const scripted = Object.entries(packages).flatMap(([place, { hasInstallScript, name }]) =>
      hasInstallScript === true ? (name ?? place.slice(place.lastIndexOf('node_modules/') + 13)) : [],
    )
    const { allowScripts } = readManifest(folder)
    expect(scripted.toSorted()).toEqual(Object.keys(allowScripts).toSorted())
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

it('every base image is pinned by a digest', () => {
  const read = (file: string): string => readFileSync(join(root, 'deploy', file), 'utf8')
  const named = [
    ...read('Containerfile').matchAll(/^ARG NODE_IMAGE=(?<image>\S+)$/gm),
    ...read('compose.yaml').matchAll(/^ +image: (?<image>\S+)$/gm),
  ].map(({ groups }) => groups?.['image'] ?? '')
  expect(named).toHaveLength(2)
  for (const image of named) {
    expect(image).toMatch(/^docker\.io\/library\/[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/)
  }
  const stages = Array.from(read('Containerfile').matchAll(/^FROM (\S+)/gm), ([, image]) => image)
  expect(stages).toEqual(['${NODE_IMAGE}', '${NODE_IMAGE}'])
})

/** Installs nothing. */
async function dryRun(manifest: Manifest, args: readonly string[] = []): ReturnType<typeof run> {
  const copy = mkdtempSync(join(tmpdir(), 'tollgate-lock-'))
  try {
    for (const file of ['package-lock.json', '.npmrc']) cpSync(join(root, file), join(copy, file))
    writeFileSync(join(copy, 'package.json'), JSON.stringify(manifest))
    return await run('npm', ['ci', '--prefix', copy, '--dry-run', '--offline', ...args])
  } finally {
    rmSync(copy, { recursive: true })
  }
}

const platforms = [
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'arm64'],
  ['win32', 'x64'],
] as const

it.each(sampleOfCases(platforms, 3))(
  'npm ci accepts the lockfile and its install scripts on %s, %s',
  async (os, cpu) => {
    const { code, stderr } = await dryRun(readManifest('.'), [`--os=${os}`, `--cpu=${cpu}`])
    expect(code, stderr).toBe(0)
  },
)

// An older npm ignores `strict-allow-scripts`.
it.runIf(settingOf('strict-allow-scripts') === 'true')(
  'npm ci rejects an install script that package.json does not list',
  async () => {
    const { code, stderr } = await dryRun({ ...readManifest('.'), allowScripts: {} })
    expect(code).not.toBe(0)
    expect(stderr).toContain('ESTRICTALLOWSCRIPTS')
    expect(stderr).toContain('node@')
  },
)

it('in every folder with a lockfile, npm installs only versions that were published before a fixed date', () => {
  expect(settingOf('before')).not.toBe('null')
  expect(readFileSync(join(root, 'tests/clients/.npmrc'), 'utf8')).toBe(
    readFileSync(join(root, '.npmrc'), 'utf8'),
  )
})

function settingOf(name: string): string {
  return execFileSync('npm', ['config', 'get', name], { cwd: root, encoding: 'utf8' }).trim()
}
