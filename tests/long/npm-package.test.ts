import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, delimiter, extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFirstApplication } from '#cli/server-commands/create-first-application.ts'
import { pack, type Packed } from '../../tools/package/main.ts'
import { pythonEnvironment } from '../../tools/python/virtual-environment.ts'
import { run } from '../support/start-product.ts'
import { filesUnder, installPackage, type InstalledPackage } from '../support/install-packed-product.ts'
import { spdxSchema } from '../support/spdx-schema.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

let installed: InstalledPackage
beforeAll(async () => {
  installed = await installPackage()
})
afterAll(() => installed.remove())

const textOf = (name: string): string => readFileSync(join(installed.folder, name), 'utf8')

it('the npm package is code for Node.js only: no TypeScript, no other package, no addon', () => {
  const files = filesUnder(installed.folder)
  const kinds = new Set(files.map((file) => extname(file)))
  expect(kinds).toEqual(
    new Set(['', '.br', '.css', '.html', '.js', '.json', '.map', '.md', '.sql', '.woff2']),
  )
  const own = JSON.parse(textOf('package.json'))
  expect(Object.keys(own).filter((key) => /dependencies|scripts|private/i.test(key))).toEqual([])
  expect(own.engines).toEqual(manifest.engines)
  expect(own.version).toBe(manifest.version)
  for (const file of files.filter((one) => one.startsWith('dist/') && one.endsWith('.js'))) {
    const named = textOf(file).matchAll(/^import .*? from "(?!node:|\.\/)(?<name>[^"]+)"/gm)
    const foreign = Array.from(named, ({ groups }) => groups?.['name'] ?? '')
    const { builtinModules } = process.getBuiltinModule('node:module')
    expect(
      foreign.filter((name) => !builtinModules.includes(name)),
      file,
    ).toEqual([])
  }
})

it('the npm package has the migrations, and a source map for each file of the product', () => {
  const files = filesUnder(installed.folder)
  const migrations = filesUnder(join(root, 'src/store/migrations')).filter((file) => file.endsWith('.sql'))
  expect(files.filter((file) => file.endsWith('.sql'))).toEqual(
    migrations.map((file) => `dist/migrations/${file}`),
  )
  const code = files.filter(
    (file) => file.startsWith('dist/') && file.endsWith('.js') && !file.includes('assets/'),
  )
  const sources = code.flatMap((file) => {
    // A file that only re-exports other files has no source map.
    if (!textOf(file).includes('sourceMappingURL')) return []
    return JSON.parse(textOf(`${file}.map`)).sources as string[]
  })
  expect(sources).toContain('src/gateway/serve-call.ts')
  expect(
    sources.filter((source) => !/^(?:src|node_modules|prices|sdk|vendor)\/|^package\.json$/.test(source)),
  ).toEqual([])
})

it('the npm package contains no data about the machine that built it', () => {
  for (const file of filesUnder(installed.folder)) {
    expect(textOf(file).includes(root), file).toBe(false)
  }
})

it('the package passes publint without findings', async () => {
  const { messages } = await publint({ pkgDir: installed.folder, strict: true, pack: false })
  expect(messages).toEqual([])
})

it('a second build of the npm package has the same bytes', async () => {
  const again = await pack(join(installed.path, 'again'), 'urn:tollgate:builder:test')
  for (const name of ['tollgate', 'typescriptSdk', 'sbom', 'provenance'] as const) {
    expect(sha256(again[name]), name).toBe(sha256(installed.packed[name]))
  }
  expect(pythonOf(again).map(sha256)).toEqual(pythonOf(installed.packed).map(sha256))
})

it('the npm package lists its contents as SPDX 2.3, each with its version in the lockfile and its license', () => {
  const document = JSON.parse(textOf('sbom.spdx.json'))
  const isValid = new Ajv({ allErrors: true, strict: false }).compile(spdxSchema)
  expect(isValid(document), JSON.stringify(isValid.errors)).toBe(true)
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const locked = Object.entries<{ version: string }>(lock.packages).map(
    ([folder, { version }]) => `${folder.replace(/^.*node_modules\//, '')}@${version}`,
  )
  const [own, ...contained] = document.packages
  const vendored = ['@scalar/api-reference', '@zxcvbn-ts/language-common']
  expect([own.name, own.versionInfo]).toEqual(['tollgate', manifest.version])
  const licenses = textOf('THIRD-PARTY-LICENSES')
  for (const { licenseDeclared, name, versionInfo } of contained) {
    if (!vendored.includes(name)) expect(locked).toContain(`${name}@${versionInfo}`)
    expect(licenses).toContain(`${name} ${versionInfo} (${licenseDeclared})`)
  }
  const names = contained.map(({ name }: { name: string }) => name)
  expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)))
  const ids = new Set(document.packages.map(({ SPDXID }: { SPDXID: string }) => SPDXID))
  expect(ids.size).toBe(document.packages.length)
  for (const { relatedSpdxElement } of document.relationships) expect(ids).toContain(relatedSpdxElement)
})

it('the build includes an in-toto statement that names the archives, their commit and their builder, and is marked as unsigned', () => {
  const statement = JSON.parse(readFileSync(installed.packed.provenance, 'utf8'))
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      installed.packed.tollgate,
      installed.packed.typescriptSdk,
      ...pythonOf(installed.packed),
      installed.packed.sbom,
    ].map((file) => ({ name: basename(file), digest: { sha256: sha256(file) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        resolvedDependencies: [
          // A copy of the sources without Git history belongs to no commit.
          ...(existsSync(join(root, '.git'))
            ? [{ digest: { gitCommit: expect.stringMatching(/^[0-9a-f]{40}$/) } }]
            : []),
          { digest: { sha256: sha256(join(root, 'package-lock.json')) } },
          ...(installed.packed.pythonSdk === null
            ? []
            : [{ digest: { sha256: sha256(join(root, 'sdk/python/requirements/tools.txt')) } }]),
        ],
      },
      runDetails: {
        builder: { id: 'urn:tollgate:builder:test' },
        metadata: { tollgate_unsigned: expect.stringContaining('not signed') },
      },
    },
  })
})

it('for each SDK, the build lists its archive and the packages that an install requires, as SPDX 2.3', () => {
  const document = JSON.parse(readFileSync(installed.packed.sbom, 'utf8'))
  const isValid = new Ajv({ allErrors: true, strict: false }).compile(spdxSchema)
  expect(isValid(document), JSON.stringify(isValid.errors)).toBe(true)
  const archives = [installed.packed.typescriptSdk, ...pythonOf(installed.packed)]
  const listed = document.packages.flatMap(
    (one: { packageFileName?: string; checksums?: { checksumValue: string }[] }) =>
      one.packageFileName === undefined ? [] : [[one.packageFileName, one.checksums?.[0]?.checksumValue]],
  )
  expect(listed).toEqual(archives.map((file) => [basename(file), sha256(file)]))
  const asked = document.relationships.filter(
    ({ relationshipType }: { relationshipType: string }) => relationshipType === 'DEPENDS_ON',
  )
  // The Python SDK's wheel and sdist depend on httpx2, anyio and typing-extensions.
  expect(asked).toHaveLength(installed.packed.pythonSdk === null ? 0 : 6)
})

it('the build packs a wheel and an sdist that twine accepts, and that pip installs', async ({ skip }) => {
  const { pythonSdk } = installed.packed
  const environment = await pythonEnvironment('python3', ['runtime', 'tools'])
  if (pythonSdk === null || environment === null) return skip('the Python SDK is not packed here')
  const python = (...args: string[]): ReturnType<typeof run> =>
    run(environment.python, args, environment.variables)
  const files = pythonOf(installed.packed)
  expect(files.map((file) => basename(file))).toEqual([
    `tollgate_client-${manifest.version}-py3-none-any.whl`,
    `tollgate_client-${manifest.version}.tar.gz`,
  ])
  const checked = await python('-m', 'twine', 'check', '--strict', ...files)
  expect(checked.code, checked.stdout + checked.stderr).toBe(0)
  for (const [at, file] of files.entries()) {
    const target = join(installed.path, `python-${at}`)
    const how = ['--quiet', '--disable-pip-version-check', '--no-deps', '--no-index', '--no-build-isolation']
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const put = await python('-m', 'pip', 'install', ...how, '--target', target, file)
    expect(put.code, put.stderr).toBe(0)
    const program = `import sys; sys.path.insert(0, ${JSON.stringify(target)}); import tollgate_client; print(tollgate_client.__file__, tollgate_client.Tollgate(token="x").keys.mint.__name__)`
    // oxlint-disable-next-line no-await-in-loop -- as above
    const { code, stderr, stdout } = await python('-c', program)
    expect([code, stdout.trim()], stderr).toEqual([0, `${target}/tollgate_client/__init__.py mint`])
  }
})

it('the installed npm package prints its version and its commands', async () => {
  const said = await run('tollgate', ['--version'], installed.environment)
  expect([said.code, said.stdout]).toEqual([0, `${manifest.version}\n`])
  const startedMs = performance.now()
  const help = await run('tollgate', ['--help'], installed.environment)
  console.log(`tollgate --help: ${Math.round(performance.now() - startedMs)} ms`)
  expect([help.code, help.stderr]).toEqual([0, ''])
  expect(help.stdout).toMatch(/serve/)
})

it('the installed npm package serves a call in test mode and exits on SIGTERM, and its ledger adds up', async () => {
  const folder = join(installed.path, 'served')
  mkdirSync(folder)
  const startedMs = performance.now()
  const child = spawn('tollgate', ['serve', '--port', '0', '--json', '--data', 'data'], {
    cwd: folder,
    env: { ...process.env, ...installed.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (piece) => (stderr += String(piece)))
  const ended = once(child, 'exit')
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(() => Promise.reject(new Error(`it ended: ${stderr}`))),
  ])
  console.log(`tollgate serve: ready after ${Math.round(performance.now() - startedMs)} ms`)
  try {
    const { baseUrl, pid, setup } = JSON.parse(line)
    expect(pid).toBe(child.pid)
    const { port } = new URL(baseUrl)
    const made = await createFirstApplication(baseUrl, setup.token)
    expect(BigInt(made.chargeMicros)).toBeGreaterThan(0n)
    const page = await fetch(`http://127.0.0.1:${port}/reference`)
    const script = /src="(?<path>\/reference\/scalar[^"]+)"/.exec(await page.text())?.groups?.['path']
    const bundle = await fetch(`http://127.0.0.1:${port}${script}`)
    expect([bundle.status, (await bundle.text()).length > 1_000_000]).toEqual([200, true])
  } finally {
    child.kill('SIGTERM')
  }
  expect(await ended, stderr).toEqual([0, null])
  const verified = await run('tollgate', ['verify', '--data', join(folder, 'data')], installed.environment)
  expect(verified.code, verified.stderr + verified.stdout).toBe(0)
})

it('if Node.js is older than the required version, the npm package reports the required version', ({
  skip,
}) => {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((one) => !one.includes('node_modules'))
  const versions = folders.map((folder) => {
    const file = join(folder, 'node')
    return { file, version: spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '' }
  })
  const old = versions.find(({ version }) => /^v(?:1\d|20|22)\./.test(version))
  if (old === undefined) return skip('the machine has no Node.js older than 24')
  const { status, stderr } = spawnSync(old.file, [join(installed.folder, 'bin/tollgate.js'), 'serve'], {
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  expect(stderr).toBe(
    `tollgate: Node.js 24.12 or newer is needed (24.15 or newer for the embedded store), and this is ${old.version.slice(1)} (${old.file}). Install a newer Node.js, or put one first on PATH.\n`,
  )
  expect(statSync(join(installed.folder, 'bin/tollgate.js')).mode & 0o111).not.toBe(0)
})

function pythonOf({ pythonSdk }: Packed): string[] {
  return pythonSdk === null ? [] : [pythonSdk.wheel, pythonSdk.sdist]
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
