/**
 * All operations from an empty organization to a key whose requests are charged.
 *
 *   const { application, keys } = await performed(firstRequest(choices), call)
 *
 * To send the request itself, a program needs the application's gateway, a key's secret, and the model name.
 */
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

export type Step = {
  [Operation in keyof Inputs]: { readonly operation: Operation; readonly input: Inputs[Operation] }
}[keyof Inputs]

function step<Operation extends keyof Inputs>(
  operation: Operation,
  input: Inputs[Operation],
): { readonly operation: Operation; readonly input: Inputs[Operation] } {
  return { operation, input }
}

export const steps = {
  application: (application: AppsCreateInput) => step('apps.create', application),
  provider: (provider: ProvidersConnectInput) => step('providers.connect', provider),
  price: (provider: string, model: string, price: ProvidersPriceInput['price']) =>
    step('providers.price', { id: provider, model, price }),
  model: (provider: string, { upstream, ...model }: Omit<ModelChoice, 'price'>) =>
    step('models.add', { ...model, sources: [{ provider, model: upstream }] }),
  bundle: (bundle: BundlesCreateInput) => step('bundles.create', bundle),
  allow: (bundle: string, models: readonly string[]) => step('bundles.allow', { slug: bundle, models }),
  sellPrice: (bundle: string, price: SellPrice) => step('bundles.price', { slug: bundle, ...price }),
  portal: (settings: PortalConfigureInput) => step('portal.configure', settings),
  endUser: (endUser: UsersCreateInput) => step('users.create', endUser),
  key: (key: KeysMintInput) => step('keys.mint', key),
  credit: (endUserId: string, credit: Credit) => step('grants.issue', { ...credit, endUsers: [endUserId] }),
}

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
  readonly portal?: PortalConfigureInput
  readonly endUsers?: readonly EndUserChoice[]
}

interface ModelChoice extends Omit<ModelsAddInput, 'sources'> {
  readonly upstream: string
  /** Omit the price if the provider's price is published. A model without a price is not served. */
  readonly price?: ProvidersPriceInput['price']
}

interface BundleChoice extends BundlesCreateInput {
  readonly allow: readonly string[]
  readonly prices?: readonly SellPrice[]
}
type SellPrice = Pick<BundlesPriceInput, 'model' | 'price'>

/** The operation that creates the key also creates the end user and assigns the bundle. */
interface EndUserChoice {
  readonly key: KeysMintInput
  readonly credit?: Credit
}
type Credit = Omit<GrantsIssueInput, 'endUsers'>

export function firstRequest({
  application,
  bundles,
  endUsers = [],
  models,
  portal,
  provider,
}: Choices): readonly Step[] {
  const { label } = provider
  return [
    steps.application(application),
    steps.provider(provider),
    ...models.flatMap(({ price, ...model }) => [
      ...(price ? [steps.price(label, model.upstream, price)] : []),
      steps.model(label, model),
    ]),
    ...bundles.flatMap(({ allow, prices = [], ...bundle }) => [
      steps.bundle(bundle),
      steps.allow(bundle.slug, allow),
      ...prices.map((price) => steps.sellPrice(bundle.slug, price)),
    ]),
    ...(portal ? [steps.portal(portal)] : []),
    ...endUsers.flatMap(keySteps),
  ]
}

export function keySteps({ credit, key }: EndUserChoice): readonly Step[] {
  return [steps.key(key), ...(credit ? [steps.credit(key.endUserId, credit)] : [])]
}

/** @throws if the operation fails */
export type CallOperation = (operation: string, input: object) => Promise<unknown>

export interface Performed {
  /** @throws if no step creates an application */
  readonly application: Application
  /** Maps the external ID of an end user to the secret of the end user's key. */
  readonly keys: ReadonlyMap<string, string>
}

/** @throws the error of the first operation that fails */
export async function performed(given: readonly Step[], call: CallOperation): Promise<Performed> {
  let created: Application | undefined
  const keys = new Map<string, string>()
  for (const { input, operation } of given) {
    // oxlint-disable-next-line no-await-in-loop -- each operation needs the result of the one before
    const result = await call(operation, input)
    // The casts are safe, because the types of the results and the operations are generated from the same table.
    if (operation === 'apps.create') created = result as Application
    if (operation === 'keys.mint') keys.set(input.endUserId, (result as MintedKey).key)
  }
  return {
    keys,
    get application() {
      if (!created) throw new Error('no step creates an application')
      return created
    },
  }
}
