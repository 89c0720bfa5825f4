/**
 * Up to `callsMax` calls of one batch share a row (slot), and rows are reused. A batch therefore writes only one or two
 * pages. With one row for each call, new rows and deleted rows would be on more pages.
 *
 * Until a row is written again, the row may contain charged calls. The view `holds` omits charged calls, because they
 * have a usage record.
 */
import assert from 'node:assert/strict'
import type { HoldSlot, OpenHold } from '#store/ledger/state-types.ts'
import { heldTargetToText } from '#store/rows/held-target-column.ts'
import { boundToText, usageToText } from '#store/rows/json-columns.ts'
import { legsToText } from '#store/rows/legs-column.ts'

/** At about 400 bytes each, the calls of a slot fit on a page of 4 KiB. */
const callsMax = 8

/**
 * Slots below this number are not emptied when their calls have ended, because these slots are soon reused. Until a
 * slot is reused, its row may contain charged calls.
 */
const unemptiedMax = 16

export class HoldSlots {
  readonly #slots: HoldSlot[]
  /** The most recently freed slot is used first, so that calls need few pages, which remain cached. */
  readonly #free: HoldSlot[] = []
  #dirty: HoldSlot[] = []
  /** Receives the holds of this batch. */
  #filling: HoldSlot | null = null

  /** @param count number of slots that have a row */
  constructor(count: number) {
    this.#slots = Array.from({ length: count }, (_, id) => emptySlot(id))
  }

  keep(open: OpenHold, id: number): void {
    const slot = this.#slots[id]
    assert(slot !== undefined, `slot ${id} of call ${open.hold.callId} is beyond the last one`)
    slot.calls.push(open)
    open.slot = slot
  }

  /** @param text the stored call */
  keepUnreadable(text: string, id: number): void {
    this.#slots[id]?.unreadable.push(text)
  }

  /** Call this function after the last `keep`. */
  findFree(): void {
    for (const slot of this.#slots.toReversed()) if (slot.calls.length === 0) this.#free.push(slot)
  }

  add(open: OpenHold): void {
    const slot = this.#withRoom()
    slot.calls.push(open)
    open.slot = slot
    this.#write(slot)
  }

  change(open: OpenHold): void {
    this.#write(slotOf(open))
  }

  close(open: OpenHold, how: 'charged' | 'released'): void {
    const slot = slotOf(open)
    slot.calls.splice(slot.calls.indexOf(open), 1)
    open.slot = null
    const isEmpty = slot.calls.length === 0
    if (how === 'released' || (isEmpty && slot.id >= unemptiedMax)) this.#write(slot)
    if (isEmpty && slot !== this.#filling) this.#free.push(slot)
  }

  takeDirty(): readonly HoldSlot[] {
    const filling = this.#filling
    this.#filling = null
    if (filling !== null && filling.calls.length === 0) this.#free.push(filling)
    const dirty = this.#dirty
    if (dirty.length > 0) this.#dirty = []
    for (const slot of dirty) slot.isDirty = false
    return dirty
  }

  #withRoom(): HoldSlot {
    const filling = this.#filling
    if (filling !== null && filling.calls.length < callsMax) return filling
    return (this.#filling = this.#free.pop() ?? this.#newSlot())
  }

  #newSlot(): HoldSlot {
    const slot = emptySlot(this.#slots.length)
    this.#slots.push(slot)
    return slot
  }

  #write(slot: HoldSlot): void {
    if (slot.isDirty) return
    slot.isDirty = true
    this.#dirty.push(slot)
  }
}

/**
 * The view `holds` reads the values in this order. The IDs are created by this program and contain no character that
 * JSON escapes.
 */
export function openHoldsToText({ calls, unreadable }: Pick<HoldSlot, 'calls' | 'unreadable'>): string {
  let text = '['
  for (const open of calls) {
    const { hold, person, outcome, checkpoint } = open
    const run = outcome === null ? 'null' : JSON.stringify([outcome.slug, outcome.runId])
    const usage = checkpoint === null ? 'null' : usageToText(checkpoint)
    const tried = open.attempts === null ? 'null' : open.attempts.text
    if (text.length > 1) text += ','
    text += `["${hold.callId}","${open.applicationId}","${person.endUserId}","${open.keyId}","${person.mode}","${hold.quote.id}",${boundToText(hold.bound)},"${hold.worstMicros}","${hold.worstCredits}",${legsToText(hold.legs)},${tried},${run},${heldTargetToText(open)},${open.inputEstimate},${open.epoch},${open.reservedAtMs},${open.dispatchedAtMs},${usage}]`
  }
  for (const stored of unreadable) text += text.length > 1 ? `,${stored}` : stored
  return `${text}]`
}

function slotOf({ hold, slot }: OpenHold): HoldSlot {
  assert(slot !== null, `call ${hold.callId} is in flight and in no slot`)
  return slot
}

function emptySlot(id: number): HoldSlot {
  return { id, calls: [], unreadable: [], isDirty: false }
}
