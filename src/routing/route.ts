/**
 * A model name and its targets, as a tree. Routers are nodes, and accounts with a model are leaves. The types are plain
 * values without clock, sockets or store. The gateway adds its own data to each leaf (account, price). The policies
 * here see only the fields that they need.
 */

export const policies = ['priority', 'weighted', 'cheapest', 'fastest', 'leastBusy', 'sticky'] as const
export type Policy = (typeof policies)[number]

/** An account and a model that can serve a call. */
export interface Leaf {
  readonly kind: 'leaf'
  /** The account and the model. Health, circuit and calls in flight are counted under this key. */
  readonly key: string
  /**
   * The address and the credential, as a text that changes with them. Earlier failures say nothing about a changed one.
   */
  readonly access?: string
  /** Whether a probe can detect that it has recovered. If absent, only a real call can. */
  readonly isProbeable?: boolean
}

export interface RouteNode<L extends Leaf> {
  readonly kind: 'node'
  /** The router, or the alias whose sources these are. */
  readonly name: string
  readonly policy: Policy
  /** Whether `sticky` keeps calls of an end user or of a session together. */
  readonly stickyBy: 'end_user' | 'session'
  readonly branches: readonly Branch<L>[]
}

export interface Branch<L extends Leaf> {
  /** Under `weighted`: its share among the weights of its node. */
  readonly weight: number
  /** Maximum number of calls in flight. Null means no limit. */
  readonly maxInFlight: number | null
  readonly when: Condition | null
  readonly to: RouteNode<L> | L
}

/** The properties that a call must have for a branch to be used. An absent field is not checked. */
export interface Condition {
  /** Slugs. The caller's bundle must be one of them. */
  readonly bundles?: readonly string[]
  /** Features that the call needs. All of them are required. */
  readonly features?: readonly Feature[]
  readonly inputTokensMin?: number
  readonly inputTokensMax?: number
  readonly mode?: 'live' | 'test'
}

/** Features that a request may need from its target, detected from the request alone. */
export const features = ['tools', 'images', 'audio', 'documents', 'json', 'reasoning', 'stream'] as const
export type Feature = (typeof features)[number]

/** The properties of a call that policies and conditions use. */
export interface RoutedCall {
  readonly bundle: string
  readonly mode: 'live' | 'test'
  readonly features: ReadonlySet<Feature>
  /** The gateway's estimate of the input tokens. */
  readonly inputTokens: number
  readonly endUserId: string
  /** `svc.session`. Null if the call sets no session. `sticky` then uses the end user. */
  readonly session: string | null
}

/** Why a target is skipped. The text is for the customer's team, never for an end user. */
export interface Skip {
  readonly code: SkipCode
  /** The current state with its numbers, such as `its circuit is open until 12:00:31`. */
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
  /** The target already appears earlier in the order. */
  | 'repeated'
  /**
   * The call ended before this target's turn. The previous failure does not allow another target, or no time or attempt
   * remained.
   */
  | 'not_moved_on'
  | 'within_ms'
  | 'attempts_max'

/** The facts about a leaf for this call. */
export interface LeafFacts {
  /** Null if the account, price and wire allow it to serve the call. */
  readonly skip: Skip | null
  /** The expected cost of the call at this target, in micros. */
  readonly expectedMicros: bigint
}

/** An account and a model whose health is counted. */
export type HealthTarget = Pick<Leaf, 'key' | 'access'>

export interface LeafHealth {
  readonly inFlight: number
  /** Decayed mean of the time to the first token. Null if unknown. */
  readonly firstTokenMs: number | null
  readonly circuit: CircuitState
}

export type CircuitState =
  | { readonly kind: 'closed' }
  /** No call is sent there before `untilMs`. */
  | { readonly kind: 'open'; readonly untilMs: number; readonly why: string }
  /**
   * The cool-down has ended, and one real call may be the trial. `isTrying` is true while a trial is in progress.
   * `isProbed` is true if a probe replaces the trial, for targets that can be probed.
   */
  | {
      readonly kind: 'half_open'
      readonly isTrying: boolean
      readonly isProbed: boolean
      readonly why: string
    }

/** A target in the order of a plan. */
export interface PlannedTarget<L extends Leaf> {
  readonly leaf: L
  /** The names through which it is reached, starting with the requested router. */
  readonly path: readonly string[]
  /** Null if the target is taken when its turn comes. */
  readonly skip: Skip | null
}
