import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const source = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src')

/**
 * Lists the layers that each layer may import, bottom layer first. A layer is a folder of src/, or a folder inside
 * one of the three large folders. A file belongs to the layer whose name is the longest beginning of the file's path.
 * A type-only import counts as an import. `prices` and `vendor` are data folders next to src/. Only the layer
 * `domain` reads them, and passes their data on to the other layers.
 */
const mayImport: Record<string, readonly string[]> = {
  // No other program runs a safe text as code, or opens a safe text as an address. All layers and pages share these
  // rules.
  'safe-text': [],
  // The arithmetic of the ledger imports nothing, so that it can be tested separately.
  money: [],
  // A wire must not import another wire, and no wire may import conversions.
  'wire/text': [],
  'wire/bound': ['wire', 'wire/text'],
  'wire/stream': ['wire', 'wire/bound', 'wire/text', 'money'],
  'wire/chat': ['wire', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  'wire/messages': ['wire', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  'wire/responses': ['wire', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  'wire/generate': ['wire', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  'wire/cohere': ['wire', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  // The runtime of Bedrock also counts the tokens of a request body in Claude's own format.
  'wire/converse': ['wire', 'wire/messages', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  // Gemini's embeddings share the code for contents and usage with the generate wire. Text completions share the code
  // for chunks with the chat wire. Rerank, image and form requests reject the same fields of OpenAI-compatible
  // servers as chat requests.
  'wire/embeddings': ['wire', 'wire/bound', 'wire/text'],
  // Embedding requests to Bedrock return errors in the format of Converse.
  'wire/invoke-embeddings': ['wire', 'wire/converse', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  // Cohere's embeddings share the code for inputs with Bedrock's, and the code for errors with Cohere's chat wire.
  'wire/cohere-embed': [
    'wire',
    'wire/cohere',
    'wire/invoke-embeddings',
    'wire/stream',
    'wire/bound',
    'wire/text',
    'money',
  ],
  'wire/moderations': ['wire', 'wire/bound', 'wire/text'],
  'wire/completions': ['wire', 'wire/chat', 'wire/stream', 'wire/bound', 'wire/text'],
  'wire/form': ['wire', 'wire/chat', 'wire/bound', 'wire/text'],
  'wire/images': ['wire', 'wire/chat', 'wire/form', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  'wire/compact': ['wire', 'wire/responses', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  'wire/speech': ['wire', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  'wire/transcriptions': ['wire', 'wire/form', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  'wire/rerank': ['wire', 'wire/chat', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  'wire/embed-content': ['wire', 'wire/generate', 'wire/stream', 'wire/bound', 'wire/text', 'money'],
  // All layers of `wire` share this code and the table of the wires and tasks.
  wire: [
    'wire/text',
    'wire/stream',
    'wire/chat',
    'wire/messages',
    'wire/responses',
    'wire/generate',
    'wire/converse',
    'wire/cohere',
    'wire/embeddings',
    'wire/embed-content',
    'wire/invoke-embeddings',
    'wire/cohere-embed',
    'wire/moderations',
    'wire/completions',
    'wire/rerank',
    'wire/images',
    'wire/speech',
    'wire/compact',
    'wire/transcriptions',
    'money',
  ],
  // Requests and responses are converted through a neutral format, so a new wire needs one new folder, not one for each
  // other wire.
  convert: ['wire', 'money'],
  // Routing computes only with plain values, so that a test can simulate a day of failures.
  routing: [],
  domain: ['money', 'prices', 'routing', 'vendor'],
  explain: ['domain', 'money'],
  // The folders `sql`, `rows` and `ledger` do not depend on a database engine.
  'store/sql': ['domain', 'money'],
  'store/rows': ['domain', 'money', 'routing', 'store/sql'],
  'store/migrations': [],
  'store/ledger': ['store/rows', 'store/sql', 'domain', 'money'],
  // Each engine is complete in its folder and imports no other engine, so a third engine would need one more folder.
  'store/sqlite': ['store/ledger', 'store/rows', 'store/sql', 'store/migrations', 'domain', 'money'],
  'store/postgres': ['store/ledger', 'store/rows', 'store/sql', 'store/migrations', 'domain', 'money'],
  'store/nouns': ['explain', 'store/rows', 'store/sql', 'domain', 'money', 'routing'],
  store: [
    'store/sqlite',
    'store/postgres',
    'store/ledger',
    'store/rows',
    'store/sql',
    'store/migrations',
    'domain',
    'money',
  ],
  // Ended requests come from the hot path or from stored rows. The live tail uses the hot path and the store only
  // through ports.
  tail: ['domain'],
  providers: ['domain', 'wire', 'money'],
  // Emitters receive settled calls, read records and post events only through ports. Emitters do not depend on the
  // code that serves calls.
  emitters: ['domain', 'money'],
  // The simulator acts as the vendors, and so checks the output of wire/ and convert/. The simulator shares no code
  // with wire/ and convert/.
  simulator: ['domain', 'money'],
  // These limits protect a server process: requests in flight, memory for bodies, and wrong keys.
  'gateway/overload': ['domain'],
  // The hot path uses ports: it opens no store and no socket to a provider. The layer `gateway/call` contains the
  // types of a call, and the state that a process keeps between calls. Each of the next four layers is a part of a
  // call, and may import the parts above it.
  'gateway/call': ['gateway/overload', 'wire', 'domain', 'money', 'routing'],
  'gateway/arrive': ['gateway/call', 'gateway/overload', 'wire', 'domain', 'money'],
  'gateway/decide': [
    'gateway/arrive',
    'gateway/call',
    'gateway/overload',
    'convert',
    'wire',
    'domain',
    'money',
    'routing',
  ],
  'gateway/relay': [
    'gateway/decide',
    'gateway/arrive',
    'gateway/call',
    'gateway/overload',
    'wire',
    'domain',
    'money',
    'routing',
  ],
  'gateway/end': [
    'gateway/relay',
    'gateway/decide',
    'gateway/arrive',
    'gateway/call',
    'gateway/overload',
    'explain',
    'wire',
    'domain',
    'money',
    'routing',
  ],
  // Settles the call of a background response after the response has ended.
  'gateway/background': [
    'gateway/end',
    'gateway/relay',
    'gateway/decide',
    'gateway/arrive',
    'gateway/call',
    'gateway/overload',
    'wire',
    'domain',
    'money',
    'routing',
  ],
  gateway: [
    'gateway/background',
    'gateway/end',
    'gateway/relay',
    'gateway/decide',
    'gateway/arrive',
    'gateway/call',
    'gateway/overload',
    'wire',
    'domain',
    'money',
    'routing',
  ],
  // Every noun of operations imports the kernel: the declarations of operations, the schemas and the look-up of
  // resources. Several nouns share the rules of plans, pools and invoices, so these rules are in the layer
  // `operations/billing`.
  'operations/kernel': ['domain', 'money', 'safe-text'],
  'operations/billing': ['operations/kernel', 'domain', 'money'],
  operations: [
    'operations/billing',
    'operations/kernel',
    'explain',
    'domain',
    'money',
    'routing',
    'safe-text',
  ],
  // The demo layer serves fixtures from memory, and uses no store and no ledger. The demo layer returns responses in
  // the formats that the operations declare.
  demo: ['operations', 'domain', 'money'],
  // The OpenAPI document contains the version in package.json.
  http: ['operations', 'demo', 'gateway', 'wire', 'domain', 'money', 'routing', 'safe-text', 'package.json'],
  // Telemetry (metrics, trace spans and log lines) watches ended calls, and no code that serves a call depends on it.
  // Trace spans contain the program's version, from package.json.
  telemetry: ['domain', 'money', 'package.json'],
  app: [
    'http',
    'demo',
    'emitters',
    'gateway',
    'operations',
    'providers',
    'simulator',
    'store',
    'telemetry',
    'tail',
    'wire',
    'domain',
    'money',
    'routing',
  ],
  // Calls the published API with the published client, like a customer's own program.
  cli: ['app', 'operations', 'explain', 'domain', 'money', 'safe-text', 'sdk'],
}

const floors = Object.keys(mayImport).toSorted((one, other) => other.length - one.length)

function floorOf(path: string): string {
  return floors.find((floor) => path.startsWith(`${floor}/`)) ?? path.split('/')[0] ?? ''
}

/** A layer that may import a large folder may import all layers in this folder. */
function isAllowed(from: string, to: string): boolean {
  if (from === to) return true
  const [room = ''] = to.split('/')
  const isOutside = from.split('/')[0] !== room
  return mayImport[from]?.includes(isOutside ? room : to) ?? false
}

/**
 * The folders in `pure` import no package and no `node:` module. `onlyIn` lists the folders that may import a package.
 */
const pure = new Set(['safe-text', 'money', 'wire', 'convert', 'routing', 'explain'])
const onlyIn: Record<string, readonly string[]> = {
  hono: ['http'],
  '@hono/node-server': ['http'],
  undici: ['providers'],
  kysely: ['store'],
  'node:sqlite': ['store'],
  pg: ['store'],
  '@simplewebauthn/server': ['app'],
  commander: ['cli'],
  'prom-client': ['telemetry'],
  '@opentelemetry/api': ['telemetry'],
  '@opentelemetry/exporter-trace-otlp-proto': ['telemetry'],
  '@opentelemetry/resources': ['telemetry'],
  '@opentelemetry/sdk-trace-node': ['telemetry'],
  zod: ['operations', 'demo', 'http', 'app', 'simulator'],
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({
    path: join(source, file),
    folder: file.split(sep)[0] ?? '',
    name: file.split(sep).join('/'),
  }))

/** Matches `from '...'`, `import '...'` and `import('...')`, including type-only imports. */
const importPattern = /\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm

const imports = files.flatMap((file) =>
  [...readFileSync(file.path, 'utf8').matchAll(importPattern)].map((match) => ({
    ...file,
    target: match[1] ?? match[2] ?? match[3] ?? '',
  })),
)

describe('the layers of src/', () => {
  it('each folder of src/ is a layer in the table', () => {
    expect([...new Set(files.map((file) => file.folder))].filter((folder) => !(folder in mayImport))).toEqual(
      [],
    )
  })

  it('each layer of src/ imports only the layers that the table allows', () => {
    const wrong = imports.filter(({ target, name }) => {
      if (!target.startsWith('#')) return false
      if (target.startsWith('#tests/')) return !name.endsWith('.test.ts')
      // A test may import layers above its subject: the tests of a wire check complete results.
      if (name.endsWith('.test.ts')) return false
      const from = floorOf(name)
      return !isAllowed(from, floorOf(target.slice(1)))
    })
    expect(wrong.map(({ name, target }) => `${name} -> ${target}`)).toEqual([])
  })

  it('the folder of a noun contains only operations, and all other code is in folders inside it', () => {
    const inNoun = files.filter(
      ({ name }) =>
        /^operations\/\w+\/[\w-]+\.ts$/.test(name) &&
        !name.startsWith('operations/kernel/') &&
        !name.endsWith('.test.ts'),
    )
    const others = inNoun.filter(({ path }) => !/^export default \w+\(/m.test(readFileSync(path, 'utf8')))
    expect(inNoun.length).toBeGreaterThan(100)
    expect(others.map(({ name }) => name)).toEqual([])
  })

  it('no nouns of operations import one another in a cycle', () => {
    const nounOf = (path: string): string | undefined => /^operations\/(\w+)\//.exec(path)?.[1]
    const used = new Map<string, Set<string>>()
    for (const { name, target } of imports) {
      const from = nounOf(name)
      const to = nounOf(target.slice(1))
      if (from === undefined || to === undefined || from === to || name.endsWith('.test.ts')) continue
      used.set(from, (used.get(from) ?? new Set()).add(to))
    }
    // Each noun that remains after this loop is in an import cycle, or imports such a noun.
    for (let isDone = false; !isDone;) {
      const free = [...used].filter(([, others]) => ![...others].some((other) => used.has(other)))
      for (const [noun] of free) used.delete(noun)
      isDone = free.length === 0
    }
    expect([...used].map(([noun, others]) => `${noun} -> ${[...others].join(', ')}`)).toEqual([])
  })

  it('imports are written as ./x.ts inside a folder and as #folder/x.ts across folders, and never with ../', () => {
    const wrong = imports.filter(({ target }) => target.includes('../'))
    expect(wrong.map(({ name, target }) => `${name} -> ${target}`)).toEqual([])
  })

  it('money/, wire/, convert/, routing/ and explain/ use no Node modules, packages, clock or random numbers', () => {
    const production = files.filter(({ folder, name }) => pure.has(folder) && !name.endsWith('.test.ts'))
    const foreign = imports.filter(
      ({ target, folder, name }) =>
        pure.has(folder) && !name.endsWith('.test.ts') && !target.startsWith('.') && !target.startsWith('#'),
    )
    const impure = production.filter(({ path }) =>
      /\bDate\.now\(|\bMath\.random\(|\bnew Date\(\)|\bprocess\.|\bsetTimeout\(|\bsetInterval\(|\bcrypto\.|\bfetch\(/.test(
        readFileSync(path, 'utf8'),
      ),
    )
    expect(foreign.map(({ name, target }) => `${name} -> ${target}`)).toEqual([])
    expect(impure.map(({ name }) => name)).toEqual([])
  })

  it('each package is imported only in its allowed folder', () => {
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

  it('no source file imports a test', () => {
    const wrong = imports.filter(
      ({ target, name }) => target.endsWith('.test.ts') && !name.endsWith('.test.ts'),
    )
    expect(wrong.map(({ name, target }) => `${name} -> ${target}`)).toEqual([])
  })

  it('no comment announces unfinished work', () => {
    const wrong = files.filter(({ path }) => /\b(TODO|FIXME|XXX)\b/.test(readFileSync(path, 'utf8')))
    expect(wrong.map(({ name }) => name)).toEqual([])
  })
})

describe('sdk/typescript', () => {
  const folder = join(dirname(source), 'sdk/typescript/src')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )

  it('sdk/typescript imports only itself, because it is published separately and runs without Node', () => {
    const wrong = sources.flatMap((file) =>
      Array.from(readFileSync(join(folder, file), 'utf8').matchAll(importPattern))
        .map(([, from, plain, dynamic]) => from ?? plain ?? dynamic ?? '')
        .filter(
          (target) => !/^\.\.?\/[\w./-]+\.ts$/.test(target) || join(file, '..', target).startsWith('..'),
        )
        .map((target) => `${file} -> ${target}`),
    )
    expect(wrong).toEqual([])
  })
})

describe('the size of the sources', () => {
  const linesMax = 450
  const filesMax = 40
  const longer: Readonly<Record<string, string>> = {
    'src/domain/errors.ts': 'the table of the errors',
    'src/store/sql/schema.ts': 'a table of the columns',
    'src/store/ledger/verify/checks-in-sql.ts': 'a table of the checks, in SQL',
  }

  const root = dirname(source)
  const sources = ['src', 'web', 'sdk/typescript/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.d\.ts$/.test(file))
      .map((file) => `${folder}/${file.split(sep).join('/')}`)
      .filter((file) => !file.includes('/generated/')),
  )

  it(`no file has more than ${linesMax} lines, except tables`, () => {
    const long = sources.filter((file) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1
      return lines > linesMax
    })
    expect(long.toSorted()).toEqual(Object.keys(longer).toSorted())
  })

  it(`no folder has more than ${filesMax} files, not counting tests`, () => {
    const counts = Map.groupBy(sources, (file) => file.slice(0, file.lastIndexOf('/')))
    const full = [...counts].filter(([, own]) => own.length > filesMax).map(([folder]) => folder)
    expect(full).toEqual([])
  })
})

describe('safety rules', () => {
  /** Each expression may occur only in the file of its safety rule. */
  const signs: Readonly<Record<string, RegExp>> = {
    'src/safe-text/csv.ts': /replaceAll\('"', '""'\)|\\-@|＝/,
    'src/safe-text/same-host-path.ts': /%2f\|%5c|%5c\|%2f|%\(\?:2f|\[\/\\\\\]/i,
  }
  const root = dirname(source)
  const all = ['src', 'web', 'sdk/typescript/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .map((file) => `${folder}/${file.split(sep).join('/')}`),
  )

  it.each(Object.entries(signs))('the safety rule of %s is implemented in no other file', (owner, sign) => {
    const holders = all.filter((file) => sign.test(readFileSync(join(root, file), 'utf8')))
    expect(holders).toEqual([owner])
  })
})

describe('the layers of web/', () => {
  const folder = join(dirname(source), 'web')
  /**
   * The values are the `#` prefixes that the layer may import. Files of one layer import one another with `./` and
   * `../`.
   */
  const mayUse: Record<string, readonly string[]> = {
    // `ui` may import amounts and errors of the SDK, but no operation, because charts do not depend on the source of
    // their data.
    ui: ['#web/ui/', '#sdk/money.ts', '#sdk/errors.ts', '#money/periods-and-windows.ts'],
    // The code that shows an operation as a command is in the folder of the command line. A price comparison uses the
    // ledger's arithmetic, which also runs in browsers.
    console: [
      '#web/ui/',
      '#web/generated/',
      '#web/console/',
      '#sdk/',
      '#cli/operations/',
      '#cli/output/',
      '#money/',
      '#safe-text/',
      '#explain/amounts-in-explanation-text.ts',
      // The pages use the server's table of provider kinds, and its rules to select the rates that a price needs.
      '#domain/accounts/provider-kinds.ts',
      '#domain/prices/price-dimensions-required-by-kind.ts',
      '#domain/prices/price-dimensions-required-in-bundle.ts',
      '#domain/reports/table-of-request-figures.ts',
      // The brand preview must compute the contrast of text on a color in the same way as the server.
      '#operations/brand/shared/text-contrast-on-color.ts',
      '#operations/brand/shared/readable-brand-colors.ts',
    ],
    // Phones load the portal, so the portal imports nothing from the console. The portal must write amounts into CSV
    // files in the same way as the server.
    portal: [
      '#web/ui/',
      '#web/portal/',
      '#sdk/',
      '#safe-text/',
      '#explain/amounts-in-explanation-text.ts',
      '#money/amount.ts',
      '#money/periods-and-windows.ts',
      '#money/price.ts',
    ],
  }
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => /\.tsx?$/.test(file) && file.includes('/') && !/\.test\.tsx?$/.test(file))
  const used = sources.flatMap((file) =>
    Array.from(readFileSync(join(folder, file), 'utf8').matchAll(importPattern)).map((match) => ({
      file,
      floor: file.split('/')[0] ?? '',
      target: match[1] ?? match[2] ?? match[3] ?? '',
    })),
  )
  const told = (wrong: typeof used): string[] => wrong.map(({ file, target }) => `${file} -> ${target}`)

  it('each layer of web/ imports only the layers that the table allows, and nothing from Node', () => {
    const wrong = used.filter(({ file, floor, target }) => {
      if (target.startsWith('node:')) return true
      if (target.startsWith('.')) return !join(file, '..', target).startsWith(`${floor}${sep}`)
      return target.startsWith('#') && !mayUse[floor]?.some((prefix) => target.startsWith(prefix))
    })
    expect(told(wrong)).toEqual([])
  })

  it('code that two pages need is not in the folder of one page', () => {
    const pageOf = (path: string): string | undefined => /^(\w+\/pages\/[^/]+)\//.exec(path)?.[1]
    const wrong = used.filter(({ file, target }) => {
      if (pageOf(file) === undefined) return false
      const path = target.startsWith('#web/')
        ? target.slice(5)
        : join(file, '..', target).split(sep).join('/')
      return target.startsWith('#web/') || target.startsWith('.')
        ? pageOf(path) !== undefined && pageOf(path) !== pageOf(file)
        : false
    })
    expect(told(wrong)).toEqual([])
  })

  it('no comment announces unfinished work', () => {
    const wrong = sources.filter((file) =>
      /\b(TODO|FIXME|XXX)\b/.test(readFileSync(join(folder, file), 'utf8')),
    )
    expect(wrong).toEqual([])
  })
})
