/**
 * Keeps the key that was created on the setup page in memory until the user leaves the page, so that the page can send
 * a request.
 */
import { useSyncExternalStore } from 'react'

export interface FirstKey {
  readonly key: string
  readonly endUserId: string
}

let held: FirstKey | null = null
const listeners = new Set<() => void>()

export function holdFirstKey(next: FirstKey | null): void {
  held = next
  for (const listener of listeners) listener()
}

export function useFirstKey(): FirstKey | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => held,
  )
}
