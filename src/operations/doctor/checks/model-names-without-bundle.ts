import { matchesPattern } from '#money/model-name-pattern.ts'
import { namesLedTo } from '#domain/router-records.ts'
import type { Check, Finding } from './finding-types.ts'
import type {
  NamedModel,
  ServedNames,
  SoldBundle,
} from '#operations/routers/shared/names-that-bundles-serve.ts'

const namesMax = 5

/** The check `prices` finds model names without a price. */
export const namesAndBundles: Check = {
  name: 'names_and_bundles',
  looksAt: 'Every model, router and bundle, and which bundles serve which names.',
  async run({ application, names }) {
    const all = await names()
    const defaultBundle =
      all.bundles.find(({ bundle }) => bundle.id === application.defaultBundleId) ?? all.bundles[0]
    const serving = servingNames(all)
    const wanted = serving.slice(0, namesMax).map(({ name }) => name)
    return [
      ...all.bundles.flatMap((sold) => emptyBundle(sold, wanted, sold === defaultBundle) ?? []),
      ...unsoldNames(serving, all).flatMap((name) => unsoldName(name, defaultBundle) ?? []),
      ...all.models.flatMap((model) => disabledName(model) ?? []),
    ]
  },
}

/** @param wanted some names that are served */
function emptyBundle(
  { bundle, isEmpty }: SoldBundle,
  wanted: readonly string[],
  isDefault: boolean,
): Finding | null {
  if (!isEmpty || wanted.length === 0) return null
  // A deny pattern overrides allow patterns. Allowing the same text removes the pattern from the deny list.
  const denied = bundle.deny.filter((pattern) => wanted.some((name) => matchesPattern(pattern, name)))
  return {
    code: 'bundle_without_name',
    severity: isDefault ? 'error' : 'warning',
    resource: { type: 'bundle', id: bundle.slug },
    message: `The bundle ${bundle.slug} allows no model that is served, so its end users cannot send requests.`,
    fix: {
      say: 'Allow models in the bundle.',
      call: {
        operation: 'bundles.allow',
        method: 'POST',
        path: `/v1/bundles/${bundle.slug}/allow`,
        body: { models: [...new Set([...denied, ...wanted])] },
      },
    },
  }
}

interface ServingName {
  readonly type: 'model' | 'router'
  readonly name: string
}

function servingNames({ models, routers }: ServedNames): ServingName[] {
  return [
    ...models.flatMap(({ alias: { name }, state }) =>
      state.status === 'serving' ? { type: 'model' as const, name } : [],
    ),
    ...routers.flatMap(({ router: { name }, state }) =>
      state.isServing ? { type: 'router' as const, name } : [],
    ),
  ]
}

/** Skips models that only routers use, because a bundle then needs only the router's name. */
function unsoldNames(serving: readonly ServingName[], { routers, sold }: ServedNames): ServingName[] {
  const namesRoutedTo = (kind: 'alias' | 'router'): ReadonlySet<string> =>
    new Set(routers.flatMap(({ router }) => namesLedTo(router, kind)))
  const routedTo = { model: namesRoutedTo('alias'), router: namesRoutedTo('router') }
  return serving.filter(({ name, type }) => !sold.has(name) && !routedTo[type].has(name))
}

function unsoldName({ name, type }: ServingName, defaultBundle: SoldBundle | undefined): Finding | null {
  if (!defaultBundle) return null
  const { deny, slug } = defaultBundle.bundle
  const denied = deny.filter((pattern) => matchesPattern(pattern, name))
  return {
    code: 'name_without_bundle',
    severity: 'warning',
    resource: { type, id: name },
    message: `No bundle allows the ${type} ${name}, so end users cannot use it.`,
    fix: {
      say: `Allow the name in a bundle, for example ${slug}.`,
      call: {
        operation: 'bundles.allow',
        method: 'POST',
        path: `/v1/bundles/${slug}/allow`,
        body: { models: [...denied, name] },
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
    message: `The model ${alias.name} is disabled. Requests to it are rejected, and its sources are not used.`,
    fix: {
      say: 'Enable the model, or delete the model if no one needs it.',
      call: {
        operation: 'models.enable',
        method: 'POST',
        path: `/v1/models/${alias.name}/enable`,
        body: null,
      },
    },
  }
}
