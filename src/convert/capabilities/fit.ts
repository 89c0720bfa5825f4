import type { WireName } from '#wire/names.ts'
import { accountCapabilities } from './account.ts'
import { outputCapabilities } from './output.ts'
import { conversationCapabilities } from './conversation.ts'
import { columnOf, treatmentAt, type Capability, type Destination } from './capability.ts'
import { mediaCapabilities } from './media.ts'
import { samplingCapabilities } from './sampling.ts'
import { toolCapabilities } from './tools.ts'
import type { NeutralRequest } from '#convert/neutral.ts'
import { fault, type RequestFault } from '#wire/request.ts'

/**
 * The one table of what becomes of a request on its way to another wire. What is not in it is carried by
 * all. Writers rely on it, the reference is made of it (docs/reference/conversion-losses.md), and the
 * tests of all pairs hold it against what writers and readers do.
 *
 * In this order: what makes text of something else comes before what is about text, what takes parts out
 * of turns before what is about their order, and thinking is given up before sampling is looked at.
 */
export const capabilities: readonly Capability[] = [
  ...toolCapabilities,
  ...mediaCapabilities,
  ...conversationCapabilities,
  ...outputCapabilities,
  ...samplingCapabilities,
  ...accountCapabilities,
]

export interface Fitted {
  readonly request: NeutralRequest
  /** What was lost or changed, by the names of the client's wire, each once. */
  readonly lost: readonly string[]
}

/** The request with nothing left in it that the destination has no place for. */
export function fit(request: NeutralRequest, from: WireName, to: Destination): Fitted | RequestFault {
  const column = columnOf(to)
  const lost = new Set<string>()
  let fitted = request
  for (const capability of capabilities) {
    const { name, field, isIn, without, refusal } = capability
    const treatment = treatmentAt(capability, column)
    if (treatment === 'carried' || !isIn(fitted, to, from)) continue
    const said = field[from] ?? name
    if (treatment === 'refused') return fault('unsupported_for_route', said, refusal ?? unsaid)
    if (without) fitted = without(fitted, to)
    if (treatment === 'lost' || treatment === 'changed') lost.add(said)
  }
  for (const other of request.others) lost.add(other)
  return { request: { ...fitted, others: [] }, lost: [...lost] }
}

const unsaid = 'the provider of this model does not take it'
