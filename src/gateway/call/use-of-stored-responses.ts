/**
 * Verifies and decodes the IDs of responses that providers store. A request that continues such a response goes to the
 * target that stores it (docs/decisions/2026-11-23-stored-responses.md).
 */
import type { Account } from '#domain/billing/money-account-key.ts'
import type { BackgroundCall } from '#domain/background/background-holds-interface.ts'
import { Failure } from '#domain/errors.ts'
import type { StateTags, StoredState } from '#domain/secrets/ids-of-stored-responses.ts'
import type { PreviousResponse, ResponseIds } from '#wire/types-of-replaced-ids.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Arrival } from './arrived-request-types.ts'
import type { Caller } from './caller-of-request.ts'
import type { Plan } from './targets-of-model-name.ts'

/**
 * Undefined if the target stores no responses.
 * @param callId the call whose hold is kept until the background response has ended
 */
export function idsOf(
  tags: StateTags,
  owner: Account,
  { isBackground, model: alias, previous, wire }: WireRequest,
  { stateOrigin: origin }: Plan,
  callId: string,
): ResponseIds | undefined {
  if (wire !== 'responses' || origin === null) return undefined
  const known = previous?.stored && { id: previous.stored.id, shown: previous.id }
  return new OwnedIds(tags, owner, { alias, origin, callId: isBackground === true ? callId : null }, known)
}

type Place = Pick<StoredState, 'alias' | 'callId' | 'origin'>

/** If the client named the response in its request, the result is the ID that the client sent. */
export class OwnedIds implements ResponseIds {
  readonly #tags: StateTags
  readonly #owner: Account
  readonly #place: Place
  readonly #known: { readonly id: string; readonly shown: string } | undefined
  #last: { readonly id: string; readonly tokens: number | null; readonly shown: string } | null = null

  /** @param known a response ID of the provider, with the ID that the client sent for it */
  constructor(
    tags: StateTags,
    owner: Account,
    place: Place,
    known: { readonly id: string; readonly shown: string } | undefined,
  ) {
    this.#tags = tags
    this.#owner = owner
    this.#place = place
    this.#known = known
  }

  idOf(id: string, tokens: number | null): string {
    if (id === this.#known?.id) return this.#known.shown
    if (this.#last?.id !== id || this.#last.tokens !== tokens)
      this.#last = { id, tokens, shown: this.#tags.tagOf(this.#owner, { ...this.#place, id, tokens }) }
    return this.#last.shown
  }

  previousIdOf(id: string): string {
    if (id === this.#known?.id) return this.#known.shown
    return this.#tags.tagOf(this.#owner, { ...this.#place, id, tokens: null, callId: null })
  }
}

export interface OwnedResponse {
  readonly state: StoredState
  readonly plan: Plan
}

/** @throws Failure the same failure for an unknown ID and for an ID of another end user or application */
export function openedState(
  { ports }: Pick<Arrival, 'ports'>,
  { key }: Caller,
  id: string,
  param?: string,
): StoredState {
  return ports.stateTags.open(key, id) ?? unknown(param)
}

/**
 * @throws Failure if the caller can no longer use the model name, or if the target that stores the response no longer
 *   serves it
 */
export function ownedResponse(
  { configuration }: Pick<Arrival, 'configuration'>,
  caller: Caller,
  state: StoredState,
): OwnedResponse {
  const served = configuration.served(caller, state.alias)
  if (served instanceof Failure) throw served
  const plan = served.leaves.find((leaf) => leaf.plan?.stateOrigin === state.origin)?.plan
  return plan ? { state, plan } : unknown()
}

/** Returns the call that holds money for a background response. Null if the call is settled. */
export async function openBackground(
  { background }: Pick<Arrival, 'background'>,
  caller: Caller,
  { callId }: StoredState,
): Promise<BackgroundCall | null> {
  return callId === null ? null : background.find(caller.key, callId)
}

export function unknown(param?: string): never {
  throw new Failure('response_not_found', {}, param === undefined ? {} : { param })
}

export function otherTargetFault({ stored }: PreviousResponse, { stateOrigin }: Plan): Failure | null {
  if (stored === undefined || stored.origin === stateOrigin) return null
  const reason = `the response is stored at another account or was written by another model. Continue it with the model ${stored.alias}, or send the conversation as items of input`
  return new Failure('unsupported_for_route', { reason }, { param: 'previous_response_id' })
}
