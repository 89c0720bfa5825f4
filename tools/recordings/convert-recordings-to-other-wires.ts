/**
 * Converts each recorded request to the other wires, as if a router had a target of another format. Counts the
 * conversions that the gateway would reject, by their reasons.
 */
import { kindFacts } from '#domain/accounts/provider-kinds.ts'
import { prepareConversion } from '#convert/prepare-conversion.ts'
import type { Destination } from '#convert/capabilities/capability-type.ts'
import { isTask, wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import { isFault, type RequestFault, type WireRequest } from '#wire/wire-request.ts'

/**
 * For each wire, a model that the vendor recommends for new applications. The gateway converts no request to Cohere's
 * chat, because accounts of the kind `cohere` also accept chat completions.
 */
const models: Readonly<Record<TargetWire, string>> = {
  chat: 'gpt-5.2',
  messages: 'claude-sonnet-4-6',
  generate: 'gemini-3-pro-preview',
  responses: 'gpt-5.2',
  converse: 'us.amazon.nova-2-lite-v1:0',
}

type TargetWire = Exclude<WireName, 'cohere'>
const targets = wireNames.filter((wire) => wire !== 'cohere')

export class AcrossWires {
  total = 0
  readonly reasons = new Map<string, number>()
  readonly directions = new Map<string, { total: number; rejected: number }>()

  /** @param parsed the request without the tools that its provider runs, because no other provider runs them */
  add(parsed: WireRequest | RequestFault, from: WireName): void {
    for (const wire of targets) {
      if (wire === from) continue
      this.total++
      const direction = `${from} to ${wire}`
      const counts = this.directions.get(direction) ?? { total: 0, rejected: 0 }
      this.directions.set(direction, counts)
      counts.total++
      const reason = isFault(parsed) ? reasonOf(parsed) : reasonAt(parsed, from, wire)
      if (reason === null) continue
      counts.rejected++
      this.reasons.set(`${from}: ${reason}`, (this.reasons.get(`${from}: ${reason}`) ?? 0) + 1)
    }
  }

  get rejected(): number {
    return [...this.reasons.values()].reduce((sum, times) => sum + times, 0)
  }
}

/** Null if the gateway would convert the request. */
function reasonAt(request: WireRequest, from: WireName, wire: TargetWire): string | null {
  if (isTask(request.wire)) return null
  for (const [name, is] of stored) if (is(request)) return `${name} is stored at one provider account`
  const [first = null, ...others] = targetWires(from, wire).map((one) => faultAt(request, one))
  return first === null || others.includes(null) ? null : first
}

/** Accounts of OpenAI have two wires. */
function targetWires(from: WireName, wire: TargetWire): readonly TargetWire[] {
  const { wires } = kindFacts('openai')
  return wire === wires[0] ? wires.filter((one): one is TargetWire => one !== from) : [wire]
}

function faultAt(request: WireRequest, wire: TargetWire): string | null {
  const to: Destination = { wire, model: models[wire], origin: 'recording', dialect: 'openai' }
  const conversion = prepareConversion(request, to)
  if (isFault(conversion)) return reasonOf(conversion)
  // Writing the body is a part of the conversion and must not fail.
  conversion.body({ outputTokensMax: request.outputTokensMax, outputTokensDefault: 8_192 })
  return null
}

/** Content that only the account which stored it can read. */
const stored: readonly (readonly [string, (request: WireRequest) => boolean])[] = [
  ['a response that is continued', ({ previous }) => previous !== undefined],
  ['a file', ({ files }) => files !== undefined],
  ['cached content', ({ cache }) => cache !== undefined],
  ['a conversation', ({ conversation }) => conversation !== undefined],
  // Ignore containers that are only named by earlier code calls, because that code is not run again.
  ['a container', ({ containers = [] }) => containers.some(({ isNamed }) => isNamed !== true)],
  ['a response in the background', ({ isBackground }) => isBackground === true],
]

function reasonOf({ param, reason }: RequestFault): string {
  return `${param?.replaceAll(/\d+/g, '*')}: ${reason}`
}
