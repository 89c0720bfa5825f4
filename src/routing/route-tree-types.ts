/**
 * The inner nodes of the routing tree are routers, and its leaves are pairs of an account and a model. The gateway's
 * leaves also have an account and a price, which the policies in this folder do not read.
 */

export const policies = ['priority', 'weighted', 'cheapest', 'fastest', 'leastBusy', 'sticky'] as const
export type Policy = (typeof policies)[number]

export interface Leaf {
  readonly kind: 'leaf'
  /** Identifies the account and the model. Health, circuit and calls in flight are tracked by this key. */
  readonly key: string
  /** Changes with the base URL or the credential. After a change, earlier failures prove nothing about the account. */
  readonly access?: string
  /** Whether a probe can detect that the target has recovered. If absent, only a real call can detect this. */
  readonly isProbeable?: boolean
}

export interface RouteNode<L extends Leaf> {
  readonly kind: 'node'
  /** The router's name, or the alias whose sources are the branches. */
  readonly name: string
  readonly policy: Policy
  /** The `sticky` policy sends all calls of an end user or of a session to the same target. */
  readonly stickyBy: 'end_user' | 'session'
  readonly branches: readonly Branch<L>[]
}

export interface Branch<L extends Leaf> {
  /** The branch's share under the `weighted` policy, relative to the sum of the node's weights. */
  readonly weight: number
  /** Null means no limit. */
  readonly maxInFlight: number | null
  readonly when: Condition | null
  readonly to: RouteNode<L> | L
}

/** A call meets the condition if it meets all present fields. */
export interface Condition {
  /** The caller's bundle must be one of these slugs. */
  readonly bundles?: readonly string[]
  readonly features?: readonly Feature[]
  readonly inputTokensMin?: number
  readonly inputTokensMax?: number
  readonly mode?: 'live' | 'test'
}

/** Detected from the request alone. */
export const features = ['tools', 'images', 'audio', 'documents', 'json', 'reasoning', 'stream'] as const
export type Feature = (typeof features)[number]

export interface RoutedCall {
  readonly bundle: string
  readonly mode: 'live' | 'test'
  readonly features: ReadonlySet<Feature>
  /** The gateway's estimate. */
  readonly inputTokens: number
  readonly endUserId: string
  /** The value of `svc.session`. Null if the call names no session; the `sticky` policy then uses the end user. */
  readonly session: string | null
}

/** For the customer's team only. Never show the reason to an end user. */
export interface Skip {
  readonly code: SkipCode
  /** Contains current numbers, such as `its circuit is open until 12:00:31`. */
  readonly reason: string
}

export type SkipCode =
  | 'disabled'
  | 'unpriced'
  /** The account is a simulator, but the call is in live mode. */
  | 'test_only'
  | 'unsupported'
  | 'context_too_small'
  | 'condition'
  | 'max_in_flight'
  | 'circuit_open'
  | 'too_dear'
  /** The target already appears earlier in the order. */
  | 'repeated'
  /**
   * The call ended before this target's turn: the last failure allows no other target, or no time or attempt remained.
   */
  | 'not_moved_on'
  /** A call that continues a stored conversation has only one target. */
  | 'sent_once'
  | 'within_ms'
  | 'attempts_max'

export interface LeafFacts {
  readonly skip: Skip | null
  readonly expectedMicros: bigint
}

export type HealthTarget = Pick<Leaf, 'key' | 'access'>

export interface LeafHealth {
  readonly inFlight: number
  /** An average that gives recent calls more weight. Null if no call was measured. */
  readonly firstTokenMs: number | null
  readonly circuit: CircuitState
}

export type CircuitState =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly untilMs: number; readonly why: string }
  /**
   * The cool-down has ended, and one real call, the trial, may test the target. `isTrying` is true during a trial.
   * `isProbed` is true if a probe is sent instead of a trial.
   */
  | {
      readonly kind: 'half_open'
      readonly isTrying: boolean
      readonly isProbed: boolean
      readonly why: string
    }

export interface PlannedTarget<L extends Leaf> {
  readonly leaf: L
  /** The alias and the routers on the path to the target, starting with the requested model name. */
  readonly path: readonly string[]
  readonly skip: Skip | null
}
