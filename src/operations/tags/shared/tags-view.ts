import * as z from 'zod'
import type { TagTerms } from '#domain/gateway-settings.ts'
import { SharedLimitUse, sharedLimitUses } from '#operations/gateway/shared/use-of-shared-limits.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { RateLimits } from '#operations/kernel/rate-limit-schemas.ts'
import { Slug } from '#operations/kernel/value-and-page-schemas.ts'

const declaredMax = 100

const slug = Slug.meta({
  description: 'Slug of the tag. Requests send the slug in `svc.tags`.',
  examples: ['search'],
})

const TagItem = z
  .strictObject({
    slug,
    limits: z.exactOptional(RateLimits).meta({
      description:
        'Limits on the tag. Each limit counts the usage of all requests with the tag. Live and test usage is counted separately. At most one limit is allowed per measure, window and list of models. These limits apply in addition to all other limits. Omitted means no limits.',
    }),
  })
  .meta({ id: 'TagTerms', description: 'A tag that requests can carry, with its limits.' })

export const DeclaredTags = z
  .codec(
    z
      .array(TagItem)
      .max(declaredMax)
      .refine((tags) => new Set(tags.map((tag) => tag.slug)).size === tags.length, {
        error: 'must not contain a tag twice',
      }),
    z.custom<readonly TagTerms[]>(),
    {
      decode: (tags) => tags.map(({ limits = [], slug: name }) => ({ slug: name, limits })),
      encode: (tags) => tags.map(({ limits, slug: name }) => ({ slug: name, limits })),
    },
  )
  .meta({
    description:
      'Tags that requests can carry. Responses return the tags in this order. The list replaces the current list. Requests with a tag that is not in the list are rejected.',
  })

export const Tags = z
  .object({
    tags: z
      .array(
        z
          .object({
            slug,
            limits: RateLimits.meta({
              description:
                'Limits on the tag. Each limit counts the usage of all requests with the tag. Live and test usage is counted separately. Empty if no limits are set.',
            }),
            limitUses: z.array(SharedLimitUse).meta({
              description:
                'Current usage of each limit in the mode of the request, in the order of `limits`.',
            }),
          })
          .meta({
            id: 'Tag',
            description: 'A tag that requests can carry, with its limits and their current usage.',
          }),
      )
      .meta({ description: 'All tags of the application. Empty if no tags are declared.' }),
  })
  .meta({ id: 'Tags', description: 'Tags that requests of an application can carry.' })

export async function tagsView(
  tags: readonly TagTerms[],
  context: ApplicationContext,
): Promise<z.output<typeof Tags>> {
  return {
    tags: await Promise.all(
      tags.map(async ({ limits, slug: name }) => ({
        slug: name,
        limits,
        limitUses: await sharedLimitUses({ tag: name, rules: limits }, context),
      })),
    ),
  }
}
