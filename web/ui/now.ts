/** The time that a page is about: in test mode that of the test clock, which is ahead of the real one. */
import { createContext, useContext, useEffect, useState } from 'react'

/** How far the time of the page is ahead of the real time, in milliseconds. */
export const AheadMs = createContext(0)

/** Now, anew every so often. */
export function useNow(everyMs: number): number {
  const aheadMs = useContext(AheadMs)
  const [realMs, setRealMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setRealMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return realMs + aheadMs
}
