import { InputBound } from '#wire/bound/input-bound.ts'
import {
  noOutput,
  placesWithoutMaximum,
  type TaskText,
} from '#wire/shared-parsing-of-tasks-without-output.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import {
  kindOf,
  kinds,
  numberAt,
  startOf,
  endOf,
  stringAt,
  type Json,
  type Node,
} from '#wire/text/json-tape.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import {
  detours,
  fieldsIn,
  isGiven,
  knownFields,
  mustBe,
  requestIn,
  textAt,
  type RequestBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import { modelAt } from '#wire/model-name.ts'
import { speechTokensMax } from './speech-tokens.ts'

/** Reads a request for speech (docs/reference/wires.md "Speech"). */
export function parseSpeech(body: RequestBody): WireRequest | RequestFault {
  return requestIn(body, parse)
}

function parse(json: Json): WireRequest {
  const fields = fieldsIn(json, known)
  const model = modelAt(json, fields.model)
  if (fields.input < 0 || kindOf(json, fields.input) !== kinds.string) mustBe('input', 'a string')
  const speed = speedAt(json, fields.speed)
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  const isEvents = textAt(json, fields.stream_format) === 'sse'
  return {
    ...noOutput,
    wire: 'speech',
    text: json.text,
    model,
    // Speech is forwarded as it arrives, even if the client does not request a stream.
    isStream: true,
    ...(!isEvents && { responseType: typeOf(textAt(json, fields.response_format)) }),
    ...svcAt(json, fields.svc),
    ...bound.total(json, { messages: 1, hasTools: false, hasSchema: false }),
    uses: {
      characters: charactersIn(stringAt(json, fields.input)),
      audioOutput: speechTokensMax({
        textBytes: endOf(json, fields.input) - startOf(json, fields.input) - 2,
        speed,
        isInstructed: isGiven(json, fields.instructions),
      }),
    },
    places: placesWithoutMaximum(json, fields),
  }
}

const known = knownFields(
  ['model', 'input', 'instructions', 'response_format', 'speed', 'stream_format', 'svc'],
  detours,
)

/** Some servers accept the field `stream`. */
export const settings = nameSet(`
  model svc voice response_format speed stream_format stream
`)

function speedAt(json: Json, node: Node): number {
  if (!isGiven(json, node)) return 1
  const speed = kindOf(json, node) === kinds.number ? numberAt(json, node) : NaN
  return speed >= 0.1 && speed <= 10 ? speed : mustBe('speed', 'a number from 0.1 to 10')
}

/** A character may consist of two UTF-16 units. */
function charactersIn(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}

function typeOf(format: string | null): string {
  return types.get(format ?? 'mp3') ?? 'application/octet-stream'
}

const types: ReadonlyMap<string, string> = new Map([
  ['mp3', 'audio/mpeg'],
  ['opus', 'audio/ogg'],
  ['aac', 'audio/aac'],
  ['flac', 'audio/flac'],
  ['wav', 'audio/wav'],
  ['pcm', 'audio/pcm'],
])

export function textOfSpeech({ input, instructions }: JsonObject): TaskText {
  const texts = [input, instructions].filter((text) => typeof text === 'string')
  return { text: texts.join('\n'), moreTokens: 1 }
}
