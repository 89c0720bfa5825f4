/**
 * The recipe of a first request: the operations that lead from an empty organization to a key whose requests are
 * charged. `start`, `init`, `sample`, the tests and docs/guides/first-call.md follow it.
 *
 *   const { gateway, keys } = await performed(firstRequest(choices), call)
 *
 * The application's result gives the address of the gateway, and each key's result gives the secret. The request itself
 * needs both, and the model name.
 */
import { gatewayOf } from '#sdk/clients.ts'
import type {
  AppsCreateInput,
  BundlesAllowInput,
  BundlesCreateInput,
  BundlesPriceInput,
  GrantsIssueInput,
  KeysMintInput,
  ModelsAddInput,
  PortalConfigureInput,
  ProvidersConnectInput,
  ProvidersPriceInput,
  UsersCreateInput,
} from '#sdk/generated/operations.ts'
import type { Application, MintedKey } from '#sdk/generated/types.ts'

interface Inputs {
  readonly 'apps.create': AppsCreateInput
  readonly 'providers.connect': ProvidersConnectInput
  readonly 'providers.price': ProvidersPriceInput
  readonly 'models.add': ModelsAddInput
  readonly 'bundles.create': BundlesCreateInput
  readonly 'bundles.allow': BundlesAllowInput
  readonly 'bundles.price': BundlesPriceInput
  readonly 'portal.configure': PortalConfigureInput
  readonly 'users.create': UsersCreateInput
  readonly 'keys.mint': KeysMintInput
  readonly 'grants.issue': GrantsIssueInput
}

/** One call of an operation. */
export type Step = {
  [Operation in keyof Inputs]: { readonly operation: Operation; readonly input: Inputs[Operation] }
}[keyof Inputs]

/** Calls an operation by its ID. @throws if the operation fails */
export type CallOperation = (operation: string, input: object) => Promise<unknown>

/** Values that `start` uses, and `init` proposes. */
export const usual = {
  application: 'My app',
  provider: 'simulator',
  upstream: 'sim-1',
  bundle: 'starter',
  endUserId: 'ada',
  creditMicros: '5000000',
} as const

export interface Choices {
  readonly application: AppsCreateInput
  readonly provider: ProvidersConnectInput
  readonly models: readonly ModelChoice[]
  readonly bundles: readonly BundleChoice[]
  /** Omit to keep the portal's defaults. */
  readonly portal?: PortalConfigureInput
  /** Defaults to no end users. */
  readonly endUsers?: readonly EndUserChoice[]
}

export interface ModelChoice extends Omit<ModelsAddInput, 'sources'> {
  /** The provider's model ID. */
  readonly upstream: string
  /** Omit if the price is published. A model without a price is not served. */
  readonly price?: ProvidersPriceInput['price']
}

export interface BundleChoice extends BundlesCreateInput {
  /** Model names or patterns. */
  readonly allow: readonly string[]
  /** Model names and their sell prices. */
  readonly prices?: readonly Pick<BundlesPriceInput, 'model' | 'price'>[]
}

/** Creating the key creates the end user, and puts it into the bundle. */
export interface EndUserChoice {
  readonly key: KeysMintInput
  /** Omit for an end user without credit. */
  readonly credit?: Omit<GrantsIssueInput, 'endUsers'>
}

/** Returns the operations in the order in which they can be called. */
export function firstRequest({
  application,
  bundles,
  endUsers = [],
  models,
  portal,
  provider,
}: Choices): readonly Step[] {
  return [
    { operation: 'apps.create', input: application },
    { operation: 'providers.connect', input: provider },
    ...models.flatMap((model) => modelSteps(provider.label, model)),
    ...bundles.flatMap(bundleSteps),
    ...(portal ? [{ operation: 'portal.configure', input: portal } as const] : []),
    ...endUsers.flatMap(endUserSteps),
  ]
}

/** @param provider label of the account */
export function modelSteps(provider: string, { price, upstream, ...model }: ModelChoice): readonly Step[] {
  return [
    ...(price
      ? [{ operation: 'providers.price', input: { id: provider, model: upstream, price } } as const]
      : []),
    { operation: 'models.add', input: { ...model, sources: [{ provider, model: upstream }] } },
  ]
}

function bundleSteps({ allow, prices = [], ...bundle }: BundleChoice): readonly Step[] {
  const { slug } = bundle
  return [
    { operation: 'bundles.create', input: bundle },
    { operation: 'bundles.allow', input: { slug, models: allow } },
    ...prices.map((price) => ({ operation: 'bundles.price', input: { slug, ...price } }) as const),
  ]
}

function endUserSteps({ credit, key }: EndUserChoice): readonly Step[] {
  return [
    { operation: 'keys.mint', input: key },
    ...(credit
      ? [{ operation: 'grants.issue', input: { ...credit, endUsers: [key.endUserId] } } as const]
      : []),
  ]
}

export interface Performed {
  /** Address of the application's gateway, which the machine itself can reach. */
  readonly gateway: string
  /** External ID of the end user -> secret of its key. */
  readonly keys: ReadonlyMap<string, string>
}

/** Calls the operations one after the other. @throws the error of the first one that fails */
export async function performed(steps: readonly Step[], call: CallOperation): Promise<Performed> {
  let gateway = ''
  const keys = new Map<string, string>()
  for (const { input, operation } of steps) {
    // oxlint-disable-next-line no-await-in-loop -- each operation needs the one before
    const result = await call(operation, input)
    if (operation === 'apps.create') gateway = gatewayOf(result as Application)
    if (operation === 'keys.mint') keys.set(input.endUserId, (result as MintedKey).key)
  }
  return { gateway, keys }
}
