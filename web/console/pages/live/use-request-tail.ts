/** After a reconnection, the page reports missing requests. The shown rows change at most four times a second. */
import { useEffect, useEffectEvent, useState } from 'react'
import { ApiError } from '#sdk/errors.ts'
import type { RequestsTailInput } from '#sdk/generated/requests.ts'
import type { Request } from '#sdk/generated/types.ts'
import type { StreamOptions } from '#sdk/settings.ts'
import type { StreamCall } from '#sdk/stream.ts'
import { call } from '../../operations/use-operation.ts'
import { scopeOptions, useScope, type Scope } from '../../application-and-mode.ts'
import { emptyRing, withCalls, type Ring } from './newest-requests.ts'

const flushMs = 250
const retryMs = [500, 1_000, 2_000, 5_000, 10_000] as const

export interface TailState {
  readonly kind: 'connecting' | 'open' | 'reconnecting' | 'stopped'
  readonly error: unknown
  /** Set if the server could not send all missed requests after a reconnection. Null if no request is missing. */
  readonly gapSince: string | null
}

export interface Tail extends Ring {
  readonly state: TailState
  readonly count: number
  readonly retry: () => void
}

const connecting: TailState = { kind: 'connecting', error: null, gapSince: null }

export function useTail(query: RequestsTailInput, isPaused: boolean): Tail {
  const scope = useScope()
  const [round, setRound] = useState(0)
  const key = JSON.stringify([query, scope, round])
  const [told, setTold] = useState({ key, ring: emptyRing, state: connecting, count: 0 })
  if (told.key !== key) setTold({ key, ring: emptyRing, state: connecting, count: 0 })
  const take = useEffectEvent((calls: readonly Request[]) =>
    setTold((before) => {
      if (before.key !== key) return before
      const ring = withCalls(before.ring, calls, isPaused)
      return ring === before.ring ? before : { ...before, ring, count: before.count + calls.length }
    }),
  )
  useEffect(() => {
    const abort = new AbortController()
    let arrived: Request[] = []
    const timer = setInterval(() => {
      const calls = arrived
      arrived = []
      take(calls)
    }, flushMs)
    const [input, of] = JSON.parse(key) as [RequestsTailInput, Scope]
    void follow({
      input,
      scope: of,
      signal: abort.signal,
      onCall: (one) => arrived.push(one),
      onState: (change) =>
        setTold((before) =>
          before.key === key && !abort.signal.aborted
            ? { ...before, state: { ...before.state, ...change } }
            : before,
        ),
    })
    return () => {
      clearInterval(timer)
      abort.abort()
    }
  }, [key])
  return { ...told.ring, state: told.state, count: told.count, retry: () => setRound(round + 1) }
}

async function follow({
  input,
  onCall,
  onState,
  scope,
  signal,
}: {
  readonly input: RequestsTailInput
  readonly scope: Scope
  readonly signal: AbortSignal
  readonly onCall: (call: Request) => void
  readonly onState: (change: Partial<TailState>) => void
}): Promise<void> {
  let lastEventId: string | null = null
  let tries = 0
  while (!signal.aborted) {
    const options: StreamOptions = {
      ...scopeOptions(scope),
      signal,
      ...(lastEventId !== null && { lastEventId }),
    }
    const stream: StreamCall<Request> = call('requests.tail', input, options)
    try {
      // oxlint-disable-next-line no-await-in-loop -- one connection after the other
      await stream.opened()
      tries = 0
      onState({ kind: 'open', error: null })
      // oxlint-disable-next-line no-await-in-loop -- as above
      for await (const entry of stream.entries()) {
        if (entry.isDocument) onCall(entry.data)
        else if (entry.event === 'gap') onState({ gapSince: sinceOf(entry.data) })
      }
      onState({ kind: 'reconnecting', error: null })
    } catch (error) {
      if (signal.aborted) return
      // An error about a missing resource or permission is permanent.
      const isFinal = error instanceof ApiError && error.status < 500 && error.status !== 429
      onState({ kind: isFinal ? 'stopped' : 'reconnecting', error })
      if (isFinal) return
    }
    lastEventId = stream.lastEventId ?? lastEventId
    const waitMs = retryMs[Math.min(tries, retryMs.length - 1)] ?? 10_000
    tries += 1
    // oxlint-disable-next-line no-await-in-loop -- as above
    await delay(waitMs, signal)
  }
}

function sinceOf(data: unknown): string | null {
  return typeof data === 'object' && data !== null && 'since' in data ? String(data.since) : null
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
