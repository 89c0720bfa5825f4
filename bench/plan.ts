import type { OverloadPlan } from './overload.ts'

/** Durations and amounts of a run. */
export interface Plan {
  readonly rounds: number
  readonly warmUpMs: number
  /** Load before each window. A process that was idle needs seconds to reach its cost again. */
  readonly settleMs: number
  /** Long enough that, at the rate of calls, the 10 ms ticks of the CPU clock are below one percent. */
  readonly callWindowMs: number
  readonly streamWindowMs: number
  readonly saturationConnections: number
  /** Rounds of the wires, with their twelve pairs. */
  readonly wireRounds: number
  /** End users with a key each, so that no row and no lock is hot. */
  readonly people: number
  /** End users of the comparison of engines, and rounds of each of five loads on each engine. */
  readonly enginePeople: number
  readonly engineRounds: number
  readonly memory: { readonly streams: number; readonly warmUpStreams: number; readonly holdMs: number }
  readonly overload: OverloadPlan
}

/**
 * About forty minutes. Many short rounds rather than a few long ones: other work comes in bursts, and two adjacent
 * windows share more of it.
 */
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
  engineRounds: 5,
  memory: { streams: 2000, warmUpStreams: 200, holdMs: 8000 },
  overload: {
    multiples: [0.5, 1, 2, 5, 10],
    windowMs: 10_000,
    restMs: 3_000,
    streams: 100,
    connections: 8_000,
  },
}

/** A minute: shows that every step works. */
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
  engineRounds: 1,
  memory: { streams: 200, warmUpStreams: 20, holdMs: 800 },
  overload: {
    multiples: [0.5, 1, 2, 5, 10],
    windowMs: 2_000,
    restMs: 500,
    streams: 20,
    connections: 8_000,
  },
}
