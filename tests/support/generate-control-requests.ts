/**
 * About half of the generated requests remain valid. A request with a single fault reaches more checks of the server
 * than random noise.
 */
import { demoTenantSlugs } from '#demo/demo-tier.ts'
import { openapiDocument } from '#http/openapi/openapi-document.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import type { CallOptions } from './control-plane-without-socket.ts'
import type { Random } from './seeded-random.ts'
import { callerOf, type Sample } from './valid-request-of-every-operation.ts'

export interface GeneratedRequest {
  readonly operation: Operation
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly hasToken: boolean
  /** The caller of an operation that the organization's token may not call. */
  readonly caller: Pick<CallOptions, 'session' | 'token'>
}

type Json = { readonly [key: string]: unknown }

const document: Json = JSON.parse(JSON.stringify(openapiDocument(operations)))

const oddTexts: readonly string[] = [
  '',
  ' ',
  '0',
  '-0',
  '-1',
  '+1',
  '01',
  '1e3',
  '1.0',
  '0x1F',
  '٣',
  '1000000000000000',
  '1000000000000001',
  '9223372036854775808',
  '9'.repeat(400),
  'null',
  'true',
  'x'.repeat(64),
  'x'.repeat(257),
  'ü'.repeat(255),
  '😀'.repeat(128),
  'x'.repeat(70_000),
  '\u0000',
  'a\u0000b',
  'a\nb',
  '\u2028',
  '\u202eabc',
  '\ufeff',
  '\ud800',
  'e\u0301',
  'ﷺ',
  '../../etc/passwd',
  "' OR 1=1 --",
  '%',
  '_%',
  '*',
  'a*b',
  '__proto__',
  'constructor',
  'toString',
  '<img src=x onerror=1>',
  '=HYPERLINK("x")',
  'http://169.254.169.254/',
  'https://[::1]/v1',
  'https://user:password@example.com/v1',
  'file:///etc/passwd',
  '2026-02-30T00:00:00Z',
  '2026-11-20T12:00:00Z',
  '2026-11-20T12:00:00+14:00',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  'one@example.com',
  'a@b',
]
const oddHeaders = oddTexts.filter((text) => /^[\u0020-\u00ff]*$/.test(text) && text.length < 5000)
const oddNumbers = [0, -0, -1, 1, 0.5, -2147483649, 2147483648, 2 ** 53, -(2 ** 53), 1e21, 1e308, 5e-324]
const oddEncodings = [
  '%',
  '%zz',
  '%2',
  '%00',
  '%2F',
  '%252F',
  '%2e%2e',
  '..',
  '.',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '%F0%9F%98%80',
  '%20',
  '+',
  ';x=1',
  '//',
  '\\',
  '%0d%0a',
  'x'.repeat(3000),
]
const mediaTypes = [
  '',
  'text/plain',
  'application/json; charset=utf-16',
  'application/json;charset="utf-8"',
  'APPLICATION/JSON',
  'application/json, text/plain',
  'application/jsonx',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
]

/** @param sampleOf a valid request of the operation, on the world of the test */
export class RequestGenerator {
  readonly #random: Random
  readonly #samples: ReadonlyMap<string, Sample>
  /** Names and IDs of the samples, which the generator also uses in fields to which they do not belong. */
  readonly #known: readonly string[]
  readonly #matching = new Map<unknown, readonly string[]>()

  constructor(random: Random, sampleOf: (operation: Operation) => Sample) {
    this.#random = random
    this.#samples = new Map(operations.map((operation) => [operation.id, sampleOf(operation)]))
    this.#known = [...new Set(textsIn([...this.#samples.values()]))]
  }

  next(): GeneratedRequest {
    const random = this.#random
    const operation = random.pick(operations)
    const sample = this.#samples.get(operation.id) ?? {}
    const isDemo = random.chance(0.03)
    const method = random.chance(0.01)
      ? random.pick(['HEAD', 'OPTIONS', 'PATCH', 'DELETE'])
      : operation.method
    const query = this.#query(operation, sample)
    const path = `${this.#path(operation, sample)}${query === '' ? '' : `?${query}`}`
    const hasBody =
      method !== 'GET' && method !== 'HEAD' && (operation.input.body !== null || random.chance(0.1))
    const body = hasBody ? this.#body(operation, sample) : undefined
    return {
      operation,
      method,
      path,
      headers: {
        ...this.#headers(),
        ...(sample.file && random.chance(0.7) && { 'content-type': sample.file.type }),
        ...(isDemo && { 'x-demo-tenant': random.pick([...demoTenantSlugs, 'nobody']) }),
      },
      ...(body !== undefined && { body }),
      hasToken: isDemo ? random.chance(0.1) : !random.chance(0.01),
      caller: callerOf(sample),
    }
  }

  #headers(): Record<string, string> {
    const random = this.#random
    const odd = random.pick(oddHeaders)
    const headers: Record<string, string> = { 'content-type': 'application/json', 'x-svc-app': 'acme' }
    if (random.chance(0.9)) return headers
    const name = random.pick([
      'content-type',
      'x-svc-app',
      'x-svc-mode',
      'idempotency-key',
      'if-match',
      'if-none-match',
      'content-encoding',
    ])
    const right: Readonly<Record<string, readonly string[]>> = {
      'x-svc-mode': ['live', 'test'],
      'content-type': mediaTypes,
      'idempotency-key': ['one', 'two'],
      'if-match': ['*', '"x"', 'W/"x"', '"a", "b"'],
      'if-none-match': ['*', '"x"'],
    }
    return { ...headers, [name]: random.chance(0.7) ? random.pick(right[name] ?? [odd]) : odd }
  }

  #path({ id, path }: Operation, sample: Sample): string {
    const random = this.#random
    return path.replace(/\{(\w+)\}/g, (_, name: string) => {
      if (random.chance(0.7)) return encodeURIComponent(sample.path?.[name] ?? '')
      if (random.chance(0.3)) return `${random.pick(['', 'a'])}${random.pick(oddEncodings)}`
      const schema = parameterOf(id, name)
      return encoded(
        random.chance(0.5) ? random.pick(this.#known) : this.#textOf(this.#valueOf(schema ?? {}, 0)),
      )
    })
  }

  #query(operation: Operation, sample: Sample): string {
    const random = this.#random
    const pairs: [string, string][] = Object.entries(sample.query ?? {})
    for (const name of Object.keys(operation.input.query.shape)) {
      if (random.chance(0.75)) continue
      const schema = parameterOf(operation.id, name) ?? {}
      const value = name === 'cursor' ? this.#cursor(operation) : this.#textOf(this.#valueOf(schema, 0))
      pairs.push([name, random.chance(0.3) ? random.pick(this.#known) : value])
    }
    if (random.chance(0.04)) pairs.push([random.pick(oddTexts), random.pick(oddTexts)])
    if (random.chance(0.02) && pairs[0]) pairs.push(pairs[0])
    const text = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
    return random.chance(0.02) ? `${text}&${random.pick(oddEncodings)}` : text
  }

  /** Returns a cursor in the list's own format, which may refer to a position without a row. */
  #cursor({ id }: Operation): string {
    const random = this.#random
    const at = random.pick<unknown>([0, -1, 1.5, Number.MAX_SAFE_INTEGER, 2 ** 53, '0', null])
    const position = random.chance(0.8) ? [at, random.pick([...this.#known, ...oddTexts])] : this.#odd(2)
    return `${random.chance(0.9) ? id : 'usage'}.${Buffer.from(JSON.stringify(position)).toString('base64url')}`
  }

  #body(operation: Operation, sample: Sample): string | Uint8Array<ArrayBuffer> {
    const random = this.#random
    if (operation.upload !== null)
      return sample.file && random.chance(0.4) ? new Uint8Array(sample.file.bytes) : this.#bytes()
    const schema = bodyOf(operation.id) ?? {}
    const whole = random.next()
    const value =
      whole < 0.55
        ? this.#changed(sample.body ?? {}, schema)
        : whole < 0.95
          ? this.#valueOf(schema, 0)
          : this.#odd(3)
    const text = JSON.stringify(value)
    return random.chance(0.85) ? text : this.#broken(text)
  }

  #changed(body: Json, schema: Json): Json {
    const random = this.#random
    const { properties } = resolved(schema)
    const fields = isJson(properties) ? Object.entries(properties) : []
    const changed: Record<string, unknown> = { ...body }
    for (let i = random.whole(0, 2); i > 0 && fields.length > 0; i--) {
      const [name, field] = random.pick(fields)
      if (random.chance(0.1)) delete changed[name]
      else changed[name] = random.chance(0.7) ? this.#valueOf(isJson(field) ? field : {}, 1) : this.#odd(3)
    }
    if (random.chance(0.03)) changed[random.pick(oddTexts)] = this.#odd(2)
    return changed
  }

  #valueOf(of: Json, depth: number): unknown {
    const random = this.#random
    if (random.chance(0.04)) return this.#odd(3)
    const schema = resolved(of)
    const choices = schema['anyOf'] ?? schema['oneOf']
    if (Array.isArray(choices)) return this.#valueOf(random.pick(choices), depth)
    if ('const' in schema) return schema['const']
    if (Array.isArray(schema['enum'])) return random.pick(schema['enum'])
    if (Array.isArray(schema['examples']) && random.chance(0.3)) return random.pick(schema['examples'])
    switch (schema['type']) {
      case 'string':
        return this.#string(schema)
      case 'integer':
      case 'number':
        return this.#number(schema)
      case 'boolean':
        return random.chance(0.5)
      case 'null':
        return null
      case 'array': {
        const most = Number(schema['maxItems'] ?? 3)
        const length = random.chance(0.02) ? Math.min(most + 1, 12_000) : random.whole(0, Math.min(most, 3))
        const items = isJson(schema['items']) ? schema['items'] : {}
        if (length > 100) return Array.from({ length }, () => random.pick(this.#known))
        return Array.from({ length }, () => (depth > 6 ? null : this.#valueOf(items, depth + 1)))
      }
      case 'object':
        return this.#object(schema, depth)
      default:
        return this.#odd(2)
    }
  }

  #object(schema: Json, depth: number): unknown {
    const random = this.#random
    if (depth > 6) return {}
    const required = Array.isArray(schema['required']) ? schema['required'] : []
    const fields = Object.entries(isJson(schema['properties']) ? schema['properties'] : {})
    const sent = fields.filter(([name]) => random.chance(required.includes(name) ? 0.95 : 0.3))
    const others = isJson(schema['additionalProperties']) ? schema['additionalProperties'] : null
    const extra = others ? random.whole(0, 2) : Number(random.chance(0.03))
    return Object.fromEntries([
      ...sent.map(([name, field]) => [name, this.#valueOf(isJson(field) ? field : {}, depth + 1)]),
      ...Array.from({ length: extra }, () => [random.pick(oddTexts), this.#valueOf(others ?? {}, depth + 1)]),
    ])
  }

  #string({ format, maxLength, minLength, pattern }: Json): string {
    const random = this.#random
    const right = this.#textsMatching(pattern)
    if (right.length > 0 && random.chance(0.7)) return random.pick(right)
    if (format === 'date-time') return new Date(random.whole(-1e13, 1e14)).toISOString()
    const bounds = [Number(minLength ?? 1), Number(maxLength ?? 64)]
    const length = Math.max(0, random.pick(bounds) + random.whole(-1, 1))
    return random.chance(0.5)
      ? random.pick(['a', '1', 'ß', '😀']).repeat(Math.min(length, 5000))
      : random.pick(oddTexts)
  }

  #textsMatching(pattern: unknown): readonly string[] {
    const found = this.#matching.get(pattern)
    if (found) return found
    const matches = typeof pattern === 'string' ? new RegExp(pattern, 'u') : /(?:)/
    const right = [...this.#known, ...oddTexts].filter((text) => matches.test(text))
    this.#matching.set(pattern, right)
    return right
  }

  #number({ maximum, minimum }: Json): number {
    const random = this.#random
    const bounds = [minimum, maximum].filter((bound) => typeof bound === 'number')
    if (bounds.length === 0 || random.chance(0.2)) return random.pick(oddNumbers)
    return random.pick(bounds) + random.whole(-1, 1)
  }

  #odd(depth: number): unknown {
    const random = this.#random
    switch (random.whole(0, depth > 0 ? 7 : 4)) {
      case 0:
        return null
      case 1:
        return random.chance(0.5)
      case 2:
        return random.pick(oddNumbers)
      case 3:
        return random.pick(oddTexts)
      case 4:
        return random.pick(this.#known)
      case 5:
        return Array.from({ length: random.whole(0, 3) }, () => this.#odd(depth - 1))
      case 6:
        return { [random.pick([...oddTexts, ...this.#known])]: this.#odd(depth - 1) }
      default:
        return deep(random.whole(1, 70))
    }
  }

  #broken(text: string): string | Uint8Array<ArrayBuffer> {
    const random = this.#random
    const at = random.whole(0, text.length)
    switch (random.whole(0, 7)) {
      case 0:
        return text.slice(0, at)
      case 1:
        return `${text.slice(0, at)}${random.pick(['"', '{', ']', ',', ':', '\\', '\u0000', '/**/'])}${text.slice(at)}`
      case 2:
        return text.replace(/"(\w)(\w*)":/, (key, first: string, rest: string) => {
          const escape = first.charCodeAt(0).toString(16).padStart(4, '0')
          return `${key}1,"${random.chance(0.5) ? first : `\\u${escape}`}${rest}":`
        })
      case 3:
        return text.replace(
          /(?<=:)(?:"[^"]*"|\d+)/,
          random.pick(['1e400', '01', 'NaN', '-', '"\\ud800"', '1E9999']),
        )
      case 4:
        return `\ufeff${text}`
      case 5:
        return `${'['.repeat(random.pick([65, 5000]))}${text}`
      case 6:
        return `${text.slice(0, -1)},${'"a":1,'.repeat(random.pick([1, 1000]))}"b":1}`
      default: {
        const bytes = new Uint8Array(Buffer.from(text))
        bytes[random.whole(0, Math.max(0, bytes.length - 1))] = random.whole(128, 255)
        return bytes
      }
    }
  }

  #bytes(): Uint8Array<ArrayBuffer> {
    const random = this.#random
    const head = random.pick([
      [],
      [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10],
      [0xff, 0xd8, 0xff],
      [82, 73, 70, 70],
    ])
    return Uint8Array.from([
      ...head,
      ...Array.from({ length: random.whole(0, 500) }, () => random.whole(0, 255)),
    ])
  }

  #textOf(value: unknown): string {
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  }
}

function deep(depth: number): unknown {
  return depth === 0 ? 1 : depth % 2 === 0 ? [deep(depth - 1)] : { a: deep(depth - 1) }
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed().slice(0, 4000).toWellFormed())
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const described = new Map(
  Object.values(isJson(document['paths']) ? document['paths'] : {})
    .flatMap((path) => Object.values(isJson(path) ? path : {}))
    .filter(isJson)
    .map((operation) => [operation['operationId'], operation]),
)

function parameterOf(id: string, name: string): Json | null {
  const parameters = described.get(id)?.['parameters']
  const found = Array.isArray(parameters)
    ? parameters.find((one) => isJson(one) && one['name'] === name)
    : null
  return isJson(found) && isJson(found['schema']) ? found['schema'] : null
}

function bodyOf(id: string): Json | null {
  const schema = partAt(described.get(id), 'requestBody', 'content', 'application/json', 'schema')
  return isJson(schema) ? schema : null
}

function resolved(schema: Json): Json {
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  const target = partAt(document, ...$ref.slice(2).split('/'))
  return isJson(target) ? target : {}
}

function partAt(from: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isJson(value) ? value[name] : undefined), from)
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
