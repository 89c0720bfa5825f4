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
  valueAt,
  valueOf,
} from '#wire/json.ts'
import type { Json, Node } from '#wire/json.ts'
import { splice } from '#wire/splice.ts'
import { byteTextOf } from '#wire/byte-text.ts'
import type { ByteText } from '#wire/byte-text.ts'
import { usageFromChat } from './usage.ts'

/** A whole answer: what it used, and its bytes with the client's model name in them. */
export interface ChatResponse {
  readonly usage: Usage | null
  /** True when `usage` was there, even one that cannot be believed. */
  readonly hasReportedUsage: boolean
  /** As reported, or by our own count. */
  readonly outputTokens: number
  readonly body: ByteText
}

/** @returns null for anything that is not a chat completion: HTML, a cut body, an error under status 200 */
export function readChatResponse(text: ByteText, alias: string): ChatResponse | null {
  const json = parseJson(text)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const choices = member(json, 0, 'choices')
  if (choices < 0 || kindOf(json, choices) !== kinds.array) return null
  const model = member(json, 0, 'model')
  const usage = member(json, 0, 'usage')
  const tier = member(json, 0, 'service_tier')
  const hasReportedUsage = usage >= 0 && kindOf(json, usage) === kinds.object
  const believed = hasReportedUsage ? usageFromChat(valueAt(json, usage), textAt(json, tier)) : null
  return {
    usage: believed,
    hasReportedUsage,
    outputTokens: believed ? believed.output : tokensFromThirds(textThirds(json, choices)),
    body:
      model < 0
        ? text
        : splice(text, [
            { start: startOf(json, model), end: endOf(json, model), text: byteTextOf(JSON.stringify(alias)) },
          ]),
  }
}

function textAt(json: Json, node: Node): string | null {
  return node >= 0 && kindOf(json, node) === kinds.string ? stringAt(json, node) : null
}

/** Every text inside the choices: content, reasoning, tool calls, and the little framing between. */
function textThirds(json: Json, root: Node): number {
  const kind = kindOf(json, root)
  if (kind === kinds.string) return thirdsOf(json.text, startOf(json, root) + 1, endOf(json, root) - 1)
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
