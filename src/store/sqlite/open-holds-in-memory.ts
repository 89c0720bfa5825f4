import type { Mode } from '#domain/application-config.ts'
import type { OpenHold, Person } from '#store/ledger/state-types.ts'
import { RenewedMap } from '#store/ledger/map-for-many-deletions.ts'

const noHolds: readonly OpenHold[] = []

/** A stored hold that could not be read, for example because another program changed it. */
export interface UnreadableHold {
  readonly callId: string
  readonly endUserId: unknown
  readonly mode: unknown
  readonly fault: Error
}

export class OpenHolds {
  readonly #byCall = new RenewedMap<OpenHold>()
  readonly #live = new RenewedMap<OpenHold[]>()
  readonly #test = new RenewedMap<OpenHold[]>()
  readonly #unreadable: UnreadableHold[] = []

  /** @throws if the hold of the call could not be read */
  get(callId: string): OpenHold | null {
    const open = this.#byCall.get(callId)
    if (open !== undefined) return open
    for (const one of this.#unreadable) if (one.callId === callId) throw one.fault
    return null
  }

  all(): Iterable<OpenHold> {
    return this.#byCall.values()
  }

  unreadable(): Iterable<UnreadableHold> {
    return this.#unreadable
  }

  /** @throws if a hold of the end user could not be read, because limits would not count its amount */
  of({ endUserId, mode }: Person): Iterable<OpenHold> {
    for (const one of this.#unreadable) if (one.endUserId === endUserId && one.mode === mode) throw one.fault
    return this.#ofMode(mode).get(endUserId) ?? noHolds
  }

  add(open: OpenHold): void {
    const { endUserId, mode } = open.person
    this.#byCall.set(open.hold.callId, open)
    const people = this.#ofMode(mode)
    const ofPerson = people.get(endUserId)
    if (ofPerson === undefined) people.set(endUserId, [open])
    else ofPerson.push(open)
  }

  addUnreadable(hold: UnreadableHold): void {
    this.#unreadable.push(hold)
  }

  delete(open: OpenHold): void {
    const { endUserId, mode } = open.person
    this.#byCall.delete(open.hold.callId)
    const people = this.#ofMode(mode)
    const ofPerson = people.get(endUserId)
    if (ofPerson === undefined) return
    const at = ofPerson.indexOf(open)
    if (at >= 0) ofPerson.splice(at, 1)
    if (ofPerson.length === 0) people.delete(endUserId)
  }

  #ofMode(mode: Mode): RenewedMap<OpenHold[]> {
    return mode === 'live' ? this.#live : this.#test
  }
}
