/** The document, to linters that are not ours. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import openapi from '../../openapi.json' with { type: 'json' }
import examples from '../../src/http/examples.json' with { type: 'json' }
import { operations } from '#operations/index.ts'

const document: {
  readonly components: { readonly schemas: object }
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses?: object }>>>>
} = openapi

const root = fileURLToPath(new URL('../../', import.meta.url))

describe('openapi.json', () => {
  it('passes the strictest rules of @redocly/cli without a warning', async () => {
    const words = ['lint', 'openapi.json', '--config', 'redocly.yaml', '--format', 'json']
    const { stdout } = await promisify(execFile)(`${root}node_modules/.bin/redocly`, words, {
      cwd: root,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    const { problems, totals }: { problems: unknown[]; totals: object } = JSON.parse(stdout)
    expect(problems).toEqual([])
    expect(totals).toMatchObject({ errors: 0, warnings: 0 })
  })

  it('has one name for what several answers have in common, and so the SDKs one type', () => {
    const places = new Map<string, string[]>()
    const visit = (value: unknown, place: string): void => {
      if (typeof value !== 'object' || value === null) return
      if ('properties' in value && isObject(value.properties) && Object.keys(value.properties).length >= 3) {
        const shape = JSON.stringify(withoutWords(value))
        places.set(shape, [...(places.get(shape) ?? []), place])
      }
      for (const [name, part] of Object.entries(value)) visit(part, `${place}/${name}`)
    }
    visit(document.components.schemas, 'schemas')
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { responses }] of Object.entries(methods)) visit(responses, `${method} ${path}`)
    expect(places.size).toBeGreaterThan(50)
    expect([...places.values()].filter((all) => all.length > 1)).toEqual([])
  })

  it('has an example of every operation', () => {
    expect(Object.keys(examples).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
  })
})

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The shape alone: what is said of it may differ from place to place. */
function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords)
  if (!isObject(value)) return value
  const parts = Object.entries(value).filter(
    ([name]) => !['description', 'examples', 'example'].includes(name),
  )
  return Object.fromEntries(
    parts
      .map(([name, part]) => [name, withoutWords(part)])
      .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
  )
}
