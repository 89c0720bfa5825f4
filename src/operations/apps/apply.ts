import * as z from 'zod'
import type { AuditEntry } from '#domain/audit-log.ts'
import type { Application } from '#domain/application-record.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { Switch } from '#operations/kernel/value-and-page-schemas.ts'
import { stepsToward, WantedConfiguration } from './configuration/configuration.ts'
import { ownConfiguration } from './configuration/configuration-with-etag.ts'
import { withoutPerson } from '#operations/users/shared/redact-end-user-in-json.ts'
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
    const payers = await payersOf(application, context)
    context.noteEndUsersOf(application.id)
    if (isWritten) {
      for (const { run } of steps) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other, in one transaction
        await run?.()
      }
      // Each new version makes every process compile the configuration again, so raise the version once, and only after
      // a change.
      await context.store.applications.raiseVersion(application.id)
    }
    payers.push(...(await payersOf(application, context)))
    context.editAudit((entry) => (isWritten ? withoutPayers(entry, payers, application) : null))
    return { dryRun: query.dryRun, changes: steps.map(({ change }) => change) }
  },
})

type Payer = Pick<EndUser, 'id' | 'externalId' | 'email'>

async function payersOf({ id }: Application, { store }: Context): Promise<Payer[]> {
  const teams = await store.teams.whole(id)
  return teams.map(({ payer, team }) => ({ id: team.payerId, externalId: payer, email: null }))
}

/**
 * An audit entry is found by one external ID, but a configuration contains the payers of all teams. The entry therefore
 * names payers by Tollgate's own IDs, so that nothing has to be erased when a payer is deleted.
 */
function withoutPayers(entry: AuditEntry, payers: readonly Payer[], { id }: Application): AuditEntry {
  const shown = (text: string | null): string | null =>
    text &&
    JSON.stringify(payers.reduce<unknown>((json, payer) => withoutPerson(json, payer), JSON.parse(text)))
  return {
    ...entry,
    applicationId: id,
    before: shown(entry.before),
    after: shown(entry.after),
    externalId: null,
  }
}
