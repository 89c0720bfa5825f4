/** The key that was created on this page, in memory until the page is left, so that the request can be sent. */
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
