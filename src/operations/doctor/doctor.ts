import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Count, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { checks } from '#operations/doctor/checks/all-checks.ts'
import { FindingView } from '#operations/doctor/checks/finding-types.ts'
import { runChecks, sortedFindings } from '#operations/doctor/checks/run-checks.ts'

const checkMsMax = 5_000

export default operation({
  id: 'doctor',
  method: 'GET',
  path: '/v1/diagnose',
  scope: 'application',
  summary: 'Find configuration problems',
  description:
    'Checks the application, the provider accounts of its organization and the server, in the mode of the request. Each finding states a problem, its consequence, and the request that fixes the problem. Nothing is changed, and no request is sent to providers. A check that fails to run is also a finding.',
  output: z.object({
    application: z.string().meta({ description: 'Slug of the application that was checked.' }),
    mode: z.enum(['live', 'test']).meta({ description: 'Mode that was checked.' }),
    checkedAt: Timestamp.meta({ description: 'When the checks ran.' }),
    sound: z.boolean().meta({ description: 'Whether the application has no finding of severity `error`.' }),
    findings: z.array(FindingView).meta({ description: 'Findings, most severe first.' }),
    checks: z
      .array(
        z.object({
          name: z.string().meta({ description: 'Name of the check.', examples: ['prices'] }),
          looksAt: z
            .string()
            .meta({ description: 'Data that the check reads, and the maximum number of records.' }),
          state: z.enum(['sound', 'found', 'failed']).meta({
            description:
              'Result of the check. `sound`: no findings. `found`: at least one finding. `failed`: the check could not run.',
          }),
          findings: Count.meta({ description: 'Number of findings.' }),
        }),
      )
      .meta({ description: 'Checks that ran.' }),
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
