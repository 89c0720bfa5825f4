import type { GrantLine } from './parse-grant-lines.ts'

export interface Progress {
  /** The application, the mode and the lines to which the progress belongs (`contentOf`). */
  readonly of: string
  readonly phase: 'written' | 'checking' | 'checked' | 'granting' | 'done'
  readonly done: number
  readonly balances: ReadonlyMap<string, string>
  readonly unknown: ReadonlySet<string>
  readonly granted: ReadonlySet<string>
  readonly failures: ReadonlyMap<string, string>
}

/** The same lines in another application or mode are other grants. */
export function contentOf(lines: readonly Pick<GrantLine, 'idempotencyKey'>[], scope: object): string {
  return JSON.stringify([scope, lines.map(({ idempotencyKey }) => idempotencyKey)])
}

export function noProgress(of: string): Progress {
  return {
    of,
    phase: 'written',
    done: 0,
    balances: new Map(),
    unknown: new Set(),
    granted: new Set(),
    failures: new Map(),
  }
}

/** Grants in progress belong to the content with which they began, until they are done. */
export function isOutdated({ of, phase }: Progress, content: string): boolean {
  return of !== content && phase !== 'granting'
}

/**
 * Ignores the result of a check whose lines, application or mode have changed. Otherwise, unchecked lines would count
 * as checked.
 */
export function withResult(progress: Progress, of: string, result: Partial<Omit<Progress, 'of'>>): Progress {
  return progress.of === of ? { ...progress, ...result } : progress
}
