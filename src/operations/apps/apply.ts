import * as z from 'zod'
import { operationOn } from '#operations/operation.ts'
import { Refused, refused } from '#operations/refused.ts'
import { Switch } from '#operations/schemas.ts'
import { stepsToward, WantedConfiguration } from './configuration/configuration.ts'
import { ownConfiguration } from './configuration/own-configuration.ts'
import { ChangeView } from './configuration/steps.ts'

export default operationOn(ownConfiguration, {
  id: 'apps.apply',
  method: 'PUT',
  path: '/v1/apps/{slug}/configuration',
  summary: 'Apply a configuration to an application',
  description:
    'Makes the application what the document says, all of it or nothing, and answers each change; applying it again changes nothing. It refuses what the single operations would refuse. Each bundle is replaced whole, with its prices and includes; pools granted before stay as they were granted. A part that the document leaves out (`models`, say) stays as it is. What is missing in a part that it has is answered with the action `none` and stays, unless `prune` is `true`. Provider accounts must be there: none is ever made or changed.',
  isExtension: true,
  isForOneApplication: true,
  query: {
    dryRun: Switch.default(false).meta({
      description:
        'True: changes nothing, and answers exactly what the same request without it then changes.',
    }),
    prune: Switch.default(false).meta({
      description:
        'True: removes what is missing in the parts that the document has. A bundle that people are on is not removed, and refuses the whole document.',
    }),
  },
  body: WantedConfiguration,
  output: z
    .object({
      dryRun: z.boolean().meta({ description: 'Whether nothing was changed.' }),
      changes: z
        .array(ChangeView)
        .meta({ description: 'In the order of the parts, and by name. What stays as it is does not occur.' }),
    })
    .meta({ id: 'AppliedConfiguration', description: 'What a document changed, or would change.' }),
  errors: ['application_archived', 'unknown_model_pattern', 'model_unpriced', 'in_use', 'name_taken'],
  async run(application, context, { body, query }) {
    const { slug, archivedAtMs } = application
    if (archivedAtMs !== null) return refused('application_archived', { slug }, 'slug')
    const steps = await stepsToward(body, query.prune, { ...context, application })
    if (steps instanceof Refused) return steps
    const isWritten = !query.dryRun && steps.some(({ run }) => run !== null)
    context.editAudit((entry) => (isWritten ? { ...entry, applicationId: application.id } : null))
    if (isWritten) {
      for (const { run } of steps) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other, in one transaction
        await run?.()
      }
      // Raise the version once, and only if something changes, because every process then recompiles the configuration.
      await context.store.applications.raiseVersion(application.id)
    }
    return { dryRun: query.dryRun, changes: steps.map(({ change }) => change) }
  },
})
