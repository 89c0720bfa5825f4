import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { accountCapabilities } from './account-capabilities.ts'
import { cacheMarkCapabilities } from './cache-mark-capabilities.ts'
import { effortWithToolsCapabilities } from './effort-with-tools-capabilities.ts'
import { outputCapabilities } from './output-option-capabilities.ts'
import { conversationCapabilities } from './conversation-capabilities.ts'
import { columnOf, treatmentAt, type Capability, type Destination } from './capability-type.ts'
import { mediaCapabilities } from './media-capabilities.ts'
import { samplingCapabilities } from './sampling-capabilities.ts'
import { toolCapabilities } from './tool-capabilities.ts'
import type { NeutralRequest } from '#convert/neutral-format.ts'
import { fault, type RequestFault } from '#wire/wire-request.ts'

/**
 * The table of capabilities defines how requests are adapted for another wire. If a capability is not listed, every
 * wire supports it. The functions that write requests rely on the table of capabilities, and
 * docs/reference/conversion-losses.md is generated from it. Tests convert requests between all pairs of wires to check
 * the table.
 *
 * The capabilities are applied in the order of the entries. Entries that convert parts to text come before entries
 * about text. Entries that remove parts of turns come before entries about the order of turns. Thinking is removed
 * before sampling is checked.
 */
export const capabilities: readonly Capability[] = [
  ...toolCapabilities,
  ...mediaCapabilities,
  ...conversationCapabilities,
  ...cacheMarkCapabilities,
  ...outputCapabilities,
  ...effortWithToolsCapabilities,
  ...samplingCapabilities,
  ...accountCapabilities,
]

export interface Fitted {
  readonly request: NeutralRequest
  /** On the client's wire, without duplicates. */
  readonly lost: readonly string[]
}

export function fit(request: NeutralRequest, from: WireName, to: Destination): Fitted | RequestFault {
  const column = columnOf(to)
  const lost = new Set<string>()
  let fitted = request
  for (const capability of capabilities) {
    const { name, field, fieldsIn, isIn, without, refusal } = capability
    const treatment = treatmentAt(capability, column)
    if (treatment === 'carried' || !isIn(fitted, to, from)) continue
    const said = fieldsIn?.(fitted, to, from) ?? [field[from] ?? name]
    if (treatment === 'refused') return fault('unsupported_for_route', said.join(', '), refusal ?? unsaid)
    if (without) fitted = without(fitted, to)
    if (treatment === 'lost' || treatment === 'changed') for (const each of said) lost.add(each)
  }
  // A client can invent any number of fields, and requests.explain stores the report.
  for (const other of request.others) {
    if (lost.size >= reportedMax) break
    lost.add(other.slice(0, nameLengthMax))
  }
  return { request: { ...fitted, others: [] }, lost: [...lost] }
}

const reportedMax = 100
const nameLengthMax = 128

const unsaid = 'the provider of this model does not support the field'
