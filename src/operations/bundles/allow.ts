import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { Pattern } from '#operations/schemas.ts'
import {
  bundleRevision,
  BundleSlug,
  BundleView,
  bundleView,
  ownBundle,
  unknownPattern,
} from './bundle-view.ts'

export default operation({
  id: 'bundles.allow',
  method: 'POST',
  path: '/v1/bundles/{slug}/allow',
  scope: 'application',
  summary: 'Let a bundle reach models',
  description:
    'Adds the patterns to `allow` and takes the very same ones off `deny`. Deny beats allow: a name that another pattern of `deny` means stays out of reach. A pattern that means no name of the application is refused, but for a bare `*`.',
  input: {
    path: { slug: BundleSlug },
    body: z.strictObject({
      models: z
        .array(Pattern)
        .min(1)
        .max(200)
        .meta({ description: 'Names, prefixes with a trailing `*`, or `*`.' }),
    }),
  },
  output: BundleView,
  errors: ['not_found', 'unknown_model_pattern'],
  async run({ body, path }, context) {
    const { application, store } = context
    const bundle = await ownBundle(path.slug, context)
    if (bundle instanceof Refused) return bundle
    const unknown = await unknownPattern(body.models, context)
    if (unknown) return unknown
    const changed = {
      ...bundle,
      allow: [...new Set([...bundle.allow, ...body.models])],
      deny: bundle.deny.filter((pattern) => !body.models.includes(pattern)),
    }
    await store.bundles.put(changed)
    await store.applications.raiseVersion(application.id)
    return bundleView(changed, context)
  },
  revision: ({ path }, context) => bundleRevision(path.slug, context),
})
