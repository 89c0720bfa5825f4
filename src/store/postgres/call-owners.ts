import type { Mode } from '#domain/application-config.ts'

/** Whose a call is: what its row is found by, and which lane its operations take. */
export interface CallPlace {
  readonly endUserId: string
  readonly mode: Mode
  readonly keyId: string | null
  readonly outcome: { readonly slug: string; readonly runId: string } | null
}

/** After so many deletions the map is made anew: ledger/cache.ts says why. */
const deletionsMax = 1024

/** The calls that this process has reserved or was told to recover, until they have ended. */
export class CallPlaces {
  #places = new Map<string, CallPlace>()
  #deletions = 0

  get(callId: string): CallPlace | undefined {
    return this.#places.get(callId)
  }

  set(callId: string, place: CallPlace): void {
    this.#places.set(callId, place)
  }

  delete(callId: string): void {
    if (!this.#places.delete(callId)) return
    if (++this.#deletions < deletionsMax) return
    this.#deletions = 0
    this.#places = new Map(this.#places)
  }
}
