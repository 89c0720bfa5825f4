import { Failure } from '#domain/errors.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import type { Route } from '#gateway/call/arrived-request-types.ts'
import { decodedName } from './decode-model-name.ts'

/**
 * The model name is everything between the prefix and the last slash (docs/reference/wires.md "Bedrock"). Some clients
 * encode only some of its slashes and colons.
 */
const bedrockPath = /^\/model\/(?<model>.+)\/(?<method>[a-z-]+)$/

type Refused = { readonly kind: 'refused'; readonly wire: 'converse'; readonly failure: Failure }

interface Method {
  readonly kind: 'answer' | 'count'
  readonly wire: WireName
  readonly isStream: boolean
}

const methods: Readonly<Record<string, Method>> = {
  converse: { kind: 'answer', wire: 'converse', isStream: false },
  'converse-stream': { kind: 'answer', wire: 'converse', isStream: true },
  invoke: { kind: 'answer', wire: 'messages', isStream: false },
  'invoke-with-response-stream': { kind: 'answer', wire: 'messages', isStream: true },
  'count-tokens': { kind: 'count', wire: 'converse', isStream: false },
}

export function bedrockRoute(method: string, path: string): Route | Refused | null {
  const { method: verb = '', model = '' } = bedrockPath.exec(path)?.groups ?? {}
  const known = Object.hasOwn(methods, verb) ? methods[verb] : undefined
  if (known === undefined) return null
  const name = decodedName(model)
  if (name === null) return null
  if (method !== 'POST') {
    const failure = new Failure('method_not_allowed', { method, allowed: 'POST' })
    return { kind: 'refused', wire: 'converse', failure }
  }
  const { isStream, kind, wire } = known
  return {
    kind,
    wire,
    isBedrock: true,
    path: { model: name, isStream, isJsonArray: false, ...(wire === 'messages' && { isInvoke: true }) },
    query: '',
  }
}
