/** In test mode, the page's time is the time of the test clock, which may be ahead of real time. */
import { createContext, useContext, useEffect, useState } from 'react'

/** Offset of the page's time from real time. */
export const AheadMs = createContext(0)

/**
 * The component renders again every `everyMs`.
 * @param isRealTime whether to ignore the test clock
 */
export function useNow(everyMs: number, isRealTime = false): number {
  const aheadMs = useContext(AheadMs)
  return useRealNow(everyMs) + (isRealTime ? 0 : aheadMs)
}

/** Ignores the test clock. */
export function useRealNow(everyMs: number): number {
  const [realMs, setRealMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setRealMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return realMs
}

/**
 * A timer with a longer delay would fire immediately. Such a delay needs no timer, because the page is reloaded long
 * before.
 */
const timerMaxMs = 2 ** 31 - 1

/** The component renders again when the time passes. */
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
