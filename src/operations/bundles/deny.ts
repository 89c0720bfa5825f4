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
  id: 'bundles.deny',
  method: 'POST',
  path: '/v1/bundles/{slug}/deny',
  scope: 'application',
  summary: 'Stop a bundle reaching models',
  description:
    'Adds the patterns to `deny` and takes the very same ones off `allow`. Deny beats allow, whatever `allow` says of the same names. It holds from the next call on.',
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
      allow: bundle.allow.filter((pattern) => !body.models.includes(pattern)),
      deny: [...new Set([...bundle.deny, ...body.models])],
    }
    await store.bundles.put(changed)
    await store.applications.raiseVersion(application.id)
    return bundleView(changed, context)
  },
  revision: ({ path }, context) => bundleRevision(path.slug, context),
})
