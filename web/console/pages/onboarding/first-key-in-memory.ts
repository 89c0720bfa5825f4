/** The key is dropped when the user leaves the page. */
import { useSyncExternalStore } from 'react'

export interface FirstKey {
  readonly key: string
  readonly endUserId: string
  /** Why the grant to the end user failed. Null if no grant has failed. */
  readonly grantError: unknown
}

let held: FirstKey | null = null
const listeners = new Set<() => void>()

export function holdFirstKey(next: FirstKey): void {
  held = next
  for (const listener of listeners) listener()
}

export function useFirstKey(): FirstKey | null {
  return useSyncExternalStore(listenToFirstKey, firstKey)
}

export function firstKey(): FirstKey | null {
  return held
}

export function listenToFirstKey(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) held = null
  }
}
