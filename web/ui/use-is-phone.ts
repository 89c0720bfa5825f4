import { useSyncExternalStore } from 'react'

/** The same value as `--breakpoint-phone` in tokens.css. */
const phone = '(max-width: 29.99rem)'

export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(phone)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => window.matchMedia(phone).matches,
  )
}
