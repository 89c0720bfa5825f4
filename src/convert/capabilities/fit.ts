import type { WireName } from '#wire/names.ts'
import { accountFeatures } from './account.ts'
import { answerFeatures } from './output.ts'
import { conversationFeatures } from './conversation.ts'
import { columnOf, type Destination, type Feature } from './capability.ts'
import { mediaFeatures } from './media.ts'
import { samplingFeatures } from './sampling.ts'
import { toolFeatures } from './tools.ts'
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
export const features: readonly Feature[] = [
  ...toolFeatures,
  ...mediaFeatures,
  ...conversationFeatures,
  ...answerFeatures,
  ...samplingFeatures,
  ...accountFeatures,
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
  for (const { name, field, fates, isIn, without, refusal } of features) {
    const fate = fates[column]
    if (fate === 'carried' || !isIn(fitted, to, from)) continue
    const said = field[from] ?? name
    if (fate === 'refused') return fault('unsupported_for_route', said, refusal ?? unsaid)
    fitted = without(fitted, to)
    if (fate === 'lost' || fate === 'changed') lost.add(said)
  }
  for (const other of request.others) lost.add(other)
  return { request: { ...fitted, others: [] }, lost: [...lost] }
}

const unsaid = 'the provider of this model does not take it'
