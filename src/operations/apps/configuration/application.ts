import * as z from 'zod'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { text } from '#operations/kernel/value-and-page-schemas.ts'
import { changeOf, type Step } from './steps-to-apply-changes.ts'

/** Omits the slug, so that a document can be applied to any application. */
export const ApplicationItem = z
  .strictObject({
    name: text(128).meta({ description: 'Display name.', examples: ['Acme Assistant'] }),
  })
  .meta({ id: 'ConfigurationApplication', description: 'Settings of the application itself.' })

type Item = z.output<typeof ApplicationItem>

export function readApplication({ application }: ApplicationContext): Item {
  return { name: application.name }
}

export function applicationSteps(
  { current, wanted }: { readonly current: Item; readonly wanted: Item | undefined },
  { application, store }: ApplicationContext,
): readonly Step[] {
  if (wanted === undefined) return []
  const kind = { resource: 'application', field: 'application', schema: ApplicationItem } as const
  const change = changeOf(kind, null, current, wanted)
  if (change.action === 'none') return []
  return [{ change, run: () => store.applications.rename(application.id, wanted.name) }]
}
