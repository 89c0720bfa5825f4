/**
 * Several requests can begin with the same cached content. They go to the account and the model that store it
 * (docs/decisions/2026-11-29-cached-contents.md).
 */
import type { Account } from '#domain/billing/money-account-key.ts'
import { cachePurpose, cachesMax, type StoredFileRecord } from '#domain/accounts/files-stored-at-providers.ts'
import { Failure } from '#domain/errors.ts'
import type { CachedState, CacheTags } from '#domain/secrets/ids-of-cached-contents.ts'
import type { CachedRequest } from '#domain/provider-upstream-interface.ts'
import type { Quote } from '#money/decision-types.ts'
import { basisPrice, isSoundDearer } from '#money/worst-case.ts'
import { withCache } from '#wire/bound/add-cached-content-to-bounds.ts'
import { contextTokensMax } from '#wire/bound/assumed-token-maxima.ts'
import { tokenHours, type Caching } from '#wire/cached-content-use-types.ts'
import type { CacheIds } from '#wire/types-of-replaced-ids.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Arrival } from './arrived-request-types.ts'
import { type Caller, ownerOf } from './caller-of-request.ts'
import type { Plan } from './targets-of-model-name.ts'
import { unknownObject } from './unknown-object-failure.ts'

const storedMsMax = 24 * 60 * 60 * 1000
/** Instructions for tools that the provider may add to the content. */
const addedTokensMax = 1_024

function unknownCache(id: string): never {
  return unknownObject('cached content', id, 'cachedContent')
}

function openedCache({ ports }: Pick<Arrival, 'ports'>, { key }: Caller, id: string): CachedState {
  return ports.cacheTags.open(key, id) ?? unknownCache(id)
}

/** @throws Failure with the same error for an unknown ID as for expired content */
export async function ownCache(
  arrival: Pick<Arrival, 'ports'>,
  caller: Caller,
  id: string,
): Promise<{ readonly state: CachedState; readonly record: StoredFileRecord }> {
  const { clock, files } = arrival.ports
  const state = openedCache(arrival, caller, id)
  const record = await files.byId(ownerOf(caller), id)
  if (record === null || (record.expiresAtMs ?? 0) <= clock.nowMs()) unknownCache(id)
  return { state, record }
}

/**
 * Also adds the tokens of the cached content to the request's maximum input.
 * @throws Failure
 */
export function withOpenedCache(
  arrival: Pick<Arrival, 'ports'>,
  caller: Caller,
  request: WireRequest,
): WireRequest {
  const { cache } = request
  return cache === undefined ? request : withCache(request, openedCache(arrival, caller, cache.id))
}

/**
 * The result contains the storage that the request pays for.
 * @throws Failure
 */
export async function withOpenedCaching(
  arrival: Pick<Arrival, 'ports'>,
  caller: Caller,
  request: WireRequest,
  caching: Caching,
): Promise<WireRequest> {
  const nowMs = arrival.ports.clock.nowMs()
  const { id, lifetime } = caching
  const expiresAtMs = 'ttlMs' in lifetime ? nowMs + lifetime.ttlMs : lifetime.expiresAtMs
  if (expiresAtMs <= nowMs || expiresAtMs > nowMs + storedMsMax) {
    const reason = 'Cached content must expire within 24 hours.'
    throw new Failure('invalid_request', { reason }, { param: 'ttlMs' in lifetime ? 'ttl' : 'expireTime' })
  }
  if (id === null) {
    if (!(await arrival.ports.files.hasRoom(ownerOf(caller), 0, cacheLimits, 'caches'))) throw tooManyCaches()
    const opened = { paidMs: expiresAtMs - nowMs, expiresAtMs, stored: null }
    const tokens = tokensMaxOf(request)
    return {
      ...request,
      caching: { ...caching, opened },
      uses: { cacheTokenHours: tokenHours(tokens, opened.paidMs) },
    }
  }
  const { record, state } = await ownCache(arrival, caller, id)
  // The time until the current expiry is already paid. An earlier expiry refunds nothing.
  const paidMs = Math.max(0, expiresAtMs - (record.expiresAtMs ?? nowMs))
  return {
    ...request,
    model: state.alias,
    caching: { ...caching, opened: { paidMs, expiresAtMs, stored: state } },
    uses: { cacheTokenHours: tokenHours(state.tokens, paidMs) },
  }
}

/** The size of cached content is not limited, because its storage is charged. */
export const cacheLimits = { filesMax: cachesMax, fileBytesMax: Number.MAX_SAFE_INTEGER }

export function tooManyCaches(): Failure {
  const reason = `An end user can have at most ${cachesMax} cached contents. Delete cached content, then create it again.`
  return new Failure('invalid_request', { reason })
}

function tokensMaxOf({ audioTokensMax, fetched, images, textTokensMax }: WireRequest): number {
  const own = textTokensMax + audioTokensMax + (images?.google ?? 0) + addedTokensMax
  return fetched === undefined ? own : Math.max(own, contextTokensMax)
}

export function cacheFault({ cache, caching }: WireRequest, { cacheOrigin, quote }: Plan): Failure | null {
  if (cache === undefined && caching === undefined) return null
  const param = cache === undefined ? 'model' : 'cachedContent'
  const unsupported = (reason: string): Failure => new Failure('unsupported_for_route', { reason }, { param })
  if (cacheOrigin === null)
    return unsupported(
      'the provider of this model stores no cached content. Send the content itself in each request',
    )
  const origin = (cache?.stored ?? caching?.opened?.stored)?.origin ?? cacheOrigin
  if (origin !== cacheOrigin)
    return unsupported(
      'the cached content belongs to another account or model. Use the model name with which it was created',
    )
  if (caching !== undefined && !isStoragePriced(quote))
    return unsupported(
      'the storage of cached content has no price. The application must set the rate cacheStorage in each price of the model',
    )
  return null
}

/** Without a rate for storage, storage would be free. */
function isStoragePriced(quote: Quote): boolean {
  const prices = [basisPrice(quote), quote.cost, quote.credits]
  return prices.every((price) => price === null || price.cacheStorage !== undefined)
}

/** Undefined if the target stores no cached content. */
export function cacheIdsOf(
  tags: CacheTags,
  owner: Account,
  { model: alias }: WireRequest,
  { cacheOrigin: origin, contextTokens, quote }: Plan,
): CacheIds | undefined {
  if (origin === null) return undefined
  return {
    isSoundDearer: isSoundDearer(quote, contextTokens ?? contextTokensMax),
    idOf: (cache) => tags.tagOf(owner, { ...cache, origin, alias }),
  }
}

/** Undefined if the request does not create or change cached content. */
export function cachedRequestOf({ caching }: WireRequest): CachedRequest | undefined {
  if (caching === undefined) return undefined
  const name = caching.opened?.stored?.name
  return name === undefined ? { method: 'POST' } : { method: 'PATCH', name }
}

/** In Google's format (docs/reference/wires.md "Cached content"). */
export function describedCache(record: StoredFileRecord, { alias, tokens }: CachedState): object {
  const { createdAtMs, expiresAtMs, filename, id } = record
  const created = new Date(createdAtMs).toISOString()
  return {
    name: `cachedContents/${id}`,
    model: `models/${alias}`,
    displayName: filename,
    createTime: created,
    updateTime: created,
    ...(expiresAtMs !== null && { expireTime: new Date(expiresAtMs).toISOString() }),
    usageMetadata: { totalTokenCount: tokens },
  }
}

export function isCache({ kind }: StoredFileRecord): boolean {
  return kind === cachePurpose
}
