import { servedNames, type ServedNames } from '#operations/routers/shared/names-that-bundles-serve.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { severities, type Check, type Finding } from './finding-types.ts'

export interface CheckResult {
  readonly check: Check
  /** `failed` means that the check could not run. */
  readonly state: 'sound' | 'found' | 'failed'
  readonly findings: readonly Finding[]
}

/**
 * The doctor must also work on a broken server. If a check throws, or takes longer than `msMax`, a finding reports the
 * failure.
 */
export function runChecks(
  checks: readonly Check[],
  context: ApplicationContext,
  msMax: number,
): Promise<CheckResult[]> {
  let names: Promise<ServedNames> | null = null
  // In test mode, all sources can serve. A bundle allows the same model names in both modes.
  const known = { ...context, names: () => (names ??= servedNames({ ...context, mode: 'test' })) }
  return Promise.all(
    checks.map(async (check): Promise<CheckResult> => {
      const overdue = Promise.withResolvers<'overdue'>()
      const timer = setTimeout(() => overdue.resolve('overdue'), msMax)
      try {
        const findings = await Promise.race([check.run(known), overdue.promise])
        if (findings === 'overdue') return failed(check, `it took longer than ${msMax} ms`)
        return { check, state: findings.length === 0 ? 'sound' : 'found', findings }
      } catch (error) {
        context.ports.noteFault(error, `doctor check ${check.name} failed`)
        return failed(check, 'it failed, and the server log has the reason')
      } finally {
        clearTimeout(timer)
      }
    }),
  )
}

export function sortedFindings(results: readonly CheckResult[]): Finding[] {
  return results
    .flatMap(({ findings }) => findings)
    .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity))
}

function failed(check: Check, reason: string): CheckResult {
  const finding: Finding = {
    code: 'check_failed',
    severity: 'warning',
    resource: { type: 'check', id: check.name },
    message: `The check ${check.name} could not run: ${reason}. Its findings are unknown.`,
    fix: { say: 'Check /readyz and the server log, then run the doctor again.', call: null },
  }
  return { check, state: 'failed', findings: [finding] }
}
