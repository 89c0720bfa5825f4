import type { Usage } from '#money/usage.ts'
import { thirdsOf, tokensFromThirds } from '#wire/count.ts'
import {
  after,
  endOf,
  inside,
  kindOf,
  kinds,
  member,
  parseJson,
  startOf,
  stringAt,
  valueOf,
} from '#wire/json.ts'
import type { Json, Node } from '#wire/json.ts'
import { encodeText, splice } from '#wire/splice.ts'
import { usageFromChat } from './usage.ts'

/** A whole answer: what it used, and its bytes with the client's model name in them. */
export interface ChatResponse {
  readonly usage: Usage | null
  /** True when `usage` was there, even one that cannot be believed. */
  readonly hasReportedUsage: boolean
  /** Our own count of what came out. */
  readonly outputTokens: number
  readonly body: Uint8Array
}

/** @returns null for anything that is not a chat completion: HTML, a cut body, an error under status 200 */
export function readChatResponse(bytes: Uint8Array, alias: string): ChatResponse | null {
  const json = parseJson(bytes)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const choices = member(json, 0, 'choices')
  if (choices < 0 || kindOf(json, choices) !== kinds.array) return null
  const model = member(json, 0, 'model')
  const usage = member(json, 0, 'usage')
  const tier = member(json, 0, 'service_tier')
  const hasReportedUsage = usage >= 0 && kindOf(json, usage) === kinds.object
  return {
    usage: hasReportedUsage ? usageFromChat(valueAt(json, usage), textAt(json, tier)) : null,
    hasReportedUsage,
    outputTokens: tokensFromThirds(textThirds(json, choices)),
    body:
      model < 0
        ? bytes
        : splice(bytes, [
            { start: startOf(json, model), end: endOf(json, model), text: encodeText(JSON.stringify(alias)) },
          ]),
  }
}

function textAt(json: Json, node: Node): string | null {
  return node >= 0 && kindOf(json, node) === kinds.string ? stringAt(json, node) : null
}

function valueAt(json: Json, node: Node): unknown {
  return JSON.parse(new TextDecoder().decode(json.bytes.subarray(startOf(json, node), endOf(json, node))))
}

/** Every text inside the choices: content, reasoning, tool calls, and the little framing between. */
function textThirds(json: Json, root: Node): number {
  const kind = kindOf(json, root)
  if (kind === kinds.string) return thirdsOf(json.bytes, startOf(json, root) + 1, endOf(json, root) - 1)
  let thirds = 0
  const end = after(json, root)
  if (kind === kinds.object) {
    for (let key = inside(root); key < end; key = after(json, valueOf(key)))
      thirds += textThirds(json, valueOf(key))
  } else if (kind === kinds.array) {
    for (let item = inside(root); item < end; item = after(json, item)) thirds += textThirds(json, item)
  }
  return thirds
}
