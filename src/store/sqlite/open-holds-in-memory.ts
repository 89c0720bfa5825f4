import type { Mode } from '#domain/application-config.ts'
import type { OpenHold, Person } from '#store/ledger/state-types.ts'
import { RenewedMap } from '#store/ledger/map-for-many-deletions.ts'

const noHolds: readonly OpenHold[] = []

export class OpenHolds {
  readonly #byCall = new RenewedMap<OpenHold>()
  readonly #live = new RenewedMap<OpenHold[]>()
  readonly #test = new RenewedMap<OpenHold[]>()

  get(callId: string): OpenHold | null {
    return this.#byCall.get(callId) ?? null
  }

  all(): Iterable<OpenHold> {
    return this.#byCall.values()
  }

  of({ endUserId, mode }: Person): Iterable<OpenHold> {
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
