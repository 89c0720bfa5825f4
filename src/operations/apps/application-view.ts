import * as z from 'zod'
import type { Application } from '#domain/store.ts'
import type { Context } from '#operations/operation.ts'
import { ApplicationSlug, Count, Timestamp } from '#operations/schemas.ts'

export const ApplicationView = z
  .object({
    slug: ApplicationSlug,
    name: z.string().meta({ description: 'What people know it by.' }),
    gateway: z
      .string()
      .meta({ description: 'Where its gateway answers.', examples: ['http://acme.gateway.localhost:8080'] }),
    portal: z.string().meta({ description: "Where its end users' portal answers." }),
    localGateway: z.exactOptional(z.string()).meta({
      description: 'The gateway by address and port, for clients that do not resolve `*.localhost`.',
    }),
    localPortal: z.exactOptional(z.string()).meta({ description: 'The portal likewise.' }),
    endUsers: Count.meta({ description: 'How many end users it has.' }),
    keys: Count.meta({ description: 'How many keys it has that are not revoked.' }),
    bundles: z.array(z.string()).meta({ description: 'Slugs of what it offers.' }),
    models: z.array(z.string()).meta({ description: 'Names that it resolves.' }),
    costUsd: z.string().meta({
      description: 'Provider cost of its settled calls in this mode, in dollars.',
      examples: ['12.345678'],
    }),
    createdAt: Timestamp.meta({ description: 'When it was made.' }),
    archivedAt: Timestamp.nullable().meta({ description: 'When it was archived; null: it serves.' }),
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
    costUsd: dollars(costMicros),
    createdAt: application.createdAtMs,
    archivedAt: application.archivedAtMs,
  }
}

/** What an ETag of an application stands for: counts and costs change without anyone's edit. */
export function applicationRevision(application: Application | null): object | null {
  return (
    application && { slug: application.slug, name: application.name, archivedAtMs: application.archivedAtMs }
  )
}

function dollars(micros: bigint): string {
  const digits = micros.toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}
