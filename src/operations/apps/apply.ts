import * as z from 'zod'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { Switch } from '#operations/kernel/value-and-page-schemas.ts'
import { stepsToward, WantedConfiguration } from './configuration/configuration.ts'
import { ownConfiguration } from './configuration/configuration-with-etag.ts'
import { ChangeView } from '#operations/apps/configuration/steps-to-apply-changes.ts'

export default operationOn(ownConfiguration, {
  id: 'apps.apply',
  method: 'PUT',
  path: '/v1/apps/{slug}/configuration',
  summary: 'Apply a configuration to an application',
  description:
    'Changes the application to match the document and returns each change. All changes are applied in one transaction. Applying the same document again changes nothing.\n\n- Each change must pass the same checks as a request that changes only this resource, such as `bundles.edit` for a bundle. If one change is rejected, the whole document is rejected.\n- Sections that the document omits, such as `models`, are not changed.\n- Fields that an item omits keep their values. Lists are replaced as a whole, for example `prices` and `includes` of a bundle. Pools that were already granted do not change.\n- Items that are missing from a section are kept, and are returned with the action `none`. Set `prune` to `true` to delete these items.\n- Provider accounts must exist already. Applying a document never creates or changes provider accounts.\n- The payers of teams must exist already. The members of a team are not part of the document.',
  isExtension: true,
  isForOneApplication: true,
  query: {
    dryRun: Switch.default(false).meta({
      description: 'Whether to return the changes without applying them. Defaults to `false`.',
    }),
    prune: Switch.default(false).meta({
      description:
        'Whether to delete items that are missing from the sections of the document. If end users are still on a bundle that would be deleted, the whole document is rejected. Defaults to `false`.',
    }),
  },
  body: WantedConfiguration,
  output: z
    .object({
      dryRun: z.boolean().meta({ description: 'Whether the request was a dry run, which changes nothing.' }),
      changes: z.array(ChangeView).meta({
        description:
          'Changes, in the order of the sections and then by name. Items of the document that do not change are omitted.',
      }),
    })
    .meta({
      id: 'AppliedConfiguration',
      description: 'Changes that a document made, or would make in a dry run.',
    }),
  errors: ['application_archived', 'unknown_model_pattern', 'model_unpriced', 'in_use', 'name_taken'],
  changes: ['apps', 'gateway', 'models', 'routers', 'bundles', 'outcomes', 'brand', 'teams', 'users'],
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
      // Each new version makes every process compile the configuration again, so raise the version once, and only after
      // a change.
      await context.store.applications.raiseVersion(application.id)
    }
    return { dryRun: query.dryRun, changes: steps.map(({ change }) => change) }
  },
})
