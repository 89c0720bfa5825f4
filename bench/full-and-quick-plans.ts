import type { StartPlan } from './effect-of-warm-up.ts'

export interface Plan {
  readonly rounds: number
  readonly warmUpMs: number
  /**
   * Duration of the load before each window. After an idle time, a process needs some seconds until its cost per call
   * is stable.
   */
  readonly settleMs: number
  /** Long enough that a tick of the CPU clock (10 ms) is less than one percent of the window. */
  readonly callWindowMs: number
  readonly streamWindowMs: number
  readonly saturationConnections: number
  /** For each of the twelve pairs of a client's wire and a provider's wire. */
  readonly wireRounds: number
  /** So high that no single row or lock is used all the time. */
  readonly people: number
  readonly enginePeople: number
  readonly scalePeople: number
  readonly growthPeople: number
  readonly growthRows: number
  readonly readRounds: number
  readonly engineRounds: number
  readonly limitPeople: number
  readonly limitRounds: number
  readonly limitSettleMs: number
  readonly limitWindowMs: number
  readonly memory: { readonly streams: number; readonly warmUpStreams: number; readonly holdMs: number }
  readonly overload: OverloadPlan
  readonly starts: StartPlan
}

export interface OverloadPlan {
  readonly multiples: readonly number[]
  readonly windowMs: number
  readonly restMs: number
  readonly streams: number
  /**
   * Connections of the load driver, without those of open streams. More than the server handles and queues at the same
   * time.
   */
  readonly connections: number
}

/** Many short rounds, so that other work on the machine affects adjacent windows more equally. */
export const fullPlan: Plan = {
  rounds: 7,
  warmUpMs: 10_000,
  settleMs: 5_000,
  callWindowMs: 1500,
  streamWindowMs: 2000,
  saturationConnections: 256,
  wireRounds: 5,
  people: 1000,
  enginePeople: 10_000,
  scalePeople: 200,
  growthPeople: 10_000,
  growthRows: 1_000_000,
  readRounds: 20,
  engineRounds: 5,
  limitPeople: 200,
  limitRounds: 25,
  limitSettleMs: 300,
  limitWindowMs: 1000,
  memory: { streams: 2000, warmUpStreams: 200, holdMs: 8000 },
  overload: {
    multiples: [0.5, 1, 2, 5, 10],
    windowMs: 10_000,
    restMs: 3_000,
    streams: 100,
    connections: 8_000,
  },
  starts: { rounds: 5, callsOfWindow: 5_000, callsBetween: 20_000 },
}

/** The quick run only shows that every step works. */
export const quickPlan: Plan = {
  rounds: 1,
  warmUpMs: 400,
  settleMs: 100,
  callWindowMs: 500,
  streamWindowMs: 700,
  saturationConnections: 256,
  wireRounds: 1,
  people: 50,
  enginePeople: 50,
  scalePeople: 50,
  growthPeople: 50,
  growthRows: 2_000,
  readRounds: 2,
  engineRounds: 1,
  limitPeople: 20,
  limitRounds: 1,
  limitSettleMs: 100,
  limitWindowMs: 500,
  memory: { streams: 200, warmUpStreams: 20, holdMs: 800 },
  overload: {
    multiples: [0.5, 1, 2, 5, 10],
    windowMs: 2_000,
    restMs: 500,
    streams: 20,
    connections: 8_000,
  },
  starts: { rounds: 1, callsOfWindow: 500, callsBetween: 500 },
}
