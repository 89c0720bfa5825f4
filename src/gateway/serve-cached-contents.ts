import { Failure } from '#domain/errors.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import {
  cacheLimits,
  describedCache,
  isCache,
  ownCache,
  tooManyCaches,
} from '#gateway/call/use-of-cached-contents.ts'
import { type Caller, ownerOf } from '#gateway/call/caller-of-request.ts'
import type { ReservedCall } from '#gateway/call/call-state-types.ts'
import type { CallEnd } from '#gateway/relay/end-of-call-at-provider.ts'
import type { FreeAnswer } from '#gateway/relay/write-response-to-client.ts'
import { cachePurpose } from '#domain/accounts/files-stored-at-providers.ts'
import { pageOf } from './google-file-responses.ts'
import { serveFreeRequest } from './serve-free-request.ts'

/**
 * Requests about the caller's cached content are free. Only calls (serve-call.ts) create and change content, because
 * its storage is charged.
 */
export function serveCachedContents(arrival: Arrival): Promise<void> {
  const { cached } = arrival.route
  if (cached === undefined) throw new Error('the route has no cached content')
  const { action, id } = cached
  return serveFreeRequest(arrival, async (caller) => answerOf(await actions[action](arrival, caller, id)))
}

type Action = (arrival: Arrival, caller: Caller, id: string) => Promise<object>

const actions: Readonly<Record<'list' | 'show' | 'delete', Action>> = {
  async list(arrival, caller) {
    const files = await arrival.ports.files.of(ownerOf(caller), 'google')
    const { hasMore, last, page } = pageOf(files.filter(isCache), new URLSearchParams(arrival.route.query))
    const cachedContents = page.flatMap((one) => {
      // The ID cannot be decrypted if its master key was removed.
      const state = arrival.ports.cacheTags.open(caller.key, one.id)
      return state === null ? [] : [describedCache(one, state)]
    })
    return {
      ...(cachedContents.length > 0 && { cachedContents }),
      ...(hasMore && { nextPageToken: last?.id }),
    }
  },
  async show(arrival, caller, id) {
    const { record, state } = await ownCache(arrival, caller, id)
    return describedCache(record, state)
  },
  async delete(arrival, caller, id) {
    const { record } = await ownCache(arrival, caller, id)
    await arrival.ports.files.remove(ownerOf(caller), record)
    return {}
  },
}

function answerOf(body: object): FreeAnswer {
  return { body: Buffer.from(JSON.stringify(body)) }
}

/**
 * If the store fails, the call fails, because the owner could neither list nor delete the content. The content is
 * charged even then, because the provider has billed it.
 */
export async function keepCachedContent(call: ReservedCall, end: CallEnd): Promise<CallEnd> {
  if ((end.kind !== 'answered' && end.kind !== 'left') || end.cached === undefined) return end
  const { caller, plan, ports, request } = call
  const { displayName, id, name } = end.cached
  const owner = ownerOf(caller)
  const createdAtMs = ports.clock.nowMs()
  const expiresAtMs = request.caching?.opened?.expiresAtMs ?? createdAtMs
  try {
    const file = {
      ...owner,
      id,
      accountId: plan.source.account.id,
      format: 'google',
      providerId: name,
      filename: displayName,
      kind: cachePurpose,
      bytes: 0,
      createdAtMs,
      expiresAtMs,
      removedAtMs: null,
    } as const
    const isChange = request.caching?.id !== null
    if (isChange) await ports.files.extend(file)
    else if (!(await ports.files.add(file, cacheLimits)))
      return { kind: 'failed', failure: tooManyCaches(), used: end.used, spent: null }
    return end
  } catch (cause) {
    const failure = new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause })
    return { kind: 'failed', failure, used: end.used, spent: null }
  }
}
