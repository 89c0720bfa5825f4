import { setTimeout as wait } from 'node:timers/promises'
import { Load } from './closed-loop-load-driver.ts'
import { cpuMicros } from './process-cpu-and-memory.ts'
import { rounded, spread, type Spread } from './statistics.ts'
import type { Subject } from './start-measured-server.ts'
import { jsonCall } from './targets-and-scenarios.ts'

/** The gateway process has just started and serves 32 connections. */
export interface StartFigures {
  readonly isWarmedUp: boolean
  /** From starting the command until the process prints that it is ready. */
  readonly startMs: Spread
  readonly startCpuMs: Spread
  /** For the first calls after the start, and for later calls in the same process. */
  readonly firstMicrosPerCall: Spread
  readonly warmMicrosPerCall: Spread
  readonly firstByWarm: Spread
}

/**
 * The length of a window is a number of calls. In a fixed duration, a busy machine would serve fewer calls and
 * therefore compile less code.
 */
export interface StartPlan {
  readonly rounds: number
  readonly callsOfWindow: number
  /** Number of calls between the measurement right after the start and the measurement of the warm process. */
  readonly callsBetween: number
}

/** Each start uses the same data. */
export async function measureStarts(
  subject: Subject,
  { rounds, ...windows }: StartPlan,
): Promise<StartFigures[]> {
  const variants = [true, false].map((isWarmedUp) => ({ isWarmedUp, starts: [] as Start[] }))
  for (let round = 0; round < rounds; round += 1) {
    for (const { isWarmedUp, starts } of round % 2 === 0 ? variants : variants.toReversed())
      starts.push(await measureStart(subject, isWarmedUp, windows))
  }
  return variants.map(({ isWarmedUp, starts }) => {
    const of = (figure: (start: Start) => number): Spread => spread(starts.map(figure))
    return {
      isWarmedUp,
      startMs: of(({ startMs }) => startMs),
      startCpuMs: of(({ startCpuMs }) => startCpuMs),
      firstMicrosPerCall: of(({ first }) => first),
      warmMicrosPerCall: of(({ warm }) => warm),
      firstByWarm: of(({ first, warm }) => first / warm),
    }
  })
}

interface Start {
  readonly startMs: number
  readonly startCpuMs: number
  readonly first: number
  readonly warm: number
}

async function measureStart(
  subject: Subject,
  isWarmedUp: boolean,
  { callsBetween, callsOfWindow }: Omit<StartPlan, 'rounds'>,
): Promise<Start> {
  const { startMs, target } = await subject.restart({ isWarmedUp })
  const { pid } = target
  if (pid === null) throw new Error('a subject is a process')
  const startCpuMs = cpuMicros(pid) / 1000
  const load = await Load.open({ target, scenario: jsonCall, connections: 32, staggerMs: 0 })
  const microsPerCall = async (calls: number): Promise<number> => {
    const before = cpuMicros(pid)
    load.begin()
    while (load.end().calls < calls) await wait(pollMs)
    return (cpuMicros(pid) - before) / load.end().calls
  }
  const first = await microsPerCall(callsOfWindow)
  await microsPerCall(callsBetween)
  const warm = await microsPerCall(callsOfWindow)
  await load.close()
  return { startMs: rounded(startMs), startCpuMs, first, warm }
}

const pollMs = 10
