/**
 * What the API has answered, kept while the portal is open. A page that is come back to shows what it had and asks
 * again; what changes something says which answers it makes old.
 */
import { useEffect, useState, useSyncExternalStore } from 'react'
import { asked } from './session.ts'

interface Kept {
  value: unknown
  error: unknown
  isAsking: boolean
  isOld: boolean
  /** Of the value: what was asked for before a change came is older than what the change has told. */
  revision: number
  snapshot: object
}

export interface Answer<Value> {
  /** Undefined: none has come yet. */
  readonly value: Value | undefined
  /** Null: the last question was answered. */
  readonly error: unknown
  /** The value is of before: of another filter, or of before a change. */
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
  // It was made old while it was on its way.
  if (one.isOld) void ask(key, read)
}

/** Keeps an answer that came otherwise. */
export function keep(key: string, value: unknown): void {
  const one = entry(key)
  Object.assign(one, { value, error: null, isOld: false, revision: one.revision + 1, snapshot: {} })
  tell()
}

/** Whatever begins with one of these is asked for again by the pages that show it. */
export function outdate(...prefixes: readonly string[]): void {
  for (const [key, one] of kept) {
    if (!prefixes.some((prefix) => key.startsWith(prefix))) continue
    one.isOld = true
    one.snapshot = {}
  }
  tell()
}

/** @param key says what is asked for; the same key, the same question */
export function useAnswer<Value>(key: string, read: () => PromiseLike<Value>): Answer<Value> {
  const one = entry(key)
  useSyncExternalStore(subscribe, () => one.snapshot)
  // A page that is come back to asks anew.
  useEffect(() => {
    void ask(key, read)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the same key, the same question
  }, [key])
  const { isOld } = one
  useEffect(() => {
    if (isOld) void ask(key, read)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- as above
  }, [key, isOld])
  // The type of a key is that of the question it stands for.
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

/** Calls that end change what is shown: asked again while somebody looks, and while they were here lately. */
export function useFresh(prefixes: readonly string[], everyMs: number): void {
  const names = prefixes.join(' ')
  useEffect(() => {
    let lastMs = Date.now()
    const note = (): void => void (lastMs = Date.now())
    const again = (): void => {
      // An idle page must not keep its session from ending.
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
