import * as z from 'zod'
import { formatDollars } from '#money/amount.ts'
import type { Application } from '#domain/records.ts'
import type { Context } from '#operations/context.ts'
import { ApplicationSlug, Count, Timestamp } from '#operations/schemas.ts'

export const ApplicationView = z
  .object({
    slug: ApplicationSlug,
    name: z.string().meta({ description: 'Name for people.' }),
    gateway: z
      .string()
      .meta({ description: 'Address of its gateway.', examples: ['http://acme.gateway.localhost:8080'] }),
    portal: z.string().meta({ description: "Address of its end users' portal." }),
    localGateway: z.exactOptional(z.string()).meta({
      description: 'The gateway by address and port, for clients that do not resolve `*.localhost`.',
    }),
    localPortal: z.exactOptional(z.string()).meta({ description: 'The portal likewise.' }),
    endUsers: Count.meta({ description: 'Number of end users.' }),
    keys: Count.meta({ description: 'Number of keys that are not revoked.' }),
    bundles: z.array(z.string()).meta({ description: 'Slugs of its bundles.' }),
    models: z.array(z.string()).meta({ description: 'Its model names.' }),
    costUsd: z.string().meta({
      description: 'Provider cost of its settled calls in this mode, in dollars.',
      examples: ['12.345678'],
    }),
    createdAt: Timestamp.meta({ description: 'When it was made.' }),
    archivedAt: Timestamp.nullable().meta({ description: 'When it was archived; null: not archived.' }),
  })
  .meta({
    id: 'Application',
    description: 'An application: one product with its own people, keys and names.',
  })

export async function applicationView(
  application: Application,
  { mode, ports, store }: Context,
): Promise<z.output<typeof ApplicationView>> {
  const { costMicros, ...contents } = await store.applications.contents(application.id, mode)
  return {
    slug: application.slug,
    name: application.name,
    ...ports.urls(application),
    ...contents,
    bundles: [...contents.bundles],
    models: [...contents.models],
    costUsd: formatDollars(costMicros),
    createdAt: application.createdAtMs,
    archivedAt: application.archivedAtMs,
  }
}
