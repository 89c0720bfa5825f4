/**
 * A page that is opened again shows the cached response and loads a new one. A change makes all responses outdated,
 * because every response describes the end user's account.
 */
import { useEffect, useState, useSyncExternalStore } from 'react'
import { asked } from './end-user-session.ts'

interface Kept {
  value: unknown
  error: unknown
  isAsking: boolean
  isOld: boolean
  /** A response that was requested before a change is older than the result of the change. */
  revision: number
  snapshot: object
}

export interface Answer<Value> {
  /** Undefined until the first response arrives. */
  readonly value: Value | undefined
  readonly error: unknown
  /** The value belongs to another filter or is older than a change. */
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
  // The entry may have become outdated while the request was in flight.
  if (one.isOld) void ask(key, read)
}

/** For a response that came from another request. */
export function keep(key: string, value: unknown): void {
  const one = entry(key)
  Object.assign(one, { value, error: null, isOld: false, revision: one.revision + 1, snapshot: {} })
  tell()
}

/** Displayed responses are loaded again. */
export function outdateAll(): void {
  outdate('')
}

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
  useEffect(() => {
    void ask(key, read)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- equal keys mean the same request
  }, [key])
  const { isOld } = one
  useEffect(() => {
    if (isOld) void ask(key, read)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- as above
  }, [key, isOld])
  // The key determines the type of the response, so the cast is safe.
  const value = one.value as Value | undefined
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(() => value)
  // The value of another filter is shown only until the request for this filter fails.
  const shown = value === undefined && one.error === null ? last : value
  return {
    value: shown,
    error: one.error,
    isOld: value !== shown,
    retry: () => outdate(key),
  }
}

/** For data that finished requests change. Reloads only while the page is visible and was used recently. */
export function useFresh(prefixes: readonly string[], everyMs: number): void {
  const names = prefixes.join(' ')
  useEffect(() => {
    let lastMs = Date.now()
    const note = (): void => void (lastMs = Date.now())
    const again = (): void => {
      // A page that no one uses must not keep its session alive.
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
