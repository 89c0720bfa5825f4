import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { byteTextOf, textOf } from './byte-text.ts'
import { countsOf } from '#wire/bound/bound-tokens-of-any-text.ts'
import { JsonParser, parseJson } from './json-parser.ts'
import {
  after,
  endOf,
  inside,
  isData,
  kindOf,
  kinds,
  member,
  numberAt,
  startOf,
  stringAt,
  valueOf,
} from './json-tape.ts'
import type { JsonFault, JsonLimits } from './json-limits.ts'
import type { Json, Node } from './json-tape.ts'
import { TextCounting } from '#wire/bound/count-large-body-in-steps.ts'

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

/** @param windowBytes size of the pieces in which the body arrives */
function parsedAsItComes(
  text: string,
  windowBytes: number,
  stepBytes: number,
  limits?: JsonLimits,
): Json | JsonFault {
  let come = Math.min(windowBytes, text.length)
  const parser = new JsonParser(text.slice(0, come), limits, undefined, come === text.length)
  while (!parser.step(stepBytes)) {
    if (come === text.length) continue
    const from = parser.at
    come = Math.min(come + windowBytes, text.length)
    parser.goOn(text.slice(from, come), come === text.length)
  }
  return parser.result(text)
}

const plain = (value: unknown): string => JSON.stringify(value)

function sketch(json: Json | JsonFault): unknown {
  return 'reason' in json ? json : [json.data, Array.from(json.tape.slice(0, after(json, 0)))]
}

describe('parseJson', () => {
  it('parseJson reads the same as JSON.parse, for any value and spacing', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 1, 3), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent)
        expect(plain(toValue(parsed(spaced), 0))).toBe(plain(JSON.parse(spaced)))
      }),
      sampledRuns(2000),
    )
  })

  it('parseJson accepts and rejects the same mutated texts as JSON.parse', () => {
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
      sampledRuns(20_000),
    )
  })

  it('parseJson records the byte range of every value', () => {
    const json = parsed('{ "ключ" : [1, {"a":"é"} ] , "model" : "x" }')
    const node = member(json, 0, 'model')
    expect(textOf(json.text.slice(startOf(json, node), endOf(json, node)))).toBe('"x"')
    const list = valueOf(inside(0))
    const second = after(json, inside(list))
    expect(stringAt(json, member(json, second, 'a'))).toBe('é')
  })

  it('a key is identified by its decoded text and not by its spelling', () => {
    expect(stringAt(parsed('{"mod\\u0065l":"a"}'), member(parsed('{"mod\\u0065l":"a"}'), 0, 'model'))).toBe(
      'a',
    )
  })

  it('a nesting depth of 64 is accepted, and depths of 65, 5,000 and 100,000 are rejected immediately', () => {
    expect('tape' in parseJson(byteTextOf('['.repeat(64) + ']'.repeat(64)))).toBe(true)
    for (const depth of [65, 5000, 100_000]) {
      expect(parseJson(byteTextOf('['.repeat(depth) + ']'.repeat(depth)))).toEqual({
        reason: 'it is nested deeper than 64',
      })
    }
  })

  it('a text with too many values is rejected quickly', () => {
    const text = byteTextOf(`[${'1,'.repeat(1_000_000)}1]`)
    expect(parseJson(text)).toEqual({ reason: 'it has more than 150000 values' })
    withinCpu(500, () => parseJson(text))
  })

  it('long strings are read as by JSON.parse, for any content', () => {
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
          // This parser must also reject what JSON.parse rejects.
        }
        const json = parseJson(byteTextOf(text))
        if ('reason' in json) expect(expected, text).toBeNull()
        else expect(toValue(json, 0), text).toEqual(expected)
      }),
      sampledRuns(2000),
    )
  })
})

describe('JsonParser', () => {
  it('JsonParser gives the same result whether it parses in steps of any size or in one step', () => {
    const text = fc.oneof(
      fc.json({ maxDepth: 6 }),
      fc.string({
        unit: fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '1', ' ', '\\', 'a'),
        maxLength: 40,
      }),
    )
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (each, bytes) => {
        const parser = new JsonParser(byteTextOf(each))
        while (!parser.step(bytes));
        const stepped = parser.result()
        const whole = parseJson(byteTextOf(each))
        if ('reason' in whole) expect(stepped).toEqual(whole)
        else expect('tape' in stepped && plain(toValue(stepped, 0))).toBe(plain(toValue(whole, 0)))
        expect(sketch(parsedAsItComes(byteTextOf(each), bytes, 1_000))).toEqual(sketch(whole))
        expect(sketch(parsedAsItComes(byteTextOf(each), 3, bytes))).toEqual(sketch(whole))
      }),
      sampledRuns(2000),
    )
  })

  it('JsonParser gives the same result if it pauses anywhere in a long string, including base64', () => {
    const piece = fc.oneof(
      fc.integer({ min: 1, max: 6000 }).map((length) => 'abcdEFG+'.repeat(length / 8 + 1)),
      fc.constantFrom('\\n', '\\/', '\\"', '\\u00e9', '\\u12', 'é', '!', '\n', ' '),
    )
    const field = fc.tuple(fc.constantFrom('data', 'url', 'text'), fc.array(piece, { maxLength: 5 }))
    const limits = { depthMax: 64, valuesMax: 1000, textBytesMax: 15_000 }
    fc.assert(
      fc.property(fc.array(field, { maxLength: 4 }), fc.integer({ min: 1, max: 3000 }), (members, bytes) => {
        const text = byteTextOf(
          `{${members.map(([key, pieces]) => `"${key}":"${'abcd'.repeat(70)}${pieces.join('')}"`).join(',')}}`,
        )
        const parser = new JsonParser(text, limits)
        while (!parser.step(bytes));
        const stepped = parser.result()
        const whole = parseJson(text, limits)
        // If a body is too large and has another fault, either fault may be reported.
        const found = (json: Json | JsonFault): unknown => ('reason' in json ? 'a fault' : sketch(json))
        expect(found(parsedAsItComes(text, bytes, 1_000_000, limits))).toEqual(found(whole))
        expect(found(parsedAsItComes(text, bytes, 700, limits))).toEqual(found(whole))
        if ('reason' in whole || 'reason' in stepped) {
          expect(found(stepped)).toEqual(found(whole))
          return
        }
        expect(stepped.data).toEqual(whole.data)
        expect(toValue(stepped, 0)).toEqual(toValue(whole, 0))
        const counting = new TextCounting(stepped)
        while (!counting.step(bytes));
        const data = stepped.data.reduce((sum, at, i) => sum + (i % 2 === 0 ? -at : at), 0)
        const { boundBytes, thirds } = countsOf(text)
        expect(counting.counts).toEqual({ boundBytes: boundBytes - data, thirds: thirds - data })
      }),
      { numRuns: 1000 },
    )
  })

  it('a mutated text that arrives in pieces gives the same result as the whole text', () => {
    const mutation = fc.tuple(
      fc.json({ maxDepth: 4 }),
      fc.nat(),
      fc.constantFrom(...'{}[]",:\\e.-+0x \n\u0001tu'.split('')),
    )
    fc.assert(
      fc.property(mutation, fc.integer({ min: 1, max: 30 }), ([json, place, character], windowBytes) => {
        const at = place % (json.length + 1)
        const text = byteTextOf(json.slice(0, at) + character + json.slice(at))
        expect(sketch(parsedAsItComes(text, windowBytes, 100))).toEqual(sketch(parseJson(text)))
      }),
      sampledRuns(3000),
    )
  })

  it('a fault in a body is reported before the rest of the body has arrived', () => {
    const parser = new JsonParser(`{"a":1 "b":"${'b'.repeat(500_000)}`, undefined, undefined, false)
    expect(parser.step(1_000_000)).toBe(true)
    expect(parser.fault).toEqual({ reason: 'unexpected character where , or } should be at byte 7' })
    const large = new JsonParser(
      `{"a":"${'b'.repeat(2_000)}`,
      { depthMax: 9, valuesMax: 9, textBytesMax: 1_000 },
      undefined,
      false,
    )
    expect(large.step(1_000_000)).toBe(true)
    expect(large.fault).toMatchObject({ isTooLarge: true })
  })

  it('a step reads only about the requested number of bytes, even within a string', () => {
    const parser = new JsonParser(
      byteTextOf(JSON.stringify(Array.from({ length: 1000 }, () => 'a'.repeat(90)))),
    )
    let steps = 1
    while (!parser.step(900)) steps++
    expect(steps).toBeGreaterThan(90)
    const long = new JsonParser(byteTextOf(JSON.stringify('\n'.repeat(100_000))))
    while (!long.step(900)) steps++
    expect(steps).toBeGreaterThan(300)
  })
})

describe('the limits of a text', () => {
  const limits = { depthMax: 64, valuesMax: 10_000, textBytesMax: 20_000 }
  const tooLarge = { reason: 'its text is larger than 20000 bytes', isTooLarge: true }
  const base64 = ('abcd'.repeat(16) + 'EFGH+/12').repeat(800)

  it.each([
    ['a string', (n: number) => `"${'a'.repeat(n - 2)}"`],
    ['a string of escapes', (n: number) => `"${'\\n'.repeat((n - 2) / 2)}"`],
    ['white space', (n: number) => `${' '.repeat(n - 2)}[]`],
    ['white space behind', (n: number) => `[]${' '.repeat(n - 2)}`],
    ['texts', (n: number) => `[${'"aaaaaa",'.repeat((n - 2) / 10 - 1)}"aaaaaa"]`.padEnd(n)],
    ['base64 that is no medium', (n: number) => `{"text":"${'a'.repeat(n - 11)}"}`],
    ['base64 that is a list’s', (n: number) => `{"data":["${'a'.repeat(n - 13)}"]}`],
    ['a medium with one sign that no base64 has', (n: number) => `{"data":"${'a'.repeat(n - 12)}!"}`],
    ['a medium of escapes', (n: number) => `{"data":"a${'\\/'.repeat((n - 12) / 2)}"}`],
  ])('%s may have the maximum number of bytes, but not one byte more', (_, of) => {
    expect(of(20_000).length).toBe(20_000)
    expect('tape' in parseJson(of(20_000), limits)).toBe(true)
    expect('tape' in parseJson(of(20_002), limits)).toBe(false)
    expect(parseJson(of(20_002), limits)).toMatchObject(tooLarge)
    expect(parsedAsItComes(of(20_002), 3_000, 1_000_000, limits)).toMatchObject(tooLarge)
    expect('tape' in parsedAsItComes(of(20_000), 3_000, 1_000_000, limits)).toBe(true)
  })

  it.each([
    ['data', base64],
    ['url', `data:image/png;base64,${base64}`],
    ['image_url', `data:image/png;base64,${base64}`],
    ['file_data', base64.replaceAll('+', '-').replaceAll('/', '_')],
    ['data', base64.replaceAll('/', '\\/')],
    ['data', base64.replaceAll(/.{76}/g, '$&\\r\\n')],
  ])('base64 as %s does not count as text', (name, data) => {
    const text = `{"a":"${'a'.repeat(9000)}","${name}":"${data}","b":[{"${name}":"${data}"}],"c":"${'a'.repeat(9000)}"}`
    const json = parseJson(text, limits)
    if ('reason' in json) throw new Error(json.reason)
    expect(isData(json, member(json, 0, name))).toBe(true)
    expect(kindOf(json, member(json, 0, name))).toBe(kinds.string)
    expect(toValue(json, 0)).toEqual(JSON.parse(text))
    expect(sketch(parsedAsItComes(text, 3_000, 1_000_000, limits))).toEqual(sketch(json))
    expect(parseJson(text.replace('"c":"', `"c":"${'a'.repeat(2000)}`), limits)).toEqual(tooLarge)
  })

  it('a number has at most 4 KiB, a key at most 16 KiB, and white space at most 64 KiB', () => {
    const fault = (text: string): string | null => {
      const json = parseJson(byteTextOf(text))
      expect(sketch(parsedAsItComes(text, 10_000, 1_000_000))).toEqual(sketch(json))
      return 'reason' in json ? json.reason : null
    }
    for (const number of ['1', '0.', '-1e'])
      expect(fault(number + '1'.repeat(4096))).toBe('a number is longer than 4096 bytes')
    expect(fault('1'.repeat(4095))).toBeNull()
    const space = ' '.repeat(65_536)
    for (const at of [0, 1, 4, 5, 6, 7]) {
      const spaced = '{"a":1}'.slice(0, at) + space + '{"a":1}'.slice(at)
      expect(fault(spaced)).toBeNull()
      expect(fault(spaced.replace(' ', '  '))).toBe('white space is longer than 65536 bytes')
    }
    expect(fault(`{"${'a'.repeat(16_382)}":1}`)).toBeNull()
    expect(fault(`{"${'a'.repeat(16_383)}":1}`)).toBe('a key is longer than 16384 bytes')
  })
})

describe('the first bytes of a text', () => {
  const mark = '\u00ef\u00bb\u00bf'

  it.each([
    [`${mark}{}`, 'it begins with a byte order mark; send UTF-8 without a byte order mark'],
    [` ${mark}{}`, 'unexpected character where a value should start at byte 1'],
    [`{"a":${mark}1}`, 'unexpected character where a value should start at byte 5'],
    ['\u00ef\u00bb{}', 'unexpected character where a value should start at byte 0'],
  ])('%j is rejected, and the reason names the mark if there is one', (text, reason) => {
    expect(parseJson(text)).toEqual({ reason })
    for (const windowBytes of [1, 2, 3, 8]) expect(parsedAsItComes(text, windowBytes, 1)).toEqual({ reason })
  })
})

describe('member', () => {
  it('`member` finds a key in any spelling, and detects a repeated key', () => {
    const key = fc
      .tuple(
        fc.constantFrom('type', 'data', 'typo', 'typ', 'types', 'detail'),
        fc.array(fc.boolean(), { maxLength: 6 }),
      )
      .map(([name, escaped]) =>
        name
          .split('')
          .map((letter, i) =>
            escaped[i] ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter,
          )
          .join(''),
      )
    fc.assert(
      fc.property(fc.array(key, { maxLength: 6 }), (keys) => {
        const text = `{${keys.map((each, i) => `"${each}":${i}`).join(',')}}`
        const json = parsed(text)
        const value: Record<string, unknown> = JSON.parse(text)
        const found = member(json, 0, 'type')
        expect(found < 0 ? undefined : numberAt(json, found)).toBe(value.type)
        const isTwice = keys.filter((each) => JSON.parse(`"${each}"`) === 'type').length > 1
        expect(json.repeated).toBe(isTwice ? 'type' : null)
      }),
      sampledRuns(2000),
    )
  })
})
