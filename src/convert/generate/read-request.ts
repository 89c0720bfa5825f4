import {
  filledObjectOrNull,
  isStated,
  objectOf,
  textOrNull,
  type JsonObject,
  type JsonValue,
} from '#wire/text/json-values.ts'
import type { NeutralRequest, TextPart, Turn } from '#convert/neutral-format.ts'
import { bodyOf, mustBe, refuseForRoute, type WireRequest } from '#wire/wire-request.ts'
import { joinTurns } from '#convert/turns-and-content.ts'
import { CallNames } from './match-tool-results-with-calls.ts'
import { camelKeys, listOrOne } from '#wire/generate/fields-in-either-spelling.ts'
import { unreadFields } from '#convert/unread-fields.ts'
import { generateFields } from './known-fields.ts'
import { readConfig } from './read-generation-config.ts'
import { lostFieldsOfParts, readParts } from './read-parts.ts'
import { lostFieldsOfTools, readToolChoice, readTools } from './read-tools.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'

export function readGenerateRequest(request: WireRequest): NeutralRequest {
  const body = camelKeys(bodyOf(request))
  const config = readConfig(camelKeys(objectOf(body.generationConfig)))
  return {
    ...config,
    instructions: readInstructions(body.systemInstruction),
    turns: readTurns(body.contents),
    tools: readTools(body.tools),
    toolChoice: readToolChoice(body.toolConfig),
    parallelTools: null,
    verbosity: null,
    choices: request.choices,
    outputTokensMax: request.outputTokensMax,
    logitBias: null,
    serviceTier: request.serviceTier,
    metadata: filledObjectOrNull(body.labels),
    userId: null,
    cacheKey: null,
    isStream: request.isStream,
    wantsUsage: true,
    others: [
      ...othersOf(body),
      ...config.others,
      ...lostFieldsOfParts(body.contents),
      ...lostFieldsOfTools(body.tools),
      ...unreadFields(body, generateFields, true),
    ],
  }
}

function othersOf(body: JsonObject): readonly string[] {
  const named = Object.keys(body).filter((name) => isStated(body[name]) && !known.has(name))
  const mode = camelKeys(objectOf(camelKeys(objectOf(body.toolConfig)).functionCallingConfig)).mode
  return mode === 'VALIDATED' ? [...named, 'toolConfig.functionCallingConfig.mode'] : named
}

const known = nameSet(`
  contents systemInstruction tools toolConfig generationConfig serviceTier labels model svc
`)

/** Google's clients also accept a plain string. */
function readInstructions(value: JsonValue): readonly TextPart[] {
  const parts = typeof value === 'string' ? [{ text: value }] : listOrOne(camelKeys(objectOf(value)).parts)
  return parts.flatMap((part): readonly TextPart[] => {
    const text = textOrNull(objectOf(part).text)
    if (text === null)
      refuseForRoute('systemInstruction', 'a system instruction that is not text cannot be converted')
    return text === '' ? [] : [{ kind: 'text', text, cache: null }]
  })
}

function readTurns(contents: JsonValue): readonly Turn[] {
  const list = listOrOne(contents).map((content) => camelKeys(objectOf(content)))
  const names = new CallNames(givenIds(list))
  const turns = list.map((content, i): Turn => {
    const role = roleOf(content.role) ?? mustBe(`contents.${i}.role`, 'user or model')
    return { role, parts: readParts(content, role, names, `contents.${i}.parts`) }
  })
  return joinTurns(turns)
}

/**
 * A content without a role counts as a content of the user. In earlier versions of the API, tool results had a role of
 * their own (docs/reference/wires.md "Requests on the generate wire").
 */
function roleOf(role: JsonValue): 'user' | 'assistant' | null {
  if (role === undefined || role === null || role === '') return 'user'
  if (role === 'model') return 'assistant'
  return role === 'user' || role === 'function' ? 'user' : null
}

function givenIds(contents: readonly JsonObject[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const content of contents) {
    for (const value of listOrOne(content.parts)) {
      const part = camelKeys(objectOf(value))
      for (const { id } of [objectOf(part.functionCall), objectOf(part.functionResponse)])
        if (typeof id === 'string') ids.add(id)
    }
  }
  return ids
}
