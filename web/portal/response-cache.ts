/**
 * API responses, cached while the portal is open. A page that is reopened shows the cached response and loads it again.
 * A change invalidates all responses, because each of them describes the end user's account.
 */
import { useEffect, useState, useSyncExternalStore } from 'react'
import { asked } from './session.ts'

interface Kept {
  value: unknown
  error: unknown
  isAsking: boolean
  isOld: boolean
  /** Revision of the value. A response that was requested before a change is older than the result of the change. */
  revision: number
  snapshot: object
}

export interface Answer<Value> {
  /** Undefined until the first response. */
  readonly value: Value | undefined
  /** Null if the last request succeeded. */
  readonly error: unknown
  /** Whether the value is outdated, because it belongs to another filter or predates a change. */
  readonly isOld: boolean
  readonly retry: () => void
}

const kept = new Map<string, Kept>()
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function entry(key: string): Kept {
  const known = kept.get(key)
  if (known !== undefined) return known
  const made: Kept = {
    value: undefined,
    error: null,
    isAsking: false,
    isOld: true,
    revision: 0,
    snapshot: {},
  }
  kept.set(key, made)
  return made
}

async function ask(key: string, read: () => PromiseLike<unknown>): Promise<void> {
  const one = entry(key)
  if (one.isAsking) return
  one.isAsking = true
  one.isOld = false
  const { revision } = one
  try {
    const value = await asked(read)
    if (one.revision === revision) Object.assign(one, { value, error: null })
  } catch (error) {
    if (one.revision === revision) one.error = error
  }
  one.isAsking = false
  one.snapshot = {}
  tell()
  // The entry was invalidated while the request was in flight.
  if (one.isOld) void ask(key, read)
}

/** Caches a response that came from another request. */
export function keep(key: string, value: unknown): void {
  const one = entry(key)
  Object.assign(one, { value, error: null, isOld: false, revision: one.revision + 1, snapshot: {} })
  tell()
}

/** Invalidates all responses after a change. The displayed responses are loaded again. */
export function outdateAll(): void {
  outdate('')
}

/** Invalidates all keys with one of these prefixes. Pages that show these responses load them again. */
function outdate(...prefixes: readonly string[]): void {
  for (const [key, one] of kept) {
    if (!prefixes.some((prefix) => key.startsWith(prefix))) continue
    one.isOld = true
    one.snapshot = {}
  }
  tell()
}

/** @param key identifies the request; equal keys share one request */
export function useAnswer<Value>(key: string, read: () => PromiseLike<Value>): Answer<Value> {
  const one = entry(key)
  useSyncExternalStore(subscribe, () => one.snapshot)
  // A page that is reopened loads its responses again.
  useEffect(() => {
    void ask(key, read)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- equal keys mean the same request
  }, [key])
  const { isOld } = one
  useEffect(() => {
    if (isOld) void ask(key, read)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- as above
  }, [key, isOld])
  // The key determines the type of the response.
  const value = one.value as Value | undefined
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(() => value)
  return {
    value: value ?? last,
    error: one.error,
    isOld: value === undefined && last !== undefined,
    retry: () => outdate(key),
  }
}

/** Reloads the data that finished requests change, while the page is visible and was used recently. */
export function useFresh(prefixes: readonly string[], everyMs: number): void {
  const names = prefixes.join(' ')
  useEffect(() => {
    let lastMs = Date.now()
    const note = (): void => void (lastMs = Date.now())
    const again = (): void => {
      // An idle page must not keep its session alive.
      if (document.visibilityState === 'visible' && Date.now() - lastMs < idleMs) outdate(...names.split(' '))
    }
    const came = (): void => {
      note()
      again()
    }
    const timer = setInterval(again, everyMs)
    for (const event of ['pointerdown', 'keydown', 'scroll']) addEventListener(event, note, { passive: true })
    addEventListener('focus', came)
    return () => {
      clearInterval(timer)
      for (const event of ['pointerdown', 'keydown', 'scroll']) removeEventListener(event, note)
      removeEventListener('focus', came)
    }
  }, [names, everyMs])
}

const idleMs = 300_000
