/** Tests the published TypeScript SDK: built, linted, compiled against, and run by its oldest supported Node.js. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileFunction, createContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '#sdk/version.ts'
import { startBehaviourServer, type BehaviourServer } from '../../sdk/behaviours/server.ts'
import { cases, play } from '../../sdk/behaviours/typescript.mjs'
import { generatedFiles } from '../../tools/generate/generated-files.ts'
import { buildTypescriptSdk } from '../../tools/package/typescript-sdk.ts'
import { run, startServer } from '../support/start-product.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const sources = join(root, 'sdk/typescript')
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const gzippedBytesMax = 25 * 1024

/** Null if the machine's Node.js is newer than the oldest supported version. */
const oldestNode = oldNodeOfMachine()

let project: string
let installed: string
let server: BehaviourServer
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'tollgate-sdk-'))
  installed = join(project, 'node_modules/tollgate-sdk')
  mkdirSync(installed, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  await buildTypescriptSdk(installed)
  server = await startBehaviourServer()
})
afterAll(async () => {
  await server.close()
  rmSync(project, { recursive: true })
})

it('the package passes publint without findings', async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true, pack: false })
  expect(messages).toEqual([])
})

it('the TypeScript package has no dependencies, and sends its version', () => {
  const manifest = JSON.parse(readFileSync(join(sources, 'package.json'), 'utf8'))
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
  expect(manifest.version).toBe(version)
})

it('the TypeScript package is at most 25 KB, gzipped', () => {
  const size = (...names: string[]): number =>
    gzipSync(Buffer.concat(names.map((name) => readFileSync(join(installed, 'dist/esm', name))))).length
  const whole = size('core.js', 'index.js')
  const portal = size('core.js', 'portal.js')
  console.log(`tollgate-sdk: ${whole} bytes gzipped, tollgate-sdk/portal: ${portal}`)
  expect(whole).toBeLessThanOrEqual(gzippedBytesMax)
  expect(portal).toBeLessThan(whole)
})

it('the TypeScript package contains no generated file of a removed operation', () => {
  const made = Object.keys(generatedFiles()).filter((name) =>
    name.startsWith('sdk/typescript/src/generated/'),
  )
  const there = readdirSync(join(sources, 'src/generated')).map(
    (name) => `sdk/typescript/src/generated/${name}`,
  )
  expect(there.toSorted()).toEqual(made.toSorted())
})

it('the TypeScript package compiles with the strictest compiler settings, as a module and as CommonJS', async () => {
  cpSync(join(root, 'tests/sdk/installed/scenario.ts'), join(project, 'scenario.ts'))
  writeFileSync(
    join(project, 'common.cts'),
    `import { Tollgate, verifyWebhook } from 'tollgate-sdk'
import { TollgatePortal } from 'tollgate-sdk/portal'
export const made = [new Tollgate({ token: null }), new TollgatePortal(), verifyWebhook]
`,
  )
  symlinkSync(join(root, 'node_modules/openai'), join(project, 'node_modules/openai'))
  const examples = examplesOf(readFileSync(join(sources, 'README.md'), 'utf8'))
  expect(examples.length).toBeGreaterThan(8)
  for (const [at, example] of examples.entries()) writeFileSync(join(project, `readme-${at}.ts`), example)
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: false,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    typeRoots: [join(root, 'node_modules/@types')],
    types: ['node'],
    rootDir: '.',
    outDir: 'out',
  }
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions,
      files: ['scenario.ts', 'common.cts', ...examples.map((_, at) => `readme-${at}.ts`)],
    }),
  )
  const compiled = await run(process.execPath, [tsc, '--project', project])
  expect(compiled.stdout).toBe('')
  expect(compiled.code, compiled.stderr).toBe(0)
})

/** In Deno and Bun, `fetch` silently repeats a request if a kept connection was closed. */
const sentAgain = {
  Deno: [
    'throws a ConnectionError if the server always closes the connection immediately',
    'retries a write with the same idempotency key and body',
    'does not retry an operation without idempotency key if its response was lost',
  ],
  Bun: ['throws a ConnectionError if the server always closes the connection immediately'],
}

describe.each([
  ['this Node', [process.execPath], []],
  ['the oldest Node', oldestNode && [oldestNode], []],
  // Only the permissions that the program needs.
  [
    'Deno',
    otherRuntime('deno')?.concat('run', '--no-prompt', '--allow-net', '--allow-read', '--allow-env'),
    sentAgain.Deno,
  ],
  ['Bun', otherRuntime('bun')?.concat('run'), sentAgain.Bun],
] as const)('under %s', (_, command, beyondUs) => {
  const [node = null, ...how] = command ?? []

  it.skipIf(node === null)(
    'a program with the TypeScript package signs up, sells a call, reads its cost and opens the portal',
    async () => {
      const tollgate = await startServer()
      try {
        const scenario = join(project, 'out/scenario.js')
        const ran = await run(node ?? '', [...how, scenario, tollgate.baseUrl, tollgate.setupUrl])
        expect(ran.stderr).toBe('')
        expect([ran.code, ran.stdout]).toEqual([0, 'done\n'])
      } finally {
        await tollgate.close()
      }
    },
  )

  it.skipIf(node === null).each(['esm', 'cjs'])(
    'the TypeScript package passes every case of sdk/behaviours (%s)',
    async (format) => {
      const player = join(root, 'sdk/behaviours/typescript.mjs')
      const file = join(installed, 'dist', format, 'index.js')
      const ran = await run(node ?? '', [...how, player, server.url, file])
      console.log(ran.stdout.trim())
      const { failures, played }: { failures: string[]; played: number } = JSON.parse(ran.stdout)
      const ours = failures.filter((failure) => !beyondUs.some((name) => failure.startsWith(`${name}: `)))
      expect(ours).toEqual([])
      expect(played).toBe(cases.length)
      expect(ran.code, ran.stderr).toBe(failures.length === 0 ? 0 : 1)
    },
  )
})

it('the TypeScript package uses only features that every platform has, including edge workers', async () => {
  const names = [
    'AbortController',
    'AbortSignal',
    'Blob',
    'Headers',
    'ReadableStream',
    'Response',
    'TextDecoder',
    'TextEncoder',
    'TransformStream',
  ]
  const more = ['URL', 'URLSearchParams', 'clearTimeout', 'crypto', 'fetch', 'setTimeout']
  const platform = Object.fromEntries(
    [...names, ...more].map((name) => [name, Reflect.get(globalThis, name)]),
  )
  const context = createContext({ ...platform })
  const loaded = new Map<string, object>()
  const load = (name: string): object => {
    const known = loaded.get(name)
    if (known) return known
    const code = readFileSync(join(installed, 'dist/cjs', name), 'utf8')
    const exports = {}
    loaded.set(name, exports)
    compileFunction(code, ['exports', 'require'], { parsingContext: context })(exports, load)
    return exports
  }
  const sdk = load('index.js')
  const failures: string[] = []
  for (const one of cases) {
    // oxlint-disable-next-line no-await-in-loop -- one list, one after the other
    await play(sdk, one, server.url).catch((error: unknown) => failures.push(`${one.name}: ${String(error)}`))
  }
  expect(failures).toEqual([])
})

/** If an example imports nothing, the imports are added. */
function examplesOf(markdown: string): string[] {
  const names = [
    'ApiError',
    'dollars',
    'formatMicros',
    'NotFoundError',
    'Tollgate',
    'verifyWebhook',
    'WebhookError',
  ]
  return Array.from(markdown.matchAll(/^```ts\n(.*?)^```$/gms), ([, code = '']) =>
    /^import /m.test(code)
      ? code
      : `import { readFile } from 'node:fs/promises'
import { ${names.join(', ')} } from 'tollgate-sdk'
declare const client: Tollgate
${code}`,
  )
}

function oldNodeOfMachine(): string | null {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'))
  for (const folder of folders) {
    const file = join(folder, 'node')
    const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' })
    if (status !== 0) continue
    if (stdout.startsWith('v20.')) return file
    console.log(`The built package is not tried under Node 20: the machine has ${stdout.trim()}.`)
    return null
  }
  console.log('The built package is not tried under Node 20: the machine has none of its own.')
  return null
}

/**
 * The command comes from the packages that tests/clients installs, or from the machine. Undefined if the runtime is not
 * installed, which the test reports. The binaries of Deno and Bun are separate packages for each platform, and no
 * script downloads them.
 */
function otherRuntime(name: 'deno' | 'bun'): string[] | undefined {
  const { arch, platform } = process
  const ending = platform === 'win32' ? '.exe' : ''
  const places = {
    deno: `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}/deno${ending}`,
    bun: `@oven/bun-${platform === 'win32' ? 'windows' : platform}-${arch === 'arm64' ? 'aarch64' : arch}/bin/bun${ending}`,
  }
  const fromPackage = join(root, 'tests/clients/node_modules', places[name])
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name + ending))
  const file = [fromPackage, ...onPath].find((one) => existsSync(one))
  if (file === undefined)
    console.log(`The TypeScript SDK is not tried with ${name}: this machine has no ${name}.`)
  return file === undefined ? undefined : [file]
}
