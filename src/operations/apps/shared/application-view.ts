import * as z from 'zod'
import { formatDollars } from '#money/amount.ts'
import type { Application } from '#domain/application-record.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import { ApplicationSlug, Count, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const ApplicationView = z
  .object({
    slug: ApplicationSlug,
    name: z.string().meta({ description: 'Display name.' }),
    gateway: z
      .string()
      .meta({ description: 'Base URL of the gateway.', examples: ['http://acme.gateway.localhost:8080'] }),
    portal: z.string().meta({ description: 'URL of the end-user portal.' }),
    localGateway: z.exactOptional(z.string()).meta({
      description:
        'URL of the gateway with an IP address and a port, for clients that do not resolve `*.localhost`.',
    }),
    localPortal: z.exactOptional(z.string()).meta({
      description:
        'URL of the portal with an IP address and a port, for clients that do not resolve `*.localhost`.',
    }),
    endUsers: Count.meta({ description: 'Number of end users.' }),
    keys: Count.meta({ description: 'Number of keys that are not revoked.' }),
    bundles: z.array(z.string()).meta({ description: 'Slugs of the bundles.' }),
    models: z.array(z.string()).meta({ description: 'Model names.' }),
    costUsd: z.string().meta({
      description:
        'Provider cost of requests in the mode of this request, including failed requests, in US dollars.',
      examples: ['12.345678'],
    }),
    createdAt: Timestamp.meta({ description: 'When the application was created.' }),
    archivedAt: Timestamp.nullable().meta({
      description: 'When the application was archived. Null if the application is not archived.',
    }),
  })
  .meta({
    id: 'Application',
    description: 'An application: one product with its own end users, keys and model names.',
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
