import { matchesPattern } from '#money/name-pattern.ts'
import type { Check, Finding } from '#operations/doctor/finding.ts'
import type { NamedModel, ServedNames, SoldBundle } from '#operations/models/served-names.ts'

/** Names that an example has at most. */
const namesMax = 5

/** Names and bundles that miss each other. What has no price yet is found by its price. */
export const namesAndBundles: Check = {
  name: 'names_and_bundles',
  looksAt: 'Every model name and every bundle, and which serves which.',
  async run({ application, names }) {
    const all = await names()
    const defaultBundle =
      all.bundles.find(({ bundle }) => bundle.id === application.defaultBundleId) ?? all.bundles[0]
    return [
      ...all.bundles.flatMap((sold) => emptyBundle(sold, all, sold === defaultBundle) ?? []),
      ...all.models.flatMap((model) => unsoldName(model, all, defaultBundle) ?? []),
      ...all.models.flatMap((model) => disabledName(model) ?? []),
    ]
  },
}

function emptyBundle(
  { bundle, serves }: SoldBundle,
  { models }: ServedNames,
  isDefault: boolean,
): Finding | null {
  const servable = models.filter(({ state }) => state.status === 'serving').map(({ alias }) => alias.name)
  if (serves.length > 0 || servable.length === 0) return null
  const wanted = servable.slice(0, namesMax)
  // Deny beats allow; a denied pattern that is allowed by its own text leaves the list of the denied.
  const denied = bundle.deny.filter((pattern) => wanted.some((name) => matchesPattern(pattern, name)))
  return {
    code: 'bundle_without_name',
    severity: isDefault ? 'error' : 'warning',
    resource: { type: 'bundle', id: bundle.slug },
    message: `The bundle ${bundle.slug} reaches no model name that is served, so people on it can call nothing.`,
    fix: {
      say: 'Let it reach names.',
      call: {
        operation: 'bundles.allow',
        method: 'POST',
        path: `/v1/bundles/${bundle.slug}/allow`,
        body: { models: [...new Set([...denied, ...wanted])] },
      },
    },
  }
}

function unsoldName(
  { alias, state }: NamedModel,
  { bundles }: ServedNames,
  defaultBundle: SoldBundle | undefined,
): Finding | null {
  if (state.status !== 'serving' || !defaultBundle) return null
  if (bundles.some(({ serves }) => serves.includes(alias.name))) return null
  const { deny, slug } = defaultBundle.bundle
  const denied = deny.filter((pattern) => matchesPattern(pattern, alias.name))
  return {
    code: 'name_without_bundle',
    severity: 'warning',
    resource: { type: 'model', id: alias.name },
    message: `No bundle reaches the model ${alias.name}, so nobody can call it.`,
    fix: {
      say: `Let a bundle reach it, for example ${slug}.`,
      call: {
        operation: 'bundles.allow',
        method: 'POST',
        path: `/v1/bundles/${slug}/allow`,
        body: { models: [...denied, alias.name] },
      },
    },
  }
}

function disabledName({ alias }: NamedModel): Finding | null {
  if (!alias.isDisabled) return null
  return {
    code: 'name_disabled',
    severity: 'notice',
    resource: { type: 'model', id: alias.name },
    message: `The model ${alias.name} is disabled: calls of it are refused, and its sources are not asked.`,
    fix: {
      say: 'Enable it, or remove it if nobody needs the name.',
      call: {
        operation: 'models.enable',
        method: 'POST',
        path: `/v1/models/${alias.name}/enable`,
        body: null,
      },
    },
  }
}
