/**
 * In test mode, the page's time is the time of the test clock, which may be ahead of real time. If the computer's clock
 * is wrong, the real time comes from the server.
 */
import { createContext, useContext, useEffect, useState } from 'react'

/** Offset of the page's time from real time. */
export const AheadMs = createContext(0)

/** Server time minus the computer's time. 0 unless the computer's clock is wrong. */
let correctionMs = 0

/** Latency and the rounding of the server's time are much shorter. */
const wrongFromMs = 300_000

/** @param serverMs the server's time in a response that has just arrived */
export function correctClock(serverMs: number): void {
  const ms = serverMs - Date.now()
  correctionMs = Math.abs(ms) < wrongFromMs ? 0 : ms
}

/** Ignores the test clock. */
export function realNow(): number {
  return Date.now() + correctionMs
}

/**
 * The component renders again every `everyMs`.
 * @param isRealTime whether to ignore the test clock
 */
export function useNow(everyMs: number, isRealTime = false): number {
  const aheadMs = useContext(AheadMs)
  return useComputerNow(everyMs) + correctionMs + (isRealTime ? 0 : aheadMs)
}

/** The time of the computer's clock, even if it is wrong. */
export function useComputerNow(everyMs: number): number {
  const [computerMs, setComputerMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setComputerMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return computerMs
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
    at !== null && Date.parse(at) <= realNow() + aheadMs ? at : null,
  )
  useEffect(() => {
    if (at === null) return
    const waitMs = Math.max(Date.parse(at) - aheadMs - realNow(), 0)
    if (waitMs > timerMaxMs) return
    const timer = setTimeout(() => setPassed(at), waitMs)
    return () => clearTimeout(timer)
  }, [at, aheadMs])
  return at !== null && passed === at
}
