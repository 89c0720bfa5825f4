/** Checks generated files, files that must name the same things, and the citations in comments. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { errors } from '#domain/errors.ts'
import { kindFacts, providerKindNames } from '#domain/accounts/provider-kinds.ts'
import { emitterKindFacts, emitterKindNames } from '#domain/emitters/emitter-kinds.ts'
import { errorsOf } from '#http/errors-of-operation.ts'
import { openapiDocument } from '#http/openapi/openapi-document.ts'
import { operations } from '#operations/index.ts'
import { nounOf, nouns } from '#operations/kernel/list-of-nouns.ts'
import { generatedFiles } from '../tools/generate/generated-files.ts'
import { casesOfResource, worstCases } from './support/greedy-tenant-cases.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
describe('generated files', () => {
  for (const [name, text] of Object.entries(generatedFiles())) {
    it(`${name} is the output of \`npm run generate\``, () => {
      expect(readFileSync(join(root, name), 'utf8') === text, `${name} is old: run npm run generate`).toBe(
        true,
      )
    })
  }

  it('openapi.json is a valid OpenAPI 3.1 document for an external validator', async () => {
    const answer = await new Validator().validate(readFileSync(join(root, 'openapi.json'), 'utf8'))
    expect(answer).toEqual({ valid: true })
  })
})

describe('the table of shared resources', () => {
  it('every resource of the table has a case in the test of one abusive tenant', () => {
    const lines = readFileSync(join(root, 'docs/reference/shared-resources.md'), 'utf8').split('\n')
    const rows = lines
      .filter((line) => /^\| (?!Resource |---)/.test(line))
      .map((line) => line.split(' | ')[0]?.slice(2))
    expect(rows).toEqual(Object.keys(casesOfResource))
    const named = new Set(Object.values(casesOfResource).flat())
    expect(named).toEqual(new Set(Object.keys(worstCases)))
    for (const [resource, cases] of Object.entries(casesOfResource)) expect(cases, resource).not.toEqual([])
  })
})

describe('the table of PostgreSQL features', () => {
  const store = join(root, 'src/store')
  const rows = readFileSync(join(root, 'docs/reference/postgres-features.md'), 'utf8')
    .split('## Other engines')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)),
    )
  const files = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      /(?:\.ts|\.sql)$/.test(file) &&
      !/\.(?:test\.ts|sqlite\.sql)$/.test(file) &&
      !file.startsWith('sqlite/'),
  )
  // A comment that names a PostgreSQL feature does not count as a use of the feature.
  const code = new Map(
    files.map((file) => [
      file,
      readFileSync(join(store, file), 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/|--).*$|\/\/ .*$/gm, ''),
    ]),
  )

  it.each(rows ?? [])(
    'row %# of the table names every file that uses the feature, and no other file',
    (_, features, named) => {
      const uses = (text: string): boolean =>
        features?.some((feature) => new RegExp(`(?<![\\w'])${feature}(?!\\w)`).test(text)) ?? false
      expect(
        [...code]
          .filter(([, text]) => uses(text))
          .map(([file]) => file)
          .toSorted(),
      ).toEqual(named)
    },
  )
})

describe('the table of operations', () => {
  for (const operation of operations) {
    it(`${operation.id} is in the file with its name`, () => {
      const [noun = '', verb = noun] = operation.id.split('.')
      const file = verb.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      expect(existsSync(join(root, 'src/operations', noun, `${file}.ts`))).toBe(true)
    })

    it(`${operation.id} has a description in full sentences`, () => {
      expect(operation.summary).toMatch(/^[A-Z][^.]*$/)
      expect(operation.description).toMatch(/^[A-Z].*[.)]$/s)
    })
  }

  it('every operation belongs to a noun in the list that orders the table', () => {
    expect(new Set(operations.map(nounOf))).toEqual(new Set(Object.keys(nouns)))
  })

  it('the table has every ID once, and every pair of method and path once', () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
    expect(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size).toBe(operations.length)
  })

  it('every file of an operation is in the table', () => {
    const files = readdirSync(join(root, 'src/operations'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .filter((file) =>
        /^export default \w+\(/m.test(readFileSync(join(root, 'src/operations', file), 'utf8')),
      )
    expect(files).toHaveLength(operations.length)
  })

  it('the table describes every field of every body, and every parameter', () => {
    const undescribed: string[] = []
    for (const [path, item] of Object.entries(openapiDocument(operations)['paths'] as Paths)) {
      for (const [method, operation] of Object.entries(item)) {
        for (const parameter of operation.parameters ?? []) {
          if (!('$ref' in parameter) && !parameter.description)
            undescribed.push(`${method} ${path} ${parameter.name}`)
        }
        const body = operation.requestBody?.content['application/json']?.schema
        for (const [name, field] of Object.entries(body?.properties ?? {})) {
          if (!('$ref' in field) && !field.description) undescribed.push(`${method} ${path} ${name}`)
        }
      }
    }
    expect(undescribed).toEqual([])
  })

  it('the table declares only codes that the error table has', () => {
    for (const operation of operations)
      for (const code of errorsOf(operation)) expect(errors[code]).toBeDefined()
  })
})

describe('docs/guides/prices.md', () => {
  const guide = readFileSync(join(root, 'docs/guides/prices.md'), 'utf8')

  it.each(providerKindNames)('the guide of prices lists the required rates of provider kind %s', (kind) => {
    const row = guide.split('\n').find((line) => line.split('|')[1]?.includes(`\`${kind}\``))
    const listed = Array.from(row?.split('|')[2]?.matchAll(/`(\w+)`/g) ?? [], ([, name]) => name)
    expect(listed).toEqual(kindFacts(kind).reportedDimensions)
  })
})

describe('the tables of kinds in the guides', () => {
  const cellsOf = (page: string, kind: string): string[] => {
    const lines = readFileSync(join(root, 'docs/guides', page), 'utf8').split('\n')
    const rows = lines.map((line) => line.split('|').map((cell) => cell.trim()))
    return rows.find(([, first]) => first === `\`${kind}\``) ?? []
  }
  const codesIn = (cell = ''): string[] => Array.from(cell.matchAll(/`(\w+)`/g), ([, code = '']) => code)

  it.each(providerKindNames)('the guide of provider accounts has the defaults of kind %s', (kind) => {
    const { baseUrl, onClientLeft } = kindFacts(kind)
    const cells = cellsOf('providers.md', kind)
    if (baseUrl !== null) expect(cells[3]).toBe(`\`${baseUrl}\``)
    expect(codesIn(cells[6])).toEqual([onClientLeft])
  })

  it.each(emitterKindNames)('the guide of events has the required fields of emitter kind %s', (kind) => {
    const { credential, eventName, url } = emitterKindFacts(kind)
    const required = [url === null ? 'url' : null, credential, eventName].filter((name) => name !== null)
    expect(codesIn(cellsOf('events.md', kind)[3])).toEqual(required)
  })
})

/** Documents use these words as placeholders for names. */
const examples: ReadonlySet<string> = new Set(['NNNN-name.sql', 'folder/x.ts'])

describe('citations in comments', () => {
  const files = globSync(['*.*', '{src,tests,bench,tools,docs,prices,sdk,vendor}/**/*.*'], {
    cwd: root,
    exclude: (path) => basename(path) === 'node_modules',
  })
  const sources = files.filter((file) => /^(?:src|tests|bench|tools|sdk)\/.*\.(?:ts|mjs|sql)$/.test(file))
  const cited = sources.flatMap((file) =>
    commentsOf(readFileSync(join(root, file), 'utf8')).map((comment) => ({ file, comment })),
  )

  it('each cited file exists in the repository', () => {
    const named = new Set(files.flatMap(endsOf))
    const missing = cited.flatMap(({ file, comment }) =>
      // Web addresses and files of other projects are excluded.
      Array.from(
        comment.matchAll(/(?<![\w/.:@<-])[\w-]+(?:\/[\w.-]+)*\.(?:ts|sql|mjs|md)\b/g),
        ([name]) => name,
      )
        .filter((name) => !named.has(name) && !examples.has(name))
        .map((name) => `${file} cites ${name}`),
    )
    expect(missing).toEqual([])
  })

  it('each cited heading exists on the cited page', () => {
    const missing = cited.flatMap(({ file, comment }) =>
      Array.from(comment.matchAll(/(docs\/[\w/-]+\.md)((?:,? "[^"]+")+)/g)).flatMap(
        ([, page = '', list = '']) => {
          const headings = headingsOf(page)
          return Array.from(list.matchAll(/"([^"]+)"/g), ([, heading = '']) => heading)
            .filter((heading) => !headings.has(heading))
            .map((heading) => `${file} cites ${page} "${heading}"`)
        },
      ),
    )
    expect(missing).toEqual([])
  })

  it('no comment cites a section of a document outside the repository', () => {
    const left = cited.flatMap(({ file, comment }) =>
      Array.from(
        comment.matchAll(/\bdesign \d+(?:\.\d+)?|\b[\w-]+\.md`? T?\d+(?:\.\d+)?|\(T\d+[,)]/g),
        ([text]) => `${file}: ${text}`,
      ),
    )
    expect(left).toEqual([])
  })

  function headingsOf(page: string): ReadonlySet<string> {
    if (!existsSync(join(root, page))) return new Set()
    return new Set(
      Array.from(readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.*)$/gm), ([, text = '']) => text),
    )
  }
})

describe('ARCHITECTURE.md', () => {
  const files = globSync('{src,web,tests,tools,bench,sdk,docs}/**/*.*', {
    cwd: root,
    exclude: (path) => basename(path) === 'node_modules',
  })
  /** Texts with the form of file names. */
  const others: ReadonlySet<string> = new Set(['text/html', 'x-demo-tenant', 'data-micros'])

  it('each file and folder that ARCHITECTURE.md names exists', () => {
    const folders = new Set(files.flatMap((file) => beginningsOf(dirname(file))))
    const paths = [...folders, ...files, ...files.map((file) => file.replace(/\.\w+$/, ''))]
    const known = new Set(paths.flatMap(endsOf))
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    const diagrams = Array.from(text.matchAll(/^```\n[^]*?^```/gm), ([diagram]) => diagram).join('\n')
    const named = [
      ...text.matchAll(/`([a-z][\w.-]*(?:[/-][\w.-]+)+)\/?`/g),
      ...diagrams.matchAll(/(?<![\w<>/-])([a-z]+(?:[/-][a-z]+)+)(?![\w/<-])/g),
    ].map(([, name = '']) => name)
    const missing = named.filter((name) => !known.has(name) && !others.has(name))
    expect(missing).toEqual([])
    expect(named.length).toBeGreaterThan(100)
  })
})

/** Also returns test titles. Each comment and each title is one line. */
function commentsOf(text: string): string[] {
  const blocks = text.match(
    /\/\*\*?[^]*?\*\/|(?:^[ \t]*(?:\/\/|--).*\n)+|\/\/ .*|(?<=\b(?:it|test|describe)\()'.*'/gm,
  )
  return (blocks ?? []).map((block) => block.replace(/\n\s*(?:\*|\/\/|--) ?/g, ' '))
}

function beginningsOf(folder: string): string[] {
  const parts = folder.split('/')
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** A comment may cite a file with or without its folders. */
function endsOf(file: string): string[] {
  const parts = file.split('/')
  return parts.map((_, at) => parts.slice(at).join('/'))
}

interface Described {
  readonly description?: string
}
type Paths = Record<
  string,
  Record<
    string,
    {
      readonly parameters?: readonly (Described & { readonly name: string })[]
      readonly requestBody?: {
        readonly content: {
          /** Uploaded files have another media type. */
          readonly 'application/json'?: {
            readonly schema: { readonly properties?: Record<string, Described> }
          }
        }
      }
    }
  >
>
