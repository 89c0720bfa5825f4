/** The report names resources and contains no secrets. */
import type { DoctorOutput } from '#sdk/generated/operations.ts'

export function reportText({ application, checkedAt, checks, findings, mode, sound }: DoctorOutput): string {
  const head = [
    `Tollgate doctor, ${checkedAt}`,
    `application ${application}, ${mode} mode`,
    sound ? 'result: no errors' : 'result: errors found',
    '',
  ]
  const found = findings.flatMap(({ code, fix, message, resource, severity }) => [
    `[${severity}] ${code} (${resource.type} ${resource.id})`,
    `  ${message}`,
    `  ${fix.say}`,
    ...(fix.call ? [`  ${fix.call.operation}: ${fix.call.method} ${fix.call.path}`] : []),
  ])
  const made = checks.map(
    ({ findings: count, name, state }) => `${name}: ${state}${count > 0 ? `, ${count}` : ''}`,
  )
  return [...head, ...found, ...(found.length > 0 ? [''] : []), ...made, ''].join('\n')
}
