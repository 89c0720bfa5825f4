import type { Onboarding } from '#domain/onboarding-interface.ts'
import { columnsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { first } from './read-rows-and-pages.ts'

export function onboarding(query: Query): Onboarding {
  return {
    finishedAtMs: (organizationId, mode, stage) =>
      first(
        query
          .selectFrom('onboarding_stages')
          .select('finished_at_ms')
          .where('organization_id', '=', organizationId)
          .where('mode', '=', mode)
          .where('stage', '=', stage),
        (row) => row.finished_at_ms,
      ),
    async finish(organizationId, mode, stage, nowMs) {
      await query
        .insertInto('onboarding_stages')
        .values(columnsOf({ organizationId, mode, stage, finishedAtMs: nowMs }))
        .onConflict((conflict) => conflict.columns(['organization_id', 'mode', 'stage']).doNothing())
        .execute()
    },
  }
}
