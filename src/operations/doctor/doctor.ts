import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { Count, Timestamp } from '#operations/schemas.ts'
import { checks } from './checks.ts'
import { FindingView } from './finding.ts'
import { runChecks, sortedFindings } from './run-checks.ts'

/** Maximum time per check. All checks run concurrently. */
const checkMsMax = 5_000

export default operation({
  id: 'doctor',
  method: 'GET',
  path: '/v1/diagnose',
  scope: 'application',
  summary: 'Find configuration problems',
  description:
    'Looks at the application, the accounts of its organization and the server itself, in the mode of the request, and names for each problem what it means and the call that mends it. Nothing is changed and no provider is asked. A check that cannot be made is a finding too.',
  output: z.object({
    application: z.string().meta({ description: 'Slug of the application that was looked at.' }),
    mode: z.enum(['live', 'test']).meta({ description: 'The mode that was looked at.' }),
    checkedAt: Timestamp.meta({ description: 'When.' }),
    sound: z.boolean().meta({ description: 'Whether nothing of severity `error` was found.' }),
    findings: z.array(FindingView).meta({ description: 'What was found, the worst first.' }),
    checks: z
      .array(
        z.object({
          name: z.string().meta({ description: 'Name of the check.', examples: ['prices'] }),
          looksAt: z.string().meta({ description: 'What it looks at, and how far.' }),
          state: z.enum(['sound', 'found', 'failed']).meta({
            description: '`found`: it has findings; `failed`: it could not be made.',
          }),
          findings: Count.meta({ description: 'Number of its findings.' }),
        }),
      )
      .meta({ description: 'The checks that were made.' }),
  }),
  async run(_, context) {
    const results = await runChecks(checks, context, checkMsMax)
    const findings = sortedFindings(results)
    return {
      application: context.application.slug,
      mode: context.mode,
      checkedAt: context.nowMs,
      sound: findings.every(({ severity }) => severity !== 'error'),
      findings: findings.map(({ resource, ...finding }) => ({
        ...finding,
        resource: { ...resource },
        fix: {
          say: finding.fix.say,
          call: finding.fix.call && {
            ...finding.fix.call,
            body: finding.fix.call.body && { ...finding.fix.call.body },
          },
        },
      })),
      checks: results.map(({ check, findings: own, state }) => ({
        name: check.name,
        looksAt: check.looksAt,
        state,
        findings: own.length,
      })),
    }
  },
})
