/**
 * The inner nodes of the routing tree are routers, and its leaves are pairs of an account and a model. The gateway adds
 * an account and a price to each leaf, and the policies in this folder read only the fields declared here.
 */

export const policies = ['priority', 'weighted', 'cheapest', 'fastest', 'leastBusy', 'sticky'] as const
export type Policy = (typeof policies)[number]

export interface Leaf {
  readonly kind: 'leaf'
  /** Identifies the account and the model. Health, circuit and calls in flight are tracked under this key. */
  readonly key: string
  /**
   * A text that changes with the base URL or the credential. After such a change, earlier failures prove nothing about
   * the account.
   */
  readonly access?: string
  /** Whether a probe can detect that the target has recovered. If absent, only a real call can detect the recovery. */
  readonly isProbeable?: boolean
}

export interface RouteNode<L extends Leaf> {
  readonly kind: 'node'
  /** The name of the router, or of the alias to which the sources belong. */
  readonly name: string
  readonly policy: Policy
  /** The `sticky` policy sends all calls of an end user or of a session to the same target. */
  readonly stickyBy: 'end_user' | 'session'
  readonly branches: readonly Branch<L>[]
}

export interface Branch<L extends Leaf> {
  /** The branch's share of all weights of its node, under the `weighted` policy. */
  readonly weight: number
  /** Null means no limit. */
  readonly maxInFlight: number | null
  readonly when: Condition | null
  readonly to: RouteNode<L> | L
}

/** A call meets the condition if it meets all present fields. */
export interface Condition {
  /** Slugs of bundles, one of which must be the caller's bundle. */
  readonly bundles?: readonly string[]
  /** The call must use all of these features. */
  readonly features?: readonly Feature[]
  readonly inputTokensMin?: number
  readonly inputTokensMax?: number
  readonly mode?: 'live' | 'test'
}

/** Features are detected from the request alone. */
export const features = ['tools', 'images', 'audio', 'documents', 'json', 'reasoning', 'stream'] as const
export type Feature = (typeof features)[number]

export interface RoutedCall {
  readonly bundle: string
  readonly mode: 'live' | 'test'
  readonly features: ReadonlySet<Feature>
  /** The gateway's estimate of the number of input tokens. */
  readonly inputTokens: number
  readonly endUserId: string
  /** The value of `svc.session`. Null if the call names no session. The `sticky` policy then uses the end user. */
  readonly session: string | null
}

/** The text is written for the customer's team, and never shown to an end user. */
export interface Skip {
  readonly code: SkipCode
  /** The current state with its numbers, such as `its circuit is open until 12:00:31`. */
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
   * The call failed before this target's turn, because the last failure allows no other target, or because no time or
   * attempt remained.
   */
  | 'not_moved_on'
  /** The call continues a stored conversation, so it is sent to only one target. */
  | 'sent_once'
  | 'within_ms'
  | 'attempts_max'

export interface LeafFacts {
  /** Why the account, price or wire cannot serve the call. Null if the target can serve it. */
  readonly skip: Skip | null
  readonly expectedMicros: bigint
}

export type HealthTarget = Pick<Leaf, 'key' | 'access'>

export interface LeafHealth {
  readonly inFlight: number
  /** Average time in which recent calls have more weight. Null if no call was measured. */
  readonly firstTokenMs: number | null
  readonly circuit: CircuitState
}

export type CircuitState =
  | { readonly kind: 'closed' }
  /** No call is sent to the target before `untilMs`. */
  | { readonly kind: 'open'; readonly untilMs: number; readonly why: string }
  /**
   * The cool-down has ended, and one real call may test the target. This call is the trial. `isTrying` is true while a
   * trial is in progress. `isProbed` is true if a probe is sent instead of a trial.
   */
  | {
      readonly kind: 'half_open'
      readonly isTrying: boolean
      readonly isProbed: boolean
      readonly why: string
    }

export interface PlannedTarget<L extends Leaf> {
  readonly leaf: L
  /** The routers and the alias on the path to the target, starting with the requested model name. */
  readonly path: readonly string[]
  /** Null if the target is called when its turn comes. */
  readonly skip: Skip | null
}
