/** The circuit of an account and model that calls are not all sent to, as one process sees it. */
export interface CircuitFacts {
  readonly accountId: string
  readonly model: string
  readonly mode: 'live' | 'test'
  /** `half_open`: the cool-down is over, and one real call may try. */
  readonly state: 'open' | 'half_open'
  /** Nobody is sent there before; null: one call may try now. */
  readonly untilMs: number | null
  readonly why: string
}
