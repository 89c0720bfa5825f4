import type { Policy } from '#routing/route-tree-types.ts'
import type { AttemptRules, RouterTarget } from './application-config.ts'
import type { Page, Rows } from './list-page.ts'

/** A router as it is stored. ApplicationConfig contains the resolved form. */
export interface RouterRecord extends RouterDefinition {
  readonly applicationId: string
  readonly name: string
  readonly createdAtMs: number
}

export interface RouterDefinition {
  readonly policy: Policy
  readonly stickyBy: 'end_user' | 'session'
  readonly targets: readonly RouterTargetRecord[]
  readonly attempts: AttemptRules
}

export interface RouterTargetRecord extends Omit<RouterTarget, 'to'> {
  readonly to:
    | { readonly kind: 'alias' | 'router'; readonly name: string }
    | { readonly kind: 'source'; readonly accountId: string; readonly model: string }
}

/**
 * The default rules for trying targets. The cause of a quick 429 or 5xx often disappears quickly, so the same target is
 * tried once more. After a timeout, the target is not tried again. If two targets do not respond, two minutes
 * (`withinMs`) leave enough time for a third target. A target that does not respond times out after a third of
 * `withinMs` (gateway/relay/attempt-deadlines.ts).
 */
export const attemptDefaults: AttemptRules = {
  deadlines: {},
  withinMs: 120_000,
  attemptsMax: 5,
  retriesPerTarget: 1,
  alsoMovesOn: [],
  neverMovesOn: [],
  onContextLength: 'next',
}

export interface Routers {
  byName(applicationId: string, name: string): Promise<RouterRecord | null>
  names(applicationId: string): Promise<readonly string[]>
  all(applicationId: string): Promise<readonly RouterRecord[]>
  list(applicationId: string, page: Page): Promise<Rows<RouterRecord>>
  /** The creation time of a replaced router does not change. */
  put(router: RouterRecord): Promise<void>
  /** Deletes the router and its prices in bundles. */
  remove(applicationId: string, name: string): Promise<void>
}

/** Returns the aliases, or the routers, to which a router routes directly. */
export function namesLedTo(
  { targets }: Pick<RouterDefinition, 'targets'>,
  kind: 'alias' | 'router',
): string[] {
  return targets.flatMap(({ to }) => (to.kind === kind ? to.name : []))
}
