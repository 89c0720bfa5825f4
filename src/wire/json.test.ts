import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf, textOf } from './byte-text.ts'
import {
  after,
  endOf,
  inside,
  kindOf,
  kinds,
  member,
  numberAt,
  parseJson,
  startOf,
  stringAt,
  valueOf,
} from './json.ts'
import type { Json, Node } from './json.ts'

function parsed(text: string): Json {
  const json = parseJson(byteTextOf(text))
  if ('reason' in json) throw new Error(json.reason)
  return json
}

function toValue(json: Json, node: Node): unknown {
  switch (kindOf(json, node)) {
    case kinds.object: {
      const out: Record<string, unknown> = Object.create(null)
      for (let key = inside(node); key < after(json, node); key = after(json, valueOf(key))) {
        out[stringAt(json, key)] = toValue(json, valueOf(key))
      }
      return out
    }
    case kinds.array: {
      const out: unknown[] = []
      for (let item = inside(node); item < after(json, node); item = after(json, item))
        out.push(toValue(json, item))
      return out
    }
    case kinds.string:
      return stringAt(json, node)
    case kinds.number:
      return numberAt(json, node)
    case kinds.true:
      return true
    case kinds.false:
      return false
    default:
      return null
  }
}

const plain = (value: unknown): string => JSON.stringify(value)

describe('parseJson', () => {
  it('reads what JSON.parse reads, whatever the value and the spacing', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 1, 3), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent)
        expect(plain(toValue(parsed(spaced), 0))).toBe(plain(JSON.parse(spaced)))
      }),
      { numRuns: 2000 },
    )
  })

  it('accepts and refuses exactly what JSON.parse does, for mutated texts', () => {
    const mutation = fc.tuple(
      fc.json({ maxDepth: 4 }),
      fc.nat(),
      fc.constantFrom(...'{}[]",:\\e.-+0x \n\u0001tu'.split('')),
    )
    fc.assert(
      fc.property(mutation, ([text, at, character]) => {
        const broken =
          text.slice(0, at % (text.length + 1)) + character + text.slice((at % (text.length + 1)) + 1)
        let isJson = true
        try {
          JSON.parse(broken)
        } catch {
          isJson = false
        }
        expect('tape' in parseJson(byteTextOf(broken))).toBe(isJson)
      }),
      { numRuns: 20_000 },
    )
  })

  it('gives the byte span of every value', () => {
    const json = parsed('{ "ключ" : [1, {"a":"é"} ] , "model" : "x" }')
    const node = member(json, 0, 'model')
    expect(textOf(json.text.slice(startOf(json, node), endOf(json, node)))).toBe('"x"')
    const list = valueOf(inside(0))
    const second = after(json, inside(list))
    expect(stringAt(json, member(json, second, 'a'))).toBe('é')
  })

  it('knows a key by its meaning and not by its spelling', () => {
    expect(stringAt(parsed('{"mod\\u0065l":"a"}'), member(parsed('{"mod\\u0065l":"a"}'), 0, 'model'))).toBe(
      'a',
    )
  })

  it('takes depth 64 and refuses 65, 5,000 and 100,000 at once', () => {
    expect('tape' in parseJson(byteTextOf('['.repeat(64) + ']'.repeat(64)))).toBe(true)
    for (const depth of [65, 5000, 100_000]) {
      expect(parseJson(byteTextOf('['.repeat(depth) + ']'.repeat(depth)))).toEqual({
        reason: 'it is nested deeper than 64',
      })
    }
  })

  it('refuses more values than it should hold, quickly', () => {
    const started = performance.now()
    const answer = parseJson(byteTextOf(`[${'1,'.repeat(1_000_000)}1]`))
    expect(answer).toEqual({ reason: 'it has more than 150000 values' })
    expect(performance.now() - started).toBeLessThan(500)
  })

  it('reads long strings as JSON.parse does, whatever stands in them', () => {
    const piece = fc.oneof(
      fc.integer({ min: 1, max: 700 }).map((length) => 'a'.repeat(length)),
      fc.constantFrom('\\n', '\\"', '\\\\', '\\u00e9', '\\u12', '\\x', '"', '\n', '\x00', 'é', '{', '\\'),
    )
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 6 }), { minLength: 1, maxLength: 4 }), (strings) => {
        const text = `[${strings.map((pieces) => `"${pieces.join('')}"`).join(',')}]`
        let expected: unknown = null
        try {
          expected = JSON.parse(text)
        } catch {
          // What JSON.parse refuses is refused here.
        }
        const json = parseJson(byteTextOf(text))
        if ('reason' in json) expect(expected, text).toBeNull()
        else expect(toValue(json, 0), text).toEqual(expected)
      }),
      { numRuns: 2000 },
    )
  })
})
