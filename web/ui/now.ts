/** The time that a page is about: in test mode that of the test clock, which is ahead of the real one. */
import { createContext, useContext, useEffect, useState } from 'react'

/** How far the time of the page is ahead of the real time, in milliseconds. */
export const AheadMs = createContext(0)

/** The time of the page, updated every so often. */
export function useNow(everyMs: number): number {
  return useRealNow(everyMs) + useContext(AheadMs)
}

/** The time of the computer, whatever a test clock says, updated every so often. */
export function useRealNow(everyMs: number): number {
  const [realMs, setRealMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setRealMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return realMs
}

/** Setting a timer for longer makes it fire at once; the page is loaded anew before. */
const timerMaxMs = 2 ** 31 - 1

/** Whether a moment has passed, told when it does. */
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
