/**
 * A name and the ways to answer a call of it, as a tree: routers are its nodes, accounts with a model its leaves.
 * Plain values: no clock, no sockets, no store. The gateway adds what it knows of each leaf (its account, its price);
 * the policies here see what they decide by.
 */

export const policies = ['priority', 'weighted', 'cheapest', 'fastest', 'leastBusy', 'sticky'] as const
export type Policy = (typeof policies)[number]

/** One account and one model that can answer. */
export interface Leaf {
  readonly kind: 'leaf'
  /** The account and the model: health, circuit and calls in flight are counted under it. */
  readonly key: string
  /** A probe can find out whether it answers again; absent: only a real call can. */
  readonly isProbeable?: boolean
}

export interface RouteNode<L extends Leaf> {
  readonly kind: 'node'
  /** The router, or the alias whose sources these are. */
  readonly name: string
  readonly policy: Policy
  /** Whose calls stay together under `sticky`. */
  readonly stickyBy: 'end_user' | 'session'
  readonly branches: readonly Branch<L>[]
}

export interface Branch<L extends Leaf> {
  /** Under `weighted`: its share among the weights of its node. */
  readonly weight: number
  /** The most calls in flight that it may have; null: any number. */
  readonly maxInFlight: number | null
  readonly when: Condition | null
  readonly to: RouteNode<L> | L
}

/** What a call must be for a branch to be taken; an absent field asks nothing. */
export interface Condition {
  /** Slugs; the caller's bundle is one of them. */
  readonly bundles?: readonly string[]
  /** Features that the call needs: all of them. */
  readonly features?: readonly Feature[]
  readonly inputTokensMin?: number
  readonly inputTokensMax?: number
  readonly mode?: 'live' | 'test'
}

/** What a request may need of who answers it, told from the request alone. */
export const features = ['tools', 'images', 'audio', 'documents', 'json', 'reasoning', 'stream'] as const
export type Feature = (typeof features)[number]

/** What the policies and conditions see of a call. */
export interface RoutedCall {
  readonly bundle: string
  readonly mode: 'live' | 'test'
  readonly features: ReadonlySet<Feature>
  /** The gateway's estimate. */
  readonly inputTokens: number
  readonly endUserId: string
  /** `svc.session`; null: the call names none, and `sticky` goes by the end user. */
  readonly session: string | null
}

/** Why a target is not taken. The words are for the customer's team, never for an end user. */
export interface Skip {
  readonly code: SkipCode
  /** What is so, with its numbers: `its circuit is open until 12:00:31`. */
  readonly reason: string
}

export type SkipCode =
  | 'disabled'
  | 'unpriced'
  /** A simulator in live mode. */
  | 'test_only'
  | 'unsupported'
  | 'context_too_small'
  | 'condition'
  | 'max_in_flight'
  | 'circuit_open'
  | 'too_dear'
  /** It stands earlier in the order already. */
  | 'repeated'
  /** The call ended before its turn: the failure before it moves nothing on, or there was no time or attempt left. */
  | 'not_moved_on'
  | 'within_ms'
  | 'attempts_max'

/** What is known of a leaf for this very call. */
export interface LeafFacts {
  /** Null: it can serve the call, as far as its account, price and wire go. */
  readonly skip: Skip | null
  /** What the call is expected to cost there, in micros. */
  readonly expectedMicros: bigint
}

export interface LeafHealth {
  readonly inFlight: number
  /** Decayed mean of the time to the first token; null: nothing is known. */
  readonly firstTokenMs: number | null
  readonly circuit: CircuitState
}

export type CircuitState =
  | { readonly kind: 'closed' }
  /** Nobody is sent there before `untilMs`. */
  | { readonly kind: 'open'; readonly untilMs: number; readonly why: string }
  /**
   * The cool-down is over: one real call may try, and `isTrying` says that one does. `isProbed`: a probe tries in its
   * place where the target can be probed.
   */
  | {
      readonly kind: 'half_open'
      readonly isTrying: boolean
      readonly isProbed: boolean
      readonly why: string
    }

/** One target in the order of a plan. */
export interface PlannedTarget<L extends Leaf> {
  readonly leaf: L
  /** The names through which it is reached: the router asked for first. */
  readonly path: readonly string[]
  /** Null: it is taken when its turn comes. */
  readonly skip: Skip | null
}
