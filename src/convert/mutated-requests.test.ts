import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { withinCpu } from '#tests/support/cpu-time.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { prepareConversion } from './prepare-conversion.ts'
import type { Destination } from '#convert/capabilities/capability-type.ts'
import { printValue } from '#wire/text/json-values.ts'
import { actionsFor, bodyOf, computers } from '#tests/fixtures/conversions/computer-tools.ts'
import { requests } from '#tests/fixtures/conversions/random-requests.ts'
import { isFault } from '#wire/wire-request.ts'
import { codecs } from './table-of-codecs.ts'
import { wires } from '#wire/table-of-wires.ts'

const to = (wire: WireName): Destination => ({ wire, model: 'gpt-6', origin: 'here', dialect: 'openai' })
const limits = { outputTokensMax: 5, outputTokensDefault: 5 }

/** Wrong values for the fields of a body: values of other types, several values, or no value. */
const wrong = fc.constantFrom(
  'null',
  '0',
  '-1',
  '1e999',
  '""',
  '"x"',
  '[]',
  '{}',
  '[{}]',
  '[[]]',
  '{"type":5}',
  'true',
)

it.each(wireNames)(
  'a mutated request of %s is either rejected or converted, without an exception',
  (from) => {
    const { writeRequest } = codecs[from]
    const { parseRequest } = wires[from]
    const path = { model: 'm', isStream: false, isJsonArray: false }
    let converted = 0
    fc.assert(
      fc.property(
        requests,
        fc.array(fc.tuple(fc.nat(), wrong), { minLength: 1, maxLength: 3 }),
        (request, edits) => {
          const target = { ...to(from), ...limits }
          let text = printValue(writeRequest({ ...request, output: null, stop: [] }, target))
          for (const [which, value] of edits) text = withValue(text, which, value)
          const parsed = parseRequest(byteTextOf(text), path)
          if (isFault(parsed)) return
          for (const wire of wireNames) {
            if (wire === from) continue
            withinCpu(500, () => {
              const conversion = prepareConversion(parsed, to(wire))
              if ('code' in conversion) return
              conversion.body(limits)
              converted++
            })
          }
        },
      ),
      { numRuns: 1000 },
    )
    expect(converted).toBeGreaterThan(100)
  },
)

it.each(computers)(
  'a mutated request with $tool.type is either rejected or converted, without an exception',
  ({ from, tool }) => {
    let converted = 0
    fc.assert(
      fc.property(
        fc.array(actionsFor(from, tool), { minLength: 1, maxLength: 2 }),
        fc.array(fc.tuple(fc.nat(), wrong), { maxLength: 3 }),
        (actions, edits) => {
          let text = printValue(bodyOf(from, [tool], actions))
          for (const [which, value] of edits) text = withValue(text, which, value)
          const parsed = wires[from].parseRequest(byteTextOf(text), {
            model: null,
            isStream: false,
            isJsonArray: false,
          })
          if (isFault(parsed)) return
          for (const wire of wireNames) {
            if (wire === from) continue
            const conversion = prepareConversion(parsed, to(wire))
            if ('code' in conversion) continue
            conversion.body(limits)
            converted++
          }
        },
      ),
      { numRuns: 300 },
    )
    expect(converted).toBeGreaterThan(100)
  },
)

function withValue(text: string, which: number, value: string): string {
  const places = [...text.matchAll(/[:[,](?=["\d{[tfn-])/g)].map(({ index }) => index + 1)
  const start = places[which % places.length] ?? 0
  let end = start
  // The value of a list or an object ends with its last bracket.
  for (let depth = 0, inText = false; end < text.length; end++) {
    const character = text[end] ?? ''
    if (character === '"' && text[end - 1] !== '\\') inText = !inText
    if (inText) continue
    if (character === '{' || character === '[') depth++
    if ((character === '}' || character === ']') && --depth < 0) break
    if (depth === 0 && character === ',') break
  }
  return text.slice(0, start) + value + text.slice(end)
}
