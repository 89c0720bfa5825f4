import type { Policy } from '#routing/route.ts'
import type { AttemptRules, RouterTarget } from './application-config.ts'
import type { Page, Rows } from './records.ts'

/** A router as it is stored; ApplicationConfig holds it resolved. */
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
 * How targets are tried where nothing else is said. A target is not asked again: the next one is at least as likely to
 * answer, and sooner. A minute is what interactive clients wait.
 */
export const attemptDefaults: AttemptRules = {
  deadlines: {},
  withinMs: 60_000,
  attemptsMax: 5,
  retriesPerTarget: 0,
  alsoMovesOn: [],
  neverMovesOn: [],
}

export interface Routers {
  byName(applicationId: string, name: string): Promise<RouterRecord | null>
  /** Every router of the application, in order. */
  names(applicationId: string): Promise<readonly string[]>
  /** In name order. */
  all(applicationId: string): Promise<readonly RouterRecord[]>
  list(applicationId: string, page: Page): Promise<Rows<RouterRecord>>
  /** Creates the router or replaces its definition; the creation time stays. */
  put(router: RouterRecord): Promise<void>
  /** Removes the router and its prices in bundles. */
  remove(applicationId: string, name: string): Promise<void>
}

/** Names of the aliases or of the routers among the targets of a router. */
export function namesLedTo(
  { targets }: Pick<RouterDefinition, 'targets'>,
  kind: 'alias' | 'router',
): string[] {
  return targets.flatMap(({ to }) => (to.kind === kind ? to.name : []))
}
