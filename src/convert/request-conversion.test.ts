import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { fit, type Fitted } from '#convert/capabilities/adapt-request-to-wire.ts'
import { columnOf, type Destination } from '#convert/capabilities/capability-type.ts'
import { printValue } from '#wire/text/json-values.ts'
import type { NeutralRequest, Part } from './neutral-format.ts'
import { requests } from '#tests/fixtures/conversions/random-requests.ts'
import { spelt } from '#tests/fixtures/conversions/wire-normal-form.ts'
import { isFault } from '#wire/wire-request.ts'
import { codecs } from './table-of-codecs.ts'
import { wires } from '#wire/table-of-wires.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'

/** Most pairs of wires use the first model of each wire. The other models in this list accept different features. */
const destinations: readonly Destination[] = [
  { wire: 'chat', model: 'gpt-6', origin: 'here', dialect: 'openai' },
  { wire: 'chat', model: 'gpt-4.1', origin: 'here', dialect: 'openai' },
  { wire: 'chat', model: 'llama', origin: 'here', dialect: 'compatible' },
  { wire: 'messages', model: 'claude-opus-5', origin: 'here', dialect: 'openai' },
  { wire: 'messages', model: 'claude-sonnet-4-6', origin: 'here', dialect: 'openai' },
  { wire: 'generate', model: 'gemini-3-flash', origin: 'here', dialect: 'openai' },
  { wire: 'responses', model: 'gpt-6', origin: 'here', dialect: 'openai' },
  { wire: 'responses', model: 'gpt-4.1', origin: 'here', dialect: 'openai' },
  { wire: 'converse', model: 'us.amazon.nova-pro-v1:0', origin: 'here', dialect: 'compatible' },
  {
    wire: 'converse',
    model: 'us.meta.llama4-scout-17b-instruct-v1:0',
    origin: 'here',
    dialect: 'compatible',
  },
  { wire: 'cohere', model: 'command-a-reasoning-08-2025', origin: 'here', dialect: 'compatible' },
  { wire: 'cohere', model: 'command-r-08-2024', origin: 'here', dialect: 'compatible' },
]

/** Writes the request on the destination's wire and reads it again. */
function carried(request: NeutralRequest, to: Destination, outputTokensMax: number): NeutralRequest {
  const { parseRequest } = wires[to.wire]
  const { writeRequest, readRequest } = codecs[to.wire]
  const body = writeRequest(request, { ...to, outputTokensMax, outputTokensDefault: 1 })
  const inPath = to.wire === 'generate' || to.wire === 'converse'
  const path = {
    model: inPath ? to.model : null,
    isStream: inPath && request.isStream,
    isJsonArray: false,
  }
  const parsed = parseRequest(byteTextOf(printValue(body)), path)
  if (isFault(parsed)) throw new Error(`${parsed.param}: ${parsed.reason} ${printValue(body)}`)
  const read = readRequest(parsed)
  if (isFault(read)) throw new Error(`${read.param}: ${read.reason} ${printValue(body)}`)
  return { ...read, wantsUsage: true, others: [] }
}

function isFirst(to: Destination): boolean {
  return destinations.find(({ wire }) => wire === to.wire) === to
}

/** Also returns the names of the fields that are lost. */
function saidIn(
  wire: WireName,
  { request, from }: { request: NeutralRequest; from: WireName },
): Fitted | null {
  const client = destinations.find((each) => each.wire === wire)
  if (!client) throw new Error(wire)
  const said = fit(request, from, client)
  if (isFault(said)) return null
  return { ...said, request: carried(said.request, client, request.outputTokensMax ?? 77) }
}

describe.each(wireNames)('a request of %s', (from) => {
  it.each(destinations.filter(({ wire }) => wire !== from))(
    'a request to $wire ($model) loses only what the table of capabilities lists',
    (to) => {
      fc.assert(
        fc.property(requests, (generated) => {
          const asked = saidIn(from, { request: generated, from: 'chat' })?.request
          fc.pre(asked !== undefined)
          const fitted = fit(asked, from, to)
          fc.pre(!isFault(fitted))
          const arrived = carried(fitted.request, to, 500)
          expect(arrived).toEqual(spelt(fitted.request, columnOf(to), 500))
          const back = saidIn(from, { request: arrived, from: to.wire })
          if (back && fitted.lost.length + back.lost.length === 0)
            expect(wordsOf(back.request)).toEqual(wordsOf(asked))
        }),
        isFirst(to) ? sampledRuns(300, 100) : sampledRuns(30, 15),
      )
    },
  )
})

/** Wires divide a turn differently, so the texts of each turn are joined. */
function wordsOf({ instructions, turns }: NeutralRequest): readonly string[] {
  return [{ parts: instructions }, ...turns].map(({ parts }) =>
    parts.map(wordsOfPart).join('').replaceAll('\n\n', ''),
  )
}

function wordsOfPart(part: Part): string {
  if (part.kind === 'text') return part.text
  if (part.kind === 'tool_result') {
    const words = part.parts.map(wordsOfPart).join('')
    // Converse has no empty tool results, so an empty result is written as an empty object.
    return words === '{}' ? '' : words
  }
  if (part.kind !== 'file') return ''
  const { source } = part
  if (source.kind === 'text') return source.text
  return source.kind === 'data' && source.mediaType === 'text/plain' ? atob(source.data) : ''
}
