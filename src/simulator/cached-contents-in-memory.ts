import type { CachedRequest } from '#domain/provider-upstream-interface.ts'
import { isObject, stringOf, type JsonObject } from './read-values-of-any-shape.ts'
import { rejection, type Rejection } from './simulated-rejection.ts'

interface KeptCache {
  readonly model: string
  readonly tokens: number
  readonly description: JsonObject
}

export class KeptCaches {
  readonly #kept = new Map<string, KeptCache>()

  create(body: JsonObject, { callId, createdSeconds, tokens }: Creation): JsonObject {
    const id = callId.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
    const name = `cachedContents/${id}`
    const model = stringOf(body['model'])
    const description = {
      name,
      model,
      displayName: stringOf(body['displayName'] ?? body['display_name']),
      createTime: timeAt(createdSeconds),
      updateTime: timeAt(createdSeconds),
      expireTime: expiryOf(body, createdSeconds),
      usageMetadata: { totalTokenCount: tokens },
    }
    this.#kept.set(name, { model, tokens, description })
    const [oldest = ''] = this.#kept.keys()
    if (this.#kept.size > countMax) this.#kept.delete(oldest)
    return description
  }

  change(
    request: Exclude<CachedRequest, { method: 'POST' }>,
    body: unknown,
    atSeconds: number,
  ): JsonObject | null {
    const { method, name } = request
    const kept = this.#kept.get(name)
    if (kept === undefined) return null
    if (method === 'DELETE') {
      this.#kept.delete(name)
      return {}
    }
    const expireTime = expiryOf(isObject(body) ? body : {}, atSeconds)
    const description = { ...kept.description, updateTime: timeAt(atSeconds), expireTime }
    this.#kept.set(name, { ...kept, description })
    return description
  }

  /** Null if the content does not exist for this model. */
  tokensOf(name: string, model: string): number | null {
    const kept = this.#kept.get(name)
    return kept?.model === `models/${model}` ? kept.tokens : null
  }
}

interface Creation {
  readonly callId: string
  readonly createdSeconds: number
  readonly tokens: number
}

const countMax = 1_000

function expiryOf(body: JsonObject, atSeconds: number): string {
  const ttl = stringOf(body['ttl'] ?? '3600s')
  return stringOf(body['expireTime'] ?? body['expire_time'] ?? timeAt(atSeconds + Number(ttl.slice(0, -1))))
}

function timeAt(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

export function cacheNameIn(body: JsonObject): string | null {
  const { generateContentRequest: inner } = body
  const request = isObject(inner) ? inner : body
  return stringOf(request['cachedContent'] ?? request['cached_content']) || null
}

/** Google's error does not reveal whether cached content exists. */
export function missingCache(): Rejection {
  return { ...rejection('CachedContent not found (or permission denied)'), status: 403 }
}
