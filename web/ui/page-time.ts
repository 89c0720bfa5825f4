/**
 * The time that a page shows and uses. In test mode, the page's time is the time of the test clock, which is ahead of
 * real time.
 */
import { createContext, useContext, useEffect, useState } from 'react'

/** Offset of the page's time from real time, in milliseconds. */
export const AheadMs = createContext(0)

/** Returns the page's time, updated at this interval. */
export function useNow(everyMs: number): number {
  return useRealNow(everyMs) + useContext(AheadMs)
}

/** Returns the computer's time, even if the test clock is ahead, and updates it at this interval. */
export function useRealNow(everyMs: number): number {
  const [realMs, setRealMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setRealMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return realMs
}

/** A timer with a longer delay would fire immediately. The page is reloaded before a delay of this length ends. */
const timerMaxMs = 2 ** 31 - 1

/** Returns whether a moment has passed, and updates when it passes. */
export function useHasPassed(at: string | null): boolean {
  const aheadMs = useContext(AheadMs)
  const [passed, setPassed] = useState(() =>
    at !== null && Date.parse(at) <= Date.now() + aheadMs ? at : null,
  )
  useEffect(() => {
    if (at === null) return
    const waitMs = Math.max(Date.parse(at) - aheadMs - Date.now(), 0)
    if (waitMs > timerMaxMs) return
    const timer = setTimeout(() => setPassed(at), waitMs)
    return () => clearTimeout(timer)
  }, [at, aheadMs])
  return at !== null && passed === at
}
